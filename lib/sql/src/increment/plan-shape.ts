import { fold } from '../ast.ts';
import type { IncrementFault, IncrementShape } from './tree-shape.ts';

/** An operator of DuckDB's logical plan as `EXPLAIN (FORMAT JSON)` gives it before the optimiser. */
export interface PlanOperator {
  readonly name: string;
  readonly children?: readonly PlanOperator[];
  readonly extra_info?: Readonly<Record<string, unknown>>;
}

/** Operators that give rows for a row whatever other rows there are. */
const BY_ROW: ReadonlySet<string> = new Set(['PROJECTION', 'FILTER', 'ORDER_BY', 'UNNEST', 'CROSS_PRODUCT']);
/** Operators that put rows together; a statement judged by keys has those of its outermost SELECT. */
const TOGETHER: Readonly<Record<string, number>> = { AGGREGATE: 1, DISTINCT: 1, WINDOW: Number.POSITIVE_INFINITY };
/** Joins by the side on which each row of the input gives rows of its own. */
const SIDES: Readonly<Record<string, readonly number[]>> = {
  ...{ INNER: [0, 1], LEFT: [0], SEMI: [0], ANTI: [0], MARK: [0], SINGLE: [0] },
  ...{ RIGHT: [1], RIGHT_SEMI: [1], RIGHT_ANTI: [1] },
};

/** An operator above the input: its name, and for a join whether the input is on a side that fits. */
interface Above {
  readonly name: string;
  readonly fits?: boolean;
}

/**
 * A shape that the tree of a statement has, judged again by the bound plan, in which macros and correlated names are resolved:
 * what lies between the input and the result must be what the tree accounts for. Pure.
 */
export function provenShape(found: IncrementShape, plan: PlanOperator, input: readonly string[]): IncrementShape {
  if ('fault' in found) return found;
  const paths = pathsTo(plan, { table: input.map(fold).join('.'), ctes: new Map() });
  const [path] = paths;
  if (path === undefined || paths.length > 1) {
    return { fault: path === undefined ? 'increment_construct' : 'increment_read_twice' };
  }
  const fault = faultOf(path, found.shape);
  return fault === undefined ? found : { fault };
}

function faultOf(path: readonly Above[], shape: 'rows' | 'keys'): IncrementFault | undefined {
  const counts = new Map<string, number>();
  for (const { name, fits } of path) {
    if (fits === false) return 'increment_join';
    if (fits === true || BY_ROW.has(name)) continue;
    const most = TOGETHER[name];
    if (most === undefined) return 'increment_construct';
    if (shape === 'rows') return 'increment_not_by_row';
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if ((counts.get(name) ?? 0) > most) return 'increment_nested';
  }
  return undefined;
}

interface Around {
  readonly table: string;
  /** Ways to the input inside of a common table expression, by its index in the plan. */
  readonly ctes: ReadonlyMap<string, readonly (readonly Above[])[]>;
}

/** The table of a scan. The engine quotes a name that is also a word of SQL, such as `days`; no name of ours has a quote. */
const scanned = (info: Readonly<Record<string, unknown>>): string => fold(String(info.Table ?? '').replaceAll('"', ''));

/** For each scan of the input what lies above it, the nearest first. */
function pathsTo(node: PlanOperator, around: Around): (readonly Above[])[] {
  const { name, children = [], extra_info: info = {} } = node;
  if (name === 'SEQ_SCAN') return scanned(info) === around.table ? [[]] : [];
  if (name === 'CTE_SCAN') return [...(around.ctes.get(String(info['CTE Index'])) ?? [])];
  if (name === 'CTE') {
    const [body, rest] = children;
    if (body === undefined || rest === undefined) return [];
    const ctes = new Map(around.ctes).set(String(info['Table Index']), pathsTo(body, around));
    return pathsTo(rest, { ...around, ctes });
  }
  const sides = name.endsWith('_JOIN') ? (SIDES[String(info['Join Type'])] ?? []) : undefined;
  return children.flatMap((child, side) => {
    const above: Above = sides === undefined ? { name } : { name, fits: sides.includes(side) };
    return pathsTo(child, around).map((path) => [...path, above]);
  });
}
