import type { PromiseRow, Proof } from './rows.ts';

const NAMES = 'plugins/ontology/test/names.test.ts';
const ACCESS = 'plugins/ontology/test/backing-access.test.ts';
const RULES = 'plugins/ontology/test/backing-faults.test.ts';
const WIRE = 'plugins/ontology/test/backing-datasets.test.ts';

const all = (area: string, { file, test }: Proof, ...names: string[]): PromiseRow[] =>
  names.map((name) => ({ area, name, owner: 'ontology', proof: { file, test } }));

const V1 = 'contract 1 has its names to the letter: workflow, activities, queue, service; it alone reconciles';
const V2 = 'contract 2 has its names to the letter: workflow, activities, queue, service, migration';
const MEMBERS = 'capabilities, trigger, exact run and bulk jobs have their members to the letter';
const OLDER = 'the answer of an older contract, which lacks the members of V2 → a newer client reads it';

/** What the specification promises of backing datasets: names of both contracts, members of answers, states and access. */
export const ontologyPromises: readonly PromiseRow[] = [
  ...all(
    'Sync contract 1',
    { file: NAMES, test: V1 },
    ...['workflow OntologySyncWorkflow', 'activity sync_to_ontology', 'activity update_sync_status'],
    ...['activity emit_ontology_lineage_edge', 'queue ontology-sync-task-queue', 'service ontology-worker'],
    'its worker alone owns reconciliation schedules',
  ),
  ...all(
    'Sync contract 1',
    { file: 'plugins/ontology/test/recorded-v1.test.ts', test: 'contract 1 is as it was when its runs were recorded' },
    'it is immutable',
  ),
  ...all(
    'Rollout and rollback of a contract',
    {
      file: 'test/test/ontology-route.test.ts',
      test: 'the runbook: syncs move to contract 1 and back, and none is lost',
    },
    ...['live pollers and one executable workflow on both queues', 'new starts go by the route'],
    ...['older histories and retries drain', 'rollback routes new starts back first', 'open executions are counted'],
  ),
  ...all(
    'Sync contract 2',
    { file: NAMES, test: V2 },
    ...['workflow OntologySyncWorkflowV2', 'activity sync_to_ontology_v2', 'activity update_sync_status_v2'],
    ...['activity emit_ontology_lineage_edge_v2', 'queue ontology-sync-v2-task-queue', 'service ontology-worker-v2'],
    'migration s39_bd_sync_spec_fingerprint',
  ),
  ...all(
    'Capabilities of syncs',
    { file: NAMES, test: MEMBERS },
    ...['sync_contract_version', 'supports_exact_run_polling', 'supports_force_replay'],
  ),
  ...all(
    'Trigger of a sync',
    { file: NAMES, test: MEMBERS },
    ...['its run_id', 'its attempted_sync_spec_fingerprint', 'its force'],
  ),
  ...all('Trigger of a sync', { file: NAMES, test: OLDER }, 'members of V2 are optional'),
  ...all(
    'Exact run of a sync',
    { file: NAMES, test: MEMBERS },
    ...['status', 'is_terminal', 'rows_synced', 'bulk_jobs', 'replay_reason', 'effective_spec_changed'],
    ...['snapshot_id and snapshot_id_exact', 'attempted and applied fingerprint'],
    'bulk_jobs: job_id, operation, submitted_count, completed_count alone',
  ),
  ...all(
    'Ontology sync readiness',
    { file: WIRE, test: 'health says what a sync needs' },
    ...['entity type exists at the intended version', 'table exists with expected columns'],
    ...['health check passes', 'history reviewed after trigger'],
  ),
  ...all(
    'Ontology sync readiness',
    { file: RULES, test: 'rules of mappings' },
    ...['property mappings include the primary key column', 'relationship mappings include target type and key'],
  ),
  ...all(
    'Access to backing datasets',
    { file: WIRE, test: 'what the table, the type or the tenant forbids' },
    'a table that the tenant does not produce: 403',
  ),
  ...all(
    'Access to backing datasets',
    { file: WIRE, test: 'suggestions pass the same ladder: the table, the binding, the type' },
    'suggestions for a table that the tenant does not produce: 403',
  ),
  ...all(
    'Access to backing datasets',
    {
      file: ACCESS,
      test: 'people name their tenant; services need the capability, a binding, and no header for lists',
    },
    ...['people send X-Tenant-ID', 'services need ontology:sync', 'the binding is checked'],
  ),
];
