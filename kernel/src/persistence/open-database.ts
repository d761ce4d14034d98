import type { Socket } from 'node:net';
import { type EntityManager, MikroORM, UnderscoreNamingStrategy } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { Refusal } from '../config/refusal.ts';
import type { Tenant } from '../contract/caller.ts';
import { Run } from '../runs/run-entity.ts';
import { databaseError } from './errors.ts';
import { inFlight } from './in-flight.ts';
import { runSql } from './run-sql.ts';
import type { AnyEntity, Entity, TenantDb, TenantTransaction } from './tenant-db.ts';
import { tenantTransaction } from './tenant-transaction.ts';

const POOL_SIZE = 10;
const [STATEMENT_TIMEOUT_MS, LOCK_TIMEOUT_MS, CONNECT_TIMEOUT_MS] = [15_000, 5_000, 5_000];
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000;
/** A server that lives ends statements and idle transactions sooner: of one that is silent for longer, no answer comes. */
const MAX_SILENCE_MS = 45_000;
const RELEASE_DEAD_AFTER_MS = 500;

/** One statement outside every tenant: shared tables and the system catalogue only; tenant tables show no row. */
export type PlatformSql = (
  text: string,
  params: unknown[],
) => Promise<{ rows: Record<string, unknown>[]; rowCount: number }>;

export interface DatabaseOptions {
  host: string;
  port: number;
  name: string;
  user: string;
  password: string;
  /** The entities of all plugins. */
  entities: readonly AnyEntity[];
  log: Logger;
  poolSize?: number;
  maxSilenceMs?: number;
}

/** The relational store. Rows of tenants are reached through `db(tenant)` and in no other way. */
export interface Database {
  db(tenant: Tenant): TenantDb;
  sql: PlatformSql;
  /** Throws a `Refusal` when the role could walk through the tenant wall. */
  assertSafeRole(): Promise<void>;
  ping(): Promise<boolean>;
  /** Refuses what comes, lets what runs end, then closes the pool. */
  close(): Promise<void>;
}

/** Opens the pool; connects on first use. Every session has bounded statement, lock and idle times. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { host, port, name, user, password, log } = options;
  const orm = await MikroORM.init({
    entities: [Run, ...options.entities] as Entity<object>[],
    ...{ host, port, dbName: name, user, password },
    namingStrategy: UnderscoreNamingStrategy,
    discovery: { warnWhenNoEntities: false },
    pool: { min: 0, max: options.poolSize ?? POOL_SIZE },
    driverOptions: {
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      ...{ statement_timeout: STATEMENT_TIMEOUT_MS, lock_timeout: LOCK_TIMEOUT_MS },
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
      application_name: 'weir',
      onPoolCreated: (pool: Pool) => releaseDead(pool, options.maxSilenceMs ?? MAX_SILENCE_MS),
    },
    logger: (message) => log.debug(message),
  });
  const busy = inFlight();
  const sql: PlatformSql = (text, params) =>
    busy.run(() =>
      runSql(orm.em.fork({ clear: true }), text, params).catch((error: unknown) => {
        throw databaseError(error);
      }),
    );
  return {
    sql,
    db: (tenant) => ({ transaction: (work) => busy.run(() => transact(orm, { tenant, log }, work)) }),
    assertSafeRole: () => assertSafeRole(sql),
    ping: async () => (await sql('select 1 as one', [])).rows.length === 1,
    async close() {
      await busy.drain();
      await orm.close(true);
    },
  };
}

async function transact<R>(
  orm: MikroORM,
  { tenant, log }: { tenant: Tenant; log: Logger },
  work: (tx: TenantTransaction) => Promise<R>,
): Promise<R> {
  const em = orm.em.fork({
    clear: true,
    session: { variables: { 'app.tenant': tenant.tenantId, 'app.scope': tenant.scope } },
  });
  const afterCommit: (() => Promise<void>)[] = [];
  try {
    const result = await em.transactional(async (inside) => {
      const { tx, settle } = tenantTransaction(inside as EntityManager, tenant, afterCommit);
      const value = await work(tx);
      await settle();
      return value;
    });
    for (const task of afterCommit) {
      await task().catch((error: unknown) => log.warn({ err: error }, 'work after a commit failed'));
    }
    return result;
  } catch (error) {
    throw databaseError(error);
  }
}

/**
 * Gives back the place of a connection that died while a transaction held it: the query layer lets go of it only after
 * a rollback, which a dead connection cannot do. One that was given back already says so by throwing. A machine that is gone
 * closes no connection, and a statement would wait for it for ever: that one is closed here.
 */
function releaseDead(pool: Pool, maxSilenceMs: number): void {
  pool.on('connect', (client) => {
    const stream = client.connection.stream as Socket;
    stream.setTimeout(maxSilenceMs, () => stream.destroy());
    const release = async () => client.release(true);
    client.once('end', () => setTimeout(() => release().catch(() => undefined), RELEASE_DEAD_AFTER_MS).unref());
  });
}

/** The role and every role it is a member of: one that makes roles, or has policies of its own, opens the wall too. */
const HELD_ROLES = `
with recursive held as (
  select oid, rolname, rolsuper, rolbypassrls, rolcreaterole from pg_roles where rolname = current_user
  union
  select r.oid, r.rolname, r.rolsuper, r.rolbypassrls, r.rolcreaterole from held
    join pg_auth_members m on m.member = held.oid join pg_roles r on r.oid = m.roleid)
select rolname, rolsuper as "is superuser", rolbypassrls as "bypasses row security", rolcreaterole as "makes roles",
  exists (select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relowner = held.oid and n.nspname !~ '^pg_' and n.nspname <> 'information_schema') as "owns tables",
  rolname <> current_user and exists (select 1 from pg_policy p where held.oid = any (p.polroles))
    as "lends its policies to a member"
from held`;

async function assertSafeRole(sql: PlatformSql): Promise<void> {
  const { rows } = await sql(HELD_ROLES, []);
  const faults = rows.flatMap(({ rolname, ...dangers }) =>
    Object.keys(dangers).flatMap((danger) => (dangers[danger] ? [`database role ${rolname} ${danger}`] : [])),
  );
  if (faults.length > 0) throw new Refusal('database role refused: the tenant wall would not hold', faults);
}
