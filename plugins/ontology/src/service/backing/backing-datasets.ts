import type { FilterQuery } from '@mikro-orm/core';
import { canonicalJson } from '@weir/documents';
import { type Kernel, type PageOrders, requireMatch, type TenantTransaction } from '@weir/kernel';
import {
  type Input,
  kernelProblems,
  type Output,
  type Principal,
  runProblems,
  subjectOf,
  type Tenant,
} from '@weir/kernel/contract';
import type { InputsService } from '@weir/plugin-datasets/contract';
import { v7 as uuidv7 } from 'uuid';
import type {
  BackingDatasetView,
  changeBackingDataset,
  createBackingDataset,
  deleteBackingDataset,
  listBackingDatasets,
} from '../../contract/backing/backing-datasets.ts';
import {
  type BackingDocumentView,
  type GivenBackingBody,
  REQUIRED_MEMBERS,
  specOf,
  wholeBacking,
} from '../../contract/backing/document.ts';
import { backingProblems } from '../../contract/backing/problems.ts';
import { SYNC_KINDS } from '../../model/backing/sync-kinds.ts';
import type { StoreCall } from '../../model/entity/store.ts';
import { BackingDatasetEntity, type BackingDatasetRow } from '../../model/rows.ts';
import type { OntologyTenants } from '../bindings.ts';
import { pageAcross } from '../page-across.ts';
import { readerOf } from '../sync/finish-sync.ts';
import { lockTypes } from '../type-rows.ts';
import { assertFitting, assertOwned, type JudgeDeps } from './judge.ts';
import { documentOf, foundBacking, itemViews, wholeView } from './rows.ts';

const ORDERS: PageOrders = {
  orders: { name: 'name', created_at: 'createdAt', updated_at: 'updatedAt' },
  first: 'name',
  id: 'backingDatasetId',
};
/** Backing datasets of one tenant: each commit of a table looks for its own among them. */
export const MAX_BACKING_DATASETS = 1_000;

export interface BackingDeps extends JudgeDeps {
  kernel: Pick<Kernel, 'db' | 'runs'>;
  tenants: OntologyTenants;
  /** What a sync would attempt now; null while the table cannot be read. */
  currentFingerprint(tenant: Tenant, row: BackingDatasetRow): Promise<string | null>;
  inputs: Pick<InputsService, 'unmark'>;
  /** Starts what is pending, as far as it starts by itself. */
  wake(tenant: Tenant, ids: readonly string[]): Promise<void>;
  /** Ends what the backing dataset claims. */
  endClaims(tx: TenantTransaction, row: BackingDatasetRow, how: { entities: 'keep' | 'remove' }): Promise<void>;
  /** Deletes the entities that it claims at a service; undefined where they are in the database. */
  removeRemote: ((call: StoreCall, row: BackingDatasetRow) => Promise<void>) | undefined;
}

/** Who changes which backing dataset, as they have read it. */
interface Changing {
  id: string;
  ifMatch: string | undefined;
}
type ChangeBody = Input<typeof changeBackingDataset>['body'];

