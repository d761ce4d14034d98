import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { sweepStagedFiles } from '@weir/plugin-datasets/contract';
import t, { type Test } from 'tap';
import { faultFolder } from '../../../test/crash/fault-folder.ts';
import { folderWarehouse, warehouseFaults } from '../../../test/warehouse-files.ts';
import { startWorker } from '../../../test/worker-process.ts';
import * as endpoints from '../src/contract.ts';
import { groupWorld, OUTPUTS, RAW, SUMS, TOP } from './group-kit.ts';

const ALL = ['succeeded', 'succeeded', 'succeeded', 'succeeded'];
/** Longer than two graces of a sweep. */
const LONG_AGO_HOURS = 100;

/** The four steps that have published once, and what is asked of their wholes. */
async function adoptWorld(t: Test) {
  const world = await groupWorld(t);
  const { ok, run, ended, groups, top, all, database, folder } = world;
  const faults = await faultFolder(`${folder}/faults`);
  const environment = { ...world.environment, WEIR_FAULTPOINTS: faults.path };
  const worker = { now: await startWorker(t, environment, 'transform') };
  const kill = async () => {
    await worker.now.end('SIGKILL');
    worker.now = await startWorker(t, environment, 'transform');
  };
  t.match((await run()).statuses, ALL);
  const tenant = await database.tenant('acme');
  const names = ['raw', 'days', 'sums', 'top'];
  const begin = async (publish: endpoints.PublishMode, more: Partial<endpoints.GroupStart> = {}) => {
    const steps = all.map(({ transform_id: transformId }, at) => ({ stepId: names[at] ?? '', transformId }));
    const asked = { kind: 'materialization', subjectId: top.transform_id, requestedBy: 'ada', sampleRows: 2 };
    return (await groups.start(tenant, { ...asked, steps, publish, ...more })).run_id;
  };
  const rehearse = async (more: Partial<endpoints.GroupStart> = {}) => {
    const { whole, statuses } = await ended(await begin('none', more));
    t.match([whole.status, ...statuses], ['succeeded', ...ALL]);
    return whole.run_id;
  };
  const views = async (runId: string) => {
    const found = new Map((await groups.steps(tenant, runId)).map((step) => [step.output, step]));
    return OUTPUTS.flatMap((id) => found.get(id) ?? []);
  };
  const adoptions = async (runId: string) =>
    (await views(runId)).map(({ adopted_from, not_adopted }) => not_adopted ?? adopted_from);
  const files = async () => {
    const found = await readdir(`${folder}/warehouse`, { recursive: true, withFileTypes: true });
    return found.filter((one) => one.isFile()).map((one) => relative(folder, join(one.parentPath, one.name)));
  };
  const rowFiles = async () => (await files()).filter((name) => name.endsWith('.parquet')).toSorted();
  const sweep = async () => {
    for (const _ of ['mark', 'remove']) {
      await database.peek(
        `update datasets.staged_file set staged_at = staged_at - make_interval(hours => ${LONG_AGO_HOURS}),
           marked_at = marked_at - make_interval(hours => ${LONG_AGO_HOURS})`,
      );
      await ok(sweepStagedFiles, { query: {} });
    }
  };
  return { ...world, faults, kill, tenant, begin, rehearse, views, adoptions, files, rowFiles, sweep };
}

