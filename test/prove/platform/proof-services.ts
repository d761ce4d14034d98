import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findTemporal, type RunningPostgres, type RunningTemporal, startPostgres, startTemporal } from '@weir/embedded';
import { bootstrapDatabase, createTenant, migrate, migrations } from '@weir/migrations';
import { ENGINE_NO_DURABILITY } from '../../service-table.ts';
import type { ProofFolder } from './proof-folder.ts';
import type { Stopping } from './stopping.ts';

/** The servers of one proof, which nobody else uses. */
export interface ProofServices {
  readonly postgres: RunningPostgres;
  readonly temporal: RunningTemporal;
  /** Superuser's URL of the service database. */
  readonly databaseUrl: string;
  readonly app: { host: string; port: number; database: string; user: string; password: string };
}

const DATABASE = 'weir_prove';
export const TENANTS = ['acme', 'other'] as const;
const PASSWORDS = { owner: 'prove-owner', app: 'prove-app', system: 'prove-system' };
/** Every statement with its parameters stands in the server's log: what was ever sent to the database can be searched. */
const SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', log_statement: 'all' };

/** Starts a Postgres that writes down every statement and a Temporal, and makes database and tenants. */
export async function startServices(stopping: Stopping, folder: ProofFolder): Promise<ProofServices> {
  const binary = process.env.WEIR_TEST_TEMPORAL_BINARY ?? (await findTemporal()).binary;
  const { root, logs } = folder;
  const database = async () => {
    const postgres = await startPostgres({
      ...{ dataDir: join(root, 'postgres'), logFile: join(logs, 'postgres.log') },
      ...{ superuserPassword: 'weir-prove', settings: SETTINGS },
    });
    // As root the data lie elsewhere, and must go too.
    stopping.last(() => rm(postgres.dataDir, { recursive: true, force: true }));
    stopping.finally(() => postgres.stop());
    await bootstrapDatabase({ superuserUrl: postgres.url, database: DATABASE, passwords: PASSWORDS });
    const place = { host: '127.0.0.1', port: postgres.port, database: DATABASE };
    const owner = { ...place, user: 'weir_owner', password: PASSWORDS.owner };
    await migrate(owner, migrations);
    for (const alias of TENANTS) await createTenant(owner, alias);
    const url = new URL(postgres.url);
    url.pathname = `/${DATABASE}`;
    return { postgres, databaseUrl: url.href, app: { ...place, user: 'weir_app', password: PASSWORDS.app } };
  };
  const engine = async () => {
    const temporal = await startTemporal({
      ...{ binary, dbFile: join(root, 'temporal', 'temporal.db'), logFile: join(logs, 'workflow-engine.log') },
      pragmas: ENGINE_NO_DURABILITY,
    });
    stopping.finally(() => temporal.stop());
    return temporal;
  };
  const [made, temporal] = await Promise.all([database(), engine()]);
  return { ...made, temporal };
}
