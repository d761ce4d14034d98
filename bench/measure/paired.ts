import { type Command, type Measured, measuredRun } from './measured-run.ts';

/** One side of a comparison: how to run it, and how many rows a run of it takes in. */
export interface Contender {
  name: string;
  rows: number;
  run: Command;
}

/** What one run cost, whatever it said. */
export type Run = Omit<Measured, 'stdout'>;

type Side = Pick<Contender, 'name' | 'rows'>;

/** What the runs of one contender cost: medians, and the least and the most of each figure. */
export interface Figures {
  rows: number;
  wall_s: number;
  cpu_s: number;
  rss_mb: number;
  /** How much of the processor time is that of a container engine itself, where one was used. */
  engine_cpu_s?: number;
  rows_per_cpu_s: number;
  spread: Record<'wall_s' | 'cpu_s' | 'rss_mb', [least: number, most: number]>;
}

export interface Pairing {
  /** Name of the other side. */
  peer: string;
  ours: Figures;
  theirs: Figures;
  /** Median over the pairs of how many times as many rows ours takes in for a second of processor time. */
  ratio: number;
  /** The same when what container engines use themselves is taken from both sides; there where one was used. */
  ratio_without_engine?: number;
  runs: number;
}

/** Measures sides in turn, so many rounds of them; what each side cost. One of several rounds that fills caches on all sides comes first and does not count. */
export async function inTurn<T>(rounds: number, sides: readonly (() => Promise<T>)[]): Promise<T[][]> {
  const costs = sides.map((): T[] => []);
  for (let round = rounds > 1 ? 0 : 1; round <= rounds; round += 1) {
    for (const [at, side] of sides.entries()) {
      const cost = await side();
      if (round > 0) costs[at]?.push(cost);
    }
  }
  return costs;
}

/** Runs two contenders in turn. */
export async function paired(ours: Contender, theirs: Contender, runs: number): Promise<Pairing> {
  const sides = [ours, theirs].map((contender) => () => measuredRun(contender.run));
  const [own = [], other = []] = await inTurn(runs, sides);
  return pairing([ours, own], [theirs, other]);
}

/** What two sides cost whose runs were measured in turn, each with what its first has of its name and rows. */
export function pairing([ours, own]: [Side, readonly Run[]], [theirs, other]: [Side, readonly Run[]]): Pairing {
  const perSecond = ({ rows }: Side, seconds: number) => rows / seconds;
  const ratioBy = (seconds: (run: Run) => number) =>
    median(
      own.flatMap((run, at) => {
        const against = other[at];
        return against === undefined ? [] : [perSecond(ours, seconds(run)) / perSecond(theirs, seconds(against))];
      }),
    );
  const hasEngine = [...own, ...other].some(({ engine_cpu_s }) => engine_cpu_s !== undefined);
  return {
    peer: theirs.name,
    ours: figures(ours.rows, own),
    theirs: figures(theirs.rows, other),
    ratio: ratioBy(({ cpu_s }) => cpu_s),
    ...(hasEngine ? { ratio_without_engine: ratioBy(withoutEngine) } : {}),
    runs: own.length,
  };
}

/** The processor time of a run without that of a container engine itself. */
export const withoutEngine = ({ cpu_s, engine_cpu_s = 0 }: Pick<Run, 'cpu_s' | 'engine_cpu_s'>): number =>
  cpu_s - engine_cpu_s;

/** What runs of so many rows cost. */
export function figures(rows: number, runs: readonly Run[]): Figures {
  const of = (name: 'wall_s' | 'cpu_s' | 'rss_mb') => runs.map((run) => run[name]);
  const range = (name: 'wall_s' | 'cpu_s' | 'rss_mb'): [number, number] => [
    Math.min(...of(name)),
    Math.max(...of(name)),
  ];
  const cpu_s = median(of('cpu_s'));
  const engine = runs.flatMap(({ engine_cpu_s }) => engine_cpu_s ?? []);
  return {
    rows,
    wall_s: median(of('wall_s')),
    cpu_s,
    ...(engine.length === 0 ? {} : { engine_cpu_s: median(engine) }),
    rss_mb: median(of('rss_mb')),
    rows_per_cpu_s: rows / cpu_s,
    spread: { wall_s: range('wall_s'), cpu_s: range('cpu_s'), rss_mb: range('rss_mb') },
  };
}

/** The value in the middle, or the mean of the two there; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [below = Number.NaN, above = Number.NaN] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (below + above) / 2;
}
