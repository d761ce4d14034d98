import { type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Tenant } from '@weir/kernel';
import type { EngineSchedule } from '@weir/plugin-workflow-engine/contract';
import t from 'tap';
import * as endpoints from '../src/contract.ts';
import { judgeQueue, type ProbeFacts, type QueueFacts } from '../src/model/route/judge-queue.ts';
import { reconciliation } from '../src/service/backing/reconciliation.ts';
import { mappedCars, setUp, vehicle } from './kit.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const WANTED = { role: 'ontology-sync-v2', release: '0123456789ab', now: NOW };
const OURS = 'ontology-sync-v2@0123456789ab:00000001';
const OLDER = 'ontology-sync-v2@ba9876543210:00000001';
const OTHER_ROLE = 'ontology-sync@0123456789ab:00000001';
const MACHINE = '4711@db.example.com';
const seen = (identity: string, secondsAgo = 30) => ({ identity, lastSeenAt: new Date(NOW - secondsAgo * 1_000) });
const PROBE: ProbeFacts = {
  ...{ workflowType: 'OntologyProbeWorkflowV2', workflowId: 'ontology-probe:1', status: 'completed' },
  ...{ workflowBy: OURS, activityBy: OURS, endedAt: new Date(NOW) },
};
const facts = (more: Partial<QueueFacts> = {}): QueueFacts => ({
  ...{ contract: 2, taskQueue: 'ontology-sync-v2-task-queue', workflow: [seen(OURS)], activity: [seen(OURS)] },
  probe: PROBE,
  ...more,
});

const ALL = ['workflow_poller_missing', 'activity_poller_missing', 'probe_not_ended'];
const SEEN: [what: string, facts: QueueFacts, faults: string[]][] = [
  ['pollers of this release, and a probe that they ended', facts(), []],
  ['beside workers of another release', facts({ workflow: [seen(OLDER), seen(OURS)] }), []],
  ['no poller', facts({ workflow: [], activity: [], probe: undefined }), ALL],
  ['another release alone', facts({ workflow: [seen(OLDER)], activity: [seen(OLDER)], probe: undefined }), ALL],
  ['another role', facts({ workflow: [seen(OTHER_ROLE)], activity: [seen(OTHER_ROLE)], probe: undefined }), ALL],
  ['a program of others', facts({ workflow: [seen(MACHINE)], activity: [seen(MACHINE)] }), ALL.slice(0, 2)],
  ['a workflow poller alone', facts({ activity: [], probe: undefined }), ALL.slice(1)],
  ['an activity poller of another release', facts({ activity: [seen(OLDER)] }), ['activity_poller_missing']],
  ['polls of long ago', facts({ workflow: [seen(OURS, 301)], activity: [seen(OURS, 301)] }), ALL.slice(0, 2)],
  ['a probe that waits', facts({ probe: { ...PROBE, status: 'running' } }), ['probe_not_ended']],
  ['a probe that failed', facts({ probe: { ...PROBE, status: 'failed' } }), ['probe_not_ended']],
  ['a probe that another release ended', facts({ probe: { ...PROBE, workflowBy: OLDER } }), ['probe_not_ended']],
  [
    'a probe whose activity another release did',
    facts({ probe: { ...PROBE, activityBy: OLDER } }),
    ['probe_not_ended'],
  ],
];

for (const [what, given, faults] of SEEN)
  t.test(`a queue that shows ${what} → ${faults.join(', ') || 'proven'}`, async (t) => {
    const evidence = judgeQueue(given, WANTED);
    t.strictSame(evidence.faults, faults);
    t.notMatch(JSON.stringify(evidence), /example\.com/, 'no machine is named');
  });

t.test('a route without workers → refused with what was seen; a person of a tenant may not ask', async (t) => {
  const { as, database } = await setUp(t);
  const set = { body: { contract: 1 } };
  t.match(await as('acme', 'admin').call(endpoints.setSyncRoute, set), { status: 403 });
  t.match(await as('acme', 'admin').call(endpoints.getSyncRoute), { status: 403 });
  const refused = await as('acme', 'platform_admin').call(endpoints.setSyncRoute, set);
  const queue = (contract: number) => ({
    contract,
    workflow_pollers: [{ release: null, workers: 1 }],
    probe: null,
    faults: ALL,
  });
  t.match(refused, {
    status: 409,
    problem: {
      code: 'sync_route_not_proven',
      evidence: { release: 'test', queues: [queue(1), queue(2)] },
      errors: [{ pointer: 'ontology-sync-task-queue', code: 'workflow_poller_missing' }],
    },
  });
  t.match(await as('acme', 'platform_admin').call(endpoints.setSyncRoute, { body: { contract: 3 } }), { status: 400 });
  const [row] = await database.peek('select contract, evidence from ontology.sync_route');
  t.strictSame(row, { contract: 2, evidence: {} }, 'a new installation begins on 2, with no evidence');
  t.match(await as('acme', 'platform_admin').call(endpoints.getSyncRoute), {
    status: 503,
    problem: { code: 'dependency_unavailable' },
  });
});

