import type { FilterQuery } from '@mikro-orm/core';
import { type Kernel, type PageOrders, requireMatch, type TenantTransaction } from '@weir/kernel';
import { type Input, type Principal, subjectOf, type Tenant } from '@weir/kernel/contract';
import type { TypeStatus } from '../contract/documents.ts';
import type {
  changeEntityType,
  createEntityType,
  EntityTypeItemView,
  EntityTypeView,
  getEntityType,
  listEntityTypes,
} from '../contract/entity-types.ts';
import { ontologyProblems } from '../contract/problems.ts';
import type { DeclaredType, OntologyStore } from '../model/entity/store.ts';
import { EntityTypeEntity, type EntityTypeRow, TypeVersionEntity } from '../model/rows.ts';
import { labelsOf, typeFingerprint, wholeDocument } from '../model/type/document.ts';
import { documentFaults } from '../model/type/faults.ts';
import type { OntologyTenants } from './bindings.ts';
import { declareType } from './declare-type.ts';
import { pageAcross } from './page-across.ts';
import { fillersOf, foundType, itemView, lockTypes, referenceFaults, typeView, usesOf } from './type-rows.ts';

const ORDERS: PageOrders = {
  orders: { code: 'code', name: 'name', created_at: 'createdAt', updated_at: 'updatedAt' },
  first: 'code',
  id: 'code',
};
export const MAX_TYPES = 1_000;
export const MAX_TYPE_VERSIONS = 1_000;
const SEMANTIC = ['properties', 'primary_key', 'title_property', 'relationships'] as const;
/** Which status follows which. */
export const NEXT_STATUSES: Readonly<Record<TypeStatus, readonly TypeStatus[]>> = {
  draft: ['active'],
  active: ['deprecated'],
  deprecated: ['active'],
  retired: ['active'],
};

export interface TypeDeps {
  kernel: Pick<Kernel, 'db'>;
  tenants: OntologyTenants;
  store: OntologyStore;
}

/** Who changes which type, as they have read it. */
export interface TypeChanging {
  code: string;
  ifMatch: string | undefined;
}

