import { testMount } from '../secret-mount.ts';
import type { Identities } from './platform/programs.ts';
import type { ProofPlatform } from './platform/proof-platform.ts';
import type { ProofMode } from './proof.ts';

const NOBODY: Identities = { api: {}, worker: {} };

/** Who the programs are in a mode: in `secret_store` a real OpenBao with the project's policies, or why there is none. */
export async function identitiesOf(mode: ProofMode, platform: ProofPlatform): Promise<Identities | string> {
  if (mode !== 'secret_store') return NOBODY;
  try {
    const mount = await testMount({ teardown: platform.stopping.finally });
    return { api: mount.environment('api'), worker: mount.environment('worker') };
  } catch (error) {
    return `no secret store can be started here (${error instanceof Error ? error.message : 'unknown'})`;
  }
}
