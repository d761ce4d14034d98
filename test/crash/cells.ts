import type { FaultPoint } from '@weir/kernel';

/** Which process is killed; an engine is killed, or asked to stop as by its supervisor. */
export type Service = 'api' | 'worker' | 'postgres' | 'temporal' | 'store' | 'engine_killed' | 'engine_stopped';
export type Target = Service | 'child' | 'container';
/** How the rows of a source are written; `shared`: two appended tables whose streams have one GLOBAL state. */
export const MODES = ['append', 'merge', 'overwrite', 'shared'] as const;
export type Mode = (typeof MODES)[number];

/** One process, killed once, while a sync of one write mode is held at one point. */
export interface Cell {
  readonly target: Target;
  readonly point: FaultPoint;
  readonly mode: Mode;
}

/** Cells that are held together. One service is killed once for all of them; a process of a sync, for each cell its own. */
export type Round = readonly Cell[];

/** Cells that can share a platform. */
export interface Matrix {
  readonly name: string;
  readonly warehouse: 'folder' | 's3';
  /** Connectors run in containers. */
  readonly contained: boolean;
  readonly targets: readonly Target[];
  readonly points: readonly FaultPoint[];
  /** What the lane `crashes` runs: each point, process and mode of the matrix; empty when only the soak of all cells runs it. */
  readonly fixed: readonly Round[];
}

const POINTS: readonly FaultPoint[] = ['S1', 'S2', 'S5', 'S6', 'S7', 'S8', 'S9', 'S10', 'S11', 'S12', 'S14'];
/** Where no process of the sync exists: it has not begun, or its work is over. */
const WITHOUT_CHILD: readonly FaultPoint[] = ['S1', 'S2', 'S12', 'S14'];
/** Points at which a cell keeps one of the tokens for typing rows, of which there are as many as cores. */
const STAGING: readonly FaultPoint[] = ['S5', 'S6', 'S7'];
/** Where a connector has been read to its end: rows are typed before that. The process of its sync is not there for long. */
const READ: FaultPoint = 'S13';
/** Points before a run is known to be started: after a few seconds the sweeper starts it anew. */
const STARTING: readonly FaultPoint[] = ['S1', 'S2'];
const MAX_STAGING = 2;
const MAX_CELLS = 6;

/** Cells of one process, or of several where each names its own: `point mode` or `target point mode`. */
const round = (target: Target | undefined, ...cells: string[]): Round =>
  cells.map((text) => {
    const [mode, point, own = target] = text.split(' ').reverse() as [Mode, FaultPoint, Target | undefined];
    if (own === undefined) throw new Error(`${text} names no process`);
    return { target: own, point, mode };
  });

export const MATRICES: readonly Matrix[] = [
  {
    name: 'tables in a folder',
    ...{ warehouse: 'folder', contained: false, points: POINTS },
    targets: ['api', 'worker', 'child', 'postgres', 'temporal'],
    fixed: [
      round('api', 'S1 append', 'S2 merge', 'S8 overwrite', 'S14 append'),
      round('worker', 'S5 append', 'S9 merge', 'S10 overwrite', 'S11 shared', 'S14 append'),
      round('child', 'S5 merge', 'S7 overwrite', 'S10 merge', 'S11 append'),
      round('postgres', 'S1 overwrite', 'S9 shared', 'S10 append', 'S11 merge', 'S12 append'),
      round('temporal', 'S2 append', 'S6 merge', 'S12 overwrite', 'S14 merge'),
    ],
  },
  {
    name: 'tables in an object store',
    ...{ warehouse: 's3', contained: false, points: POINTS },
    targets: ['store'],
    fixed: [round('store', 'S6 overwrite', 'S7 merge', 'S8 append', 'S9 append', 'S10 shared')],
  },
  {
    name: 'connectors in containers',
    ...{ warehouse: 'folder', contained: true, points: ['S3', 'S4', 'S5', 'S13'] },
    targets: ['worker', 'child', 'container', 'engine_killed', 'engine_stopped'],
    fixed: [
      round(undefined, 'child S3 merge', 'child S4 overwrite', 'container S5 append', 'child S13 append'),
      round('worker', 'S3 append', 'S4 merge', 'S5 append', 'S13 overwrite'),
      round('engine_killed', 'S4 append', 'S5 merge', 'S3 overwrite'),
      round('engine_stopped', 'S4 merge', 'S5 overwrite', 'S3 append'),
    ],
  },
  {
    name: 'connectors in containers with an object store',
    ...{ warehouse: 's3', contained: true, points: ['S3', 'S4', 'S13'] },
    targets: ['api', 'postgres', 'temporal', 'store'],
    fixed: [],
  },
];

