import { changeTransform, createTransform, hydrateTransform } from '@weir/plugin-transforms/contract';
import t from 'tap';
import { startWorker } from '../../../test/worker-process.ts';
import { runWorld } from '../../transforms/test/run-kit.ts';

const INPUT = 'silver.acme.changes';

t.test('a pattern that merges reads what is new and replaces rows by key', async (t) => {
  const { ok, hydrated, materialized, rows, environment } = await runWorld(t);
  await startWorker(t, environment, 'transform');
  const values = (list: string) => `select * from (values ${list}) v(id, seq, state)`;
  const changes = await hydrated('changes', values("(1, 1, 'new'), (1, 2, 'paid'), (2, 3, 'new')"), INPUT, {
    materialization: 'append',
  });
  await materialized(changes);
  const made = await ok(createTransform, {
    body: {
      ...{ name: 'current', output: 'silver.acme.current', pattern_id: 'incremental-merge' },
      parameters: { input: INPUT, key: ['id'], order_by: [{ column: 'seq' }], columns: ['state'] },
    },
  });
  t.match(made, {
    materialization: 'merge',
    key: ['id'],
    incremental: INPUT,
    origin: { pattern_id: 'incremental-merge' },
  });
  const params = { transform_id: made.transform_id };
  await ok(hydrateTransform, { params });
  t.match(await materialized(params), { status: 'succeeded', reason: 'first' });
  const sorted = async () => (await rows('silver.acme.current')).toSorted();
  t.strictSame(await sorted(), [
    [1, 'paid'],
    [2, 'new'],
  ]);

  await ok(changeTransform, {
    params: changes,
    body: { sql: values("(1, 4, 'sent'), (3, 5, 'new'), (3, 6, 'paid')") },
  });
  await ok(hydrateTransform, { params: changes });
  await materialized(changes);
  t.match(await materialized(params), { status: 'succeeded', reason: 'input_moved', extent: 'increment' });
  t.strictSame(await sorted(), [
    [1, 'sent'],
    [2, 'new'],
    [3, 'paid'],
  ]);
});
