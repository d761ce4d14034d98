import type { ColumnOfTableView, LineageColumnView } from '../contract.ts';
import { type Edge, type Graph, tableNode } from './graph.ts';

/** How the columns of a job's output follow from its inputs; undefined for a job that does not know. */
export type ColumnsOf = (jobId: string) => readonly LineageColumnView[] | undefined;

/** The columns of the output that use this input, with the part of each that is of it; undefined where it is not known. Pure. */
export function columnsOfEdge({ from, job }: Edge, columnsOf: ColumnsOf): LineageColumnView[] | undefined {
  const isOf = (one: ColumnOfTableView) => tableNode(one.dataset_id) === from;
  return columnsOf(job.id)
    ?.map((column) => ({
      ...column,
      sources: column.sources.filter(isOf),
      influences: column.influences.filter(isOf),
    }))
    .filter(({ sources, influences, complete }) => sources.length > 0 || influences.length > 0 || !complete);
}

/** Columns by the table that has them, in lower case. */
type Marked = Map<string, Set<string>>;

/** The edges and columns that one column of a table follows from, or decides. Pure. */
export function columnTrace(
  graph: Graph,
  columnsOf: ColumnsOf,
  asked: { root: string; column: string; up: boolean; down: boolean; nodes: ReadonlySet<string> },
): Map<Edge, LineageColumnView[]> {
  const { root, column, up, down, nodes } = asked;
  const found = new Map<Edge, LineageColumnView[]>();
  const follow = (edges: Graph['into'], next: (edge: Edge, wanted: ReadonlySet<string>) => Followed | undefined) => {
    const marked: Marked = new Map([[root, new Set([column.toLowerCase()])]]);
    const open = [root];
    for (let id = open.shift(); id !== undefined; id = open.shift()) {
      for (const edge of edges.get(id) ?? []) {
        const step = nodes.has(edge.from) && nodes.has(edge.to) ? next(edge, marked.get(id) ?? new Set()) : undefined;
        if (step === undefined) continue;
        found.set(edge, merged(found.get(edge) ?? [], step.columns));
        if (mark(marked, step.node, step.names)) open.push(step.node);
      }
    }
  };
  if (up) follow(graph.into, (edge, wanted) => before(edge, columnsOf, wanted));
  if (down) follow(graph.outOf, (edge, wanted) => after(edge, columnsOf, wanted));
  return found;
}

interface Followed {
  columns: LineageColumnView[];
  /** Where it leads, and to which columns there. */
  node: string;
  names: string[];
}

function before(edge: Edge, columnsOf: ColumnsOf, wanted: ReadonlySet<string>): Followed | undefined {
  const columns = columnsOfEdge(edge, columnsOf)?.filter((one) => wanted.has(one.column.toLowerCase())) ?? [];
  if (columns.length === 0) return undefined;
  const names = columns.flatMap(({ sources, influences }) => [...sources, ...influences]).map((one) => one.column);
  return { columns, node: edge.from, names };
}

function after(edge: Edge, columnsOf: ColumnsOf, wanted: ReadonlySet<string>): Followed | undefined {
  const isWanted = (one: ColumnOfTableView) => wanted.has(one.column.toLowerCase());
  const columns = (columnsOfEdge(edge, columnsOf) ?? [])
    .map((one) => ({ ...one, sources: one.sources.filter(isWanted), influences: one.influences.filter(isWanted) }))
    .filter(({ sources, influences, complete }) => sources.length > 0 || influences.length > 0 || !complete);
  return columns.length === 0 ? undefined : { columns, node: edge.to, names: columns.map((one) => one.column) };
}

/** Whether any of these columns was new. */
function mark(marked: Marked, node: string, names: readonly string[]): boolean {
  const known = marked.get(node) ?? new Set();
  const { size } = known;
  for (const name of names) known.add(name.toLowerCase());
  marked.set(node, known);
  return known.size > size;
}

const keyOf = (one: ColumnOfTableView) => `${one.dataset_id}\n${one.column}`;

function merged(one: readonly LineageColumnView[], other: readonly LineageColumnView[]): LineageColumnView[] {
  return [...Map.groupBy([...one, ...other], ({ column }) => column).values()].map((same) => ({
    ...(same[0] as LineageColumnView),
    sources: distinct(same.flatMap(({ sources }) => sources)),
    influences: distinct(same.flatMap(({ influences }) => influences)),
  }));
}

const distinct = (columns: readonly ColumnOfTableView[]): ColumnOfTableView[] => [
  ...new Map(columns.map((one) => [keyOf(one), one])).values(),
];
