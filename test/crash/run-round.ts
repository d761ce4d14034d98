import { type CellSource, cellSource, GENERATIONS, type Moment } from './cell-source.ts';
import { type Cell, inOrderOfHolding, type Round } from './cells.ts';
import type { CrashPlatform } from './crash-platform.ts';
import { judgeRows, type Row } from './judge-rows.ts';
import { below, isRunning } from './process-tree.ts';
import { readRows } from './read-rows.ts';
import { until } from './until.ts';

/** A run has ended so long after its platform is whole again. */
const RECOVERY_MS = 60_000;
/** The process of a sync, and all that belong to one. */
const SYNC = /\/sync\/child\./;
const OF_A_RUN = /\/sync\/child\.|\/connectors\//;

/** What became of a cell. */
export interface CellOutcome {
  readonly cell: Cell;
  /** How the interrupted run ended, and how long after the recovery. */
  readonly run: string;
  readonly seconds: number;
  /** What is wrong; nothing when all promises hold. */
  readonly faults: readonly string[];
}

interface Held {
  readonly source: CellSource;
  readonly runId: string;
  readonly moments: Moment[];
}

/**
 * Holds a sync of each cell at its point, kills the process, lets everybody go, starts it again, waits until each run has
 * ended, lets a new one finish what failed, and reads the tables as they were at each moment.
 */
export async function runRound(platform: CrashPlatform, { target, cells }: Round): Promise<CellOutcome[]> {
  await platform.faults.clear();
  const sources = await Promise.all(inOrderOfHolding(cells).map((cell) => cellSource(platform, cell)));
  const held: Held[] = [];
  for (const source of sources) held.push(await hold(platform, source));
  // A worker keeps processes for reading tables; with it they end too.
  const processes = await below(platform.workerPid(), target === 'worker' ? /./ : OF_A_RUN);
  const points = cells.map(({ point }) => point);
  if (target === 'child') {
    await killChildren(platform);
    await platform.faults.release(points);
  } else {
    await platform.kill(target);
    await platform.faults.release(points);
    await platform.restart(target);
  }
  const recovered = performance.now();
  const ends = await Promise.all(held.map((one) => end(one, recovered)));
  const orphans = await orphansOf(platform, processes);
  const rows = await rowsOf(platform, held);
  return held.map(({ source, moments }, at) => {
    const { run = 'unknown', seconds = 0, faults = [] } = ends[at] ?? {};
    const judged = moments.flatMap((moment) => judge(source.cell, moment, rows[moment.location] ?? []));
    return { cell: source.cell, run, seconds, faults: [...faults, ...judged, ...orphans] };
  });
}

/** Starts the sync of a cell and waits until it is held at its point. */
async function hold({ faults }: CrashPlatform, source: CellSource): Promise<Held> {
  await faults.arm(source.cell.point);
  // The answer may never come: the API can be what is held, or killed.
  source.start().catch(() => undefined);
  await faults.held(source.cell.point);
  return { source, runId: await source.newestRun(), moments: [await source.moment('held')] };
}

/** The connectors of these processes end with them. */
async function killChildren(platform: CrashPlatform): Promise<void> {
  for (const pid of await below(platform.workerPid(), SYNC)) process.kill(pid, 'SIGKILL');
}

/** Waits for the end of a held run, and lets a new one finish when it did not succeed. */
async function end({ source, runId, moments }: Held, recovered: number) {
  const faults: string[] = [];
  const first = await endOf(source, runId);
  if (first === undefined) faults.push(`the run is still open ${RECOVERY_MS / 1_000} s after the recovery`);
  const seconds = (performance.now() - recovered) / 1_000;
  const succeeded = first?.status === 'succeeded';
  moments.push(await source.moment(succeeded ? 'finished' : 'ended'));
  if (!succeeded) {
    await source.start();
    const second = await endOf(source, await source.newestRun());
    if (second?.status !== 'succeeded') {
      faults.push(`a new sync did not succeed either: ${second?.failure?.code ?? 'it goes on'}`);
    }
    moments.push(await source.moment('finished'));
  }
  const run = first === undefined ? 'open' : `${first.status}${first.failure ? ` (${first.failure.code})` : ''}`;
  return { run, seconds, faults: [...faults, ...unfinished(source.cell, moments.at(-1))] };
}

/** The run, or undefined when it goes on for too long. */
function endOf(source: CellSource, runId: string) {
  return until('the end of a run', () => source.ended(runId), RECOVERY_MS).catch(() => undefined);
}

/** An incremental sync that succeeded has read its source to the end. */
function unfinished({ mode }: Cell, last: Moment | undefined): string[] {
  const read = mode === 'overwrite' || last?.at === GENERATIONS[2];
  return read ? [] : [`the checkpoint stands at ${last?.at} of ${GENERATIONS[2]} in the end`];
}

function judge({ mode }: Cell, { when, at }: Moment, rows: readonly Row[]): string[] {
  const generations = when === 'finished' ? { 2: GENERATIONS[2] ?? 0 } : GENERATIONS;
  return judgeRows(rows, { mode, at, generations }).map((fault) => `${when}: ${fault}`);
}

/** Processes that outlived the runs that they were started for, or the worker they belonged to. */
async function orphansOf(platform: CrashPlatform, before: readonly number[]): Promise<string[]> {
  const left = async () => {
    const states = await Promise.all(before.map(isRunning));
    return [...(await below(platform.workerPid(), OF_A_RUN)), ...before.filter((_, at) => states[at])];
  };
  const gone = async () => ((await left()).length === 0 ? true : undefined);
  return until('the end of every process', gone, RECOVERY_MS).then(
    () => [],
    async () => [`${(await left()).length} processes outlived their runs`],
  );
}

function rowsOf({ s3 }: CrashPlatform, held: readonly Held[]): Promise<Record<string, readonly Row[]>> {
  const locations = [...new Set(held.flatMap(({ moments }) => moments.map(({ location }) => location)))];
  return readRows<Row>({ locations, fields: ['id', 'key', 'generation'], properties: s3 });
}
