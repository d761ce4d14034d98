import { contribute } from '@weir/kernel';
import t from 'tap';
import { TableDeclarations, type TablesDeclared } from '../src/contract.ts';
import { sweep } from '../src/sweep/sweep.ts';
import { batch, depsOf, lake, rewrite } from './kit.ts';

const GRACE_HOURS = 24;
const code = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: { entry?: { code: string } }) => error.entry?.code ?? String(error),
  );

t.test('inputs are pinned at one moment, or at the snapshots that are named, if they may be read', async (t) => {
  const world = await lake(t);
  const [acme, other] = [await world.tenant('acme'), await world.tenant('other')];
  const [one, two] = ['bronze.acme.one', 'bronze.acme.two'] as const;
  const first = await world.land(acme, 'one', [{ id: 1 }]);
  await world.land(acme, 'two', [{ id: 1 }]);
  await world.land(other, 'one', [{ id: 1 }]);
  const refs = [world.tables.bronze(acme, 'one'), world.tables.bronze(acme, 'two')];

  t.equal(await world.inputs.near(acme, 'bronze.acme.Tow'), two);
  t.equal(await world.inputs.near(acme, 'bronze.acme.elsewhere'), undefined);
  t.not(await world.inputs.near(other, two), two, 'no dataset of another tenant');

  // Both tables always move in one commit, so that a cut in between would show another number of rows.
  const move = async () => {
    const { runId, leaseEpoch } = await world.run(acme);
    const tables = [];
    for (const ref of refs) tables.push(batch(ref, await world.stage(acme, ref, [{ id: 2 }], runId)));
    await world.tables.commit(acme, { runId, leaseEpoch, tables, checkpoints: [] });
  };
  let open = true;
  const moved = move().finally(() => {
    open = false;
  });
  const seen = new Set<string>();
  for (let last = false; !last; ) {
    last = !open;
    const pins = await world.inputs.pin(acme, [{ datasetId: one }, { datasetId: two }]);
    seen.add(pins.map(({ rows }) => rows).join());
  }
  await moved;
  t.ok(seen.has('2,2'));
  t.strictSame(seen.difference(new Set(['1,1', '2,2'])), new Set());

  const [pin] = await world.inputs.pin(acme, [{ datasetId: one, snapshotId: first.snapshotId }]);
  t.match(pin, {
    ...{ datasetId: one, snapshotId: first.snapshotId, schemaId: 0, rows: '1', bytes: /^\d+$/ },
    columns: [{ name: 'id', type: 'long' }, { name: 'name' }],
    plan: { files: [{ file: 0 }], schema: { 'schema-id': 0 } },
  });
  t.strictSame(structuredClone(pin?.plan), pin?.plan, 'a plan passes to another process');
  for (const [datasetId, snapshotId, expected] of [
    ['bronze.other.one', undefined, 'dataset_not_readable'],
    ['bronze.acme.none', undefined, 'not_found'],
    ['bronze.acme', undefined, 'invalid_dataset_id'],
    [one, '77', 'not_found'],
  ] as const) {
    const asked = [{ datasetId: two }, { datasetId, ...(snapshotId === undefined ? {} : { snapshotId }) }];
    t.equal(await code(world.inputs.pin(acme, asked)), expected);
  }
});

t.test('files of a held snapshot stay until the run ends, also when the table has dropped it', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const { ref } = await world.land(acme, 'orders', [{ id: 1 }]);
  const [pin] = await world.inputs.pin(acme, [{ datasetId: 'bronze.acme.orders' }]);
  const { runId } = await world.run(acme);
  const db = world.kernel.db(acme);
  await db.transaction((tx) => world.inputs.hold(tx, runId, pin ? [pin] : []));
  await db.transaction((tx) => world.inputs.hold(tx, runId, pin ? [pin] : []));
  const change = (metadata: Parameters<Parameters<typeof rewrite>[2]['change']>[0]) => ({
    ...metadata,
    ...{ snapshots: [], 'current-snapshot-id': undefined as never, refs: {}, 'snapshot-log': [], 'metadata-log': [] },
  });
  await rewrite(world, acme, { ref, change });
  const deps = { ...depsOf(world, (tenant) => world.kernel.db(tenant)), graceHours: GRACE_HOURS };
  const { files: [file] = [] } = (pin?.plan ?? {}) as { files?: { location: string }[] };
  const writer = await world.run(acme);
  await world.kernel.runs.finish(acme, writer.runId, { status: 'failed' });
  await world.tables.recordStaged(acme, writer.runId, [{ ref, location: file?.location ?? '', isFolder: false }]);
  const swept = async () => {
    await db.transaction(({ sql }) =>
      sql(`update datasets.staged_file set staged_at = now() - interval '99 hours' where tenant_id = $1`, [
        acme.tenantId,
      ]),
    );
    return (await sweep(deps, acme, {})).items.map(({ action, reason }) => `${action} ${reason}`);
  };
  const held = async () => Number((await world.database.peek('select run_id from datasets.input_hold')).length);
  t.strictSame([await swept(), await held()], [['settle referenced'], 1]);
  await world.tables.recordStaged(acme, writer.runId, [{ ref, location: file?.location ?? '', isFolder: false }]);
  await world.kernel.runs.finish(acme, runId, { status: 'succeeded' });
  t.strictSame([await swept(), await held()], [['mark unreferenced'], 0], 'an ended run holds nothing');
  const next = await world.run(acme);
  const late = db.transaction((tx) => world.inputs.hold(tx, next.runId, pin ? [pin] : []));
  t.equal(await code(late), 'conflict', 'what the table has dropped is not held any more');
  const newer = await world.land(acme, 'orders', [{ id: 2 }]);
  const pins = await world.inputs.pin(acme, [{ datasetId: 'bronze.acme.orders' }]);
  t.match(pins, [{ snapshotId: newer.snapshotId }]);
  await db.transaction((tx) => world.inputs.hold(tx, next.runId, pins));
  t.equal(await held(), 1);
  await db.transaction((tx) => world.inputs.release(tx, next.runId));
  t.equal(await held(), 0);
});

