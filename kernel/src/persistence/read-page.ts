import type { EntityManager } from '@mikro-orm/postgresql';
import { kernelProblems } from '../contract/problems.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../contract/shapes.ts';
import { decodePageToken, encodePageToken, type PagePosition } from './page-token.ts';
import { runSql } from './run-sql.ts';
import type { PageOrders, PageRequest } from './tenant-db.ts';

type Row = Record<string, unknown>;

/** SQLSTATE class 22: a value of the token is none of the column's type. */
const DATA_EXCEPTION = /^22/;

/**
 * A keyset page: ordered by one field and then the id, nulls where Postgres puts them (last; first when descending).
 * One row is read beyond the limit to know whether more follow. Throws `invalid_page_token`.
 */
export async function readPage(
  em: EntityManager,
  entity: unknown,
  where: object,
  { request, orders }: { request: PageRequest; orders: PageOrders },
): Promise<{ items: object[]; next_page_token: string | null }> {
  const order = request.order ?? orders.first;
  const descending = order.startsWith('-');
  const field = orders.orders[descending ? order.slice(1) : order];
  if (field === undefined)
    throw kernelProblems.validationFailed({ errors: [{ pointer: '/query/order', code: 'enum' }] });
  const direction = descending ? 'desc' : 'asc';
  const limit = Math.min(request.limit ?? DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE);
  const list = [em.getMetadata().get(entity as never).className, where, order];
  const from = request.page_token === undefined ? undefined : decodePageToken(list, request.page_token);
  const after = from === undefined ? {} : behind(from, { field, id: orders.id, descending });
  const orderBy = [{ [field]: direction }, { [orders.id]: direction }];
  const options = { orderBy, limit: limit + 1, refresh: true } as never;
  const rows = await em
    .find<Row>(entity as never, { $and: [where, after] } as never, options)
    .catch((error: { code?: string }) => {
      const forged = from !== undefined && DATA_EXCEPTION.test(error.code ?? '');
      throw forged ? kernelProblems.invalidPageToken({ cause: error }) : error;
    });
  const items: Row[] = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  if (last === undefined) return { items, next_page_token: null };
  const id = String(last[orders.id]);
  const exact = last[field] instanceof Date ? await exactTime(em, entity, [field, orders.id, id]) : last[field];
  const value = exact === null || exact === undefined ? null : String(exact);
  return { items, next_page_token: encodePageToken(list, { value, id }) };
}

/** What follows a position in the order of `(field, id)`. */
function behind(
  { value, id: lastId }: PagePosition,
  { field, id, descending }: { field: string; id: string; descending: boolean },
): object {
  const further = descending ? '$lt' : '$gt';
  const tie = { [field]: value, [id]: { [further]: lastId } };
  if (value === null) return descending ? { $or: [tie, { [field]: { $ne: null } }] } : tie;
  return { $or: [{ [field]: { [further]: value } }, tie, ...(descending ? [] : [{ [field]: null }])] };
}

/** A time as the column holds it, to the microsecond: a `Date` would skip the rest of its millisecond. */
async function exactTime(em: EntityManager, entity: unknown, [field, idField, id]: [string, string, string]) {
  const { schema, tableName, properties } = em.getMetadata().get(entity as never);
  const column = (name: string) => `"${(properties as Record<string, { fieldNames: string[] }>)[name]?.fieldNames[0]}"`;
  const text = `select ${column(field)}::text as value from "${schema}"."${tableName}" where ${column(idField)} = $1`;
  return (await runSql(em, text, [id])).rows[0]?.value;
}
