import type { Endpoint, Input } from '@weir/kernel/contract';
import { cancelRun, getRun, listRuns } from '@weir/plugin-runs/contract';
import { changeTransform, deleteTransform, materializeTransform } from '@weir/plugin-transforms/contract';
import { startWorkflow } from '@weir/plugin-workflow-engine/contract';
import t from 'tap';
import * as endpoints from '../src/contract.ts';
import { CLEAN, pipelineWorld, RAW, SUMS } from './pipeline-kit.ts';

t.test('from steps to tables that change together', async (t) => {
  const world = await pipelineWorld(t);
  const { ok, call, create, get, validated, rehearsed, run, ended, state, rows, raw, clean, sums, values, change } =
    world;
  const params = await create('daily-revenue');
  const codeOf = (answer: { ok: true } | { ok: false; problem: { code: string } }) =>
    answer.ok ? 'accepted' : answer.problem.code;
  const refused = async <E extends Endpoint>(endpoint: E, body: object = {}) =>
    codeOf(await call(endpoint, { params, body } as unknown as Partial<Input<E>>));

  await t.test('a draft → each further call is refused by its code', async (t) => {
    t.match(await get(params), { status: 'draft', draft_state: 'draft', active_version: null, last_run: null });
    t.equal(await refused(endpoints.sandboxPipeline), 'pipeline_not_validated');
    t.equal(await refused(endpoints.createVersion), 'pipeline_not_validated');
    t.equal(await refused(endpoints.activatePipeline), 'pipeline_not_sandboxed');
    t.equal(await refused(endpoints.pausePipeline), 'pipeline_not_activated');
    t.equal(await refused(endpoints.runPipeline), 'pipeline_not_activated');
    t.equal(await refused(endpoints.createPipeline, { name: 'daily-revenue' }), 'pipeline_name_taken');
  });

  const found = await validated(params);
  t.match(found, { valid: true, waves: [['raw'], ['clean'], ['sums']], faults: [] });
  const { etag, fingerprint } = await get(params);
  t.match(await get(params), { status: 'validated', validated: { by: 'admin@acme' }, fingerprint: found.fingerprint });

  const nothing = await state();
  const rehearsal = await rehearsed(params, { sample_rows: 2 });
  t.match(rehearsal, { status: 'succeeded', publish: 'none', version: null, published: false, outputs: [] });
  t.match(
    rehearsal.steps.map(({ step_id, status, rows, sample }) => [step_id, status, rows, sample?.rows]),
    [
      [
        'raw',
        'succeeded',
        '2',
        [
          [1, 10],
          [2, 20],
        ],
      ],
      ['clean', 'succeeded', '1', [[2, 20]]],
      ['sums', 'succeeded', '1', [[20]]],
    ],
  );
  t.strictSame(await state(), nothing, 'a rehearsal moves nothing');
  t.match(await get(params), { status: 'sandboxed', sandboxed: { run_id: rehearsal.run_id }, fingerprint, etag });

  t.match(await ok(endpoints.activatePipeline, { params, body: {} }), { status: 'activated', active_version: 1 });
  const promoted = await run(params, { promote_run_id: rehearsal.run_id });
  t.match(promoted, { status: 'succeeded', published: true, version: 1, why: { kind: 'promotion' } });
  t.match(promoted.steps[0], { adopted_from: String }, 'what was rehearsed is published, not computed again');
  t.strictSame(
    promoted.outputs.map(({ dataset_id }) => dataset_id),
    [RAW, CLEAN, SUMS],
  );
  t.strictSame(await rows(SUMS), [[20]]);
  t.match(await run(params), { status: 'skipped', published: false });
  t.match(await ok(getRun, { params: { id: promoted.run_id } }), {
    kind: 'pipeline',
    subject: { kind: 'pipeline', name: 'daily-revenue' },
  });

  await t.test('an edited transform changes nothing of what is active; a deleted one is refused', async (t) => {
    await change(raw, { sql: values('(1, 100), (2, 200)') });
    t.match(await get(params), { status: 'activated', draft_state: 'draft', validated: null, sandboxed: null });
    t.match(await run(params, { force: true }), { status: 'succeeded', version: 1 });
    t.strictSame(await rows(SUMS), [[20]]);
    const deleted = await call(deleteTransform, { params: raw });
    t.match(deleted, { problem: { code: 'transform_in_use', pipeline_ids: [params.pipeline_id] } });
    t.equal(await refused(endpoints.activatePipeline), 'pipeline_not_sandboxed');
  });

  await t.test('a rehearsal that fails counts for nothing; a run that was cancelled is resumed', async (t) => {
    await change(sums, { checks: [{ name: 'none', kind: 'row_count', max: 0 }] });
    t.match(await validated(params), { valid: true });
    const failed = await rehearsed(params);
    t.match(failed, { status: 'failed', failure: { code: 'check_failed' } });
    t.match(failed.steps[2], { step_id: 'sums', failure: { code: 'check_failed' }, checks: [{ name: 'none' }] });
    t.match(await get(params), { draft_state: 'validated', sandboxed: null });
    await change(sums, { checks: null });
    await validated(params);
    t.match(await rehearsed(params), { status: 'succeeded' });
    const active = await ok(endpoints.activatePipeline, { params, body: {} });
    t.match(active, { active_version: 2, draft_state: 'same_as_active' });
    const { run_id } = await ok(endpoints.runPipeline, { params });
    await ok(cancelRun, { params: { id: run_id } });
    t.match(await ended(params, run_id), { status: 'cancelled', published: false });
    const resumed = await run(params, { resume_run_id: run_id });
    t.match(resumed, { status: 'succeeded', version: 2, resumed_run_id: run_id, why: { kind: 'resume', run_id } });
    t.strictSame(await rows(SUMS), [[300]]);
    t.equal(await refused(endpoints.runPipeline, { resume_run_id: resumed.run_id }), 'resume_refused');
    t.equal(await refused(endpoints.runPipeline, { promote_run_id: rehearsal.run_id }), 'resume_refused');
  });

  await t.test('an older version is the way back; a paused pipeline runs when it is activated again', async (t) => {
    t.match(await ok(endpoints.activatePipeline, { params, body: { version: 1 } }), { active_version: 1 });
    t.match(await run(params), { status: 'succeeded', version: 1 });
    t.strictSame(await rows(SUMS), [[20]]);
    const difference = await ok(endpoints.readDifference, { params: { ...params, version: 1 }, query: { to: 2 } });
    t.match(difference, { same: false, publish: null });
    t.strictSame(difference.steps.map(({ step_id, members }) => [step_id, members]).toSorted(), [
      ['raw', ['artifact_id']],
    ]);
    t.match(await ok(endpoints.pausePipeline, { params, body: { reason: 'wrong' } }), { paused: { reason: 'wrong' } });
    t.equal(await refused(endpoints.runPipeline), 'pipeline_paused');
    t.match(await ok(endpoints.activatePipeline, { params, body: {} }), { status: 'activated', active_version: 2 });
    const body = { pipeline_id: params.pipeline_id };
    const started = await ok(startWorkflow.pipeline, { body });
    t.match(await ended(params, started.run_id), { version: 2, why: { kind: 'workflow' } });
  });

  await t.test('a pipeline that is deleted → its runs stay in the list of runs, its transforms are free', async (t) => {
    const { items } = await ok(endpoints.listPipelineRuns, { params, query: { sandbox: true } });
    t.equal(
      items.every(({ publish }) => publish === 'none'),
      true,
    );
    await ok(endpoints.deletePipeline, { params });
    t.match(await call(endpoints.getPipeline, { params }), { problem: { code: 'not_found' } });
    t.match((await ok(listRuns, { query: { kind: 'pipeline' } })).items[0], { subject: { name: 'daily-revenue' } });
    t.match(await call(materializeTransform, { params: clean }), { ok: true });
    t.match(await call(changeTransform, { params: clean, body: { archived: true } }), { ok: true });
  });
});