/** The backing datasets of a tenant. */
export function backingService(deps: BackingDeps) {
  const { kernel, tenants, wake } = deps;
  const { db } = kernel;
  const view = async (tenant: Tenant, row: BackingDatasetRow): Promise<BackingDatasetView> => {
    const current_sync_spec_fingerprint = await deps.currentFingerprint(tenant, row);
    return { ...(await db(tenant).transaction((tx) => wholeView(tx, row))), current_sync_spec_fingerprint };
  };
  return {
    /** Throws what `assertFitting` does, then `backing_dataset_name_taken`, `backing_dataset_limit` and `property_taken`. */
    async create(
      tenant: Tenant,
      principal: Principal,
      {
        body: { tenant: meant, ontology_tenant, ...body },
        signal,
      }: { body: Input<typeof createBackingDataset>['body']; signal: AbortSignal },
    ): Promise<BackingDatasetView> {
      if (meant !== undefined && meant !== tenant.alias) throw backingProblems.tenantMismatch();
      tenants.boundTenant(tenant, principal, ontology_tenant);
      const document = wholeBacking(body);
      const spec = specOf(document);
      const judged = { spec, backingDatasetId: undefined };
      await assertFitting(deps, tenant, { ...judged, signal });
      const row = await db(tenant).transaction(async (tx) => {
        await lockTypes(tx);
        await assertFree(tx, document.name, undefined);
        await assertOwned(tx, judged);
        const now = new Date();
        return tx.insert(BackingDatasetEntity, {
          ...columnsOf(document),
          backingDatasetId: uuidv7(),
          createdBy: subjectOf(principal),
          createdAt: now,
          updatedAt: now,
          etag: 1,
          pendingSince: now,
          pendingReason: 'initial',
        });
      });
      if (row.sync === 'on_snapshot') await wake(tenant, [row.backingDatasetId]);
      return view(tenant, row);
    },

    /** Over all these tenants, one after the other. */
    list(of: readonly Tenant[], query: Input<typeof listBackingDatasets>['query']) {
      const { entity_type_code, dataset_id, name, ...request } = query ?? {};
      const asked = Object.entries({ entityTypeCode: entity_type_code, datasetId: dataset_id, name });
      const where = Object.fromEntries(
        asked.filter(([, value]) => value !== undefined),
      ) as FilterQuery<BackingDatasetRow>;
      const list = ['ontology.backing_datasets', entity_type_code, dataset_id, name, request.order];
      return pageAcross(of, { list, request }, (tenant, page) =>
        db(tenant).transaction(async (tx) => {
          const { items, next_page_token } = await tx.page(BackingDatasetEntity, where, page, ORDERS);
          return { items: await itemViews(tx, items), next_page_token };
        }),
      );
    },

    get: async (tenant: Tenant, id: string) => view(tenant, await db(tenant).transaction((tx) => foundBacking(tx, id))),

    /** A merge patch. Throws what `create` does, `precondition_failed`, and `validation_failed` for a member that must be there. */
    async change(
      tenant: Tenant,
      principal: Principal,
      { id, ifMatch, body: { ontology_tenant, ...body }, signal }: Changing & { body: ChangeBody; signal: AbortSignal },
    ): Promise<BackingDatasetView> {
      tenants.boundTenant(tenant, principal, ontology_tenant);
      const before = await db(tenant).transaction((tx) => foundBacking(tx, id));
      requireMatch(ifMatch, String(before.etag));
      const document = patched(documentOf(before), body);
      const spec = specOf(document);
      const judged = { spec, backingDatasetId: id };
      const isOther = canonicalJson(spec) !== canonicalJson(before.spec);
      if (isOther) await assertFitting(deps, tenant, { ...judged, signal });
      const row = await db(tenant).transaction(async (tx) => {
        await lockTypes(tx);
        const row = await foundBacking(tx, id, { lock: true });
        if (row.etag !== before.etag) throw kernelProblems.preconditionFailed();
        if (canonicalJson(documentOf(row)) === canonicalJson(document)) return row;
        await assertFree(tx, document.name, id);
        if (isOther) await assertOwned(tx, judged);
        return tx.update(row, {
          ...columnsOf(document),
          ...(isOther && pendingOf(row)),
          updatedAt: new Date(),
          etag: row.etag + 1,
        });
      });
      if (row.sync === 'on_snapshot' && row.pendingSince) await wake(tenant, [id]);
      return view(tenant, row);
    },

    /** Throws `run_already_active` while a run is open, and `precondition_failed`. */
    async remove(
      tenant: Tenant,
      principal: Principal,
      { id, ifMatch, query }: Changing & { query: Input<typeof deleteBackingDataset>['query'] },
    ): Promise<Output<typeof deleteBackingDataset>> {
      const ontologyTenant = tenants.boundTenant(tenant, principal);
      const { entities = 'keep' } = query ?? {};
      const admit = async (tx: TenantTransaction): Promise<BackingDatasetRow> => {
        const row = await foundBacking(tx, id, { lock: true });
        requireMatch(ifMatch, String(row.etag));
        const active = await kernel.runs.active(tx, SYNC_KINDS, id);
        if (active !== undefined) throw runProblems.runAlreadyActive({ members: { run_id: active } });
        return row;
      };
      if (entities === 'remove' && deps.removeRemote !== undefined)
        await deps.removeRemote({ tenant, ontologyTenant }, await db(tenant).transaction(admit));
      await db(tenant).transaction(async (tx) => {
        await deps.endClaims(tx, await admit(tx), { entities });
        const { rows } = await tx.sql(
          'select run_id from kernel.run where tenant_id = $1 and kind = any ($2) and subject_id = $3',
          [tenant.tenantId, SYNC_KINDS, id],
        );
        await kernel.runs.drop(
          tx,
          rows.map(({ run_id }) => String(run_id)),
        );
        await deps.inputs.unmark(tx, readerOf(id));
        await tx.remove(BackingDatasetEntity, { backingDatasetId: id });
      });
      return undefined;
    },
  };
}

export type BackingService = ReturnType<typeof backingService>;

const columnsOf = (document: BackingDocumentView) => ({
  name: document.name,
  datasetId: document.dataset_id,
  entityTypeCode: document.entity_type_code,
  entityTypeVersion: document.entity_type_version,
  spec: specOf(document),
  maxRejectedRows: document.max_rejected_rows,
  sync: document.sync,
});

/** What a change of the mapping makes pending; the first sync is still the first one. */
const pendingOf = ({ pendingSince, pendingReason, appliedAt }: BackingDatasetRow) => ({
  pendingSince: pendingSince ?? new Date(),
  pendingReason: appliedAt ? ('effective_spec_changed' as const) : (pendingReason ?? ('initial' as const)),
});

/** The document after a merge patch. */
function patched(document: BackingDocumentView, body: Omit<ChangeBody, 'ontology_tenant'>): BackingDocumentView {
  const members = Object.entries({ ...document, ...body }).filter(([, value]) => value !== null);
  const given = Object.fromEntries(members);
  const errors = REQUIRED_MEMBERS.filter((name) => !(name in given)).map((name) => ({
    pointer: `/${name}`,
    code: 'required',
  }));
  if (errors.length > 0) throw kernelProblems.validationFailed({ errors });
  return wholeBacking(given as GivenBackingBody);
}

const TAKEN = `
select (select count(*)::int from ontology.backing_dataset where tenant_id = $1) as known,
  exists (select from ontology.backing_dataset
    where tenant_id = $1 and lower(name) = lower($2) and backing_dataset_id is distinct from $3::uuid) as taken`;

/** Throws `backing_dataset_name_taken`, and `backing_dataset_limit` for one more. */
async function assertFree(tx: TenantTransaction, name: string, id: string | undefined): Promise<void> {
  const [found] = (await tx.sql(TAKEN, [tx.tenant.tenantId, name, id ?? null])).rows;
  if (found?.taken === true) throw backingProblems.nameTaken();
  if (id === undefined && Number(found?.known) >= MAX_BACKING_DATASETS)
    throw backingProblems.backingLimit({ values: { limit: MAX_BACKING_DATASETS } });
}
