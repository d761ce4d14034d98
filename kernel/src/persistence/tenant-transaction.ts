import { type EntityManager, type FilterQuery, LockMode } from '@mikro-orm/postgresql';
import type { Tenant } from '../contract/caller.ts';
import { databaseError } from './errors.ts';
import { readPage } from './read-page.ts';
import { runSql } from './run-sql.ts';
import type { TenantTransaction } from './tenant-db.ts';

/** A row is read as the database has it now, not as this transaction remembers it. */
const FRESH = { refresh: true };

/**
 * The narrow face of an entity manager inside one transaction. Every query is filtered by the tenant (the wall itself
 * is row security in the database), and every inserted row gets the tenant from here. `settle` writes what is left and
 * throws the first failure of any operation, caught or not: the database would answer its commit by rolling back.
 */
export function tenantTransaction(
  manager: EntityManager,
  tenant: Tenant,
  afterCommit: (() => Promise<void>)[],
): { tx: TenantTransaction; settle(): Promise<void> } {
  const em = manager as unknown as UntypedManager;
  const failures: unknown[] = [];
  const guarded = async (work: () => Promise<unknown>): Promise<never> => {
    try {
      return (await work()) as never;
    } catch (thrown) {
      const error = databaseError(thrown);
      failures.push(error);
      throw error;
    }
  };
  const own = <T extends object>(where: FilterQuery<T>) =>
    ({ $and: [{ tenantId: tenant.tenantId }, where] }) as unknown as FilterQuery<T>;
  const tx: TenantTransaction = {
    tenant,
    findOne: (entity, where, { lock } = {}) =>
      guarded(async () => {
        const found = await em.findOne(
          entity,
          own(where),
          lock ? { ...FRESH, lockMode: LockMode.PESSIMISTIC_WRITE } : FRESH,
        );
        return found ?? undefined;
      }),
    find: (entity, where, options = {}) => guarded(() => em.find(entity, own(where), { ...FRESH, ...options })),
    insert: (entity, row) =>
      guarded(async () => {
        const made = em.create(entity, { ...row, tenantId: tenant.tenantId });
        em.persist(made);
        await em.flush();
        return made;
      }),
    update: (row, changes) =>
      guarded(async () => {
        const { tenantId: _fixed, ...allowed } = changes as Record<string, unknown>;
        em.assign(row, allowed);
        await em.flush();
        return row;
      }),
    remove: (entity, where) => guarded(() => em.nativeDelete(entity, own(where))),
    page: (entity, where, request, orders) => guarded(() => readPage(manager, entity, own(where), { request, orders })),
    sql: (text, params) => guarded(() => runSql(manager, text, params)),
    afterCommit(work) {
      afterCommit.push(work);
    },
  };
  const settle = async () => {
    if (failures.length > 0) throw failures[0];
    await guarded(() => em.flush());
  };
  return { tx, settle };
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
