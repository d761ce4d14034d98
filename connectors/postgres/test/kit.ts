import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { runSource } from '@weir/connector-sdk';
import pg from 'pg';
import t from 'tap';
import { until } from '../../../test/until.ts';
import { type PostgresSourceDeps, postgresSource } from '../src/postgres-source.ts';

export const PROGRAM = fileURLToPath(new URL('../src/main.ts', import.meta.url));
/** As an operator allows it to the connector under test. */
export const ALLOWED = { WEIR_EGRESS_ALLOW: '127.0.0.0/8' };

/** The server of the test run: the newest release, or the oldest in the lane postgres-15. */
export const SERVER = process.env.WEIR_TEST_DATABASE_URL ?? '';
export const RELEASE = process.env.WEIR_TEST_POSTGRES === 'debian' ? 15 : 18;

/** What Postgres calls a slot that is not there: undefined_object. */
const SLOT_GONE = '42704';
/** Parts so small that few rows make many of them. */
const PART_PAGES = 64;

export type Config = Record<string, unknown>;
export type TestDatabase = {
  readonly name: string;
  readonly url: string;
  /** Runs statements as the superuser; rows as texts. */
  readonly sql: (statement: string) => Promise<Record<string, string | null>[]>;
  /** A configuration of the connector for this database. */
  readonly config: (more?: Config) => Config;
};

/** A database of the test's own. Slots and roles that a test makes begin with its name, and go with it. */
export async function database(server: string = SERVER): Promise<TestDatabase> {
  const name = `weir_${randomBytes(6).toString('hex')}`;
  const admin = await opened(server);
  await admin.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
  const url = new URL(server);
  url.pathname = name;
  const client = await opened(url.href);
  // What was committed is in the log when the statement returns.
  await client.query('SET synchronous_commit = on');
  t.teardown(async () => {
    await client.end();
    const slots = await admin.query('SELECT slot_name FROM pg_replication_slots WHERE database = $1', [name]);
    for (const { slot_name } of slots.rows) {
      await admin.query('SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = $1', [
        slot_name,
      ]);
      await dropped(admin, slot_name);
    }
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    const roles = await admin.query('SELECT rolname FROM pg_roles WHERE rolname LIKE $1', [`${name}%`]);
    for (const { rolname } of roles.rows) await admin.query(`DROP ROLE ${rolname}`);
    await admin.end();
  });
  return {
    name,
    url: url.href,
    async sql(statement) {
      const answer = (await client.query(statement)) as pg.QueryResult | pg.QueryResult[];
      return (Array.isArray(answer) ? answer.at(-1) : answer)?.rows ?? [];
    },
    config: (more = {}) => ({
      ...{ host: url.hostname, port: Number(url.port), database: name, ssl_mode: 'disable' },
      ...{ username: url.username, password: url.password, ...more },
    }),
  };
}

/** Whether the server writes what change data needs; says so in the test's output when it does not. */
export async function logsReplicate(
  { comment }: { readonly comment: (text: string) => void },
  { sql }: Pick<TestDatabase, 'sql'>,
): Promise<boolean> {
  const [row] = await sql('SHOW wal_level');
  if (row?.wal_level !== 'logical') comment('skipped: the Postgres of this run has no wal_level logical');
  return row?.wal_level === 'logical';
}

/** A walsender that was told to go may still hold its slot for a moment, and takes one with it that was for itself alone. */
async function dropped(admin: pg.Client, slot: string): Promise<void> {
  await until('a slot that nobody holds', () =>
    admin.query('SELECT pg_drop_replication_slot($1)', [slot]).then(
      () => true,
      ({ code }: { code?: string }) => code === SLOT_GONE,
    ),
  );
}

/** A session of the test's own, which gives values as texts and may be ended by the server. */
export async function opened(connectionString: string, more: object = {}): Promise<pg.Client> {
  const types = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig;
  const client = new pg.Client({ connectionString, types, ...more });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

export type Said = { code: number; lines: string[]; messages: ReturnType<typeof JSON.parse>[] };

/** Runs one verb of the connector in this process. */
export async function run(
  verb: string,
  inputs: Readonly<Record<string, unknown>>,
  environment: Record<string, string> = ALLOWED,
  how: Omit<PostgresSourceDeps, 'environment'> = {},
): Promise<Said> {
  const dir = await mkdtemp(join(tmpdir(), 'postgres-test-'));
  const argv = [verb];
  for (const [name, value] of Object.entries(inputs)) {
    await writeFile(join(dir, name), JSON.stringify(value));
    argv.push(`--${name}`, join(dir, name));
  }
  const stdout = new PassThrough();
  const said = text(stdout);
  const source = postgresSource({ environment, partPages: PART_PAGES, ...how });
  const code = await runSource(source, argv, { stdout, stderr: new PassThrough().resume(), env: environment });
  stdout.end();
  const lines = (await said).split('\n').filter((line) => line !== '');
  await rm(dir, { recursive: true, force: true });
  return { code, lines, messages: lines.map((line) => JSON.parse(line)) };
}

export async function discover(config: Config) {
  const { messages } = await run('discover', { config });
  return messages[0]?.catalog ?? messages[0]?.trace.error;
}

export const INCREMENTAL = { sync_mode: 'incremental' };

export const configured = (catalog: { streams: { name: string }[] }, how: object = {}, only?: string) => ({
  streams: catalog.streams
    .filter(({ name }) => only === undefined || name === only)
    .map((stream) => ({ stream, sync_mode: 'full_refresh', destination_sync_mode: 'append', ...how })),
});

export async function read(
  config: Config,
  catalog?: object,
  state: readonly unknown[] = [],
  how: Omit<PostgresSourceDeps, 'environment'> = {},
): Promise<Said> {
  return run('read', { config, catalog: catalog ?? configured(await discover(config)), state }, ALLOWED, how);
}

export const dataOf = ({ messages }: Said, stream?: string) =>
  messages
    .filter((m) => m.type === 'RECORD' && (stream === undefined || m.record.stream === stream))
    .map((m) => m.record.data);
export const idsOf = (said: Said, stream?: string) => dataOf(said, stream).map(({ id }) => Number(id));
/** The ids that rows have which were numbered from one. */
export const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
export const statesOf = ({ messages }: Said) => messages.filter((m) => m.type === 'STATE').map((m) => m.state);
export const errorOf = ({ messages }: Said) => messages.find((m) => m.trace?.type === 'ERROR')?.trace.error;
export const logsOf = ({ messages }: Said): string[] =>
  messages.filter((m) => m.type === 'LOG').map((m) => `${m.log.level} ${m.log.message}`);

/** Reads with the offer of segments; their rows, each value as DuckDB prints it, beside what was said. */
export async function readSegments(config: Config, catalog: object) {
  const folder = await mkdtemp(join(tmpdir(), 'postgres-segments-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const environment = { ...ALLOWED, WEIR_DATA_CHANNEL: 'segment-file/1', WEIR_SEGMENT_DIR: folder };
  const said = await run('read', { config, catalog }, environment);
  const segments = said.messages.filter((m) => m.type === 'SEGMENT').map((m) => m.segment);
  return { said, segments, files: segments.map(({ file }) => join(folder, file)) };
}

/** The rows that a query finds in Parquet files, as texts. */
export async function parquetRows(sql: string): Promise<(string | null)[][]> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await connection.run(`SET TimeZone = 'UTC'`);
  const rows = (await connection.runAndReadAll(sql)).getRowsJson() as (string | null)[][];
  connection.closeSync();
  instance.closeSync();
  return rows;
}