/** What every test run kills: each process of a platform without containers once, while a sync of each mode is held. */
export const SHORT: Matrix = {
  name: 'every process once',
  ...{ warehouse: 's3', contained: false, points: POINTS },
  targets: ['api', 'worker', 'child', 'postgres', 'temporal', 'store'],
  fixed: [
    round('api', 'S1 overwrite'),
    round('worker', 'S9 merge'),
    round('child', 'S10 append'),
    round('postgres', 'S11 shared'),
    round('temporal', 'S12 append'),
    round('store', 'S7 merge'),
  ],
};

/** Processes at points that are in no matrix. */
interface Elsewhere {
  readonly targets: readonly Target[];
  readonly points: readonly FaultPoint[];
  /** Why there is nothing to kill, or where it is shown instead. */
  readonly why: string;
}

/** What the matrices leave out. */
export const ELSEWHERE: readonly Elsewhere[] = [
  {
    ...{ targets: ['container', 'engine_killed', 'engine_stopped'], points: WITHOUT_CHILD },
    why: 'the run has no container: it has not begun to read, or was read to its end',
  },
  {
    ...{ targets: ['container', 'engine_killed', 'engine_stopped'], points: ['S6', 'S7', 'S8', 'S9', 'S10', 'S11'] },
    why: 'child and worker, who do the work there, are killed; the simulator ends a connector meanwhile',
  },
];

/** Why a cell cannot be, or undefined when it can. */
export function unreachable({ target, point }: Cell): string | undefined {
  if (target === 'child' && WITHOUT_CHILD.includes(point)) return `a sync has no process of its own at ${point}`;
  if (target === 'container' && point !== 'S5') return `no process runs in a container at ${point}`;
  return undefined;
}

/** Every cell of a matrix, whether it can be or not. */
export function allCells({ targets, points }: Matrix): Cell[] {
  return targets.flatMap((target) => points.flatMap((point) => MODES.map((mode) => ({ target, point, mode }))));
}

/** Every cell of a matrix that can be, in rounds. */
export function allRounds(matrix: Matrix): Round[] {
  const reachable = allCells(matrix).filter((one) => unreachable(one) === undefined);
  return matrix.targets.flatMap((target) => roundsOf(target, reachable));
}

/** How many tokens a cell keeps, or must find: two streams under one state are typed beside each other, if they can be. */
function tokensOf({ point, mode }: Cell): number {
  if (point === READ) return 1;
  return STAGING.includes(point) ? (mode === 'shared' ? 2 : 1) : 0;
}

/** Whether cells can be held together: few, fewer still that need a token, and one whose process ends by itself. */
export function fitTogether(cells: readonly Cell[]): boolean {
  const tokens = cells.reduce((sum, cell) => sum + tokensOf(cell), 0);
  const read = cells.filter(({ point }) => point === READ);
  return cells.length <= MAX_CELLS && tokens <= MAX_STAGING && read.length <= 1;
}

/** As few rounds as there is room for; those that cannot share one come first. */
function roundsOf(target: Target, reachable: readonly Cell[]): Round[] {
  const rounds: Cell[][] = [];
  const own = reachable.filter((each) => each.target === target);
  for (const one of own.toSorted((a, b) => Number(b.point === READ) - Number(a.point === READ))) {
    const open = rounds.find((cells) => fitTogether([...cells, one]));
    if (open === undefined) rounds.push([one]);
    else open.push(one);
  }
  return rounds;
}

/**
 * The order in which the cells of a round are held: those that keep a token late, so that they keep nobody from theirs, then
 * the starts, which are swept, and last the one whose process is ended when it is held for long.
 */
export function inOrderOfHolding(cells: readonly Cell[]): Cell[] {
  const rank = ({ point }: Cell) => {
    if (point === READ) return 3;
    if (STARTING.includes(point)) return 2;
    return STAGING.includes(point) ? 1 : 0;
  };
  return cells.toSorted((a, b) => rank(a) - rank(b));
}
