import { contribute } from '@weir/kernel';
import { currentSchema } from '@weir/lakehouse';
import type { Fault } from '@weir/lakehouse/testing';
import t from 'tap';
import { inLane } from '../../../test/lane.ts';
import { commitTables } from '../src/commit/commit.ts';
import { type CommittedTable, quarantineOf, TableCommits } from '../src/contract.ts';
import { loadTables } from '../src/store/table-store.ts';
import { prepareTable } from '../src/table/prepare.ts';
import { losing, SCHEMA } from './kit.ts';
import { remoteLake, requestOf } from './remote-lake.ts';

for (const manyTables of [true, false]) {
  const how = manyTables ? 'in one step' : 'one by one';
  t.test(`tables of a remote catalog move ${how}, and their checkpoints after them`, async (t) => {
    const told: CommittedTable[] = [];
    const given = [contribute(TableCommits, async (_, table) => void told.push(table))];
    const world = await remoteLake(t, { manyTables, given });
    const request = await requestOf(world, [1, 2], [3]);
    const done = await commitTables(world.depsWith(), world.tenant, request);
    t.match(done.tables, [{ snapshotId: /^\d+$/ }, { snapshotId: /^\d+$/ }]);
    t.strictSame([world.rows(), world.rows(quarantineOf(world.ref))], [2, 1]);
    t.match(await world.world.tables.checkpoint(world.tenant, 'k'), { state: 2 });
    t.strictSame(await commitTables(world.depsWith(), world.tenant, request), done, 'a repeat answers the same');
    t.equal(world.rows(), 2);
    t.match(told.splice(0), [
      { operation: 'schema', snapshotId: null },
      { operation: 'schema', snapshotId: null },
      ...done.tables.map(({ snapshotId }) => ({ operation: 'append', snapshotId, runId: request.runId })),
    ]);
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

t.test('a column that a commit brings → in a remote catalog with the rows, and not before', async (t) => {
  const world = await remoteLake(t, { manyTables: false });
  const { tenant, ref, depsWith, server, stageInto } = world;
  await commitTables(depsWith(), tenant, await requestOf(world, [1], []));
  const names = () => {
    const metadata = server.tables.get(`${ref.namespace}.${ref.table}`)?.metadata;
    return metadata === undefined ? [] : currentSchema(metadata).fields.map(({ name }) => name);
  };
  const jsonSchema = { properties: { ...SCHEMA.properties, city: { type: 'string' } } };
  const prepared = await prepareTable(depsWith(), tenant, { ref, jsonSchema, at: 'commit' });
  t.notOk(names().includes('city'));
  const request = await requestOf(world, [2], []);
  const files = await stageInto(prepared, [{ id: 2, city: 'Kyiv' }], request.runId);
  const [table] = request.tables;
  const grown = { ...request, tables: [{ ...table, ...prepared.brings, files } as (typeof request.tables)[number]] };
  // The whole of it waits in the database as JSON until its checkpoint is stored.
  const db = losing(world.world, 3, false);
  await commitTables(depsWith(db as never), tenant, grown);
  t.ok(names().includes('city'));
  t.equal(world.rows(), 2);
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

/** Thirty meet each fault of the catalog together with each loss of the database. */
const LOST_ANSWERS = inLane('crashes') ? 100 : 30;
const FAULTS: readonly (Fault | undefined)[] = ['refuse', 'cut', 'refuse_after', 'cut_after', 'truncate', undefined];

t.test('commits whose answers from catalog and database get lost add every row exactly once', async (t) => {
  const world = await remoteLake(t, { manyTables: false });
  const { tenant, proxy, rows } = world;
  for (let number = 1; number <= LOST_ANSWERS; number += 1) {
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
  t.equal(rows(), LOST_ANSWERS);
  t.match(await world.world.tables.checkpoint(tenant, 'k'), { state: LOST_ANSWERS });
});
