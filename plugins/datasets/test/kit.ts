import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type Contributed, definePlugin, type Tenant, type TenantDb } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { type PluginUnderTest, type Teardown, testPlugin } from '@weir/kernel/testing';
import {
  createScanner,
  jdbcCatalog,
  localFileIO,
  localPath,
  stringifyExact,
  type TableMetadata,
  toLocation,
} from '@weir/lakehouse';
import * as tools from '@weir/migrations';
import type {
  InputsService,
  PreparedTable,
  PrepareOptions,
  ProducersService,
  TableRef,
  TablesService,
} from '../src/contract.ts';
import plugin from '../src/plugin.ts';
import { createStager, type LineShape } from '../src/stage.ts';
import { tableScanner } from '../src/store/table-folders.ts';
import { type ExpiryDeps, expireTable } from '../src/sweep/expire.ts';

export const SCHEMA = { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } } };
const SHAPE: LineShape = { data: ['record', 'data'], extractedAt: ['record', 'emitted_at'] };
const KIND = { kind: 'test-load', workflowType: 'None', role: 'source', exclusive: false };

/** The plugin on a real database and warehouse, with its services and a run to commit under. */
export interface Lake extends PluginUnderTest {
  tables: TablesService;
  producers: ProducersService;
  inputs: InputsService;
  /** Starts a run and takes its lease. */
  run(tenant: Tenant): Promise<{ runId: string; leaseEpoch: number }>;
  /** Stages rows of a prepared table into one data file. */
  stage(
    tenant: Tenant,
    ref: TableRef,
    rows: object[],
    runId: string,
    schema?: object,
    options?: PrepareOptions,
  ): Promise<object[]>;
  /** Stages rows into one data file of a table as it was prepared. */
  stageInto(prepared: PreparedTable, rows: object[], runId: string): Promise<object[]>;
  /** Prepares, stages and commits rows as one batch of a run of its own. */
  land(
    tenant: Tenant,
    table: string,
    rows: object[],
    schema?: object,
  ): Promise<{ ref: TableRef; snapshotId: string | null }>;
}

let staged = 0;

export async function lake(
  t: Teardown & { testdir(): string },
  more: object = {},
  given: readonly Contributed[] = [],
  {
    entities = [],
    runKinds = [],
  }: Partial<Pick<Parameters<typeof definePlugin>[0], 'entities'>> & {
    runKinds?: Parameters<typeof testPlugin>[2]['runKinds'];
  } = {},
): Promise<Lake> {
  const folder = t.testdir();
  const { spec } = plugin;
  const setup: typeof spec.setup = (kernel) => {
    const registration = spec.setup(kernel);
    return { ...registration, contributes: [...(registration.contributes ?? []), ...given] };
  };
  const under = await testPlugin(
    t,
    definePlugin({ ...spec, entities: [...(spec.entities ?? []), ...entities], setup }),
    {
      tools,
      settings: { TABLE_CATALOG: 'weir', WEIR_WAREHOUSE: `${folder}/warehouse`, WEIR_SWEEP_GRACE_HOURS: 24, ...more },
      runKinds: [KIND, ...runKinds],
    },
  );
  const service = <T>(id: string) => under.registration.services?.find((entry) => entry.id === id)?.implementation as T;
  const tables = service<TablesService>('datasets.tables@1');
  const producers = service<ProducersService>('datasets.producers@1');
  const inputs = service<InputsService>('datasets.inputs@1');
  const stager = await createStager({ tempDirectory: `${folder}/temp` });
  t.teardown(() => stager.close());
  const run: Lake['run'] = async (tenant) => {
    // No worker is asked for: what is known of one grows old in a long lane.
    const admitted = { kind: KIND.kind, warning: null };
    const { run_id } = await under.kernel
      .db(tenant)
      .transaction((tx) =>
        under.kernel.runs.start(tx, { kind: KIND.kind, subjectId: tenant.tenantId, requestedBy: 'test', admitted }),
      );
    const lease = await under.kernel.runs.begin(tenant, run_id);
    return { runId: run_id, leaseEpoch: lease!.leaseEpoch };
  };
  const stage: Lake['stage'] = async (tenant, ref, rows, runId, schema = SCHEMA, options = {}) => {
    return stageInto(await tables.prepare(tenant, ref, schema, options), rows, runId);
  };
  const stageInto: Lake['stageInto'] = async (prepared, rows, runId) => {
    staged += 1;
    const source = `${folder}/spool-${staged}.ndjson`;
    const line = (data: object) => JSON.stringify({ type: 'RECORD', record: { stream: 's', data, emitted_at: 0 } });
    writeFileSync(source, rows.map((row) => `${line(row)}\n`).join(''));
    const target = `${prepared.dataLocation}/part-${staged}.parquet`;
    mkdirSync(localPath(prepared.dataLocation), { recursive: true });
    const { file } = await stager.copy({ source, shape: SHAPE, schema: prepared.schema as never, target, runId });
    return file === undefined ? [] : [file];
  };
  const land: Lake['land'] = async (tenant, table, rows, schema) => {
    const ref = tables.bronze(tenant, table);
    const { runId, leaseEpoch } = await run(tenant);
    await under.kernel
      .db(tenant)
      .transaction((tx) => producers.register(tx, { ref, kind: 'source', producerId: tenant.tenantId }));
    const files = await stage(tenant, ref, rows, runId, schema);
    const { tables: done } = await tables.commit(tenant, {
      runId,
      leaseEpoch,
      tables: [batch(ref, files)],
      checkpoints: [],
    });
    return done[0]!;
  };
  return { ...under, tables, producers, inputs, run, stage, stageInto, land };
}

