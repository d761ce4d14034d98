import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  bootPlatform,
  platformPath,
  Refusal,
  type RunningPlatform,
  refuseToStart,
  startDuties,
  taskQueue,
} from '@weir/kernel/boot';
import { holdToMemory, ownMemory } from './hold-to-memory.ts';
import { readCapacities } from './process/capacity.ts';
import { holdToBounds, ownFacts } from './process/own-bounds.ts';
import { processState } from './process/process-state.ts';
import { startWatchdog } from './process/watchdog.ts';
import { folders, workerFolders } from './process/worker-folders.ts';
import { loadRoles } from './role/roles.ts';
import { runRoles } from './role/run-roles.ts';

const environment = process.env;
const EXIT_UNWATCHED = 1;

/** The worker program: boots the platform without HTTP and takes work of the roles that `--roles a,b` names. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { roles: { type: 'string' } } });
  const names = [...new Set((values.roles ?? '').split(',').filter((name) => name !== ''))];
  if (names.length === 0) throw new Refusal('worker refused', ['--roles names no role, such as --roles source']);
  const capacities = readCapacities(names, environment);
  const { work: workDir, cache: cacheDir, state: stateDir } = workerFolders(environment);
  const platformFile = platformPath(environment);
  const platform = await bootPlatform({ platformFile, environment, program: 'worker', settings: [folders] });
  const facts = ownFacts();
  const missing_bounds = holdToBounds(platform, facts);
  const roles = await loadRoles(platform, capacities, environment);
  holdToMemory(platform, roles, ownMemory(facts, [workDir, cacheDir, ...tableCaches(platform)]));
  const queues = names.map((name) => taskQueue(name, environment));
  const state = processState(stateDir, { roles: names, queues, missing_bounds }, (err) =>
    platform.log.error({ err }, 'this worker cannot say that it lives; its probe will take it for stuck'),
  );
  const running = await runRoles({ platform, roles, environment, children: state, workDir, cacheDir });
  for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(signal, running.drain);
  const watchdog = startWatchdog({
    onBeat: () => state.beat(running.states()),
    onLost(reason) {
      platform.log.fatal({ reason }, 'nothing watches this worker any more; it ends');
      process.exitCode = EXIT_UNWATCHED;
      running.drain();
    },
  });
  state.beat(running.states());
  await Promise.race([running.polling, running.ended]);
  const duties = startDuties({ ...platform, duties: platform.duties.filter(({ where }) => names.includes(where)) });
  process.stdout.write(`${JSON.stringify({ ready: true, pid: process.pid, roles: names, queues })}\n`);
  try {
    await running.ended;
  } finally {
    await duties.stop();
    await watchdog.stop();
    state.close();
    await platform.stop();
  }
}

/** Where a plugin keeps copies of table files, if it was told: the one other setting that says where a worker writes much. */
function tableCaches({ plugins }: Pick<RunningPlatform, 'plugins'>): string[] {
  const told = plugins.map(({ kernel }) => kernel.settings.WEIR_TABLE_CACHE_DIR);
  return told.filter((folder) => typeof folder === 'string').map((folder) => resolve(folder));
}

main().catch(refuseToStart);
