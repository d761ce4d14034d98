import { contribute, type TenantDb } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { localPath } from '@weir/lakehouse';
import t from 'tap';
import { commitTables } from '../src/commit/commit.ts';
import { type CommittedTable, getDataset, TableCommits } from '../src/contract.ts';
import { batch, depsOf, type Lake, lake } from './kit.ts';

const rowsOf = async (world: Lake, table: string): Promise<string | undefined> => {
  const answer = await world.as('acme').call(getDataset, { params: { dataset_id: `bronze.acme.${table}` } });
  return answer.ok ? (answer.body.total_records ?? undefined) : answer.problem.code;
};

t.test('pointers of several tables and their checkpoints move together or not at all', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  await world.land(acme, 'one', [{ id: 0 }]);
  await world.land(acme, 'two', [{ id: 0 }]);
  const [one, two] = [world.tables.bronze(acme, 'one'), world.tables.bronze(acme, 'two')];
  const { runId, leaseEpoch } = await world.run(acme);
  const tables = [
    batch(one, await world.stage(acme, one, [{ id: 1 }], runId)),
    batch(two, await world.stage(acme, two, [{ id: 1 }, { id: 2 }], runId)),
  ];
  const checkpoints = [{ key: 'k', state: { cursor: 7 }, counters: { rows: 3 } }];
  await t.rejects(
    world.tables.commit(acme, { runId, leaseEpoch: leaseEpoch + 1, tables, checkpoints }),
    'a wrong lease',
  );
  t.strictSame(
    [await rowsOf(world, 'one'), await rowsOf(world, 'two'), await world.tables.checkpoint(acme, 'k')],
    ['1', '1', undefined],
  );
  const done = await world.tables.commit(acme, { runId, leaseEpoch, tables, checkpoints });
  t.match(done.tables, [{ snapshotId: /^\d+$/ }, { snapshotId: /^\d+$/ }]);
  t.strictSame([await rowsOf(world, 'one'), await rowsOf(world, 'two')], ['2', '3']);
  t.strictSame(await world.tables.checkpoint(acme, 'k'), { state: { cursor: 7 }, counters: { rows: 3 }, runId });
  t.strictSame(
    await world.tables.commit(acme, { runId, leaseEpoch, tables, checkpoints }),
    done,
    'a repeat answers the same',
  );
  t.equal(await rowsOf(world, 'one'), '2', 'and adds nothing');
});

t.test('no files make no snapshot, and the checkpoint is stored all the same', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  await world.land(acme, 'one', [{ id: 0 }]);
  const { runId, leaseEpoch } = await world.run(acme);
  const ref = world.tables.bronze(acme, 'one');
  const done = await world.tables.commit(acme, {
    runId,
    leaseEpoch,
    tables: [batch(ref, [])],
    checkpoints: [{ key: 'k', state: 1, counters: {} }],
  });
  t.strictSame(done.tables, [{ ref, snapshotId: null }]);
  t.match(await world.tables.checkpoint(acme, 'k'), { state: 1 });
});

t.test('writers who race lose nothing', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  await world.land(acme, 'one', [{ id: 0 }]);
  const ref = world.tables.bronze(acme, 'one');
  await Promise.all(
    Array.from({ length: 6 }, async (_, writer) => {
      const { runId, leaseEpoch } = await world.run(acme);
      for (let number = 1; number <= 3; number += 1) {
        const files = await world.stage(acme, ref, [{ id: writer * 10 + number }], runId);
        await world.tables.commit(acme, { runId, leaseEpoch, tables: [batch(ref, files, number)], checkpoints: [] });
      }
    }),
  );
  t.equal(await rowsOf(world, 'one'), '19');
});

/** A database whose answer to a chosen transaction is lost, before or after it took effect. */
function losing(db: (tenant: never) => TenantDb, lose: (count: number) => 'before' | 'after' | undefined) {
  let count = 0;
  return (tenant: never): TenantDb => ({
    async transaction(work) {
      count += 1;
      const fate = lose(count);
      if (fate === 'before') throw kernelProblems.dependencyUnavailable();
      const result = await db(tenant).transaction(work);
      if (fate === 'after') throw kernelProblems.dependencyUnavailable();
      return result;
    },
  });
}

