import type { TableFacts } from '@weir/plugin-datasets/contract';
import type { JobRun, JobView, LineageColumnView, LineageEdgeView, LineageNodeView } from '../contract.ts';
import type { Edge, Job } from '../model/graph.ts';

/** What views are made of; tables by node id. */
export interface Known {
  readonly tables: ReadonlyMap<string, TableFacts>;
  readonly runs: ReadonlyMap<string, JobRun>;
  /** What writes a table. */
  readonly writers: ReadonlyMap<string, Job>;
  /** By id. */
  readonly sources: ReadonlyMap<string, Job>;
}

const twin = (exact: string | null): bigint | null => (exact === null ? null : BigInt(exact));
const jobView = ({ kind, id, name }: Job): JobView => ({ kind, id, name });

/** A node by its id, with what leads into it. */
export function nodeView(id: string, into: readonly Edge[], known: Known): LineageNodeView {
  if (!id.includes(':')) return tableView(id, into, known);
  const [kind, rest] = splitOnce(id);
  const source = kind === 'source' ? known.sources.get(rest) : undefined;
  const maker = source ?? into[0]?.job;
  return {
    node_id: id,
    kind: kind === 'source' ? 'source' : 'entity_type',
    name: source?.name ?? rest,
    dataset_id: null,
    layer: null,
    readable: true,
    made_by: kind === 'source' || maker === undefined ? null : jobView(maker),
    state: kind === 'source' ? null : stateOf(into, known),
    total_records: null,
    committed_at: null,
    snapshot_id: null,
    snapshot_id_exact: null,
    last_run: lastRunOf(maker, known),
  };
}

/** One that the tenant may not read has its id alone. */
function tableView(id: string, into: readonly Edge[], known: Known): LineageNodeView {
  const facts = known.tables.get(id);
  const maker = facts && known.writers.get(id);
  const datasetId = facts?.datasetId ?? id;
  const newest = facts?.newest;
  const exact = newest?.snapshotId ?? null;
  return {
    node_id: datasetId,
    kind: 'table',
    name: datasetId.split('.').at(-1) ?? id,
    dataset_id: datasetId,
    layer: facts?.layer ?? null,
    readable: facts !== undefined,
    made_by: maker === undefined ? null : jobView(maker),
    state: facts === undefined ? null : newest === undefined ? 'not_made' : stateOf(into, known),
    total_records: newest?.rows ?? null,
    committed_at: newest?.committedAt.toISOString() ?? null,
    snapshot_id: twin(exact),
    snapshot_id_exact: exact,
    last_run: lastRunOf(maker, known),
  };
}

/** Whether what is made shows what it is made of; null where that is not known. */
function stateOf(into: readonly Edge[], known: Known): LineageNodeView['state'] {
  const made = into.filter(({ job }) => job.kind !== 'source');
  if (made.length === 0) return null;
  const runs = made.map(({ job }) => known.runs.get(job.id));
  if (runs.some((run) => run?.runId === undefined))
    return made.some(({ to }) => known.tables.has(to)) ? null : 'not_made';
  const moved = made.map((edge) => isMoved(edge, known));
  if (runs.some((run) => run?.isChanged) || moved.includes(true)) return 'behind';
  return moved.includes(null) ? null : 'current';
}

/** Whether rows of an input have changed since the last run that succeeded; null where it is not known. */
function isMoved({ from, job }: Edge, { tables, runs }: Known): boolean | null {
  const newest = tables.get(from)?.newest;
  const run = runs.get(job.id);
  const read = [...(run?.read ?? [])].find(([id]) => id.toLowerCase() === from)?.[1];
  if (run?.runId === undefined || newest === undefined) return null;
  if (read === undefined) return true;
  return read === null ? newest.snapshotId !== null : !newest.sameRows.includes(read);
}

const lastRunOf = (job: Job | undefined, { runs }: Known): LineageNodeView['last_run'] => {
  const last = job && runs.get(job.id)?.last;
  return last === undefined
    ? null
    : { run_id: last.runId, status: last.status, ended_at: last.endedAt?.toISOString() ?? null };
};

/** An edge with its columns, where they were asked for. */
export function edgeView(edge: Edge, known: Known, columns: LineageColumnView[] | undefined): LineageEdgeView {
  const { from, to, job } = edge;
  const run = known.runs.get(job.id);
  const read = [...(run?.read ?? [])].find(([id]) => id.toLowerCase() === from)?.[1] ?? null;
  const wrote = run?.wrote ?? null;
  const idOf = (node: string) => known.tables.get(node)?.datasetId ?? node;
  return {
    from: idOf(from),
    to: idOf(to),
    job: jobView(job),
    run_id: run?.runId ?? null,
    from_snapshot_id: twin(read),
    from_snapshot_id_exact: read,
    to_snapshot_id: twin(wrote),
    to_snapshot_id_exact: wrote,
    moved: job.kind === 'source' ? null : isMoved(edge, known),
    columns: columns ?? null,
  };
}

function splitOnce(text: string): [string, string] {
  const at = text.indexOf(':');
  return [text.slice(0, at), text.slice(at + 1)];
}
