import type { Kernel } from '@weir/kernel';
import type { RemoteCatalog } from '@weir/lakehouse';
import { type Repetition, repeat } from '@weir/turns';

/** The namespaces of the platform: every tenant reads them, none lands in them. */
const SHARED_NAMESPACES = ['raw.shared', 'registry.shared'];
/** How long after a catalog did not answer it is asked again; milliseconds. */
const ASK_AGAIN_MS = 30_000;

/**
 * Makes the shared namespaces in a REST catalog, again and again while it does not answer. In the catalog of the service
 * database `weir migrate` makes them, as only the owner may write there.
 */
export function sharedNamespaces(remote: RemoteCatalog | undefined, log: Pick<Kernel['log'], 'warn'>) {
  let isDone = remote === undefined;
  let rounds: Repetition | undefined;
  const round = async () => {
    if (isDone) return;
    for (const namespace of SHARED_NAMESPACES) await remote?.ensureNamespace(namespace);
    isDone = true;
  };
  return {
    /** Resolves when the catalog has answered, or failed to. */
    async start(): Promise<void> {
      if (isDone) return;
      rounds = repeat(ASK_AGAIN_MS, round, (error) => {
        log.warn({ err: error }, 'the table catalog did not make the shared namespaces; it is asked again');
      });
      await rounds.now();
    },
    stop: async () => rounds?.stop(),
  };
}
