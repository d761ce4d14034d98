import { type ConfiguredStream, defineSource, type ReadContext, type Source, SourceError } from '@weir/connector-sdk';
import { preflight } from './changes/publication.ts';
import { readChanges } from './changes/read-changes.ts';
import { findSlot, systemId } from './changes/slot.ts';
import { type PostgresConfig, parseConfig } from './config.ts';
import { CONFIG_SCHEMA } from './config-schema.ts';
import { type ConnectOptions, connect, type Session } from './connect.ts';
import { describeStream, streamName } from './describe-stream.ts';
import { fault } from './fault.ts';
import { listTables } from './list-tables.ts';
import { readByCursor } from './read-cursor.ts';
import { readTable } from './read-table.ts';
import { assertSameMergeKey } from './same-key.ts';
import { takeSnapshot } from './snapshot.ts';
import type { Table } from './table.ts';

export type PostgresSourceDeps = Pick<ConnectOptions, 'environment' | 'partPages' | 'slotLooks'>;

/** Tables, views and foreign tables of one Postgres database. One stream is one of them. */
export function postgresSource(options: PostgresSourceDeps): Source {
  /** Runs `use` with a connection, the tables that can be read, and which of them are followed in the log. */
  const withTables = async <T>(
    value: unknown,
    use: (config: PostgresConfig, found: { tables: Table[]; isFollowed: (table: Table) => boolean }) => T,
  ): Promise<T> => {
    const config = parseConfig(value);
    const session = await connect(config, options);
    try {
      const tables = await listTables(session, config);
      if (tables.length === 0) throw fault('no_tables_found', 'schemas');
      return use(config, { tables, isFollowed: await followedBy(session, config, options) });
    } finally {
      await session.end();
    }
  };
  return defineSource({
    spec: { connectionSpecification: CONFIG_SCHEMA },
    check: (value) => withTables(value, () => undefined),
    discover: (value) =>
      withTables(value, (config, { tables, isFollowed }) => ({
        streams: tables.map((table) => describeStream(table, config, isFollowed(table))),
      })),
    read: (context) => readStream(context, options),
    together: {
      isMember: (value, stream) => isFollowing(value, stream),
      read: (contexts, end) => readChanges(contexts, end, options),
    },
  });
}

/**
 * Which tables are followed in the log. Looks whether that can be done at all: what the server is set to, the slot where there is
 * one, and whether it lets a connection for replication in.
 */
async function followedBy(
  session: Session,
  config: PostgresConfig,
  options: PostgresSourceDeps,
): Promise<(table: Table) => boolean> {
  if (config.method !== 'cdc') return () => false;
  const { isPublished } = await preflight(session, config);
  if ((await findSlot(session, config)) === undefined) await assertSlotsLeft(session);
  await assertReplicates(config, options);
  return (table) => table.hasIdentity && isPublished(table);
}

async function assertReplicates(config: PostgresConfig, options: PostgresSourceDeps): Promise<void> {
  try {
    const session = await connect(config, { ...options, replication: true });
    await systemId(session).finally(session.end);
  } catch (error) {
    // The ordinary connection is let in: what is missing is the line of pg_hba.conf, or a right, for this kind.
    const isRefused = error instanceof SourceError && /^(?:tls_required|login_failed|rights_missing)$/.test(error.code);
    throw isRefused ? fault('replication_forbidden', undefined, error) : error;
  }
}

async function assertSlotsLeft(session: Session): Promise<void> {
  const [row] = await session.rows(
    `SELECT count(*) < current_setting('max_replication_slots')::int AS left FROM pg_catalog.pg_replication_slots`,
  );
  if (row?.left !== 't') throw fault('no_slot_left');
}

function isFollowing(config: unknown, { sync_mode }: ConfiguredStream): boolean {
  return sync_mode === 'incremental' && (config as { method?: unknown } | null)?.method === 'cdc';
}

async function readStream(context: ReadContext, options: PostgresSourceDeps): Promise<void> {
  const config = parseConfig(context.config);
  const snapshot = await takeSnapshot(config, options);
  try {
    const tables = await listTables(snapshot.session, config);
    const table = tables.find((one) => streamName(one, config.schemas) === context.stream.stream.name);
    if (table === undefined) throw fault('stream_unknown');
    const reading = { config, options, table, snapshot, fixed: [], context };
    if (context.stream.sync_mode === 'incremental') await readByCursor(reading);
    else {
      assertSameMergeKey(table, context);
      await readTable(reading);
    }
  } finally {
    await snapshot.end();
  }
}