t.test('an unknown outcome is settled by looking, so that a batch lands exactly once', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  await world.land(acme, 'one', [{ id: 0 }]);
  const ref = world.tables.bronze(acme, 'one');
  for (const [at, fate] of (['before', 'after'] as const).entries()) {
    const { runId, leaseEpoch } = await world.run(acme);
    const files = await world.stage(acme, ref, [{ id: 100 + at }], runId);
    // A commit reads pointers, enters its metadata in the ledger, then moves the pointers: the third transaction.
    const db = losing(world.kernel.db as never, (count) => (count === 3 ? fate : undefined));
    const request = {
      runId,
      leaseEpoch,
      tables: [batch(ref, files)],
      checkpoints: [{ key: 'k', state: fate, counters: {} }],
    };
    const done = await commitTables(depsOf(world, db), acme, request);
    t.match(done.tables, [{ snapshotId: /^\d+$/ }], fate);
    t.equal(await rowsOf(world, 'one'), String(2 + at), `the answer was lost ${fate} the commit`);
    t.match(await world.tables.checkpoint(acme, 'k'), { state: fate });
  }
});

t.test('a staged file outside its table is refused before anything is written', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  await world.land(acme, 'one', [{ id: 0 }]);
  const ref = world.tables.bronze(acme, 'one');
  const { runId, leaseEpoch } = await world.run(acme);
  const [file] = await world.stage(acme, ref, [{ id: 1 }], runId);
  for (const location of ['file:///etc/passwd', 'x', `${(file as { location: string }).location}/../../../other/x`]) {
    await t.rejects(
      world.tables.commit(acme, { runId, leaseEpoch, tables: [batch(ref, [{ ...file, location }])], checkpoints: [] }),
      location,
    );
  }
  t.equal(await rowsOf(world, 'one'), '1');
});

t.test('a file that one commit names twice is refused, in whichever spelling', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const { ref } = await world.land(acme, 'one', [{ id: 0 }]);
  const { runId, leaseEpoch } = await world.run(acme);
  const [file] = await world.stage(acme, ref, [{ id: 1 }], runId);
  const { location } = file as { location: string };
  for (const again of [file, { ...file, location: localPath(location) }] as object[]) {
    const request = { runId, leaseEpoch, tables: [batch(ref, [file ?? {}, again])], checkpoints: [] };
    await t.rejects(world.tables.commit(acme, request), { code: 'staged_file_refused' });
  }
  t.equal(await rowsOf(world, 'one'), '1');
});

t.test('who asked for it is told of a new table, of new columns and of every commit, once and within it', async (t) => {
  const told: CommittedTable[] = [];
  let refuses = false;
  const giver = contribute(TableCommits, async (_, table) => {
    if (refuses) throw kernelProblems.conflict();
    told.push(table);
  });
  const world = await lake(t, {}, [giver]);
  const acme = await world.tenant('acme');
  const first = await world.land(acme, 'one', [{ id: 0 }]);
  const [made, landed] = told.splice(0);
  const table = { ref: first.ref, datasetId: 'bronze.acme.one', schemaId: 0 };
  const nobody = { snapshotId: null, parentSnapshotId: null, runId: null, streamId: null, addedRecords: null };
  t.strictSame(made, { ...table, ...nobody, operation: 'schema' });
  t.match(landed, { ...table, snapshotId: first.snapshotId, operation: 'append', streamId: 's', addedRecords: '1' });
  const wider = { type: 'object', properties: { id: { type: 'integer' }, more: { type: 'string' } } };
  const second = await world.land(acme, 'one', [{ id: 1, more: 'x' }], wider);
  t.match(told.splice(0), [
    { operation: 'schema', schemaId: 1, snapshotId: first.snapshotId, runId: null },
    { operation: 'append', schemaId: 1, snapshotId: second.snapshotId, parentSnapshotId: first.snapshotId },
  ]);
  refuses = true;
  await t.rejects(world.land(acme, 'one', [{ id: 2 }]));
  t.equal(await rowsOf(world, 'one'), '2', 'a giver that throws fails the commit');
});
