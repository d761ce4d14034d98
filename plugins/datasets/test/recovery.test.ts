import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_COMMIT_TRIES } from '@weir/engine';
import type { TenantDb } from '@weir/kernel';
import { kernelProblems, Problem } from '@weir/kernel/contract';
import { localPath } from '@weir/lakehouse';
import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../../test/lane.ts';
import { commitTables } from '../src/commit/commit.ts';
import { previewDataset } from '../src/contract.ts';
import { batch, depsOf, type Lake, lake, SCHEMA } from './kit.ts';

/** The code of the problem that a promise is rejected with, or `ok`. */
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'ok',
    (error: unknown) => (error instanceof Problem ? error.code : String(error)),
  );

const ledger = (world: Lake) => world.database.peek('select location from datasets.staged_file order by 1');

t.test('a lost answer to every transaction of a commit leaves the rows exactly once', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  await world.land(acme, 'one', [{ id: 0 }]);
  const ref = world.tables.bronze(acme, 'one');
  // A commit looks (1), enters its metadata in the ledger (2), and moves the pointers (3).
  for (const at of [1, 2, 3]) {
    for (const fate of ['before', 'after'] as const) {
      const { runId, leaseEpoch } = await world.run(acme);
      const files = await world.stage(acme, ref, [{ id: at }], runId);
      let count = 0;
      const db = (tenant: never): TenantDb => ({
        async transaction(work) {
          count += 1;
          const hit = count === at;
          if (hit && fate === 'before') throw kernelProblems.dependencyUnavailable();
          const result = await world.kernel.db(tenant).transaction(work);
          if (hit) throw kernelProblems.dependencyUnavailable();
          return result;
        },
      });
      const request = { runId, leaseEpoch, tables: [batch(ref, files)], checkpoints: [] };
      await commitTables(depsOf(world, db), acme, request);
    }
  }
  const answer = await world.as('acme').call(previewDataset, { params: { dataset_id: 'bronze.acme.one' } });
  const ids = answer.ok ? answer.body.rows.map((row) => String(row[0])).sort() : [];
  t.strictSame(ids, ['0', '1', '1', '2', '2', '3', '3']);
});

t.test('a batch that was committed with other files is refused, and the same call by a late attempt too', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  await world.land(acme, 'one', [{ id: 0 }]);
  const ref = world.tables.bronze(acme, 'one');
  const { runId, leaseEpoch } = await world.run(acme);
  const commit = (files: object[], number: number, epoch = leaseEpoch) =>
    world.tables.commit(acme, { runId, leaseEpoch: epoch, tables: [batch(ref, files, number)], checkpoints: [] });
  await commit(await world.stage(acme, ref, [{ id: 1 }], runId), 1);
  t.equal(await codeOf(commit(await world.stage(acme, ref, [{ id: 2 }], runId), 1)), 'commit_id_reused');
  await world.kernel.runs.begin(acme, runId);
  t.equal(await codeOf(commit(await world.stage(acme, ref, [{ id: 3 }], runId), 2)), 'lease_lost');
});

t.test('a race that is lost every time ends in commit_conflict, and its metadata is removed', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  await world.land(acme, 'one', [{ id: 0 }]);
  const ref = world.tables.bronze(acme, 'one');
  const { runId, leaseEpoch } = await world.run(acme);
  const prepared = await world.tables.prepare(acme, ref, SCHEMA);
  const files = await world.stage(acme, ref, [{ id: 1 }], runId);
  const folder = join(localPath(prepared.location), 'metadata');
  const before = readdirSync(folder).sort();
  const deps = depsOf(world, world.kernel.db as never);
  let swaps = 0;
  const catalog = {
    ...deps.catalog,
    swapPointer: async () => {
      swaps += 1;
      return false;
    },
  };
  const request = { runId, leaseEpoch, tables: [batch(ref, files)], checkpoints: [] };
  t.equal(await codeOf(commitTables({ ...deps, catalog }, acme, request)), 'commit_conflict');
  t.equal(swaps, MAX_COMMIT_TRIES);
  t.strictSame(readdirSync(folder).sort(), before);
  t.ok(existsSync(localPath((files[0] as { location: string }).location)), 'the staged file stays');
  t.strictSame(await ledger(world), []);
});