/** What a client of contract 1 knew of these answers. */
const OF_1 = {
  capabilities: Type.Object({
    sync_contract_version: Type.Integer(),
    supports_exact_run_polling: Type.Boolean(),
    supports_force_replay: Type.Boolean(),
  }),
  started: Type.Object({ run_id: Type.String(), workflow_id: Type.String(), status: Type.String() }),
  run: Type.Object({
    ...{ run_id: Type.String(), backing_dataset_id: Type.String(), status: Type.String() },
    ...{ is_terminal: Type.Boolean(), rows_synced: Type.Integer(), created_at: Type.String() },
  }),
};
const OF_2 = ['force', 'attempted_sync_spec_fingerprint', 'sync_contract_version'];

t.test('each contract is answered by the route, and a client of either reads both', async (t) => {
  const tables = { 'bronze.acme.cars': { columns: { vin: 'string' }, snapshotId: '1' } };
  const { call, kernel, tenants, workflows } = await setUp(t, { tables });
  await call(endpoints.createEntityType, { body: vehicle() as never });
  const made = await call(endpoints.createBackingDataset, { body: mappedCars('acme') });
  const params = { backing_dataset_id: made.ok ? made.body.backing_dataset_id : '' };
  const reads = (schema: TSchema, answer: { ok: boolean; body?: unknown }) =>
    t.ok(answer.ok && Value.Check(schema, answer.body), 'a client of contract 1 reads it');
  for (const contract of [1, 2, 1]) {
    await kernel
      .db(tenants.acme)
      .transaction((tx) => tx.sql('update ontology.sync_route set contract = $1', [contract]));
    const isSecond = contract === 2;
    const capabilities = await call(endpoints.getSyncCapabilities);
    reads(OF_1.capabilities, capabilities);
    t.strictSame(capabilities.ok && capabilities.body, {
      sync_contract_version: contract,
      supports_exact_run_polling: isSecond,
      supports_force_replay: isSecond,
    });
    const forced = await call(endpoints.syncBackingDataset, { params, query: { force: true } });
    if (isSecond) t.match(forced, { status: 202, body: { force: true } });
    else t.match(forced, { status: 409, problem: { code: 'force_not_supported' } });
    if (isSecond) await kernel.runs.finish(tenants.acme, forced.ok ? forced.body.run_id : '', { status: 'cancelled' });
    const started = await call(endpoints.syncBackingDataset, { params });
    reads(OF_1.started, started);
    t.strictSame(started.ok && OF_2.filter((name) => name in started.body), isSecond ? OF_2 : []);
    const run_id = started.ok ? started.body.run_id : '';
    const launched = workflows.started.at(-1);
    t.match(launched, { taskQueue: `ontology-sync${isSecond ? '-v2' : ''}-task-queue` });
    t.equal(launched?.type, `OntologySyncWorkflow${isSecond ? 'V2' : ''}`);
    t.strictSame(launched?.args, [{ tenant_id: tenants.acme.tenantId, run_id }]);
    const again = await call(endpoints.syncBackingDataset, { params });
    t.match(again, { status: 409, problem: { code: 'run_already_active', run_id } }, 'by whichever contract');
    const read = await call(endpoints.getSyncRun, { params: { ...params, run_id } });
    reads(OF_1.run, read);
    t.equal(read.ok && 'bulk_jobs' in read.body, isSecond);
    t.match(read, { body: { contract, status: 'pending' } });
    await kernel.runs.finish(tenants.acme, run_id, { status: 'cancelled' });
  }
});

t.test('reconciliation → one schedule for each tenant that has the plugin, and none for others', async (t) => {
  const { kernel, tenants } = await setUp(t);
  const inEngine = new Map<string, EngineSchedule>();
  const [puts, removes]: [string[], string[]] = [[], []];
  const schedules = {
    list: async () => [...inEngine.keys()],
    async put(schedule: EngineSchedule) {
      inEngine.set(schedule.scheduleId, schedule);
      puts.push(schedule.scheduleId);
      return { mark: '' };
    },
    async remove(id: string) {
      inEngine.delete(id);
      removes.push(id);
    },
  };
  const { acme, other } = tenants;
  const give = (tenant: Tenant, enabled: boolean) =>
    kernel.db(tenant).transaction((tx) =>
      tx.sql(
        `insert into kernel.tenant_plugin (tenant_id, plugin_id, enabled, changed_by) values ($1, 'ontology', $2, 'test')
         on conflict (tenant_id, plugin_id) do update set enabled = excluded.enabled`,
        [tenant.tenantId, enabled],
      ),
    );
  const own = reconciliation({ kernel, schedules });
  const round = () => own.round({ tenants: { list: async () => [acme, other] }, log: kernel.log });
  await give(acme, true);
  await round();
  await round();
  const id = `${acme.tenantId}:ontology-reconcile`;
  t.strictSame([puts, removes], [[id], []], 'written once');
  t.match(inEngine.get(id), {
    ...{ workflowType: 'OntologyReconcileWorkflow', role: 'ontology-sync', alone: true },
    ...{ args: [{ tenant_id: acme.tenantId }], times: { interval_seconds: 300 } },
  });
  inEngine.clear();
  await round();
  t.equal(puts.length, 2, 'one that was lost is made again');
  await give(acme, false);
  await round();
  await round();
  t.strictSame([[...inEngine], removes], [[], [id]]);
});