t.test('a snapshot that changes no row → the rows are those of the one before it', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const { ref, snapshotId } = await world.land(acme, 'orders', [{ id: 1 }]);
  const pinned = async () => (await world.inputs.pin(acme, [{ datasetId: 'bronze.acme.orders' }]))[0];
  t.match(await pinned(), { snapshotId, rowsSnapshotId: snapshotId });
  const compact = (id: bigint) =>
    rewrite(world, acme, {
      ref,
      change: (metadata) => {
        const [last] = metadata.snapshots.slice(-1);
        if (last === undefined) throw new Error('the table has no snapshot');
        const one = { ...last, 'snapshot-id': id, 'parent-snapshot-id': last['snapshot-id'] };
        const summary = { ...last.summary, operation: 'replace' };
        return {
          ...metadata,
          snapshots: [...metadata.snapshots, { ...one, summary }],
          'current-snapshot-id': id,
          refs: { main: { 'snapshot-id': id, type: 'branch' } },
        } as typeof metadata;
      },
    });
  await compact(41n);
  t.match(await pinned(), { snapshotId: '41', rowsSnapshotId: snapshotId });
  const more = await world.land(acme, 'orders', [{ id: 2 }]);
  t.match(await pinned(), { snapshotId: more.snapshotId, rowsSnapshotId: more.snapshotId });
});

t.test(
  'tables that are declared → the columns that they will have; unreadable ones are not even asked for',
  async (t) => {
    const asked: string[] = [];
    const schema = { type: 'object', properties: { id: { type: 'integer' }, at: { type: 'array' } } };
    const nested = { exactly: [{ name: 'at', type: { list: { struct: [{ name: 'city', type: 'string' }] } } }] };
    const kindOf = (table: string) => (table === 'later' ? ('soft_delete' as const) : nested);
    const declared: TablesDeclared = async (_, refs) =>
      refs.map((ref) => {
        asked.push(ref.table);
        const facts = {
          ref,
          producer: { kind: 'source', id: '7', name: 'shop' },
          next: { operation: 'a.b', text: 'Do' },
        } as const;
        return ref.table === 'unknown'
          ? facts
          : { ...facts, columns: { jsonSchema: schema, columns: kindOf(ref.table) } };
      });
    const world = await lake(t, {}, [contribute(TableDeclarations, declared)]);
    const [acme, other] = [await world.tenant('acme'), await world.tenant('other')];
    await world.land(acme, 'made', []);
    const ids = [
      'bronze.acme.later',
      'bronze.acme.nested',
      'bronze.acme.unknown',
      'bronze.other.theirs',
      'silver.acme.nobodys',
    ];
    const [later, lists, unknown, ...rest] = await world.inputs.declared(acme, ids);
    t.strictSame([asked, rest], [['later', 'nested', 'unknown'], []]);
    t.match(unknown, { datasetId: 'bronze.acme.unknown', producer: { name: 'shop' }, pin: undefined });
    t.match(later, { pin: { snapshotId: null, rowsSnapshotId: null, rows: '0', bytes: '0', plan: { files: [] } } });
    for (const [one, datasetId] of [[later, 'later'] as const, [lists, 'nested'] as const]) {
      await world.tables.prepare(acme, world.tables.bronze(acme, datasetId), schema, { columns: kindOf(datasetId) });
      const [there] = await world.inputs.pin(acme, [{ datasetId: `bronze.acme.${datasetId}` }]);
      t.strictSame(one?.pin?.columns, there?.columns);
    }
    t.strictSame(lists?.pin?.columns, [{ name: 'at', type: 'list<struct<city: string>>' }]);
    t.strictSame(await world.inputs.declared(other, ids), []);
  },
);
