import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TenantDb } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { currentSchema, localFileIO, type RemoteCatalog, restCatalog } from '@weir/lakehouse';
import { type Fault, startFlakyProxy, startRestCatalog } from '@weir/lakehouse/testing';
import t, { type Test } from 'tap';
import { type CommitRequest, quarantineOf, type TableRef } from '../src/contract.ts';
import { createStager, type TableSchema } from '../src/stage.ts';
import { commitTables } from '../src/table/commit.ts';
import { prepareTable } from '../src/table/prepare.ts';
import { resumeStream } from '../src/table/resume.ts';
import { loadTables, type TableDeps } from '../src/table/table-store.ts';
import { batch, depsOf, type Lake, lake, SCHEMA } from './kit.ts';

const SHAPE = { data: ['record', 'data'], extractedAt: ['record', 'emitted_at'] } as const;

/** Tables whose pointers a REST catalog has, behind a proxy that loses what it is told to lose. */
async function remoteLake(t: Test, { manyTables }: { manyTables: boolean }) {
  const world = await lake(t);
  const { WEIR_WAREHOUSE: warehouse } = world.kernel.settings as { WEIR_WAREHOUSE: string };
  const io = localFileIO({ root: warehouse });
  const server = await startRestCatalog({ io, warehouse, manyTables });
  const proxy = await startFlakyProxy(server.uri);
  t.teardown(() => Promise.all([proxy.close(), server.close()]));
  const remote: RemoteCatalog = restCatalog({ uri: proxy.url, catalogName: 'weir' });
  const scratch = t.testdir();
  const stager = await createStager({ io, scratch: join(scratch, 'stage') });
  t.teardown(() => stager.close());
  const tenant = await world.tenant('acme');
  const depsWith = (db = world.kernel.db as never): TableDeps => ({ ...depsOf(world, db), remote });
  const ref = world.tables.bronze(tenant, 'orders');
  const stage = async (ids: readonly number[], runId: string, of: TableRef = ref): Promise<object[]> => {
    const prepared = await prepareTable(depsWith(), tenant, { ref: of, jsonSchema: SCHEMA });
    const source = join(scratch, `${randomUUID()}.ndjson`);
    const lines = ids.map((id) => JSON.stringify({ type: 'RECORD', record: { data: { id }, emitted_at: 0 } }));
    writeFileSync(source, `${lines.join('\n')}\n`);
    const folder = `${prepared.dataLocation}/${randomUUID()}`;
    const schema = prepared.schema as TableSchema;
    const { files } = await stager.copy({ source, shape: SHAPE, schema, folder, runId, position: 0 });
    return [...files];
  };
  const rows = (of: TableRef = ref): number => {
    const metadata = server.tables.get(`${of.namespace}.${of.table}`)?.metadata;
    return Number(metadata?.snapshots.at(-1)?.summary['total-records'] ?? 0);
  };
  return { world, tenant, ref, proxy, server, depsWith, stage, rows };
}

type World = Awaited<ReturnType<typeof remoteLake>>;

async function requestOf({ world, tenant, ref, stage }: World, ids: readonly number[], rejected: readonly number[]) {
  const { runId, leaseEpoch } = await world.run(tenant);
  const tables = [batch(ref, await stage(ids, runId))];
  if (rejected.length > 0) {
    const other = quarantineOf(ref);
    tables.push(batch(other, await stage(rejected, runId, other)));
  }
  const checkpoints = [{ key: 'k', state: ids.at(-1) ?? 0, counters: { batch: 1 } }];
  return { runId, leaseEpoch, tables, checkpoints } satisfies CommitRequest;
}

for (const manyTables of [true, false]) {
  const how = manyTables ? 'in one step' : 'one by one';
  t.test(`tables of a remote catalog move ${how}, and their checkpoints after them`, async (t) => {
    const world = await remoteLake(t, { manyTables });
    const request = await requestOf(world, [1, 2], [3]);
    const done = await commitTables(world.depsWith(), world.tenant, request);
    t.match(done.tables, [{ snapshotId: /^\d+$/ }, { snapshotId: /^\d+$/ }]);
    t.strictSame([world.rows(), world.rows(quarantineOf(world.ref))], [2, 1]);
    t.match(await world.world.tables.checkpoint(world.tenant, 'k'), { state: 2 });
    t.strictSame(await commitTables(world.depsWith(), world.tenant, request), done, 'a repeat answers the same');
    t.equal(world.rows(), 2);
    t.strictSame(await world.world.database.peek('select 1 from datasets.pending_checkpoint'), []);
  });
}

