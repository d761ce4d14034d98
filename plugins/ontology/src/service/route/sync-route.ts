import type { Kernel, PlatformService, Principal } from '@weir/kernel';
import { type Input, type Output, subjectOf } from '@weir/kernel/contract';
import { releaseInIdentity } from '@weir/plugin-workflow-engine/contract';
import {
  type getSyncRoute,
  type QueueEvidenceView,
  type RouteEvidenceView,
  routeProblems,
  type setSyncRoute,
} from '../../contract/sync-route.ts';
import { SYNC_CONTRACTS, type SyncContract } from '../../model/route/contracts.ts';
import { isPolled, judgeQueue } from '../../model/route/judge-queue.ts';
import { SYNC_CONTRACT } from '../../model/sync/fingerprint.ts';
import type { RouteEngine } from './route-engine.ts';

export interface SyncRouteDeps {
  kernel: Pick<Kernel, 'db' | 'tenants'>;
  platform: Pick<PlatformService, 'sql' | 'release'>;
  engine: RouteEngine;
}

type Route = Output<typeof setSyncRoute>;

const ROW = 'contract, proven_at, evidence, changed_by';
const OPEN_RUNS = `
select kind, count(*)::int as runs from kernel.run
where tenant_id = $1 and status in ('pending', 'running') and kind = any ($2) group by kind`;

/** The contract that new syncs follow, for the whole platform. */
export function syncRouteService({ kernel, platform, engine }: SyncRouteDeps) {
  const { sql } = platform;
  const release = releaseInIdentity(platform.release.sha);

  const proofOf = async ({ contract, run, probe: workflowType }: SyncContract): Promise<QueueEvidenceView> => {
    const taskQueue = engine.queueOf(run.role);
    const wanted = { role: run.role, release, now: Date.now() };
    const { workflow, activity } = await engine.describeQueue(taskQueue);
    const facts = { contract, taskQueue, workflow: workflow.pollers, activity: activity.pollers };
    const isServed = isPolled(facts.workflow, wanted) && isPolled(facts.activity, wanted);
    const probe = isServed ? await engine.probe(workflowType, taskQueue) : undefined;
    return judgeQueue({ ...facts, probe }, wanted);
  };

  /** Runs that have not ended, over all tenants: one that cannot be asked fails the whole. */
  const openRuns = async (): Promise<ReadonlyMap<string, number>> => {
    const kinds = SYNC_CONTRACTS.map(({ run }) => run.kind);
    const open = new Map<string, number>();
    for (const tenant of await kernel.tenants.list()) {
      const { rows } = await kernel.db(tenant).transaction((tx) => tx.sql(OPEN_RUNS, [tenant.tenantId, kinds]));
      for (const { kind, runs } of rows) open.set(String(kind), (open.get(String(kind)) ?? 0) + Number(runs));
    }
    return open;
  };

  const openWork = async (): Promise<Output<typeof getSyncRoute>['open']> => {
    const runs = await openRuns();
    const types = SYNC_CONTRACTS.flatMap(({ contract, run, probe, others }) => {
      const task_queue = engine.queueOf(run.role);
      const own = { contract, workflow_type: run.workflowType, task_queue, runs: runs.get(run.kind) ?? 0 };
      return [own, ...[...others, probe].map((workflow_type) => ({ ...own, workflow_type, runs: 0 }))];
    });
    return Promise.all(
      types.map(async (type) => ({ ...type, executions: await engine.countOpen(type.workflow_type, type.task_queue) })),
    );
  };

  return {
    /** The contract that new syncs follow; that of this release while the database is away. */
    contract: (): Promise<number> =>
      sql('select contract from ontology.sync_route', []).then(
        ({ rows }) => Number(rows[0]?.contract),
        () => SYNC_CONTRACT,
      ),

    async read(): Promise<Output<typeof getSyncRoute>> {
      const { rows } = await sql(`select ${ROW} from ontology.sync_route`, []);
      return { ...routeView(rows[0] ?? {}), open: await openWork() };
    },

    /** Throws `sync_route_not_proven` with what was seen. */
    async change({ contract }: Input<typeof setSyncRoute>['body'], principal: Principal): Promise<Route> {
      const queues = await Promise.all(SYNC_CONTRACTS.map(proofOf));
      const evidence: RouteEvidenceView = { release, looked_at: new Date().toISOString(), queues };
      const errors = queues.flatMap(({ task_queue, faults }) => faults.map((code) => ({ pointer: task_queue, code })));
      if (errors.length > 0) throw routeProblems.routeNotProven({ errors, members: { evidence } });
      // Waits for every transaction that starts a sync by the route as it was.
      const { rows } = await sql(
        `update ontology.sync_route set contract = $1, evidence = $2::jsonb, proven_at = now(), changed_by = $3
         returning ${ROW}`,
        [contract, JSON.stringify(evidence), subjectOf(principal)],
      );
      return routeView(rows[0] ?? {});
    },
  };
}

export type SyncRouteService = ReturnType<typeof syncRouteService>;

function routeView({ contract, proven_at, evidence, changed_by }: Record<string, unknown>): Route {
  const kept = evidence as RouteEvidenceView | Record<string, never>;
  return {
    contract: Number(contract),
    changed_by: String(changed_by),
    changed_at: new Date(proven_at as string | Date).toISOString(),
    evidence: 'queues' in kept ? (kept as RouteEvidenceView) : null,
  };
}
