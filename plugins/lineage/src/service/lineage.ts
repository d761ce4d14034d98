import type { Kernel, Tenant } from '@weir/kernel';
import { type Input, kernelProblems } from '@weir/kernel/contract';
import { datasetProblems, type FactsService, type TableFacts } from '@weir/plugin-datasets/contract';
import {
  type getLineage,
  type ImpactView,
  type JobKind,
  type JobRun,
  type LineageColumnView,
  type LineageGiver,
  LineageGivers,
  type LineageView,
  MAX_NODES,
  type readImpact,
} from '../contract.ts';
import { type ColumnsOf, columnsOfEdge, columnTrace } from '../model/columns.ts';
import { type Edge, edgesAmong, type Graph, graphOf, type Job, nodesNear, tableNode } from '../model/graph.ts';
import { impactOf } from '../model/impact.ts';
import { edgeView, type Known, nodeView } from './views.ts';

const DEPTH = 3;

interface Given {
  jobs: readonly Job[];
  runs(jobs: readonly Job[]): Promise<ReadonlyMap<string, JobRun>>;
  columns(jobs: readonly Job[]): Promise<ColumnsOf>;
}

/** The graph of what a tenant has in force, computed at each call. */
export function lineageService(kernel: Pick<Kernel, 'contributionsFor'>, tables: FactsService) {
  const begin = async (tenant: Tenant, datasetId: string | undefined) => {
    const root = datasetId === undefined ? undefined : await rootOf(tables, tenant, datasetId);
    const given = givenBy(await kernel.contributionsFor(tenant, LineageGivers), tenant);
    const jobs = await given.jobs();
    const alone = root === undefined ? await tables.readable(tenant, MAX_NODES + 1) : [];
    const graph = graphOf(jobs, alone);
    if (root !== undefined && root.newest === undefined && !graph.nodes.has(tableNode(root.datasetId)))
      throw kernelProblems.notFound();
    return { root: root && tableNode(root.datasetId), graph, given: { ...given, jobs } satisfies Given };
  };
  return {
    /** Throws `invalid_dataset_id`, `dataset_not_readable`, and `not_found` for a table that nothing has made or would make. */
    async graph(tenant: Tenant, query: Input<typeof getLineage>['query'] = {}): Promise<LineageView> {
      const { dataset_id, direction = 'both', depth = DEPTH, column } = query;
      const { root, graph, given } = await begin(tenant, dataset_id);
      const [up, down] = [direction !== 'downstream', direction !== 'upstream'];
      const near = nodesNear(graph, { root, up, down, depth, most: MAX_NODES });
      const edges = edgesAmong(graph, near.nodes);
      const withColumns = query.columns === true || column !== undefined;
      const columnsOf = withColumns ? await given.columns(edges.map(({ job }) => job)) : undefined;
      const trace =
        columnsOf === undefined || root === undefined || column === undefined
          ? undefined
          : columnTrace(graph, columnsOf, { root, column, up, down, nodes: new Set(near.nodes) });
      const shown = trace === undefined ? near.nodes : near.nodes.filter(onTrace(trace, root));
      const known = await knownOf(tables, tenant, { given, graph, nodes: shown });
      const views = (trace === undefined ? edges : edges.filter((edge) => trace.has(edge))).map((edge) =>
        edgeView(edge, known, trace?.get(edge) ?? (columnsOf && columnsOfEdge(edge, columnsOf))),
      );
      return {
        root: root === undefined ? null : (known.tables.get(root)?.datasetId ?? root),
        nodes: shown.map((id) => nodeView(id, graph.into.get(id) ?? [], known)),
        edges: views,
        truncated: near.isMore,
      };
    },

    /** Throws as `graph` does. */
    async impact(tenant: Tenant, { dataset_id, changes }: Input<typeof readImpact>['body']): Promise<ImpactView> {
      const { root = '', graph, given } = await begin(tenant, dataset_id);
      const columnsOf = await given.columns(given.jobs);
      const { reached, fills, isMore } = impactOf(graph, columnsOf, { root, changes, most: MAX_NODES });
      const facts = await tables.of(
        tenant,
        reached.map(({ node }) => node),
      );
      const readable = reached.flatMap((one) => {
        const table = facts.get(one.node);
        return table === undefined ? [] : [{ ...one, table }];
      });
      return {
        dataset_id,
        breaks: reached.filter(({ breaks }) => breaks).length,
        reaches: readable.map(({ table, job, steps, breaks, columns }) => {
          return { dataset_id: table.datasetId, job: jobView(job), steps, breaks, columns };
        }),
        fills: fills.map(jobView),
        truncated: isMore,
      };
    },
  };
}

