import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { startPostgres } from '@weir/embedded';
import { serverFolder } from '@weir/embedded/testing';
import type { Tenant } from '@weir/kernel';
import { type PluginUnderTest, type Teardown, testPlugin } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import datasets from '@weir/plugin-datasets';
import type { ProducersService, TableRef, TablesService } from '@weir/plugin-datasets/contract';

const KIND = { kind: 'bench-load', workflowType: 'None', role: 'source', exclusive: false };
const PASSWORD = 'weir-bench';

/** The plugin of the tables on a Postgres of its own that keeps what it has confirmed, and a run to commit under. */
export interface Lake extends PluginUnderTest {
  /** Everything of this lake lies below. */
  folder: string;
  tables: TablesService;
  producers: ProducersService;
  tenantOf: Tenant;
  run: { runId: string; leaseEpoch: number };
  /** URL of the database for a superuser, as other programs take it. */
  postgresUrl: string;
}

/** Makes a lake with one tenant `acme`, lets `measure` work with it, and removes it whatever comes of it. */
export async function withLake<T>(
  settings: Record<string, unknown>,
  measure: (lake: Lake, t: Teardown) => Promise<T>,
): Promise<T> {
  const folder = await serverFolder('weir-bench-');
  const ends: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
  const t: Teardown = { teardown: (end) => void ends.push(end) };
  try {
    const postgres = await startPostgres({
      dataDir: path.join(folder, 'postgres'),
      logFile: path.join(folder, 'postgres.log'),
      superuserPassword: PASSWORD,
    });
    t.teardown(() => postgres.stop());
    process.env.WEIR_TEST_DATABASE_URL = postgres.url;
    await mkdir(path.join(folder, 'warehouse'));
    const own = { TABLE_CATALOG: 'weir', WEIR_WAREHOUSE: path.join(folder, 'warehouse') };
    const under = await testPlugin(t, datasets, {
      tools,
      settings: { ...own, WEIR_CACHE_DIR: path.join(folder, 'cache'), ...settings },
      runKinds: [KIND],
    });
    const tenantOf = await under.tenant('acme');
    const service = <S>(wanted: string) =>
      under.registration.services?.find(({ id }) => id === wanted)?.implementation as S;
    const tables = service<TablesService>('datasets.tables@1');
    const producers = service<ProducersService>('datasets.producers@1');
    const run = await startRun(under, tenantOf);
    return await measure({ ...under, folder, tables, producers, tenantOf, run, postgresUrl: postgres.url }, t);
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function startRun({ kernel }: PluginUnderTest, tenant: Tenant): Promise<Lake['run']> {
  const admitted = await kernel.runs.admit(KIND.kind);
  const facts = { kind: KIND.kind, subjectId: tenant.tenantId, requestedBy: 'bench', admitted };
  const { run_id } = await kernel.db(tenant).transaction((tx) => kernel.runs.start(tx, facts));
  const lease = await kernel.runs.begin(tenant, run_id);
  if (lease === undefined) throw new Error('the run has no lease');
  return { runId: run_id, leaseEpoch: lease.leaseEpoch };
}

/** One batch of files for one table, as a commit is asked for it. */
export const appendOf = (ref: TableRef, files: object[], batch: number) => ({
  ref,
  mode: 'append' as const,
  files,
  streamId: 'people',
  attempt: 1,
  batch,
  stateSha256: 'x',
  generation: 0,
});
