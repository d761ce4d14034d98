import { chanceOf } from './chance.ts';

/** How the rows of a stream get into its table. */
export type WriteMode = 'append' | 'overwrite' | 'merge';

/** A row of the source. Of a key the last row counts; one that `deletes` takes the key away. */
export interface SourceRow {
  readonly id: number;
  readonly key: number;
  readonly deletes: boolean;
  /** The line is no row of the table. */
  readonly isBad: boolean;
  /** It has a member that the first schema lacks. */
  readonly hasNew: boolean;
  /** The file that it is from. */
  readonly file: string;
}

export interface SimStream {
  readonly id: string;
  readonly write: WriteMode;
  readonly isStateful: boolean;
  /** Whether the connector tells any state at all. */
  readonly tellsStates: boolean;
  readonly policy: 'capture' | 'evolve' | 'freeze';
  /** All rows that the source will ever have; run `r` sees the first `sizes[r]` of them. */
  readonly rows: readonly SourceRow[];
  readonly sizes: readonly number[];
  /** Before which rows a file begins anew, so that its rows of before go; states lie there, at sizes and nowhere else. */
  readonly files: ReadonlyMap<number, string> | undefined;
}

/** What happens in a world and what does not: each seed has its own mixture, so that rare pairs meet. */
export interface Scenario {
  readonly seed: number;
  readonly streams: readonly SimStream[];
  readonly runs: number;
  /** Checkpoints live apart from pointers. */
  readonly isRemote: boolean;
  /** Pointers move in one step; otherwise one by one, and streams share no state. */
  readonly isAtomic: boolean;
  /**
   * Where the streams that tell states share one: in which order their rows stand in the source. A state is then how many
   * of these it covers.
   */
  readonly log: readonly string[] | undefined;
  readonly rates: {
    readonly lostBefore: number;
    readonly lostAfter: number;
    readonly late: number;
    readonly slow: number;
    readonly refused: number;
    readonly crash: number;
    readonly childLost: number;
    readonly zombie: number;
    readonly foreign: number;
    /** The connector fails, or ends with rows that no state covers. */
    readonly source: number;
    /** The chance of late operations to arrive, in each step: after a few steps, or after whole attempts. */
    readonly arrives: number;
  };
}

/** How many rows of a stream a state covers. */
export function rowsAt({ log }: Pick<Scenario, 'log'>, { id, tellsStates }: SimStream, state: number): number {
  if (log === undefined || !tellsStates) return state;
  return log.slice(0, state).filter((of) => of === id).length;
}

const MAX_ROWS = 24;
const KEYS = 5;
const FILES = ['f0', 'f1', 'f2'];
/** Far from the seeds of worlds, which stay as they are. */
const FILES_CHANCE = 1_000_000_007;

/** The world of a seed. */
export function scenarioOf(seed: number): Scenario {
  const chance = chanceOf(seed * 2 + 1);
  const rate = (max: number): number => (chance.happens(0.5) ? 0 : (chance.below(100) / 100) * max);
  const runs = 1 + chance.below(3);
  const bad = rate(0.3);
  const fresh = rate(0.2);
  const shares = chance.happens(0.4);
  const count = 1 + chance.below(shares ? 3 : 2);
  const made = Array.from({ length: count }, (_, at): SimStream => {
    const write = chance.pick<WriteMode>(['append', 'append', 'overwrite', 'merge']);
    const isStateful = write === 'overwrite' ? false : write === 'merge' || chance.happens(shares ? 0.9 : 0.7);
    const rows = Array.from({ length: 1 + chance.below(MAX_ROWS) }, (_, id) => ({
      id,
      key: chance.below(KEYS),
      deletes: write === 'merge' && chance.happens(0.15),
      isBad: chance.happens(bad),
      hasNew: chance.happens(fresh),
      file: '',
    }));
    const sizes: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      const before = sizes.at(-1) ?? 0;
      sizes.push(run === runs - 1 ? rows.length : before + chance.below(rows.length - before + 1));
    }
    const tellsStates = isStateful && (shares || write === 'merge' || chance.happens(0.85));
    const stream = { id: `s${at}`, write, isStateful, tellsStates, rows, sizes, files: undefined };
    const made = { ...stream, policy: chance.pick<SimStream['policy']>(['capture', 'evolve', 'freeze']) };
    return write === 'append' && tellsStates && !shares ? ofFiles(seed, made) : made;
  });
  const { log, streams } = shares ? sharing(chance, made, runs) : { log: undefined, streams: made };
  const isRemote = chance.happens(0.4);
  return {
    seed,
    streams,
    runs,
    isRemote,
    isAtomic: !isRemote || shares || chance.happens(0.5),
    log,
    rates: {
      lostBefore: rate(0.15),
      lostAfter: rate(0.15),
      late: rate(0.15),
      slow: rate(0.6),
      refused: rate(0.05),
      crash: rate(0.04),
      childLost: rate(0.03),
      zombie: rate(0.05),
      foreign: rate(0.05),
      source: rate(0.2),
      arrives: chance.happens(0.5) ? 0.03 : 0.2,
    },
  };
}

/** In half of the worlds: the stream as one of files that are written anew now and then. Its chance is its own. */
function ofFiles(seed: number, stream: SimStream): SimStream {
  const chance = chanceOf(seed * 2 + FILES_CHANCE);
  if (chance.happens(0.5)) return stream;
  const files = new Map<number, string>();
  let file = '';
  const rows = stream.rows.map((row, at) => {
    if (at === 0 || stream.sizes.includes(at) || chance.happens(0.3)) {
      file = chance.pick(FILES);
      files.set(at, file);
    }
    return { ...row, file };
  });
  const isKept = ({ id, file }: SourceRow) => ![...files].some(([row, other]) => row > id && other === file);
  return { ...stream, rows: rows.map((row) => ({ ...row, isBad: row.isBad && isKept(row) })), files };
}

/** The rows of all streams that tell states in one order, of which each run sees a longer beginning. */
function sharing(
  chance: ReturnType<typeof chanceOf>,
  made: readonly SimStream[],
  runs: number,
): { log: readonly string[]; streams: SimStream[] } {
  const left = new Map(made.filter(({ tellsStates }) => tellsStates).map(({ id, rows }) => [id, rows.length]));
  const log: string[] = [];
  while (left.size > 0) {
    const id = chance.pick([...left.keys()]);
    log.push(id);
    const rest = (left.get(id) ?? 0) - 1;
    if (rest === 0) left.delete(id);
    else left.set(id, rest);
  }
  const ends: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const before = ends.at(-1) ?? 0;
    ends.push(run === runs - 1 ? log.length : before + chance.below(log.length - before + 1));
  }
  const streams = made.map((stream) =>
    stream.tellsStates ? { ...stream, sizes: ends.map((end) => rowsAt({ log }, stream, end)) } : stream,
  );
  return { log, streams };
}
