import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { TSchema } from '@sinclair/typebox';
import type { Endpoint } from '@weir/kernel/contract';
import t from 'tap';
import packageJson from '../package.json' with { type: 'json' };
import * as endpoints from '../src/contract.ts';
import { ONTOLOGY_SYNC, ONTOLOGY_SYNC_V2 } from '../src/model/run-kinds.ts';
import { worker as first } from '../src/worker-v1.ts';
import { setUp } from './kit.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const membersOf = ({ response }: Pick<Endpoint, 'response'>): string[] =>
  Object.keys((response as TSchema).properties ?? {}).sort();

t.test('contract 2 has its names to the letter: workflow, activities, queue, service, migration', async (t) => {
  t.match(ONTOLOGY_SYNC_V2, {
    workflowType: 'OntologySyncWorkflowV2',
    kind: 'ontology-sync-v2',
    role: 'ontology-sync-v2',
  });
  const text = (file: string) => readFile(path.join(ROOT, file), 'utf8');
  const activities = await text('plugins/ontology/src/model/sync/activities.ts');
  for (const name of ['sync_to_ontology_v2', 'update_sync_status_v2', 'emit_ontology_lineage_edge_v2'])
    t.match(activities, new RegExp(`^ {2}${name}\\(`, 'm'), name);
  t.match(await text('compose.yaml'), /^ {2}ontology-worker-v2:$/m);
  t.match(await text('docs/reference/configuration.md'), /TASK_QUEUE` .*`ontology-sync-v2-task-queue`/);
  t.ok(packageJson.weir.migrations.includes('s39_bd_sync_spec_fingerprint'));
});

t.test(
  'contract 1 has its names to the letter: workflow, activities, queue, service; it alone reconciles',
  async (t) => {
    const names = { workflowType: 'OntologySyncWorkflow', kind: 'ontology-sync', role: 'ontology-sync' };
    t.match(ONTOLOGY_SYNC, names);
    t.equal(first.role, names.role);
    const text = (file: string) => readFile(path.join(ROOT, file), 'utf8');
    const [of1, of2] = (await text('plugins/ontology/src/model/sync/activities.ts'))
      .split('SyncActivitiesV1')
      .toReversed();
    for (const name of ['sync_to_ontology', 'update_sync_status', 'emit_ontology_lineage_edge'])
      t.match(of1, new RegExp(`^ {2}${name}\\(`, 'm'), name);
    t.match(of1, /reconcile_ontology_syncs/);
    t.notMatch(of2, /reconcile/);
    t.match(await text('compose.yaml'), /^ {2}ontology-worker:$/m);
    t.match(await text('docs/reference/configuration.md'), /TASK_QUEUE` .*`ontology-sync-task-queue`/);
    const { duties = [] } = (await setUp(t)).registration;
    t.strictSame(
      duties.filter(({ where }) => where !== 'api').map(({ name, where }) => ({ name, where })),
      [{ name: 'ontology.reconciliation', where: 'ontology-sync' }],
    );
  },
);

t.test('capabilities, trigger, exact run and bulk jobs have their members to the letter', async (t) => {
  t.strictSame(membersOf(endpoints.getSyncCapabilities), [
    'supports_exact_run_polling',
    'supports_force_replay',
    'sync_contract_version',
  ]);
  const has = (endpoint: Pick<Endpoint, 'response'>, ...names: string[]) =>
    t.strictSame(
      names.filter((name) => !membersOf(endpoint).includes(name)),
      [],
    );
  has(endpoints.syncBackingDataset, 'run_id', 'workflow_id', 'attempted_sync_spec_fingerprint', 'force', 'status');
  has(endpoints.syncBackingDataset, 'sync_contract_version');
  has(endpoints.getSyncRun, 'status', 'is_terminal', 'rows_synced', 'bulk_jobs', 'force', 'mode', 'failure', 'counts');
  has(endpoints.getSyncRun, 'replay_reason', 'effective_spec_changed', 'snapshot_id', 'snapshot_id_exact');
  has(
    endpoints.getSyncRun,
    'attempted_sync_spec_fingerprint',
    'applied_sync_spec_fingerprint',
    'started_at',
    'ended_at',
  );
  has(endpoints.getSyncRun, 'previous_snapshot_id_exact', 'backing_dataset_id', 'contract', 'run_id');
  const { items } = (endpoints.getSyncRun.response as TSchema).properties.bulk_jobs;
  t.strictSame(Object.keys(items.properties).sort(), ['completed_count', 'job_id', 'operation', 'submitted_count']);
});

t.test('the answer of an older contract, which lacks the members of V2 → a newer client reads it', async (t) => {
  const required = ({ response }: Pick<Endpoint, 'response'>) => (response as TSchema).required as string[];
  t.strictSame(required(endpoints.syncBackingDataset).sort(), ['run_id', 'status', 'warning', 'workflow_id']);
  const ofV2 = ['force', 'replay_reason', 'effective_spec_changed', 'attempted_sync_spec_fingerprint'];
  for (const name of [...ofV2, 'applied_sync_spec_fingerprint', 'bulk_jobs'])
    t.notOk(required(endpoints.getSyncRun).includes(name), name);
});
