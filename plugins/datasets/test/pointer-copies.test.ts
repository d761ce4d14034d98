import type { LoadedTable, TableMetadata } from '@weir/lakehouse';
import fc from 'fast-check';
import t from 'tap';
import { copyPointers, isLater } from '../src/store/pointer-copies.ts';
import { depsOf, lake, rewrite } from './kit.ts';

/** States of one table, each after the one before, with logs of some length; clocks may stand still, never go back. */
const history = fc
  .record({
    pauses: fc.array(fc.nat(2), { minLength: 1, maxLength: 12 }),
    commits: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
    log: fc.nat(4),
  })
  .map(({ pauses, commits, log }) => {
    let [time, sequence] = [0, 0n];
    return pauses.map((pause, at): LoadedTable => {
      // What is written within one millisecond differs by its snapshots at least.
      sequence += commits[at] || pause === 0 ? 1n : 0n;
      time += pause;
      const before = Array.from({ length: Math.min(log, at) }, (_, back) => ({
        'metadata-file': `m${at - 1 - back}`,
        'timestamp-ms': 0,
      }));
      const metadata = { 'last-updated-ms': time, 'last-sequence-number': sequence, 'metadata-log': before };
      return { metadataLocation: `m${at}`, metadata: metadata as unknown as TableMetadata };
    });
  });

t.test('of two states of a table the later one is told, in whichever order they were seen', async () => {
  fc.assert(
    fc.property(history, (states) =>
      states.every((one, at) => states.every((other, then) => isLater(one, other) === at > then)),
    ),
    { numRuns: 1000 },
  );
});

t.test('the copy of a remote pointer moves forwards only, however late an answer comes', async (t) => {
  const world = await lake(t);
  const tenant = await world.tenant('acme');
  const { ref } = await world.land(tenant, 'orders', [{ id: 1 }]);
  const deps = depsOf(world, world.kernel.db as never);
  const ident = { namespace: ref.namespace, name: ref.table };
  const pointer = () => world.kernel.db(tenant).transaction(({ sql }) => deps.catalog.loadPointer(sql, ident));
  const seen = async () => {
    const metadataLocation = (await pointer()) ?? '';
    return { ident, table: { metadataLocation, metadata: await deps.scanner.metadata(ref, metadataLocation) } };
  };
  const states = [await seen()];
  for (const id of [2, 3]) {
    await world.land(tenant, 'orders', [{ id }]);
    states.push(await seen());
  }
  const [oldest, middle, newest] = states;
  if (oldest === undefined || middle === undefined || newest === undefined) throw new Error('no states');
  await copyPointers(deps, tenant, [oldest]);
  t.equal(await pointer(), newest.table.metadataLocation, 'an older answer leaves it');
  await world.kernel
    .db(tenant)
    .transaction(({ sql }) =>
      deps.catalog.swapPointer(sql, ident, newest.table.metadataLocation, oldest.table.metadataLocation),
    );
  await Promise.all([middle, newest, oldest].map((one) => copyPointers(deps, tenant, [one])));
  t.equal(await pointer(), newest.table.metadataLocation, 'whoever of several comes last');

  await rewrite(world, tenant, {
    ref,
    change: (metadata) => ({ ...metadata, 'metadata-log': [], 'last-updated-ms': 1 }),
  });
  await copyPointers(deps, tenant, [middle]);
  t.equal(await pointer(), middle.table.metadataLocation, 'without a log the time in the metadata decides');
  const gone = `${middle.table.metadata.location}/metadata/gone.json`;
  await world.kernel
    .db(tenant)
    .transaction(({ sql }) => deps.catalog.swapPointer(sql, ident, middle.table.metadataLocation, gone));
  await copyPointers(deps, tenant, [oldest]);
  t.equal(await pointer(), oldest.table.metadataLocation, 'a copy whose file is gone is given up');
});
