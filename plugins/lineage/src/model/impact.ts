import type { ReachedTableView } from '../contract.ts';
import { type ColumnsOf, columnsOfEdge } from './columns.ts';
import { type Edge, type Graph, type Job, tableNode } from './graph.ts';

export interface ChangedColumn {
  column: string;
  /** A column of another type is there still. */
  change: 'drop' | 'rename' | 'type';
}

/** A column that depends on changed ones. */
interface Reached {
  how: 'value' | 'rows';
  of: Set<string>;
  complete: boolean;
}
/** By the column's name in lower case. */
type ReachedColumns = Map<string, Reached & { column: string }>;

/** A table that a change reaches, without the words of the wire. */
export interface ReachedTable {
  node: string;
  job: Job;
  steps: number;
  breaks: boolean;
  columns: ReachedTableView['columns'];
}

/**
 * What a change of columns of a table reaches, the nearest first. Statements that name a column which is gone fail; what a
 * change of type does to a value is for the engine to say. A step that does not know its columns passes on everything. Pure.
 */
export function impactOf(
  graph: Graph,
  columnsOf: ColumnsOf,
  { root, changes, most }: { root: string; changes: readonly ChangedColumn[]; most: number },
): { reached: ReachedTable[]; fills: Job[]; isMore: boolean } {
  const gone = new Set(changes.filter(({ change }) => change !== 'type').map(({ column }) => column.toLowerCase()));
  const first: ReachedColumns = new Map(
    changes.map(({ column }) => [
      column.toLowerCase(),
      { column, how: 'value', of: new Set([column]), complete: true },
    ]),
  );
  const known = new Map<string, ReachedColumns>([[root, first]]);
  const found = new Map<string, ReachedTable>();
  const fills = new Map<string, Job>();
  let near = [root];
  for (let steps = 1; near.length > 0; steps += 1) {
    const next = new Set<string>();
    for (const edge of near.flatMap((id) => graph.outOf.get(id) ?? [])) {
      if (edge.job.fills !== undefined) fills.set(edge.job.id, edge.job);
      if (edge.job.fills !== undefined || edge.to === root) continue;
      const reached = reachedBy(edge, columnsOf, known.get(edge.from) ?? new Map());
      if (reached.size === 0) continue;
      const isNew = add(known, edge.to, reached);
      if (isNew) next.add(edge.to);
      const before = found.get(edge.to);
      const isBroken = steps === 1 && namesGone(edge, columnsOf, gone);
      found.set(edge.to, {
        node: edge.to,
        job: before?.job ?? edge.job,
        steps: before?.steps ?? steps,
        breaks: isBroken || before?.breaks === true,
        columns: [...(known.get(edge.to) ?? [])].map(([, { column, how, of, complete }]) => {
          return { column, how, of: [...of].toSorted(), complete };
        }),
      });
    }
    near = [...next].toSorted();
  }
  const reached = [...found.values()].toSorted((one, other) => one.steps - other.steps);
  return { reached: reached.slice(0, most), fills: [...fills.values()], isMore: reached.length > most };
}

/** The columns of an output that depend on these of an input. */
function reachedBy(edge: Edge, columnsOf: ColumnsOf, wanted: ReachedColumns): ReachedColumns {
  const columns = columnsOfEdge(edge, columnsOf) ?? [];
  return new Map(
    columns.flatMap(({ column, sources, influences, complete }) => {
      const values = sources.flatMap((one) => wanted.get(one.column.toLowerCase()) ?? []);
      const rows = influences.flatMap((one) => wanted.get(one.column.toLowerCase()) ?? []);
      const from = [...values, ...rows];
      if (from.length === 0 && complete) return [];
      const how = values.some((one) => one.how === 'value') ? ('value' as const) : ('rows' as const);
      const of = new Set((from.length === 0 ? [...wanted.values()] : from).flatMap((one) => [...one.of]));
      return [[column.toLowerCase(), { column, how, of, complete: complete && from.every((one) => one.complete) }]];
    }),
  );
}

function namesGone({ from, job }: Edge, columnsOf: ColumnsOf, gone: ReadonlySet<string>): boolean {
  return (columnsOf(job.id) ?? []).some(({ sources, influences }) =>
    [...sources, ...influences].some((one) => tableNode(one.dataset_id) === from && gone.has(one.column.toLowerCase())),
  );
}

/** Whether anything of it was not known before. */
function add(known: Map<string, ReachedColumns>, node: string, reached: ReachedColumns): boolean {
  const before: ReachedColumns = known.get(node) ?? new Map();
  let isNew = false;
  for (const [name, one] of reached) {
    const old = before.get(name);
    const of = new Set([...(old?.of ?? []), ...one.of]);
    const how = old?.how === 'value' || one.how === 'value' ? 'value' : 'rows';
    const complete = one.complete && old?.complete !== false;
    if (old === undefined || of.size > old.of.size || how !== old.how || complete !== old.complete) isNew = true;
    before.set(name, { column: one.column, how, of, complete });
  }
  known.set(node, before);
  return isNew;
}
