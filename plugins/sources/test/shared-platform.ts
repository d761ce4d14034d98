import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, type Tenant } from '@weir/kernel/contract';
import { sharedPlatformPlaces } from '../../../test/shared-platform-places.ts';
import type { Api } from './platform.ts';

interface Test {
  teardown(work: () => unknown): void;
}

/** The platform that test files share, as one of them uses it: every tenant that it names is its own. */
export interface SharedPlatform {
  /** A folder that goes with the test. */
  folder: string;
  /** Settings of its processes. */
  environment: Readonly<Record<string, string>>;
  url: string;
  /** Calls the API as a user with one role in one tenant; a worker carries out its runs. */
  as(name: string, role?: string): Promise<Api>;
  /** The same on queues without a worker: what it starts stays pending. */
  idle(name: string, role?: string): Promise<Api>;
  token(name: string, role?: string): Promise<string>;
  /** The alias of a tenant; a random part makes it the file's own. */
  alias(name: string): string;
  tenant(name: string): Promise<Tenant>;
  /** The id of a bronze table of tenant `demo`. */
  bronze(table: string): string;
  /** One statement as superuser; it must name the tenant or a row of it. */
  peek(text: string, params?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Listens on a port that connectors may reach, until the test ends. */
  listen(server: Server): Promise<number>;
}

const OPEN_RUNS = `select run_id, kind from kernel.run r join kernel.tenant using (tenant_id)
  where alias = any($1) and r.status = 'running'`;

/** The shared platform with tenants of the test's own. A setting that must differ takes `testPlatform`. */
export async function sharedPlatform(t: Test): Promise<SharedPlatform> {
  const { url, idleUrl, controlUrl, databaseUrl, ports, environment } = sharedPlatformPlaces();
  const folder = await mkdtemp(join(tmpdir(), 'weir-sources-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const own = randomBytes(5).toString('hex');
  const alias = (name: string) => `${name}_${own}`;
  const database = lazyDatabase(databaseUrl);
  const tenants = new Map<string, Promise<Tenant>>();
  t.teardown(async () => {
    const open = await database.peek(OPEN_RUNS, [[...tenants.keys()].map(alias)]);
    await database.end();
    if (open.length > 0) throw new Error(`the test leaves open runs: ${JSON.stringify(open)}`);
  });
  const ask = async (path: string, body: object) => {
    const answer = await fetch(controlUrl + path, { method: 'POST', body: JSON.stringify(body) });
    return answer.json();
  };
  const tenant = (name: string) => {
    const known = tenants.get(name) ?? (ask('/tenant', { alias: alias(name) }) as Promise<Tenant>);
    tenants.set(name, known);
    return known;
  };
  const token = async (name: string, role = 'admin') => {
    await tenant(name);
    const organizations = [alias(name)];
    return (await ask('/token', { subject: `${role}@${name}`, organizations, roles: [role] })) as string;
  };
  const caller = async (at: string, name: string, role?: string): Promise<Api> => {
    const given = await token(name, role);
    return (endpoint, input = {}, headers = {}) =>
      call(endpoint, input, { url: at, token: given, tenant: alias(name), headers });
  };
  return {
    ...{ folder, environment, url, alias, tenant, token, peek: database.peek },
    as: (name, role) => caller(url, name, role),
    idle: (name, role) => caller(idleUrl, name, role),
    bronze: (table) => `bronze.${alias('demo')}.${table}`,
    async listen(server) {
      const port = await listenOnOne(server, ports);
      t.teardown(() => {
        server.closeAllConnections();
        server.close();
      });
      return port;
    },
  };
}

/** Listens on the first port of these that no other test file has. */
async function listenOnOne(server: Server, ports: readonly number[]): Promise<number> {
  for (const port of ports) {
    const failed = await Promise.race([
      once(server, 'error').then(([fault]) => fault as NodeJS.ErrnoException),
      once(server.listen(port, '127.0.0.1'), 'listening').then(() => undefined),
    ]);
    if (failed === undefined) return port;
    if (failed.code !== 'EADDRINUSE') throw failed;
  }
  throw new Error(`no port of ${ports} is free`);
}

/** Connects with the first statement. */
function lazyDatabase(connectionString: string) {
  const connect = async () => {
    const { Client } = await import('pg');
    const client = new Client({ connectionString });
    await client.connect();
    return client;
  };
  let connected: ReturnType<typeof connect> | undefined;
  return {
    async peek(text: string, params: unknown[] = []): Promise<Record<string, unknown>[]> {
      connected ??= connect();
      return (await (await connected).query(text, params)).rows;
    },
    end: async () => (await connected)?.end(),
  };
}
