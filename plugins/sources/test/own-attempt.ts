import type { ChildRegistry, Kernel } from '@weir/kernel';
import { Audits, Producers, Tables } from '@weir/plugin-datasets/contract';
import { discoveryDeps } from '../src/discovery/activities.ts';
import { roleEngine } from '../src/runtime/role-engine.ts';
import { copyTokens } from '../src/sync/copy-tokens.ts';
import type { AttemptDeps } from '../src/sync/run-attempt.ts';
import { beginChild } from '../src/sync/run-child.ts';
import { spareChild } from '../src/sync/spare-child.ts';

/** What an attempt of a sync needs that no worker carries out. */
export function attemptDeps(
  kernel: Kernel,
  { children, workDir }: { children: ChildRegistry; workDir: string },
): AttemptDeps {
  const services = { tables: kernel.use(Tables), producers: kernel.use(Producers), audits: kernel.use(Audits) };
  const engine = roleEngine(kernel, 'source');
  const inContainers = kernel.settings.SOURCE_SOCKET_DIR !== undefined;
  const spare = spareChild(() => beginChild(children, { inContainers }));
  return { ...discoveryDeps({ kernel, children, workDir }), ...services, tokens: copyTokens(1), engine, spare };
}