t.test('the ledger knows staged files until they are committed, whatever their spelling', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  await world.land(acme, 'one', [{ id: 0 }]);
  const ref = world.tables.bronze(acme, 'one');
  const { runId, leaseEpoch } = await world.run(acme);
  const files = await world.stage(acme, ref, [{ id: 1 }], runId);
  const { location } = files[0] as { location: string };
  await world.tables.recordStaged(acme, runId, [{ ref, location: localPath(location), isFolder: false }]);
  await world.tables.recordStaged(acme, runId, [{ ref, location, isFolder: false }]);
  t.strictSame(await ledger(world), [{ location }]);
  await world.tables.commit(acme, { runId, leaseEpoch, tables: [batch(ref, files)], checkpoints: [] });
  t.strictSame(await ledger(world), []);
});

t.test('a table grows by columns and refuses a change of type by the column names', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const ref = world.tables.bronze(acme, 'one');
  const prepare = (properties: object) => world.tables.prepare(acme, ref, { type: 'object', properties });
  const made = await Promise.all([1, 2, 3].map(() => prepare({ id: { type: 'integer' } })));
  t.equal(new Set(made.map(({ tableUuid }) => tableUuid)).size, 1, 'callers at once end with one table');
  const grown = await prepare({ id: { type: 'integer' }, city: { type: 'string' } });
  t.ok(JSON.stringify(grown.schema).includes('"city"'));
  await t.rejects(prepare({ id: { type: 'boolean' } }), {
    entry: { code: 'schema_incompatible' },
    details: { members: { columns: ['id'] } },
  } as unknown as Error);
  t.match(await prepare({ _run_id: { type: 'string' }, ID: { type: 'string' } }), { extraColumns: ['_run_id', 'ID'] });
  const needing = world.tables.prepare(acme, ref, { properties: { ID: {} } }, { needed: ['ID'] });
  t.equal(await codeOf(needing), 'columns_refused');
});

t.test('by the services too: nothing is written to a foreign place, by any name', async (t) => {
  const world = await lake(t);
  const [acme, other] = [await world.tenant('acme'), await world.tenant('other')];
  await world.land(other, 'orders', [{ id: 1 }]);
  const look = () => world.database.peek('select * from catalog.iceberg_tables order by 1, 2, 3');
  const before = await look();
  const place = fc.oneof(
    fc.constantFrom(
      'bronze.other',
      'silver.other',
      'raw.shared',
      'registry.shared',
      'bronze.acme.x',
      'BRONZE.acme',
      '',
    ),
    fc.string({ unit: 'binary', maxLength: 12 }).map((text) => `bronze.${text}`),
  );
  const table = fc.oneof(fc.constantFrom('orders', '"orders"', 'a.b'), fc.string({ unit: 'binary', maxLength: 12 }));
  const foreign = place.filter((namespace) => !['bronze.acme', 'silver.acme', 'gold.acme'].includes(namespace));
  await fc.assert(
    fc.asyncProperty(foreign, table, async (namespace, name) => {
      const ref = { namespace, table: name };
      const request = { runId: acme.tenantId, leaseEpoch: 1, tables: [batch(ref, [])], checkpoints: [] };
      const codes = [
        await codeOf(world.tables.prepare(acme, ref, SCHEMA)),
        await codeOf(world.tables.commit(acme, request)),
      ];
      return codes.every((code) => code === 'invalid_dataset_id' || code === 'destination_not_allowed');
    }),
    { numRuns: cases(1000) },
  );
  t.strictSame(await look(), before);
});