/** Entity types of a tenant. */
export function typeService({ kernel: { db }, tenants, store }: TypeDeps) {
  return {
    /** Throws `entity_type_taken`, `entity_type_invalid`, `ontology_binding_missing` and `ontology_refused`. */
    async create(tenant: Tenant, principal: Principal, body: Input<typeof createEntityType>['body']) {
      const ontologyTenant = tenants.boundTenant(tenant, principal);
      const errors = documentFaults(body);
      if (errors.length > 0) throw ontologyProblems.entityTypeInvalid({ errors });
      const { code, name = code, description = null, icon = null, status = 'draft' } = body;
      const document = wholeDocument(body);
      const fingerprint = typeFingerprint(document);
      const admit = async (tx: TenantTransaction): Promise<DeclaredType> => {
        await lockTypes(tx);
        await assertFree(tx, code);
        const faults = await referenceFaults(tx, code, document, '');
        if (faults.length > 0) throw ontologyProblems.entityTypeInvalid({ errors: faults });
        return { code, version: 1, fingerprint, document };
      };
      await declareType(store, { tenant, ontologyTenant }, () => db(tenant).transaction(admit));
      return db(tenant).transaction(async (tx): Promise<EntityTypeView> => {
        await admit(tx);
        const made = { createdBy: subjectOf(principal), createdAt: new Date() };
        const row = await tx.insert(EntityTypeEntity, {
          code,
          name,
          description,
          icon,
          status,
          version: 1,
          fingerprint,
          labels: labelsOf(document),
          propertiesCount: document.properties.length,
          relationships: shortened(document.relationships),
          ...made,
          updatedAt: made.createdAt,
          etag: 1,
        });
        const version = { code, version: 1, fingerprint, document, verdict: null, changes: [], note: null, ...made };
        await tx.insert(TypeVersionEntity, version);
        return typeView(tx, row);
      });
    },

    /** Over all these tenants, one after the other. */
    list(of: readonly Tenant[], query: Input<typeof listEntityTypes>['query']) {
      const { status, q, ...request } = query ?? {};
      const like = q === undefined ? undefined : { $ilike: `%${q.replace(/[\\%_]/g, '\\$&')}%` };
      const where = {
        $and: [
          { status: status ?? { $ne: 'retired' } },
          like === undefined ? {} : { $or: [{ code: like }, { name: like }] },
        ],
      } as FilterQuery<EntityTypeRow>;
      const list = ['ontology.entity_types', status, q, request.order];
      return pageAcross(of, { list, request }, (tenant, page) =>
        db(tenant).transaction(async (tx) => {
          const { items, next_page_token } = await tx.page(EntityTypeEntity, where, page, ORDERS);
          const fillers = await fillersOf(
            tx,
            items.map(({ code }) => code),
          );
          const views = items.map((row): EntityTypeItemView => itemView(tx, row, fillers.get(row.code) ?? 0));
          return { items: views, next_page_token };
        }),
      );
    },

    get: (tenant: Tenant, code: string, { version, include }: NonNullable<Input<typeof getEntityType>['query']>) =>
      db(tenant).transaction(async (tx) =>
        typeView(tx, await foundType(tx, code, { retired: include === 'retired' }), version),
      ),

    /** Throws `use_versions`, `entity_type_status_refused`, `precondition_failed` and `ontology_binding_missing`. */
    async change(
      tenant: Tenant,
      principal: Principal,
      { code, ifMatch, body }: TypeChanging & { body: Input<typeof changeEntityType>['body'] },
    ): Promise<EntityTypeView> {
      tenants.boundTenant(tenant, principal);
      const errors = SEMANTIC.filter((name) => name in body).map((name) => ({
        pointer: `/${name}`,
        code: 'read_only',
      }));
      if (errors.length > 0) throw ontologyProblems.useVersions({ errors });
      const { name, description, icon, status } = body;
      return db(tenant).transaction(async (tx) => {
        const row = await foundType(tx, code, { retired: status === 'active', lock: true });
        requireMatch(ifMatch, String(row.etag));
        if (status !== undefined && status !== row.status && !NEXT_STATUSES[row.status].includes(status))
          throw ontologyProblems.statusRefused();
        const wanted = Object.entries({ name, description, icon, status });
        const changes = wanted.filter(([key, value]) => value !== undefined && value !== row[key as keyof typeof row]);
        if (changes.length === 0) return typeView(tx, row);
        const counted = { updatedAt: new Date(), etag: row.etag + 1 };
        return typeView(tx, await tx.update(row, { ...Object.fromEntries(changes), ...counted }));
      });
    },

    /** Throws `entity_type_in_use` while other types lead here or backing datasets fill it, `precondition_failed` and `ontology_binding_missing`. */
    async retire(tenant: Tenant, principal: Principal, { code, ifMatch }: TypeChanging): Promise<undefined> {
      tenants.boundTenant(tenant, principal);
      await db(tenant).transaction(async (tx) => {
        await lockTypes(tx);
        const row = await foundType(tx, code, { lock: true });
        requireMatch(ifMatch, String(row.etag));
        const used_by = await usesOf(tx, code);
        if (used_by.length > 0) throw ontologyProblems.entityTypeInUse({ members: { used_by } });
        await tx.update(row, { status: 'retired', updatedAt: new Date(), etag: row.etag + 1 });
      });
      return undefined;
    },
  };
}

export type TypeService = ReturnType<typeof typeService>;

/** Of relationships, as much as lists show. */
export const shortened = (
  relationships: readonly { code: string; target_type: string; cardinality: 'one' | 'many' }[],
) => relationships.map(({ code, target_type, cardinality }) => ({ code, target_type, cardinality }));

const TAKEN = `
select (select count(*)::int from ontology.entity_type where tenant_id = $1) as types,
  exists (select from ontology.entity_type where tenant_id = $1 and lower(code) = lower($2)) as taken`;

/** Throws `entity_type_taken` and `entity_type_limit`. */
async function assertFree(tx: TenantTransaction, code: string): Promise<void> {
  const [found] = (await tx.sql(TAKEN, [tx.tenant.tenantId, code])).rows;
  if (found?.taken === true) throw ontologyProblems.entityTypeTaken();
  const values = { types: MAX_TYPES, versions: MAX_TYPE_VERSIONS };
  if (Number(found?.types) >= MAX_TYPES) throw ontologyProblems.entityTypeLimit({ values });
}
