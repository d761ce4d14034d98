import { call as callAs } from '@weir/kernel/contract';
import {
  createTransform,
  deleteTransform,
  getTransform,
  hydrateTransform,
  listTransforms,
} from '@weir/plugin-transforms/contract';
import t from 'tap';
import { runWorld } from '../../transforms/test/run-kit.ts';
import * as endpoints from '../src/contract.ts';

const NOTHING = '0199d3f2-5c1e-7a40-9b6d-3f1c2a7e8d90';

t.test('pipelines are written, changed, found and deleted', async (t) => {
  const world = await runWorld(t);
  const { ok, call, hydrated } = world;
  const codeOf = async (answer: Promise<{ ok: true } | { ok: false; problem: { code: string; errors?: unknown } }>) => {
    const found = await answer;
    return found.ok ? 'accepted' : [found.problem.code, found.problem.errors];
  };
  const raw = await hydrated('revenue', 'select 1 as id', 'silver.acme.revenue');
  const create = (body: object) => call(endpoints.createPipeline, { body: { name: 'daily', ...body } });
  const inline = (name: string, output: string) => ({ name, sql: 'select id from silver.acme.revenue', output });

  await t.test('steps that cannot be → each fault by its place, and nothing is made', async (t) => {
    const before = (await ok(listTransforms, {})).items.length;
    const steps = [
      { step_id: 'made', transform: inline('made', 'gold.acme.made') },
      { step_id: 'made', transform_id: NOTHING, after: ['made', 'other'] },
      { step_id: 'neither' },
    ];
    t.strictSame(await codeOf(create({ steps })), [
      'steps_refused',
      [
        { pointer: '/steps/1/step_id', code: 'step_doubled', message: 'Two steps have one id' },
        { pointer: '/steps/1/after/0', code: 'step_unknown', message: 'No step has this id' },
        { pointer: '/steps/1/after/1', code: 'step_unknown', message: 'No step has this id' },
        {
          pointer: '/steps/2',
          code: 'transform_unclear',
          message: 'A step has either the id of a transform, or a transform that is to be made',
        },
      ],
    ]);
    const unknown = [steps[0], { step_id: 'gone', transform_id: NOTHING }];
    t.match(await codeOf(create({ steps: unknown })), ['steps_refused', [{ pointer: '/steps/1' }]]);
    const outside = [{ step_id: 'out', transform: { ...inline('out', 'gold.other.out'), checks: [] } }];
    t.match(await codeOf(create({ steps: outside })), ['output_refused']);
    const taken = [{ step_id: 'taken', transform: inline('revenue', 'gold.acme.taken') }];
    t.match(await codeOf(create({ steps: taken })), ['transform_name_taken']);
    t.equal((await ok(listTransforms, {})).items.length, before);
    t.strictSame((await ok(endpoints.listPipelines, {})).items, []);
  });

  const steps = [
    { step_id: 'sums', transform: inline('sums', 'gold.acme.sums') },
    { step_id: 'raw', ...raw },
  ];
  const made = await ok(endpoints.createPipeline, { body: { name: 'daily', steps, description: 'Müller & Söhne' } });
  const params = { pipeline_id: made.pipeline_id };
  const sums = { transform_id: made.steps[0]?.transform_id ?? '' };

  await t.test('a transform in the body → is made with the pipeline, and has to be hydrated', async (t) => {
    t.match(made, {
      status: 'draft',
      publish: 'together',
      description: 'Müller & Söhne',
      steps: [{ artifact_id: null }, {}],
    });
    t.match(await ok(getTransform, { params: sums }), { name: 'sums', version: null });
    const faults = (await ok(endpoints.validateDag, { body: params })).faults;
    t.match(faults, [{ code: 'not_hydrated', step_id: 'sums', pointer: '/steps/0' }]);
    await ok(hydrateTransform, { params: sums });
    const now = await ok(endpoints.getPipeline, { params });
    t.not(now.fingerprint, made.fingerprint, 'the fingerprint follows');
    t.equal(now.etag, made.etag);
    t.match(now.steps, [{ inputs: [{ dataset_id: 'silver.acme.revenue', from_step: 'raw' }] }, { inputs: [] }]);
    const tried = await ok(endpoints.validateDag, { body: { steps: [{ step_id: 'sums', ...sums }] } });
    t.match(tried.faults, [{ code: 'input_not_made', dataset_id: 'silver.acme.revenue', step_id: 'sums' }]);
    t.match(await call(endpoints.validateDag, { body: {} }), { problem: { code: 'validation_failed' } });
  });

  await t.test('a step is changed, or all; a stale etag is refused', async (t) => {
    const at = { ...params, step_id: 'sums' };
    const changed = await ok(endpoints.changeStep, { params: at, body: { after: ['raw'] } });
    t.match(changed.steps, [{ step_id: 'sums', after: ['raw'] }, { step_id: 'raw' }]);
    t.match(await call(endpoints.changeStep, { params: at, body: { after: ['sums'] } }), {
      problem: { code: 'steps_refused', errors: [{ pointer: '/after/0' }] },
    });
    const absent = { ...params, step_id: 'absent' };
    t.match(await call(endpoints.changeStep, { params: absent, body: { after: [] } }), {
      problem: { code: 'not_found' },
    });
    const token = await world.token('acme');
    const stale = { url: world.api.url, token, tenant: 'acme', headers: { 'if-match': '"1"' } };
    const body = { name: 'daily-2', steps: [{ step_id: 'raw', ...raw }], publish: 'each' as const };
    t.match(await callAs(endpoints.putPipeline, { params, body }, stale), { problem: { code: 'precondition_failed' } });
    const put = await ok(endpoints.putPipeline, { params, body });
    t.match(put, { name: 'daily-2', publish: 'each', description: null, steps: [{ step_id: 'raw' }] });
  });

  await t.test('lists, and transforms that may be steps', async (t) => {
    const names = async (query: object) => (await ok(endpoints.listPipelines, { query })).items.map(({ name }) => name);
    t.strictSame(await names({ transform_id: raw.transform_id }), ['daily-2']);
    t.strictSame(await names({ transform_id: sums.transform_id }), []);
    t.strictSame(await names({ dataset_id: 'SILVER.acme.revenue', status: 'draft' }), ['daily-2']);
    t.strictSame(await names({ name: 'daily' }), []);
    const found = await ok(endpoints.listAvailableTransforms, { query: { search: 'REVEN' } });
    t.match(found.items, [
      { name: 'revenue', hydrated: true, columns: [{ name: 'id', type: 'int' }], pipelines: [{ name: 'daily-2' }] },
    ]);
    t.strictSame((await ok(endpoints.listAvailableTransforms, { query: { search: '%' } })).items, []);
  });

  await t.test('a schedule goes with its pipeline; a transform is free once no pipeline has it', async (t) => {
    const body = { cron: ['0 6 * * *'] };
    t.match(await ok(endpoints.putPipelineSchedule, { params, body }), { pipeline_name: 'daily-2' });
    t.match((await ok(endpoints.getPipeline, { params })).schedule, { paused: false });
    t.match(await call(endpoints.triggerPipelineSchedule, { params }), { problem: { code: 'pipeline_not_activated' } });
    t.match(await call(deleteTransform, { params: raw }), {
      problem: { code: 'transform_in_use', pipeline_ids: [params.pipeline_id] },
    });
    t.match(await call(deleteTransform, { params: sums }), { ok: true }, 'no pipeline has it any more');
    await ok(endpoints.deletePipeline, { params });
    t.match(await call(endpoints.getPipelineSchedule, { params }), { problem: { code: 'not_found' } });
    t.strictSame((await ok(endpoints.listPipelineSchedules, {})).items, []);
    t.match(await call(deleteTransform, { params: raw }), { ok: true });
    t.match(await create({}), { ok: true }, 'the name is free');
    t.match(await call(createTransform, { body: inline('again', 'gold.acme.again') }), { ok: true });
  });
});
