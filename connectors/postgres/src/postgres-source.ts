import { defineSource, type ReadContext, type Source } from '@weir/connector-sdk';
import { parseConfig } from './config.ts';
import { CONFIG_SCHEMA } from './config-schema.ts';
import { type ConnectOptions, connect } from './connect.ts';
import { describeStream, streamName } from './describe-stream.ts';
import { fault } from './fault.ts';
import { listTables } from './list-tables.ts';
import { readByCursor } from './read-cursor.ts';
import { readTable } from './read-table.ts';
import { takeSnapshot } from './snapshot.ts';

export type PostgresSourceDeps = Pick<ConnectOptions, 'environment' | 'partPages'>;

/** Tables, views and foreign tables of one Postgres database. One stream is one of them. */
export function postgresSource(options: PostgresSourceDeps): Source {
  return defineSource({
    spec: { connectionSpecification: CONFIG_SCHEMA },
    async check(value) {
      const config = parseConfig(value);
      const session = await connect(config, options);
      try {
        if ((await listTables(session, config)).length === 0) throw fault('no_tables_found', 'schemas');
      } finally {
        await session.end();
      }
    },
    async discover(value) {
      const config = parseConfig(value);
      const session = await connect(config, options);
      try {
        const tables = await listTables(session, config);
        if (tables.length === 0) throw fault('no_tables_found', 'schemas');
        return { streams: tables.map((table) => describeStream(table, config, false)) };
      } finally {
        await session.end();
      }
    },
    read: (context) => readStream(context, options),
  });
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
    else await readTable(reading);
  } finally {
    await snapshot.end();
  }
}
