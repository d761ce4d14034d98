import type { JobKind, LineageJob } from '../contract.ts';

/** A job with its kind. */
export interface Job extends LineageJob {
  readonly kind: JobKind;
}

/** One node is made from another. Ids of tables are in lower case, as names that differ by case alone are one table. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly job: Job;
}

export interface Graph {
  /** Node ids. */
  readonly nodes: ReadonlySet<string>;
  readonly into: ReadonlyMap<string, readonly Edge[]>;
  readonly outOf: ReadonlyMap<string, readonly Edge[]>;
}

export const tableNode = (datasetId: string): string => datasetId.toLowerCase();
export const sourceNode = (sourceId: string): string => `source:${sourceId}`;
export const typeNode = (code: string): string => `entity_type:${code}`;

/** The graph of all jobs, and of tables that none of them touches. Pure. */
export function graphOf(jobs: readonly Job[], tables: readonly string[] = []): Graph {
  const edges = jobs.flatMap(edgesOf);
  const touched = jobs.flatMap(({ writes, fills }) => [
    ...writes.map(tableNode),
    ...(fills === undefined ? [] : [typeNode(fills)]),
  ]);
  return {
    nodes: new Set([...tables.map(tableNode), ...touched, ...edges.flatMap(({ from, to }) => [from, to])]),
    into: Map.groupBy(edges, ({ to }) => to),
    outOf: Map.groupBy(edges, ({ from }) => from),
  };
}

function edgesOf(job: Job): Edge[] {
  const from = job.kind === 'source' ? [sourceNode(job.id)] : [...new Set(job.reads.map(tableNode))];
  const to = job.fills === undefined ? [...new Set(job.writes.map(tableNode))] : [typeNode(job.fills)];
  return from.flatMap((one) => to.map((other) => ({ from: one, to: other, job })));
}

export interface Walk {
  /** Absent: the whole graph. */
  readonly root?: string | undefined;
  readonly up: boolean;
  readonly down: boolean;
  readonly depth: number;
  readonly most: number;
}

/** The nodes within so many steps of the root, the nearest first, and whether there are more than were asked for. Pure. */
export function nodesNear(graph: Graph, { root, up, down, depth, most }: Walk): { nodes: string[]; isMore: boolean } {
  if (root === undefined) {
    const all = [...graph.nodes].toSorted();
    return { nodes: all.slice(0, most), isMore: all.length > most };
  }
  const before = up ? steps(graph.into, root, { depth, end: 'from' }) : [];
  const after = down ? steps(graph.outOf, root, { depth, end: 'to' }) : [];
  const longest = Math.max(before.length, after.length);
  const byDistance = Array.from({ length: longest }, (_, at) => [...(before[at] ?? []), ...(after[at] ?? [])]);
  const all = [...new Set([root, ...byDistance.flat()])];
  return { nodes: all.slice(0, most), isMore: all.length > most };
}

/** What lies one step away, two steps, and so on; each node where it is nearest. */
function steps(
  edges: ReadonlyMap<string, readonly Edge[]>,
  root: string,
  { depth, end }: { depth: number; end: 'from' | 'to' },
): string[][] {
  const seen = new Set([root]);
  const found: string[][] = [];
  for (let near = [root]; found.length < depth; ) {
    const next = new Set(
      near.flatMap((id) => (edges.get(id) ?? []).map((edge) => edge[end])).filter((id) => !seen.has(id)),
    );
    if (next.size === 0) break;
    for (const id of next) seen.add(id);
    near = [...next].toSorted();
    found.push(near);
  }
  return found;
}

/** The edges between these nodes, in the order of the nodes that they lead to. Pure. */
export function edgesAmong({ into }: Graph, nodes: readonly string[]): Edge[] {
  const shown = new Set(nodes);
  return nodes.flatMap((id) => (into.get(id) ?? []).filter(({ from }) => shown.has(from)));
}
