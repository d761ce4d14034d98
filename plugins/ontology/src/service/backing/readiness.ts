import type { Kernel, Tenant } from '@weir/kernel';
import { type CheckOutcome, Problem, type ReadinessCheck } from '@weir/kernel/contract';
import { BACKING_SUBJECT } from '../../contract/backing/state.ts';
import { ONTOLOGY_SYNC_V2 } from '../../model/run-kinds.ts';
import { SYNC_WORKER } from '../sync/sync-ports.ts';
import {
  type BackingFacts,
  backingFacts,
  columnsOutcome,
  driftOutcome,
  type HealthDeps,
  keyOutcome,
  lastRun,
  type Outcome,
  reachableOutcome,
  relationshipsOutcome,
  tableOutcome,
  typeVersion,
} from './health.ts';
import { foundBacking } from './rows.ts';

export interface ReadinessDeps extends HealthDeps {
  kernel: Pick<Kernel, 'db' | 'runs'>;
}

const step = (operation: string, text: string) => ({ operation, params: { backing_dataset_id: '{subject_id}' }, text });
const CHANGE = step('ontology.change_backing_dataset', 'Change the mapping');
const HEALTH = step('ontology.get_backing_dataset_health', 'Look at its health');
const SYNC = step('ontology.sync_backing_dataset', 'Start a sync');

/** The checklist of a sync, as the specification lists it, and what else a sync needs. */
export function readinessChecks(deps: ReadinessDeps): ReadinessCheck[] {
  const { kernel } = deps;
  const check = (
    name: string,
    [title, next]: readonly [title: string, next: ReturnType<typeof step>],
    judge: (facts: BackingFacts, tenant: Tenant) => Outcome | Promise<Outcome>,
    blocks = true,
  ): ReadinessCheck => ({
    subject: BACKING_SUBJECT,
    check: name,
    title,
    blocks,
    async run(tenant, id) {
      const row = await kernel.db(tenant).transaction((tx) => foundBacking(tx, id));
      const outcome = await judge(await backingFacts(deps, tenant, row), tenant);
      return outcome.status === 'pass' ? outcome : { ...outcome, next: [next] };
    },
  });
  return [
    check('entity_type_version', ['The entity type is there at the version of the mapping', CHANGE], typeVersion),
    check('table_columns', ['The table is there with the columns of the mapping', CHANGE], (facts) => {
      const table = tableOutcome(facts);
      return table.status === 'pass' ? columnsOutcome(facts) : table;
    }),
    check('key_mapped', ['Columns fill the primary key', CHANGE], keyOutcome),
    check('relationships_mapped', ['Relationships have their target type and key', CHANGE], relationshipsOutcome),
    check('health', ['The store answers with what was brought', HEALTH], (facts, tenant) =>
      health(deps, facts, tenant),
    ),
    check('history', ['The last sync was reviewed', SYNC], history, false),
    check('binding', ['The tenant is bound to an ontology tenant', HEALTH], (_, tenant) => binding(deps, tenant)),
    check('worker', ['A worker polls for syncs', SYNC], () => worker(deps), false),
  ];
}

async function health(deps: ReadinessDeps, facts: BackingFacts, tenant: Tenant): Promise<Outcome> {
  const reachable = reachableOutcome(await deps.store.reachable());
  if (reachable.status !== 'pass') return reachable;
  const bound = bindingOf(deps, tenant);
  if (bound === undefined) return { status: 'warning', detail: 'This is known once the tenant is bound.' };
  return driftOutcome(deps, { tenant, ontologyTenant: bound }, facts);
}

/** What failed does not block the next sync, which may put it right. */
function history(facts: BackingFacts): Outcome {
  const outcome = lastRun(facts);
  return outcome.status === 'fail' ? { ...outcome, status: 'warning' } : outcome;
}

function bindingOf({ tenants }: ReadinessDeps, tenant: Tenant): string | undefined {
  try {
    return tenants.boundTenant(tenant, SYNC_WORKER);
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

function binding(deps: ReadinessDeps, tenant: Tenant): CheckOutcome {
  if (bindingOf(deps, tenant) !== undefined)
    return { status: 'pass', detail: 'The tenant is bound to an ontology tenant.' };
  const hint = 'Bind it in `ONTOLOGY_TENANT_BINDINGS_JSON`.';
  return { status: 'fail', detail: 'The tenant is bound to no ontology tenant.', hint };
}

async function worker({ kernel }: ReadinessDeps): Promise<Outcome> {
  const { warning } = await kernel.runs.admit(ONTOLOGY_SYNC_V2.kind, { queue: true });
  if (warning === null) return { status: 'pass', detail: 'A worker of the role ontology-sync-v2 polls its queue.' };
  return { status: 'fail', detail: warning.detail, hint: 'Start a worker, or let the run wait for one.' };
}
