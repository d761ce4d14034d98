import type { PlatformService } from '@weir/kernel';
import type { SyncReceiptView } from '../../contract.ts';

/** The plugins whose code decides what a sync writes. */
const WRITERS: readonly string[] = ['datasets', 'sources'];

/** What this release says of itself in a receipt; read when it is asked for, as all plugins are known only then. */
export function releaseVersions(
  platform: Pick<PlatformService, 'release' | 'manifests'>,
): () => Omit<SyncReceiptView['versions'], 'connector'> {
  return () => ({
    release_sha: platform.release.sha,
    image_digest: platform.release.imageDigest,
    plugins: platform
      .manifests()
      .filter(({ id }) => WRITERS.includes(id))
      .map(({ id, version }) => ({ id, version }))
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
  });
}