const jobView = ({ kind, id, name }: Job) => ({ kind, id, name });

async function rootOf(tables: FactsService, tenant: Tenant, datasetId: string): Promise<TableFacts> {
  const found = (await tables.of(tenant, [datasetId])).get(tableNode(datasetId));
  if (found !== undefined) return found;
  throw /^\w+\.\w+\.\w+$/.test(datasetId) ? datasetProblems.datasetNotReadable() : datasetProblems.invalidDatasetId();
}

/** All givers as one. */
function givenBy(givers: readonly LineageGiver[], tenant: Tenant) {
  const each = async <T>(
    jobs: readonly Job[],
    ask: (giver: LineageGiver, ids: readonly string[]) => Promise<ReadonlyMap<string, T>> | undefined,
  ): Promise<Map<string, T>> => {
    const ids = Map.groupBy(jobs, ({ kind }) => kind);
    const answers = await Promise.all(
      givers.map((giver) => ask(giver, [...new Set((ids.get(giver.kind) ?? []).map(({ id }) => id))])),
    );
    return new Map(answers.flatMap((answer) => [...(answer ?? [])]));
  };
  return {
    async jobs(): Promise<Job[]> {
      const all = await Promise.all(
        givers.map(async ({ kind, jobs }) => (await jobs(tenant)).map((job) => ({ ...job, kind }))),
      );
      return all.flat();
    },
    runs: (jobs: readonly Job[]) =>
      each<JobRun>(jobs, (giver, ids) => (ids.length === 0 ? undefined : giver.runs(tenant, ids))),
    async columns(jobs: readonly Job[]): Promise<ColumnsOf> {
      const known = await each<readonly LineageColumnView[]>(jobs, (giver, ids) =>
        ids.length === 0 ? undefined : giver.columns?.(tenant, ids),
      );
      return (jobId) => known.get(jobId);
    },
  };
}

function onTrace(trace: ReadonlyMap<Edge, unknown>, root: string | undefined): (id: string) => boolean {
  const touched = new Set([...trace.keys()].flatMap(({ from, to }) => [from, to]));
  return (id) => id === root || touched.has(id);
}

/** What the nodes of an answer are like, and the runs of what makes them. */
async function knownOf(
  tables: FactsService,
  tenant: Tenant,
  { given, graph, nodes }: { given: Given; graph: Graph; nodes: readonly string[] },
): Promise<Known> {
  const makers = nodes.flatMap((id) => (graph.into.get(id) ?? []).map(({ job }) => job));
  const writers = new Map<string, Job>(
    given.jobs.flatMap((job) => job.writes.map((id) => [tableNode(id), job] as const)),
  );
  const alone = nodes.flatMap((id) => writers.get(id) ?? []);
  const sources = new Map(
    given.jobs.filter(({ kind }) => kind === ('source' satisfies JobKind)).map((job) => [job.id, job]),
  );
  const read = nodes.flatMap((id) => (graph.into.get(id) ?? []).map(({ from }) => from));
  const [facts, runs] = await Promise.all([
    tables.of(
      tenant,
      [...new Set([...nodes, ...read])].filter((id) => !id.includes(':')),
    ),
    given.runs([...makers, ...alone]),
  ]);
  return { tables: facts, runs, writers, sources };
}
