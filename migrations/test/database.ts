import { randomBytes } from 'node:crypto';
import { Client, type ClientConfig } from 'pg';
import { bootstrapDatabase } from '../src/index.ts';

/** Roles belong to the whole server, so every test of a run sets these same passwords. */
export const PASSWORDS = { owner: 'test-owner', app: 'test-app', system: 'test-system' };

export interface EmptyDatabase {
  name: string;
  superuserUrl: string;
  as(role: 'weir_owner' | 'weir_app' | 'weir_system'): ClientConfig & { host: string; port: number };
  /** One session, closed with the test. */
  session(connection: ClientConfig | string): Promise<Client>;
}

/** A bootstrapped database without a schema, dropped with the test. */
export async function emptyDatabase(t: { teardown(work: () => unknown): void }): Promise<EmptyDatabase> {
  const server = process.env.WEIR_TEST_DATABASE_URL;
  if (server === undefined) throw new Error('WEIR_TEST_DATABASE_URL is not set: run tests with npm test');
  const name = `weir_test_${randomBytes(6).toString('hex')}`;
  await bootstrapDatabase({ superuserUrl: server, database: name, passwords: PASSWORDS });
  const open: Client[] = [];
  t.teardown(async () => {
    await Promise.all(open.map((client) => client.end().catch(() => undefined)));
    const client = new Client({ connectionString: server });
    await client.connect();
    await client.query(`drop database if exists ${name} with (force)`);
    await client.end();
  });
  const url = new URL(server);
  url.pathname = `/${name}`;
  const place = { host: url.hostname, port: Number(url.port), database: name };
  const secret = { weir_owner: PASSWORDS.owner, weir_app: PASSWORDS.app, weir_system: PASSWORDS.system };
  return {
    name,
    superuserUrl: url.href,
    as: (role) => ({ ...place, user: role, password: secret[role] }),
    async session(connection) {
      const client = new Client(typeof connection === 'string' ? { connectionString: connection } : connection);
      client.on('error', () => undefined);
      await client.connect();
      open.push(client);
      return client;
    },
  };
}
