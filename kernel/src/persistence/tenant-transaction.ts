import { type EntityManager, type FilterQuery, LockMode } from '@mikro-orm/postgresql';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../contract/shapes.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { decodePageToken, encodePageToken } from './page-token.ts';
import { runSql } from './run-sql.ts';
import type { PageOrders, PageRequest, TenantTransaction } from './tenant-db.ts';

/**
 * The narrow face of an entity manager inside one transaction. Every query is filtered by the tenant (the wall itself
 * is row security in the database), and every inserted row gets the tenant from here.
 */
export function tenantTransaction(
  manager: EntityManager,
  tenant: Tenant,
  afterCommit: (() => Promise<void>)[],
): { tx: TenantTransaction; flush(): Promise<void> } {
  const em = manager as unknown as UntypedManager;
  const own = <T extends object>(where: FilterQuery<T>) =>
    ({ $and: [{ tenantId: tenant.tenantId }, where] }) as unknown as FilterQuery<T>;
  const tx: TenantTransaction = {
    tenant,
    async findOne(entity, where, options = {}) {
      const lock = options.lock ? { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } : {};
      return ((await em.findOne(entity, own(where), lock)) ?? undefined) as never;
    },
    async find(entity, where, { orderBy, limit } = {}) {
      const found = await em.find(entity, own(where), {
        ...(orderBy === undefined ? {} : { orderBy: orderBy as never }),
        ...(limit === undefined ? {} : { limit }),
      });
      return found as never;
    },
    async insert(entity, row) {
      const made = em.create(entity, { ...row, tenantId: tenant.tenantId });
      em.persist(made);
      await em.flush();
      return made as never;
    },
    async update(row, changes) {
      const { tenantId: _fixed, ...allowed } = changes as Record<string, unknown>;
      em.assign(row, allowed as never);
      await em.flush();
      return row;
    },
    remove: async (entity, where) => em.nativeDelete(entity, own(where)),
    page: async (entity, where, request, orders) =>
      (await readPage(em, entity, own(where), { request, orders })) as never,
    sql: (text, params) => runSql(manager, text, params),
    afterCommit(work) {
      afterCommit.push(work);
    },
  };
  return { tx, flush: () => em.flush() };
}

/** The ORM's manager without its entity-by-entity types, which a generic face cannot satisfy; used in this file alone. */
interface UntypedManager {
  findOne(entity: unknown, where: unknown, options: object): Promise<object | null>;
  find(entity: unknown, where: unknown, options: object): Promise<object[]>;
  create(entity: unknown, data: object): object;
  persist(row: object): unknown;
  assign(row: object, changes: object): unknown;
  flush(): Promise<void>;
  nativeDelete(entity: unknown, where: unknown): Promise<number>;
}

/**
 * A keyset page: ordered by one field and the id, one row read beyond the limit to know whether more follow. Fields
 * that lists are ordered by are never null, and times are kept to the millisecond, as the token holds them.
 */
async function readPage(
  em: UntypedManager,
  entity: unknown,
  where: unknown,
  { request, orders }: { request: PageRequest; orders: PageOrders },
): Promise<{ items: object[]; next_page_token: string | null }> {
  const order = request.order ?? orders.first;
  const descending = order.startsWith('-');
  const field = orders.orders[descending ? order.slice(1) : order] ?? orders.id;
  const limit = Math.min(request.limit ?? DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE);
  const direction = descending ? 'desc' : 'asc';
  const compare = descending ? '$lt' : '$gt';
  const from = request.page_token === undefined ? undefined : decodePageToken(request.page_token, order);
  const after =
    from === undefined
      ? {}
      : { $or: [{ [field]: { [compare]: from.value } }, { [field]: from.value, [orders.id]: { [compare]: from.id } }] };
  const rows = await em.find(
    entity,
    { $and: [where, after] },
    { orderBy: [{ [field]: direction }, { [orders.id]: direction }], limit: limit + 1 },
  );
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? (items.at(-1) as Record<string, unknown>) : undefined;
  if (last === undefined) return { items, next_page_token: null };
  const value = last[field];
  const position = value instanceof Date ? value.toISOString() : String(value);
  return { items, next_page_token: encodePageToken({ order, value: position, id: String(last[orders.id]) }) };
}