/** One batch of files for one table, as a commit is asked for it. */
export const batch = (ref: TableRef, files: object[], number = 1) => ({
  ref,
  mode: 'append' as const,
  files,
  streamId: 's',
  attempt: 1,
  batch: number,
  stateSha256: 'x',
  generation: 0,
});

/** The parts of a commit over a database port that the test makes. */
export const depsOf = (world: Lake, db: (tenant: never) => TenantDb) => {
  const { WEIR_WAREHOUSE: warehouse } = world.kernel.settings as { WEIR_WAREHOUSE: string };
  const io = localFileIO({ root: warehouse });
  const catalog = jdbcCatalog({ catalogName: 'weir' });
  const store = { warehouse, scratch: `${warehouse}-copies` };
  return {
    kernel: { ...world.kernel, db: db as never },
    catalog,
    io,
    scanner: tableScanner({
      scanner: createScanner({ io }),
      folders: { warehouse: toLocation(warehouse), foreign: new Map() },
      log: world.kernel.log,
    }),
    warehouse,
    store,
  };
};

/** Gives a table other metadata, as another writer of the catalog would. */
export async function rewrite(
  world: Lake,
  tenant: Tenant,
  { ref, change }: { ref: TableRef; change: (metadata: TableMetadata) => TableMetadata },
): Promise<void> {
  const { io, catalog, scanner } = depsOf(world, world.kernel.db as never);
  const ident = { namespace: ref.namespace, name: ref.table };
  await world.kernel.db(tenant).transaction(async (tx) => {
    const location = (await catalog.loadPointer(tx.sql, ident)) ?? '';
    const metadata = await scanner.metadata(ref, location);
    const next = `${metadata.location}/metadata/00099-${randomUUID()}.metadata.json`;
    await io.write(next, Buffer.from(stringifyExact(change(metadata))));
    await catalog.swapPointer(tx.sql, ident, location, next);
  });
}

/** The raw answer of a path below `/api/v1`, as one user of one tenant. */
export async function rawAnswer(world: Lake, alias: string, path: string, more: Record<string, string> = {}) {
  const headers = { ...(await world.as(alias).headers()), ...more };
  return world.app.inject({ url: `/api/v1${path}`, headers });
}

/** A database that loses the answer of one transaction, before or after it has taken effect. */
export function losing(world: Lake, at: number, isAfter: boolean) {
  let count = 0;
  return (tenant: never): TenantDb => ({
    async transaction(work) {
      count += 1;
      const isHit = count === at;
      if (isHit && !isAfter) throw kernelProblems.dependencyUnavailable();
      const result = await world.kernel.db(tenant).transaction(work);
      if (isHit) throw kernelProblems.dependencyUnavailable();
      return result;
    },
  });
}

/** Drops the old snapshots of the tables of a tenant; one that fails is left, as a run of maintenance is repeated. */
export async function expireSnapshots(deps: ExpiryDeps, tenant: Tenant): Promise<number> {
  const namespaces = [`bronze.${tenant.scope}`];
  const tables = await deps.kernel.db(tenant).transaction(({ sql }) => deps.catalog.listTables(sql, namespaces));
  let count = 0;
  for (const { namespace, name: table } of tables) {
    count += await expireTable(deps, tenant, { namespace, table }).catch(() => 0);
  }
  return count;
}
