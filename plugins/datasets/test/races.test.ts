import t from 'tap';
import { commitTables } from '../src/table/commit.ts';
import { loadTables } from '../src/table/table-store.ts';
import { batch, depsOf, lake, losing } from './kit.ts';

const WRITERS = 8;
const COMMITS = 25;

t.test('8 writers of 25 commits each make 200 snapshots in one line, from an empty table on', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const ref = world.tables.bronze(acme, 'one');
  await world.tables.prepare(acme, ref, { properties: { id: { type: 'integer' } } });
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      const { runId, leaseEpoch } = await world.run(acme);
      for (let number = 1; number <= COMMITS; number += 1) {
        const files = await world.stage(acme, ref, [{ id: writer * COMMITS + number }], runId);
        const tables = [{ ...batch(ref, files, number), streamId: `s${writer}` }];
        await world.tables.commit(acme, { runId, leaseEpoch, tables, checkpoints: [] });
      }
    }),
  );
  const [table] = await loadTables(depsOf(world, world.kernel.db as never), acme, [ref]);
  const snapshots = table?.metadata.snapshots ?? [];
  t.equal(snapshots.length, WRITERS * COMMITS);
  const parents = snapshots.map((snapshot) => snapshot['parent-snapshot-id']);
  t.strictSame(
    parents,
    [undefined, ...snapshots.map((snapshot) => snapshot['snapshot-id'])].slice(0, -1),
    'in one line',
  );
  t.equal(snapshots.at(-1)?.summary['total-records'], String(WRITERS * COMMITS));
  const ids = new Set(snapshots.map(({ summary }) => summary['weir.commit-id']));
  t.equal(ids.size, WRITERS * COMMITS, 'each commit once');
});

t.test('100 commits whose answers get lost in the database add every row exactly once', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const ref = world.tables.bronze(acme, 'one');
  for (let number = 1; number <= 100; number += 1) {
    const { runId, leaseEpoch } = await world.run(acme);
    const files = await world.stage(acme, ref, [{ id: number }], runId);
    const checkpoints = [{ key: 'k', state: number, counters: {} }];
    // A commit reads, enters what it will write, and moves; after an unknown outcome it does so again.
    const db = losing(world, (number % 6) + 1, number % 4 < 2);
    await commitTables(depsOf(world, db as never), acme, {
      runId,
      leaseEpoch,
      tables: [batch(ref, files)],
      checkpoints,
    });
  }
  const [table] = await loadTables(depsOf(world, world.kernel.db as never), acme, [ref]);
  t.equal(table?.metadata.snapshots.at(-1)?.summary['total-records'], '100');
  t.match(await world.tables.checkpoint(acme, 'k'), { state: 100 });
});
