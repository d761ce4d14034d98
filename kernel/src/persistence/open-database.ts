import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { type EntityManager, MikroORM, UnderscoreNamingStrategy } from '@mikro-orm/postgresql';
import { inFlight, type PoolTurns } from '@weir/turns';
import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import type { Tenant } from '../contract/caller.ts';
import { kernelProblems } from '../contract/problems.ts';
import { databaseError } from './errors.ts';
import { type PlatformSql, runSql } from './run-sql.ts';
import { assertSafeRole } from './safe-role.ts';
import { type SessionLocks, sessionLocks } from './session-locks.ts';
import type { AnyEntity, Entity, TenantDb, TenantTransaction } from './tenant-db.ts';
import { tenantTransaction } from './tenant-transaction.ts';

const POOL_SIZE = 10;
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 15_000;
const LOCK_TIMEOUT_MS = 5_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000;
/** A server that lives ends statements and idle transactions sooner: of one that is silent for longer, no answer comes. */
const MAX_SILENCE_MS = 45_000;
/** So long the query layer may give back the place of a dead connection by itself. */
const RELEASE_DEAD_AFTER_MS = 500;

export interface DatabaseOptions {
  host: string;
  port: number;
  name: string;
  user: string;
  password: string;
  /** How the connections are protected; `false` and nothing: in the clear. */
  ssl?: ConnectionOptions | false;
  /** The entities of the kernel and of all plugins. */
  entities: readonly AnyEntity[];
  log: Logger;
  /** Connections at most; ten unless given. */
  poolSize?: number;
  /** How tenants take turns at them; first come, first served unless given. */
  inTurn?: PoolTurns;
  /** After this long without a byte from the server a connection is given up; 45 seconds unless given. */
  maxSilenceMs?: number;
}

/** The relational store. Rows of tenants are reached through `db(tenant)` and in no other way. */
export interface Database extends Pick<SessionLocks, 'holds'> {
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
  const { log, maxSilenceMs = MAX_SILENCE_MS, inTurn = (_, work) => work() } = options;
  const driver = {
    ssl: options.ssl ?? false,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    application_name: 'weir',
  };
  const orm = await MikroORM.init({
    entities: [...options.entities] as Entity<object>[],
    host: options.host,
    port: options.port,
    dbName: options.name,
    user: options.user,
    password: options.password,
    namingStrategy: UnderscoreNamingStrategy,
    discovery: { warnWhenNoEntities: false },
    pool: { min: 0, max: options.poolSize ?? POOL_SIZE },
    driverOptions: { ...driver, onPoolCreated: (pool: Pool) => giveUpDead(pool, maxSilenceMs) },
    logger: (message) => log.debug(message),
  });
  const { host, port, name: database, user, password } = options;
  const locks = sessionLocks({ ...driver, host, port, database, user, password });
  const busy = inFlight(kernelProblems.shuttingDown);
  const sql: PlatformSql = (text, params) =>
    busy.run(() =>
      inTurn('', async () => {
        try {
          return await runSql(orm.em.fork({ clear: true }), text, params);
        } catch (error) {
          throw databaseError(error);
        }
      }),
    );
  return {
    sql,
    holds: locks.holds,
    db: (tenant) => ({
      transaction: (work) => busy.run(() => inTurn(tenant.tenantId, () => transact(orm, { tenant, log }, work))),
    }),
    assertSafeRole: () => assertSafeRole(sql),
    ping: async () => (await sql('select 1 as one', [])).rows.length === 1,
    async close() {
      await busy.drain();
      await locks.close();
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
    session: { variables: { 'app.tenant': tenant.tenantId } },
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
 * Gives up connections that are dead, whose places the pool would otherwise never have again. A machine that is gone closes no
 * connection, and a statement would wait for it for ever: one that is silent for too long is closed here. One that died while a
 * transaction held it is taken from the query layer, which lets go of it only after a rollback, and a dead connection does none.
 */
function giveUpDead(pool: Pool, maxSilenceMs: number): void {
  pool.on('connect', (client) => {
    const stream = client.connection.stream as Socket;
    stream.setTimeout(maxSilenceMs, () => stream.destroy());
    client.once('end', () => setTimeout(() => release(client), RELEASE_DEAD_AFTER_MS).unref());
  });
}

function release(client: PoolClient): void {
  try {
    client.release(true);
  } catch {
    // It was given back already, or never taken.
  }
}
