import type { PostgresConfig } from './config.ts';
import { type ConnectOptions, connect, type Session } from './connect.ts';
import { fault } from './fault.ts';
import { literal } from './sql-text.ts';

const BEGIN = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/** One state of the database, which several connections see. */
export type Snapshot = {
  /** Undefined where the server lets none be shared: then there is only the connection that holds it. */
  readonly id: string | undefined;
  readonly session: Session;
  readonly end: () => Promise<void>;
};

/** Opens a connection that sees the database as it is now, and goes on seeing it so. */
export async function takeSnapshot(config: PostgresConfig, options: ConnectOptions): Promise<Snapshot> {
  const session = await connect(config, options);
  await session.rows(BEGIN);
  return { id: await exported(session), session, end: session.end };
}

/** Opens a connection that sees what a snapshot shows. `snapshot_lost` when that is gone. */
export async function joinSnapshot(config: PostgresConfig, id: string, options: ConnectOptions): Promise<Session> {
  const session = await connect(config, options);
  try {
    await session.rows(BEGIN);
    await session.rows(`SET TRANSACTION SNAPSHOT ${literal(id)}`);
    return session;
  } catch (error) {
    await session.end();
    const code = (error as { code?: string }).code;
    throw code === 'server_failed' || code === 'schema_changed' ? fault('snapshot_lost', undefined, error) : error;
  }
}

async function exported(session: Session): Promise<string | undefined> {
  try {
    const [row] = await session.rows('SELECT pg_catalog.pg_export_snapshot() AS id');
    return row?.id ?? undefined;
  } catch {
    await session.rows('ROLLBACK');
    await session.rows(BEGIN);
    return undefined;
  }
}
