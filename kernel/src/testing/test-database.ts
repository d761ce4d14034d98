import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import type { Teardown } from './test-issuer.ts';

/** How a migrations package prepares a database; its door exports values of these shapes. */
export interface DatabaseTools {
  bootstrapDatabase(options: {
    superuserUrl: string;
    database: string;
    passwords: { owner: string; app: string; system: string };
  }): Promise<void>;
  migrate(connection: TestConnection, list: readonly never[]): Promise<string[]>;
  createTenant(connection: TestConnection, alias: string): Promise<{ tenantId: string; alias: string; scope: string }>;
  migrations: readonly unknown[];
}

export interface TestConnection {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
}

export interface TestDatabase {
  name: string;
  superuserUrl: string;
  owner: TestConnection;
  app: TestConnection;
  system: TestConnection;
  /** One statement as superuser, past every wall: for looking at what really lies there. */
  peek(text: string, params?: unknown[]): Promise<Record<string, unknown>[]>;
  tenant(alias: string): Promise<{ tenantId: string; alias: string; scope: string }>;
}

/** Roles belong to the whole server, so every test file of a run must set the same passwords. */
const PASSWORDS = { owner: 'test-owner', app: 'test-app', system: 'test-system' };

/** Where a server has a database of this name, databases of tests begin as its copies. */
const TEMPLATE = 'weir_test_template';

/**
 * Makes what databases of tests are copied from, on a server that many of them share: a copy takes the server a sixth of
 * what migrating takes. Nobody can connect to it, which would hinder the copies; it stays as long as the server.
 */
export async function templateDatabase(superuserUrl: string, tools: DatabaseTools): Promise<void> {
  await tools.bootstrapDatabase({ superuserUrl, database: TEMPLATE, passwords: PASSWORDS });
  const { hostname: host, port } = new URL(superuserUrl);
  const owner = { host, port: Number(port), database: TEMPLATE, user: 'weir_owner', password: PASSWORDS.owner };
  await tools.migrate(owner, tools.migrations as readonly never[]);
  await once(superuserUrl, `alter database ${TEMPLATE} with allow_connections false`);
}

/** One statement in a session of its own. */
async function once(url: string, text: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}

/** A database of its own on the server of `WEIR_TEST_DATABASE_URL`, with roles and schema; dropped with the test. */
export async function testDatabase(t: Teardown, tools: DatabaseTools): Promise<TestDatabase> {
  const superuser = process.env.WEIR_TEST_DATABASE_URL;
  if (superuser === undefined) throw new Error('WEIR_TEST_DATABASE_URL is not set: run tests with npm test');
  const name = `weir_test_${randomBytes(6).toString('hex')}`;
  const { rowCount } = await once(superuser, `select from pg_database where datname = '${TEMPLATE}'`);
  if (rowCount === 1)
    await once(superuser, `create database ${name} template ${TEMPLATE} strategy file_copy owner weir_owner`);
  await tools.bootstrapDatabase({ superuserUrl: superuser, database: name, passwords: PASSWORDS });
  const url = new URL(superuser);
  url.pathname = `/${name}`;
  const place = { host: url.hostname, port: Number(url.port), database: name };
  const owner = { ...place, user: 'weir_owner', password: PASSWORDS.owner };
  await tools.migrate(owner, tools.migrations as readonly never[]);
  const client = new Client({ connectionString: url.href });
  await client.connect();
  t.teardown(async () => {
    await client.end();
    await once(superuser, `drop database if exists ${name} with (force)`);
  });
  return {
    name,
    superuserUrl: url.href,
    owner,
    app: { ...place, user: 'weir_app', password: PASSWORDS.app },
    system: { ...place, user: 'weir_system', password: PASSWORDS.system },
    peek: async (text, params = []) => (await client.query(text, params)).rows,
    tenant: (alias) => tools.createTenant(owner, alias),
  };
}
