import { listDatasets } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { startWorker } from '../../../test/worker-process.ts';
import * as endpoints from '../src/contract.ts';
import { DAYS, groupWorld, RAW, SUMS, TOP } from './group-kit.ts';

const ALL = ['succeeded', 'succeeded', 'succeeded', 'succeeded'];

t.test('tables that publish together → all of them or none, new ones too', async (t) => {
  const world = await groupWorld(t);
  const { ok, rows, run, state, holds, change, checks, top, land } = world;
  await startWorker(t, world.environment, 'transform');
  await change(top, { checks: checks(0) });
  const nothing = await state();
  t.match(nothing, { datasets: [], pointers: [] });
  const failed = await run();
  t.match(failed.whole, { status: 'failed', failure: { code: 'check_failed' } });
  t.match(failed.whole.failure?.next, [{ params: { run_id: failed.steps[3]?.run_id } }], 'the step is shown');
  t.strictSame(failed.statuses, ['skipped', 'skipped', 'skipped', 'failed']);
  t.match(failed.steps[2], { failure: { code: 'not_published' }, output_snapshot_id: null });
  t.strictSame(await state(), nothing, 'no table was made and nothing was read');
  t.strictSame(await holds(), []);

  await change(top, { checks: checks(9) });
  const made = await run();
  t.match(made.whole, { status: 'succeeded', failure: null, attempt: 1 });
  t.strictSame(made.statuses, ALL);
  const shown = await ok(endpoints.readSteps, { params: { run_id: made.whole.run_id } });
  t.equal(shown.publish, 'together');
  for (const { staged_at, ended_at } of shown.steps)
    t.ok(staged_at && ended_at && staged_at <= ended_at, 'it was staged, and ended with the others');
  const [raw, , sums] = made.steps;
  t.match(sums?.inputs, [{ dataset_id: RAW, snapshot_id: raw?.output_snapshot_id }]);
  t.strictSame(await rows(TOP), [[40, 2, 0]]);
  t.match((await run()).whole, { status: 'skipped' }, 'nothing has moved');

  await land('(3, 2, 50), (4, 1, 1)');
  const more = await run();
  t.match(more.whole, { status: 'succeeded' });
  t.match(
    more.steps,
    [{ reason: 'definition_changed' }, { extent: 'increment' }, { extent: 'increment' }, { extent: 'full' }],
    'increments of what no pointer named yet',
  );
  t.strictSame((await rows(DAYS)).map(String).toSorted(), ['1,31', '2,50']);
  t.strictSame((await rows(SUMS)).map(String).toSorted(), ['1,20', '2,40', '3,100', '4,2']);
  t.strictSame(await rows(TOP), [[100, 8, 0]]);
  t.match((await run()).whole, { status: 'skipped' });
  t.strictSame((await ok(listDatasets, {})).items.length, 4);

  await t.test('a step fails, whichever it is → every table as it was', async (t) => {
    const before = await state();
    const outcomes: unknown[] = [];
    for (const place of [1, 2, 3, 4]) {
      await land(`(5, 3, -${place})`);
      const { whole, statuses } = await run();
      t.match(whole, { status: 'failed', failure: { code: 'query_failed' } });
      outcomes.push([...statuses]);
      t.strictSame(await state(), before, `step ${place}`);
    }
    t.match(outcomes[0], ['failed', 'skipped', 'skipped', 'skipped']);
    t.match(outcomes[3], ['skipped', 'skipped', 'skipped', 'failed']);
    t.strictSame(await holds(), []);
  });

  await t.test('a rehearsal → rows to look at, and nothing else', async (t) => {
    await land('(6, 3, 300)');
    const before = await state();
    const steps = world.all.map(({ transform_id: id }) => ({ stepId: id, transformId: id }));
    const asked = { kind: 'materialization', subjectId: top.transform_id, requestedBy: 'ada', sampleRows: 2 };
    const tenant = await world.database.tenant('acme');
    const { run_id } = await world.groups.start(tenant, { ...asked, steps, publish: 'none' });
    const { whole, statuses } = await world.ended(run_id);
    t.match(whole, { status: 'succeeded' });
    t.strictSame(statuses, ALL);
    t.match(await world.groups.steps(tenant, run_id), [
      { output: RAW, rows: '1', sample: { rows: { length: 2 } } },
      ...[{ output: DAYS }, { output: SUMS }],
      { output: TOP, rows: '1', sample: { rows: [[600, 15, 0]] }, columns: [{ name: 'v', type: 'int' }] },
    ]);
    t.strictSame(await state(), before);
    t.strictSame(await holds(), []);
    t.match((await run()).statuses, ALL, 'what was rehearsed is still to be done');
  });
});