t.test('two that meet a new table of a remote catalog at the same time both get it', async (t) => {
  const { tenant, ref, depsWith } = await remoteLake(t, { manyTables: false });
  await prepareTable(depsWith(), tenant, { ref, jsonSchema: SCHEMA });
  const deps = depsWith();
  // The other one's copy is not there when this one looks, and is when it writes its own.
  const late = { ...deps, catalog: { ...deps.catalog, loadPointer: async () => undefined } };
  const [table] = await loadTables(late, tenant, [ref]);
  t.ok(table);
});

t.test('a table is made and evolved in a remote catalog', async (t) => {
  const { tenant, ref, depsWith, server } = await remoteLake(t, { manyTables: false });
  await prepareTable(depsWith(), tenant, { ref, jsonSchema: SCHEMA });
  const jsonSchema = { properties: { ...SCHEMA.properties, city: { type: 'string' } } };
  const grown = await prepareTable(depsWith(), tenant, { ref, jsonSchema });
  const metadata = server.tables.get(`${ref.namespace}.${ref.table}`)?.metadata;
  t.ok(metadata && currentSchema(metadata).fields.some(({ name }) => name === 'city'));
  t.strictSame(grown.schema, metadata && currentSchema(metadata));
});

t.test('what a table is ahead by is brought to its end by the next attempt, whole', async (t) => {
  const world = await remoteLake(t, { manyTables: false });
  const request = await requestOf(world, [1, 2], [3]);
  const gone = new Error('the process is gone');
  const stopped: RemoteCatalog = {
    ...(world.depsWith().remote as RemoteCatalog),
    async commitTable(ident, change) {
      if (ident.name.endsWith('__quarantine')) throw gone;
      return (world.depsWith().remote as RemoteCatalog).commitTable(ident, change);
    },
  };
  await t.rejects(commitTables({ ...world.depsWith(), remote: stopped }, world.tenant, request), gone);
  t.strictSame([world.rows(), world.rows(quarantineOf(world.ref))], [2, 0], 'one of two tables has moved');
  t.equal(await world.world.tables.checkpoint(world.tenant, 'k'), undefined);
  const { leaseEpoch } = (await world.world.kernel.runs.begin(world.tenant, request.runId)) ?? { leaseEpoch: 0 };
  const stream = { ref: world.ref, streamId: 's', key: 'k' };
  const lease = { runId: request.runId, leaseEpoch };
  const resumed = await resumeStream(world.depsWith(), world.tenant, { lease, stream });
  const commit = `${request.runId}:s:1`;
  t.match(resumed, { checkpoint: { state: 2 }, follows: { rows: commit, quarantine: commit } });
  t.strictSame([world.rows(), world.rows(quarantineOf(world.ref))], [2, 1]);
});

t.test('an older attempt that was overtaken commits nothing', async (t) => {
  const world = await remoteLake(t, { manyTables: false });
  const late = await requestOf(world, [1], []);
  await commitTables(world.depsWith(), world.tenant, await requestOf(world, [2], []));
  const [table] = late.tables;
  const overtaken = { ...late, tables: [{ ...table, follows: null } as (typeof late.tables)[number]] };
  await t.rejects(commitTables(world.depsWith(), world.tenant, overtaken), { code: 'commit_superseded' });
  await world.world.kernel.runs.begin(world.tenant, late.runId);
  await t.rejects(commitTables(world.depsWith(), world.tenant, late), { code: 'lease_lost' });
  t.equal(world.rows(), 1);
});

const FAULTS: readonly (Fault | undefined)[] = ['refuse', 'cut', 'refuse_after', 'cut_after', 'truncate', undefined];

t.test('100 commits whose answers from catalog and database get lost add every row exactly once', async (t) => {
  const world = await remoteLake(t, { manyTables: false });
  const { tenant, proxy, rows } = world;
  for (let number = 1; number <= 100; number += 1) {
    const request = await requestOf(world, [number], []);
    // Each commit meets one kind of fault in the catalog, at one of its requests, and one in the database.
    const fault = FAULTS[number % FAULTS.length];
    let commits = 0;
    proxy.choose(({ method, path }) => {
      if (method !== 'POST' || !path.includes('/tables/')) return undefined;
      commits += 1;
      return commits === 1 ? fault : undefined;
    });
    const db = losing(world.world, (number % 5) + 1, number % 2 === 0);
    await commitTables(world.depsWith(db as never), tenant, request);
    proxy.choose(() => undefined);
    if (rows() !== number) break;
  }
  t.equal(rows(), 100);
  t.match(await world.world.tables.checkpoint(tenant, 'k'), { state: 100 });
});

/** A database that loses the answer of one transaction, before or after it has taken effect. */
function losing(world: Lake, at: number, isAfter: boolean) {
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
