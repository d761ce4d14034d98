import type { FaultPoint } from '@weir/kernel';

export const TARGETS = ['api', 'worker', 'child', 'postgres', 'temporal', 'store'] as const;
export const POINTS = ['S1', 'S2', 'S5', 'S6', 'S7', 'S8', 'S9', 'S10', 'S11', 'S12', 'S14'] as const;
export const MODES = ['append', 'merge', 'overwrite'] as const;

/** Which process is killed. */
export type Target = (typeof TARGETS)[number];
export type Mode = (typeof MODES)[number];

/** One process, killed once, while a sync of one write mode is held at one point. */
export interface Cell {
  readonly target: Target;
  readonly point: FaultPoint;
  readonly mode: Mode;
}

/** Cells whose process is killed once for all of them: each has a tenant, a source and a table of its own. */
export interface Round {
  readonly target: Target;
  readonly cells: readonly Cell[];
}

/** Where no process of the sync exists: it has not begun, or its work is over. */
const WITHOUT_CHILD: readonly FaultPoint[] = ['S1', 'S2', 'S12', 'S14'];
/** Points at which a cell keeps one of the tokens for typing rows, of which there are as many as cores. */
const STAGING: readonly FaultPoint[] = ['S5', 'S6', 'S7'];
/** Points before a run is known to be started: after a few seconds the sweeper starts it anew. */
const STARTING: readonly FaultPoint[] = ['S1', 'S2'];
const MAX_STAGING = 2;
const MAX_CELLS = 6;

const cell =
  (target: Target) =>
  (text: string): Cell => {
    const [point, mode] = text.split(' ') as [FaultPoint, Mode];
    return { target, point, mode };
  };
const round = (target: Target, ...cells: string[]): Round => ({ target, cells: cells.map(cell(target)) });

/** The list of every test run: each point, each process and each mode is in it. */
export const FIXED_ROUNDS: readonly Round[] = [
  round('api', 'S1 append', 'S2 merge', 'S8 overwrite', 'S14 append'),
  round('worker', 'S5 append', 'S9 merge', 'S10 overwrite', 'S14 append'),
  round('child', 'S5 merge', 'S7 overwrite', 'S10 merge', 'S11 append'),
  round('postgres', 'S1 overwrite', 'S10 append', 'S11 merge', 'S12 append'),
  round('temporal', 'S2 append', 'S6 merge', 'S12 overwrite', 'S14 merge'),
  round('store', 'S6 overwrite', 'S7 merge', 'S8 append', 'S9 append'),
];

/** Why a cell cannot be, or undefined when it can. */
export function unreachable({ target, point }: Cell): string | undefined {
  if (target === 'child' && WITHOUT_CHILD.includes(point)) return `a sync has no process of its own at ${point}`;
  return undefined;
}

/** Every cell that there is. */
export function allCells(): Cell[] {
  return TARGETS.flatMap((target) => POINTS.flatMap((point) => MODES.map((mode) => ({ target, point, mode }))));
}

/** Every cell that can be, in rounds. */
export function allRounds(): Round[] {
  const reachable = allCells().filter((one) => unreachable(one) === undefined);
  return TARGETS.flatMap((target) => roundsOf(target, reachable));
}

/** As few rounds as there is room for: a round holds few cells, and fewer still that keep a token. */
function roundsOf(target: Target, reachable: readonly Cell[]): Round[] {
  const rounds: Cell[][] = [];
  for (const one of reachable.filter((each) => each.target === target)) {
    const staging = (cells: readonly Cell[]) => cells.filter(({ point }) => STAGING.includes(point)).length;
    const open = rounds.find((cells) => cells.length < MAX_CELLS && staging(cells) + staging([one]) <= MAX_STAGING);
    if (open === undefined) rounds.push([one]);
    else open.push(one);
  }
  return rounds.map((cells) => ({ target, cells }));
}

/** The order in which the cells of a round are held: those that keep a token late, and last the starts, which are swept. */
export function inOrderOfHolding(cells: readonly Cell[]): Cell[] {
  const rank = ({ point }: Cell) => {
    if (STARTING.includes(point)) return 2;
    return STAGING.includes(point) ? 1 : 0;
  };
  return cells.toSorted((a, b) => rank(a) - rank(b));
}
