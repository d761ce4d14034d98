import { decodePageToken, encodePageToken, type Kernel } from '@weir/kernel';
import { DEFAULT_PAGE_SIZE, type Input, kernelProblems, type Principal, type Tenant } from '@weir/kernel/contract';
import type { EntityView, listEntities, listEntityLinks } from '../contract/entities.ts';
import { ontologyProblems } from '../contract/problems.ts';
import type { OntologyStore, StoreCall, StoredEntity, StorePage } from '../model/entity/store.ts';
import type { OntologyTenants } from './bindings.ts';
import { foundType, foundVersion } from './type-rows.ts';

export interface EntityDeps {
  kernel: Pick<Kernel, 'db'>;
  tenants: OntologyTenants;
  store: OntologyStore;
}

type Named = { code: string; key: string };

/** Entities as people and programs read them; every read asks the binding. */
export function entityService({ kernel: { db }, tenants, store }: EntityDeps) {
  /** The newest version of a type, and how the store is asked for its entities. */
  const typeOf = async (tenant: Tenant, principal: Principal, code: string) => {
    const call: StoreCall = { tenant, ontologyTenant: tenants.boundTenant(tenant, principal) };
    const document = await db(tenant).transaction(async (tx) => {
      const { version } = await foundType(tx, code);
      return (await foundVersion(tx, code, version)).document;
    });
    return { call, document };
  };
  /** The title properties of types, by their newest versions. */
  const titlesOf = (tenant: Tenant, codes: readonly string[]) =>
    db(tenant).transaction(async (tx) => {
      const { rows } = await tx.sql(TITLES, [tenant.tenantId, [...new Set(codes)]]);
      return new Map(rows.map(({ code, title }) => [String(code), title === null ? null : String(title)]));
    });
  const found = async (call: StoreCall, { code, key }: Named): Promise<StoredEntity> => {
    const entity = await store.getEntity(call, code, key);
    if (entity === undefined) throw kernelProblems.notFound();
    return entity;
  };
  return {
    async list(
      tenant: Tenant,
      principal: Principal,
      { code, query }: { code: string; query: Input<typeof listEntities>['query'] },
    ) {
      const { call, document } = await typeOf(tenant, principal, code);
      const { filter: text, order = 'key', ...request } = query ?? {};
      const indexed = document.properties.filter((one) => one.indexed).map((one) => one.code);
      const filter = text === undefined ? undefined : readFilter(text, indexed);
      const list = ['ontology.entities', tenant.tenantId, code, text, order];
      const read = (page: StorePage) =>
        store.listEntities(call, code, { ...page, descending: order === '-key', ...(filter && { filter }) });
      const page = await readPage(list, request, read, ({ key }) => [key]);
      return { ...page, items: page.items.map((one) => entityView(one, document.title_property)) };
    },

    async get(tenant: Tenant, principal: Principal, { code, key }: Named) {
      const { call, document } = await typeOf(tenant, principal, code);
      const entity = entityView(await found(call, { code, key }), document.title_property);
      const links = await store.countLinks(call, { type: code, key });
      return { ...entity, links: links.map(({ type, ...link }) => ({ ...link, type_code: type })) };
    },

    async links(
      tenant: Tenant,
      principal: Principal,
      {
        code,
        key,
        relationship,
        query,
      }: Named & { relationship: string; query: Input<typeof listEntityLinks>['query'] },
    ) {
      const { direction = 'out', ...request } = query ?? {};
      const { call } = await typeOf(tenant, principal, code);
      await found(call, { code, key });
      const list = ['ontology.links', tenant.tenantId, code, key, relationship, direction];
      const from = { type: code, key, relationship, direction };
      const page = await readPage(
        list,
        request,
        (asked) => store.listLinks(call, from, asked),
        (one) => [one.type, one.key],
      );
      const titles = await titlesOf(
        tenant,
        page.items.map(({ type }) => type),
      );
      const items = page.items.map(({ type, key: far, exists, properties }) => {
        const title = properties && titleOf(far, properties, titles.get(type) ?? null);
        return { type_code: type, key: far, exists, title: title ?? null };
      });
      return { ...page, items };
    },
  };
}

export type EntityService = ReturnType<typeof entityService>;

const TITLES = `
select t.code, v.document ->> 'title_property' as title from ontology.entity_type t
join ontology.entity_type_version v on v.tenant_id = t.tenant_id and v.code = t.code and v.version = t.version
where t.tenant_id = $1 and t.code = any ($2)`;

/** Reads the query of an address; throws `property_not_indexed`, and `validation_failed` for one that says nothing. */
function readFilter(text: string, indexed: readonly string[]): Record<string, string> {
  const pairs = [...new URLSearchParams(text)];
  const fault = (code: string) => kernelProblems.validationFailed({ errors: [{ pointer: '/query/filter', code }] });
  if (pairs.length === 0) throw fault('pattern');
  if (new Set(pairs.map(([name]) => name)).size < pairs.length) throw fault('repeated');
  const errors = pairs
    .filter(([name]) => !indexed.includes(name))
    .map(() => ({
      pointer: '/query/filter',
      code: 'not_indexed',
      message: 'names a property that is not indexed',
      known: [...indexed],
    }));
  if (errors.length > 0) throw ontologyProblems.propertyNotIndexed({ errors });
  return Object.fromEntries(pairs);
}

/** A page by a position of texts; one item beyond it says whether more follow. */
async function readPage<T>(
  list: readonly unknown[],
  { limit = DEFAULT_PAGE_SIZE, page_token }: { limit?: number; page_token?: string },
  read: (page: StorePage) => Promise<T[]>,
  positionOf: (item: T) => readonly [string, ...string[]],
) {
  const from = page_token === undefined ? undefined : decodePageToken(list, page_token);
  const after = from && (from.value === null ? [from.id] : [from.value, from.id]);
  const rows = await read({ limit: limit + 1, after });
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  if (last === undefined) return { items, next_page_token: null, total: null };
  const [first, second] = positionOf(last);
  const position = second === undefined ? { value: null, id: first } : { value: first, id: second };
  return { items, next_page_token: encodePageToken(list, position), total: null };
}

/** What people call an entity. */
function titleOf(key: string, properties: StoredEntity['properties'], title: string | null): string {
  const value = title === null ? undefined : properties[title];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : key;
}

const entityView = (
  { key, properties, typeVersion, runId, updatedAt }: StoredEntity,
  title: string | null,
): EntityView => ({
  key,
  title: titleOf(key, properties, title),
  type_version: typeVersion,
  properties: { ...properties },
  run_id: runId,
  updated_at: updatedAt.toISOString(),
});
