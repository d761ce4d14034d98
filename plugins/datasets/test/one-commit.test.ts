import { localPath } from '@weir/lakehouse';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { inLane } from '../../../test/lane.ts';
import { folderWarehouse, warehouseFaults } from '../../../test/warehouse-files.ts';
import { commitTables } from '../src/commit/commit.ts';
import { type CommitRequest, getDataset, previewDataset } from '../src/contract.ts';
import { batch, depsOf, type Lake, lake, losing, SCHEMA } from './kit.ts';

const MORE = { more: { type: 'string' }, n: { type: 'number' } } as const;

const fault = fc.oneof(
  fc.constant({ kind: 'none' as const }),
  fc.constant({ kind: 'no commit' as const }),
  fc.constant({ kind: 'old attempt' as const }),
  fc.record({ kind: fc.constant('write' as const), at: fc.nat({ max: 3 }) }),
  fc.record({ kind: fc.constant('answer' as const), at: fc.integer({ min: 1, max: 4 }), isAfter: fc.boolean() }),
);
const change = fc.record({
  isNew: fc.boolean(),
  columns: fc.subarray(['more', 'n'] as const),
  mode: fc.constantFrom('append' as const, 'overwrite' as const),
  rows: fc.nat({ max: 2 }),
  fault,
});
type Fault = typeof fault extends fc.Arbitrary<infer F> ? F : never;
type Acme = Awaited<ReturnType<Lake['tenant']>>;

const pointers = (world: Lake) => world.database.peek('select * from catalog.iceberg_tables order by 1, 2, 3');

/** A commit that meets a fault; answers its error. */
function failing(world: Lake, acme: Acme, { fault, request }: { fault: Fault; request: CommitRequest }) {
  const own = (tenant: never) => world.kernel.db(tenant);
  const deps = depsOf(world, fault.kind === 'answer' ? losing(world, fault.at, fault.isAfter) : own);
  let written = 0;
  const io: typeof deps.io = {
    ...deps.io,
    async write(location, bytes) {
      if (fault.kind === 'write' && written++ === fault.at) throw new Error('the disk is gone');
      return deps.io.write(location, bytes);
    },
  };
  const leaseEpoch = request.leaseEpoch - (fault.kind === 'old attempt' ? 1 : 0);
  const committed = commitTables({ ...deps, io }, acme, { ...request, leaseEpoch });
  return committed.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** Prepares and stages a change, and answers its commit; no pointer moves. */
async function staged(t: Test, world: Lake, acme: Acme, { name, isNew, columns, mode, rows }: Asked) {
  const { tables, producers } = world;
  const ref = tables.bronze(acme, name);
  if (!isNew) await world.land(acme, name, [{ id: 0, name: 'first' }]);
  const lease = await world.run(acme);
  const producer = { ref, kind: 'source' as const, producerId: acme.tenantId };
  await world.kernel.db(acme).transaction((tx) => producers.register(tx, producer));
  const more = Object.fromEntries(columns.map((one) => [one, MORE[one]]));
  const before = await pointers(world);
  const schema = { type: 'object', properties: { ...SCHEMA.properties, ...more } };
  const prepared = await tables.prepare(acme, ref, schema, { at: 'commit' });
  await tables.recordStaged(acme, lease.runId, [{ ref, location: prepared.dataLocation, isFolder: true }]);
  const lines = Array.from({ length: rows }, (_, id) => ({ id, more: 'x' }));
  const files = rows === 0 ? [] : await world.stageInto(prepared, lines, lease.runId);
  t.strictSame(await pointers(world), before, 'not by what is prepared and staged');
  const { brings } = prepared;
  const isIdle = rows === 0 && mode === 'append' && Object.keys(brings).length === 0;
  const table = { ...batch(ref, files), ...brings, mode };
  return { before, isIdle, request: { ...lease, tables: [table], checkpoints: [] } };
}

type Asked = Omit<typeof change extends fc.Arbitrary<infer C> ? C : never, 'fault'> & { name: string };

t.test('a table changes by its commit and by nothing else, whatever fails before', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  let made = 0;
  await fc.assert(
    fc.asyncProperty(change, async ({ fault, ...one }) => {
      made += 1;
      const name = `t${made}`;
      const { before, isIdle, request } = await staged(t, world, acme, { ...one, name });
      if (fault.kind === 'no commit') return;
      const failed = await failing(world, acme, { fault, request });
      if (fault.kind === 'old attempt' && !isIdle) t.match(failed, { entry: { code: 'lease_lost' } });
      const isKnown = failed !== undefined && fault.kind !== 'answer';
      if (isKnown) t.strictSame(await pointers(world), before, 'not by a commit that fails');
      await world.tables.commit(acme, request);
      const params = { dataset_id: `bronze.acme.${name}` };
      const there = await world.as('acme').call(getDataset, { params });
      const has = new Set(there.ok ? there.body.schema?.columns.map((column) => column.name) : []);
      t.ok(
        one.columns.every((column) => has.has(column)),
        'the columns come with the commit',
      );
      const shown = await world.as('acme').call(previewDataset, { params });
      const kept = one.isNew || one.mode === 'overwrite' ? 0 : 1;
      t.equal(shown.ok && shown.body.rows.length, one.rows + kept, 'and the rows, once');
    }),
    { numRuns: inLane('one-commit') ? 2_000 : 200 },
  );
  const { WEIR_WAREHOUSE: folder } = world.kernel.settings as { WEIR_WAREHOUSE: string };
  const faults = await warehouseFaults(world.database.peek, folderWarehouse(localPath(`file://${folder}`)));
  t.strictSame(faults, { unnamed: [], absent: [] });
});
