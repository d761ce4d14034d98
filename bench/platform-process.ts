import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Teardown, type TestDatabase, type TestIssuer, testDatabase, testIssuer } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import { type ApiProcess, apiProcess } from '../test/api-process.ts';
import { platformEnvironment } from '../test/platform.ts';
import { startServices } from '../test/services.ts';

/** The API as a process, on real services of its own, with one tenant `acme`. */
export interface PlatformProcess {
  api: ApiProcess;
  database: TestDatabase;
  issuer: TestIssuer;
  environment: Record<string, string>;
  /** Header values of a caller who may do everything. */
  caller: Record<string, string>;
}

/** Starts services and API, with `more` in its environment (which may be made once the services are there), lets `measure` work with them, and stops all of it whatever comes of it. */
export async function withPlatform<T>(
  measure: (platform: PlatformProcess, t: Teardown) => Promise<T>,
  more: Record<string, string> | ((t: Teardown) => Promise<Record<string, string>>) = {},
): Promise<T> {
  const services = await startServices(process.env, (line) => void process.stderr.write(`${line}\n`));
  const before = { ...process.env };
  Object.assign(process.env, services.addresses);
  const folder = await mkdtemp(path.join(tmpdir(), 'weir-bench-'));
  const ends: (() => unknown)[] = [
    () => rm(folder, { recursive: true, force: true }),
    services.stop,
    // Who starts services again would take these, which are gone, for given ones.
    () => {
      process.env = before;
    },
  ];
  const teardown: Teardown = { teardown: (end: () => unknown) => void ends.push(end) };
  try {
    await mkdir(path.join(folder, 'warehouse'));
    const added = typeof more === 'function' ? await more(teardown) : more;
    const issuer = await testIssuer(teardown);
    const database = await testDatabase(teardown, tools);
    await database.tenant('acme');
    const environment = { ...platformEnvironment({ database, issuer, folder }), ...added };
    const api = await apiProcess(teardown, environment);
    const token = await issuer.userToken({ organizations: ['acme'], roles: ['admin', 'platform_admin'] });
    const caller = { authorization: `Bearer ${token}`, 'x-tenant-id': 'acme' };
    return await measure({ api, database, issuer, environment, caller }, teardown);
  } finally {
    for (const end of ends.reverse()) await end();
  }
}
