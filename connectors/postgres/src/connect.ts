import type { ConnectionOptions } from 'node:tls';
import { egressSettings, hostAddresses } from '@weir/egress';
import pg from 'pg';
import type { PostgresConfig } from './config.ts';
import { postgresFault } from './postgres-fault.ts';
import { reusedSocket } from './reused-socket.ts';

/** For one address of the host, and for the whole of greeting and login. */
const CONNECT_MS = 15_000;
const KEEP_ALIVE_MS = 30_000;

export type Environment = Readonly<Record<string, string | undefined>>;

/** How a value is handed over by the driver: as the text that Postgres wrote, always. */
const asText = (text: string): string => text;
const TEXT_TYPES = { getTypeParser: () => asText } as unknown as pg.CustomTypesConfig;

/**
 * So that a value has one text, whatever the server, the database and the role are set to, and no query of ours is ended
 * because it takes long.
 */
const SESSION = [
  `SET client_encoding = 'UTF8'`,
  `SET standard_conforming_strings = on`,
  `SET TimeZone = 'UTC'`,
  `SET DateStyle = 'ISO, YMD'`,
  `SET IntervalStyle = 'postgres'`,
  `SET extra_float_digits = 1`,
  `SET bytea_output = 'hex'`,
  `SET search_path = ''`,
  `SET statement_timeout = 0`,
  `SET idle_in_transaction_session_timeout = 0`,
  // What newer releases have beside.
  `SELECT pg_catalog.set_config(name, '0', false) FROM pg_catalog.pg_settings
     WHERE name IN ('transaction_timeout', 'idle_session_timeout')`,
  `SET row_security = on`,
].join('; ');

/** An open connection to the database; rows come as texts. Every error is one of ours. */
export type Session = {
  readonly client: pg.Client;
  readonly rows: (sql: string, values?: readonly string[]) => Promise<Record<string, string | null>[]>;
  readonly end: () => Promise<void>;
};

export type ConnectOptions = {
  readonly environment: Environment;
  readonly replication?: boolean;
  /** Pages of a part of a table; the usual number when absent. */
  readonly partPages?: number;
  /** How often a slot that is taken is looked at; the usual number when absent. */
  readonly slotLooks?: number;
};

/**
 * Opens a connection: the host is resolved once, each of its addresses is checked by the operator's rules, and the connection
 * goes to a checked address. TLS is as the configuration says. Rejects with a fault of ours.
 */
export async function connect(config: PostgresConfig, options: ConnectOptions): Promise<Session> {
  try {
    const { allowPrivate } = egressSettings(options.environment);
    const addresses = await hostAddresses(config.host, { allowPrivate });
    let failure: unknown;
    for (const address of addresses) {
      try {
        return await open(config, address, options);
      } catch (error) {
        failure = error;
        // Only another address can help against a network.
        if (postgresFault(error).code !== 'server_unreachable') throw error;
      }
    }
    throw failure;
  } catch (error) {
    throw postgresFault(error);
  }
}

async function open(config: PostgresConfig, address: string, { replication }: ConnectOptions): Promise<Session> {
  const { port, database, username: user, password } = config;
  const client = new pg.Client({
    ...{ host: address, port, database, user, password },
    ssl: tlsOptions(config, address),
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: 'weir',
    types: TEXT_TYPES,
    // TLS has memory of its own.
    ...(config.sslMode === 'disable' ? { stream: reusedSocket } : {}),
    ...(replication ? { replication: 'database' } : {}),
  } as pg.ClientConfig);
  let lost: Error | undefined;
  client.on('error', (error) => {
    lost ??= error;
  });
  try {
    await client.connect();
    await client.query(SESSION);
  } catch (error) {
    client.connection?.stream.destroy();
    throw error;
  }
  return {
    client,
    async rows(sql, values) {
      try {
        const answer = values === undefined ? await client.query(sql) : await client.query(sql, [...values]);
        return answer.rows as Record<string, string | null>[];
      } catch (error) {
        throw postgresFault(lost ?? error);
      }
    },
    async end() {
      // A connection in the middle of a copy would be read to its end first.
      client.connection?.stream.destroy();
    },
  };
}

/** What the mode asks of TLS. The name of the host goes along, as the connection itself is to an address. */
function tlsOptions({ host, sslMode, sslCa }: PostgresConfig, address: string): ConnectionOptions | false {
  if (sslMode === 'disable') return false;
  const name = host === address ? {} : { servername: host };
  const trusted = sslCa === undefined ? {} : { ca: sslCa };
  if (sslMode === 'require') return { ...name, rejectUnauthorized: false };
  if (sslMode === 'verify-ca') return { ...name, ...trusted, checkServerIdentity: () => undefined };
  return { ...name, ...trusted };
}
