import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Static } from '@sinclair/typebox';
import {
  enginePlace,
  engineSettings,
  Refusal,
  readSettings,
  refuseToStart,
  taskQueue,
  temporalWorkflows,
  type Workflows,
} from '@weir/kernel/boot';
import { type HealthFinding, judgeBeat, judgeBounds, judgePollers } from './judge-worker.ts';
import { livingWorkers, type WorkerRecord } from './process/process-state.ts';
import { workerFolders } from './process/worker-folders.ts';

const EXIT_UNHEALTHY = 1;
const MS_PER_SECOND = 1_000;
/** The event loop of a worker turns each second; past this it is stuck. */
const MAX_SILENCE_SECONDS = '10';
/** A slot that has just become free is polled for at once; a second look tells it from a poller that is missing. */
const LOOK_AGAIN_MS = 2_000;

/**
 * The probe of workers, a short process beside them: whether the event loop of each worker of `--roles a,b` on this machine
 * turns, and whether the engine sees it poll the queues that the environment names. Prints one line of JSON, exits with 0 when all
 * is well and with 1 when not; 78 is a call that cannot be understood. It says nothing about whether runs make progress.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { roles: { type: 'string' }, 'max-silence-seconds': { type: 'string', default: MAX_SILENCE_SECONDS } },
  });
  const roles = (values.roles ?? '').split(',').filter((name) => name !== '');
  const maxSilenceMs = Number(values['max-silence-seconds']) * MS_PER_SECOND;
  if (roles.length === 0) throw new Refusal('probe refused', ['--roles names no role, such as --roles source']);
  if (!(maxSilenceMs > 0)) throw new Refusal('probe refused', ['--max-silence-seconds is no number of seconds']);
  const findings = await probe(roles, maxSilenceMs);
  const healthy = findings.length > 0 && findings.every(({ outcome }) => outcome !== 'failed');
  process.stdout.write(`${JSON.stringify({ healthy, roles, findings })}\n`);
  return healthy ? 0 : EXIT_UNHEALTHY;
}

async function probe(roles: readonly string[], maxSilenceMs: number): Promise<HealthFinding[]> {
  const read = () => workersOf(roles);
  const workers = read();
  const absent = roles.filter((role) => !workers.some((worker) => worker.roles.includes(role)));
  const missing = absent.map(
    (role): HealthFinding => ({
      check: 'event_loop',
      role,
      outcome: 'failed',
      detail: 'no worker of this role runs here',
    }),
  );
  const beats = workers.map((worker) => judgeBeat(worker, process.hrtime.bigint(), maxSilenceMs));
  const bounds = workers.flatMap(judgeBounds);
  const engine = openEngine();
  try {
    let polled = await judgeAll(engine, workers, roles);
    if (polled.some(({ check, outcome }) => check === 'activity_poller' && outcome === 'failed')) {
      await pause(LOOK_AGAIN_MS);
      polled = await judgeAll(engine, read(), roles);
    }
    return [...missing, ...beats, ...polled, ...bounds];
  } finally {
    await engine.close();
  }
}

async function judgeAll(
  engine: Workflows,
  workers: readonly WorkerRecord[],
  roles: readonly string[],
): Promise<HealthFinding[]> {
  const states = workers.flatMap((worker) => worker.workers).filter(({ role }) => roles.includes(role));
  const findings = states.map(async (state): Promise<HealthFinding[]> => {
    const queue = taskQueue(state.role, process.env);
    const found = await engine.describeQueue(queue).catch(() => undefined);
    const detail = 'the workflow engine does not answer';
    if (found === undefined) return [{ check: 'engine', role: state.role, outcome: 'failed', detail }];
    return judgePollers(state, { queue, found, now: Date.now() });
  });
  return (await Promise.all(findings)).flat();
}

/** What the living workers of these roles say of themselves; one that ends meanwhile is not there. */
function workersOf(roles: readonly string[]): WorkerRecord[] {
  const records = livingWorkers(workerFolders(process.env).state).flatMap((file) => {
    try {
      return [JSON.parse(readFileSync(file, 'utf8')) as WorkerRecord];
    } catch {
      return [];
    }
  });
  return records.filter((record) => record.roles.some((role) => roles.includes(role)));
}

function openEngine(): Workflows {
  const owner = 'probe';
  const values = readSettings([{ owner, schema: engineSettings }], process.env).get(owner);
  return temporalWorkflows(enginePlace(values as Static<typeof engineSettings>));
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => refuseToStart(error),
);
