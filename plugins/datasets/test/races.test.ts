import t from 'tap';
import { inLane } from '../../../test/lane.ts';
import { commitTables } from '../src/commit/commit.ts';
import { loadTables } from '../src/store/table-store.ts';
import { batch, depsOf, lake, losing } from './kit.ts';

const WRITERS = 8;
const COMMITS = inLane('crashes') ? 25 : 4;
/** Twelve meet each loss that the numbers of a commit can choose. */
const LOST_ANSWERS = inLane('crashes') ? 100 : 12;

t.test('8 writers that commit at the same time make one line of snapshots, from an empty table on', async (t) => {
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

t.test('commits whose answers get lost in the database add every row exactly once', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const ref = world.tables.bronze(acme, 'one');
  for (let number = 1; number <= LOST_ANSWERS; number += 1) {
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
  t.equal(table?.metadata.snapshots.at(-1)?.summary['total-records'], String(LOST_ANSWERS));
  t.match(await world.tables.checkpoint(acme, 'k'), { state: LOST_ANSWERS });
});