t.test('a whole takes over what another one has staged → the very files, and only where nothing differs', async (t) => {
  const world = await adoptWorld(t);
  const { ok, call, run, ended, state, holds, change, checks, top, land, rows, all } = world;
  const { faults, kill, tenant, begin, rehearse, views, adoptions, files, rowFiles, sweep, database, folder } = world;

  await t.test('one failed step of four → the three others do not run again', async (t) => {
    await land('(3, 2, 50), (4, 1, 1)');
    await change(top, { checks: checks(0) });
    const before = await state();
    const failed = await run();
    t.match(failed.statuses, ['skipped', 'skipped', 'skipped', 'failed']);
    const written = await rowFiles();
    const again = await run({ resume_run_id: failed.whole.run_id });
    t.match(again.whole, { status: 'failed', failure: { code: 'check_failed' } });
    t.strictSame(await state(), before, 'it fails again: every table is as it was');
    const origin = failed.steps.slice(0, 3).map((step) => step?.run_id);
    t.strictSame(await adoptions(again.whole.run_id), [...origin, null]);
    t.strictSame(await rowFiles(), written, 'what its check refuses is not left');
    await change(top, { checks: checks(9) });
    const made = await run({ resume_run_id: again.whole.run_id });
    t.strictSame(made.statuses, ALL);
    t.strictSame(await adoptions(made.whole.run_id), [...origin, null], 'of the run whose statement gave it');
    t.match(made.steps, [{ reason: 'definition_changed' }, { extent: 'increment' }, { extent: 'increment' }, {}]);
    t.match(made.steps[2]?.inputs, [{ dataset_id: RAW, snapshot_id: made.steps[0]?.output_snapshot_id }]);
    const fresh = (await rowFiles()).filter((name) => !written.includes(name));
    t.match(fresh, { length: 1 }, 'only the failed step has written rows');
    const { items } = await ok(endpoints.readTransformRunLog, { params: { run_id: made.steps[1]?.run_id ?? '' } });
    const said = items.map(({ message }) => message);
    t.ok(said.includes(`the result of run ${again.steps[1]?.run_id} is taken over; the statement does not run`));
    t.notOk(said.some((line) => line.startsWith('the statement runs')));
    t.strictSame((await rows(SUMS)).map(String).toSorted(), ['1,20', '2,40', '3,100', '4,2']);
    t.strictSame(await rows(TOP), [[100, 8, 0]]);
    t.match((await run()).whole, { status: 'skipped' }, 'nothing has moved');
    for (const [body, fault] of [
      [{ resume_run_id: made.whole.run_id }, { pointer: '/resume_run_id', code: 'run_published' }],
      [{ resume_run_id: tenant.tenantId }, { pointer: '/resume_run_id', code: 'run_unknown' }],
      [
        { resume_run_id: again.whole.run_id, publish: 'each' as const },
        { pointer: '/publish', code: 'not_together' },
      ],
    ] as const) {
      const transform_ids = all.map(({ transform_id }) => transform_id);
      t.match(await call(endpoints.materializeTransforms, { body: { transform_ids, ...body } }), {
        problem: { status: 409, code: 'resume_refused', errors: [fault] },
      });
    }
  });

  await t.test(
    'a rehearsal is published → its files, nothing computed, also over a worker that is killed',
    async (t) => {
      await land('(6, 3, 300)');
      const rehearsal = await rehearse();
      const [before, written] = [await state(), await rowFiles()];
      await faults.arm('S9');
      const promotion = await begin('together', { adoptFrom: rehearsal });
      await faults.held('S9');
      t.strictSame(await state(), before, 'all is taken over, and nothing has moved');
      await kill();
      await faults.clear();
      const { whole, statuses } = await ended(promotion);
      t.match([whole.status, ...statuses], ['succeeded', ...ALL]);
      const rehearsed = await views(rehearsal);
      t.strictSame(
        await adoptions(promotion),
        rehearsed.map(({ run_id }) => run_id),
      );
      t.strictSame(await rowFiles(), written, 'not one file more');
      t.strictSame(await rows(TOP), [[600, 15, 0]]);
      const kept = ({ columns, sample, rows, rows_in, checks: results }: endpoints.GroupStepView) => ({
        ...{ columns, sample, rows, rows_in },
        ...{ results },
      });
      t.strictSame((await views(promotion)).map(kept), rehearsed.map(kept));
      t.match((await run()).whole, { status: 'skipped' });
      t.strictSame(await holds(), []);
      const left = await warehouseFaults(database.peek, folderWarehouse(`${folder}/warehouse`));
      t.strictSame(left, { unnamed: [], absent: [] }, 'each file is in a snapshot or in the ledger');
    },
  );

  await t.test('what differs runs again, and says why', async (t) => {
    await land('(7, 4, 1)');
    const first = await rehearse();
    await change(all[1] as { transform_id: string }, { description: 'by day', checks: checks(99) });
    const second = await rehearse({ adoptFrom: first });
    const [raw, , sums] = await views(first);
    t.strictSame(await adoptions(second), [raw?.run_id, 'definition_changed', sums?.run_id, 'inputs_moved']);
    const third = await rehearse({ adoptFrom: first });
    t.strictSame(
      await adoptions(third),
      ['files_gone', 'definition_changed', 'inputs_moved', 'inputs_moved'],
      'another run has them',
    );
    await sweep();
    const fourth = await ended(await begin('together', { adoptFrom: third }));
    t.strictSame(fourth.statuses, ALL);
    t.match(await adoptions(fourth.whole.run_id), ['files_gone', 'inputs_moved', 'inputs_moved', 'inputs_moved']);
    t.match(await rows(TOP), [[600, 24, 0]]);
    const before = await state();
    await land('(8, 4, 1)');
    await sweep();
    const kept = await files();
    await rehearse();
    t.strictSame(await state(), before, 'pointers, catalog, marks and checkpoints are as before');
    t.ok((await files()).length > kept.length);
    await sweep();
    t.strictSame((await files()).toSorted(), kept.toSorted(), 'a swept rehearsal leaves no file');
  });
});
