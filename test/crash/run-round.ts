import { until } from '../until.ts';
import type { CellSource, CellSources, Moment } from './cell-source.ts';
import { type Cell, inOrderOfHolding, type Round, type Service } from './cells.ts';
import type { CrashPlatform } from './crash-platform.ts';
import { below, isRunning } from './process-tree.ts';

/** What a connector waits between two STATEs: a sync lasts longer than the time between two commits. */
const PAUSE_MS = 100;
/** In a container that is in mid-stream, until it is killed with its worker or its engine: it lasts as long as it takes to hold the other cells. */
const LONG_PAUSE_MS = 5_000;
/** The processes that belong to a sync, or wait for one. */
const OF_A_RUN = /\/sync\/child\.|\/connectors\//;

/** What became of a cell, but for its rows, which are still to be looked at. */
export interface CellOutcome {
  readonly cell: Cell;
  readonly source: CellSource;
  readonly generation: number;
  readonly moments: readonly Moment[];
  /** How the interrupted run ended, and how long after the recovery. */
  readonly run: string;
  readonly seconds: number;
  /** What is wrong; nothing when all promises hold. */
  readonly faults: readonly string[];
}

interface Held {
  readonly cell: Cell;
  readonly source: CellSource;
  readonly runId: string;
  readonly moments: Moment[];
  /** The process of its sync, if there is one. */
  readonly child: number | undefined;
}

/**
 * Holds a sync of each cell at its point, kills the process, lets everybody go, starts it again, waits until each run has
 * ended, and lets a new one finish what failed.
 */
export async function runRound(platform: CrashPlatform, sources: CellSources, cells: Round): Promise<CellOutcome[]> {
  await platform.faults.clear();
  const ready = await Promise.all(
    inOrderOfHolding(cells).map(async (cell) => ({ cell, source: await sources.take(cell.mode) })),
  );
  const held: Held[] = [];
  for (const { cell, source } of ready) held.push(await hold(platform, cell, source));
  const service = cells.map(({ target }) => target).find((target): target is Service => !isOfARun(target));
  // A worker keeps processes for reading tables; with it they end too.
  const processes = service === 'worker' ? below(platform.workerPid(), /./) : await ofRuns(platform);
  const killed = await Promise.all(held.map((one) => killOwn(platform, one)));
  if (service !== undefined) await platform.kill(service);
  await platform.faults.release(cells.map(({ point }) => point));
  if (service !== undefined) await platform.restart(service);
  const recovered = performance.now();
  const ends = await Promise.all(held.map((one) => end(one, recovered)));
  await processesGone(platform, processes);
  await platform.untilClean();
  return held.map(({ cell, source, moments }, at) => {
    const { run = 'unknown', seconds = 0, faults = [] } = ends[at] ?? {};
    const all = [...(killed[at] ?? []), ...faults];
    if (all.length === 0) sources.giveBack(source);
    return { cell, source, generation: source.generation(), moments, run, seconds, faults: all };
  });
}

function isOfARun(target: Cell['target']): target is 'child' | 'container' {
  return target === 'child' || target === 'container';
}

/** Starts the sync of a cell and waits until it is held at its point. */
async function hold(platform: CrashPlatform, cell: Cell, source: CellSource): Promise<Held> {
  const { faults } = platform;
  const isLong = platform.contained && cell.point === 'S5';
  await source.next(isLong ? LONG_PAUSE_MS : PAUSE_MS);
  const others = await platform.workerChildren('sync');
  await faults.arm(cell.point);
  // The answer may never come: the API can be what is held, or killed.
  source.start().catch(() => undefined);
  await faults.held(cell.point);
  if (isLong) await source.pause(PAUSE_MS);
  const [child] = (await platform.workerChildren('sync')).filter((pid) => !others.includes(pid));
  return { cell, source, runId: await source.newestRun(), moments: [await source.moment('held')], child };
}

/** Kills what belongs to the sync of this cell alone, if that is its process to be killed; says when it was not there. */
async function killOwn(platform: CrashPlatform, { cell, runId, child }: Held): Promise<string[]> {
  if (cell.target === 'child') {
    if (child === undefined) return ['there was no sync process to be killed'];
    // Its connector ends with it.
    process.kill(child, 'SIGKILL');
  }
  if (cell.target === 'container') {
    return (await platform.killContainer(runId)) ? [] : ['there was no container to be killed'];
  }
  return [];
}

/** Waits for the end of a held run, and lets a new one finish when it did not succeed. */
async function end({ cell, source, runId, moments }: Held, recovered: number) {
  const faults: string[] = [];
  const first = await endOf(source, runId);
  const seconds = (performance.now() - recovered) / 1_000;
  const succeeded = first.status === 'succeeded';
  moments.push(await source.moment(succeeded ? 'finished' : 'ended'));
  if (!succeeded) {
    await source.start();
    const second = await endOf(source, await source.newestRun());
    if (second.status !== 'succeeded') faults.push(`a new sync did not succeed either: ${second.failure?.code}`);
    moments.push(await source.moment('finished'));
  }
  const run = `${first.status}${first.failure ? ` (${first.failure.code})` : ''}`;
  return { run, seconds, faults: [...faults, ...unfinished(cell, source, moments.at(-1))] };
}

const endOf = (source: CellSource, runId: string) => until(`the end of run ${runId}`, () => source.ended(runId));

/** An incremental sync that succeeded has read its source to the end. */
function unfinished({ mode }: Cell, source: CellSource, last: Moment | undefined): string[] {
  const wanted = source.rowsOf(source.generation());
  if (mode === 'overwrite') return [];
  const behind = (last?.tables ?? []).filter(({ at }) => at !== wanted);
  return behind.map(({ at }) => `the checkpoint stands at ${at} of ${wanted} in the end`);
}

/** The processes that belong to runs; the one that waits for the next sync belongs to none. */
async function ofRuns(platform: CrashPlatform): Promise<number[]> {
  const found = below(platform.workerPid(), OF_A_RUN);
  const spare = await platform.workerChildren('spare');
  return found.filter((pid) => !spare.includes(pid));
}

/** Waits for the end of the processes of the runs, and of those of a killed worker. */
function processesGone(platform: CrashPlatform, before: readonly number[]): Promise<true> {
  const left = async () => [...(await ofRuns(platform)), ...before.filter(isRunning)];
  return until('the end of every process of the runs', async () => (await left()).length === 0);
}
