import { API_VERSION, applyPlan, dryRunDocuments, exportDocuments } from '@weir/plugin-apply/contract';
import { listTransforms } from '@weir/plugin-transforms/contract';
import t from 'tap';
import * as endpoints from '../src/contract.ts';
import { pipelineWorld, RAW } from './pipeline-kit.ts';

const doc = (kind: string, name: string, spec: object) => ({
  ...{ apiVersion: API_VERSION, kind },
  ...{ metadata: { name }, spec },
});
const STEPS = [
  { step_id: 'sums', transform: 'sums', after: ['raw'] },
  { step_id: 'clean', transform: 'clean' },
  { step_id: 'raw', transform: 'raw' },
];
const pipeline = (spec: object = {}, name = 'daily-revenue') => doc('Pipeline', name, { steps: STEPS, ...spec });

t.test('pipelines as documents', async (t) => {
  const { ok, get, rehearsed, values } = await pipelineWorld(t);
  const plan = (docs: object[]) => ok(dryRunDocuments, { body: { docs } });
  const apply = async (docs: object[]) => {
    const { fingerprint } = await plan(docs);
    return ok(applyPlan, { body: { docs, fingerprint } });
  };
  const exported = async () => (await ok(exportDocuments, { query: { kind: 'Pipeline' } })).docs;
  const refused = { action: 'would-409', errors: [{ code: 'pipeline_not_sandboxed', pointer: '/spec/active' }] };
  const idOf = async (name: string) => {
    const [found] = (await ok(endpoints.listPipelines, { query: { name } })).items;
    return { pipeline_id: found?.pipeline_id ?? '' };
  };

  await t.test('a new one → created with its schedule and validated; active needs a rehearsal', async (t) => {
    const described = { description: 'Umsatz von Müller & Söhne', schedule: { cron: ['0 6 * * *'], paused: true } };
    t.match((await plan([pipeline({ active: true })])).results, [refused]);
    const { results } = await plan([pipeline(described)]);
    t.strictSame(
      results[0]?.calls.map(({ method, path }) => `${method} ${path.replace('/api/v1', '')}`),
      [
        ...['POST /pipelines', 'POST /pipelines/validate-dag', 'PUT /pipelines/{pipeline_id}/schedule'],
        'POST /pipelines/{pipeline_id}/schedule/pause',
      ],
    );
    t.match(await apply([pipeline(described)]), { status: 'applied', results: [{ calls: 4, outcome: 'applied' }] });
    t.match(await get(await idOf('daily-revenue')), { draft_state: 'validated', schedule: { paused: true } });
    const [one] = await exported();
    t.strictSame(one?.spec, { steps: STEPS, ...described, active: false });
    t.match(await plan(await exported()), { summary: { noop: 1 } });
  });

  await t.test('rehearsed steps → active by their document, and inactive again', async (t) => {
    const params = await idOf('daily-revenue');
    t.match((await plan([pipeline({ active: true })])).results, [refused]);
    t.match(await rehearsed(params), { status: 'succeeded' });
    const { description } = await get(params);
    const active = [pipeline({ active: true, description })];
    t.match((await plan(active)).results, [
      { action: 'patch', changes: [{ pointer: '/active', before: false, after: true }], calls: [{ method: 'POST' }] },
    ]);
    t.match(await apply(active), { status: 'applied' });
    t.match(await get(params), { status: 'activated', active_version: 1 });
    t.match(await plan(active), { summary: { noop: 1 } });
    t.match(await plan(await exported()), { summary: { noop: 1 } });
    t.match(await apply([pipeline({ active: false, description })]), { results: [{ calls: 1 }] });
    t.match(await get(params), { status: 'paused' });
    t.match(await apply(active), { status: 'applied' });
    t.match(await get(params), { status: 'activated' });
  });

  await t.test('a transform that is changed in the same plan → the rehearsal no longer holds', async (t) => {
    const { description } = await get(await idOf('daily-revenue'));
    const raw = doc('Transform', 'raw', { sql: values('(1, 10), (3, 30)'), output: RAW });
    const { results } = await plan([raw, pipeline({ active: true, description })]);
    t.match(results, [{ action: 'patch' }, refused]);
  });

  await t.test('other steps → a draft; the active version stays and the export says nothing of it', async (t) => {
    const params = await idOf('daily-revenue');
    const steps = STEPS.slice(1);
    const [change] = (await plan([pipeline({ steps })])).results;
    t.match(change?.changes, [{ pointer: '/steps/sums', change: 'remove' }, { pointer: '/description' }]);
    t.match((await plan([pipeline({ steps, active: true })])).results, [refused]);
    t.match(await apply([pipeline({ steps, publish: 'each' })]), { status: 'applied' });
    t.match(await get(params), { status: 'activated', draft_state: 'validated', active_version: 1, publish: 'each' });
    const [one] = await exported();
    t.notOk('active' in (one?.spec ?? {}));
    t.match(await plan(await exported()), { summary: { noop: 1 } });
    t.match(await apply([pipeline({ steps, publish: 'each', active: false })]), { results: [{ calls: 1 }] });
  });

  await t.test('transforms that earlier documents make → steps; faults of steps by their place', async (t) => {
    const made = doc('Transform', 'made', { sql: 'select 1 as one', output: 'gold.acme.made' });
    const steps = [{ step_id: 'only', transform: 'made' }];
    t.match((await plan([pipeline({ steps }, 'early'), made])).results, [
      { errors: [{ code: 'reference_unknown', pointer: '/spec/steps/0/transform' }] },
      { action: 'create' },
    ]);
    t.match(await apply([made, pipeline({ steps }, 'late')]), { status: 'applied' });
    const [transform] = (await ok(listTransforms, { query: { name: 'made' } })).items;
    t.match(await get(await idOf('late')), { steps: [{ transform_id: transform?.transform_id }] });
    const broken = [
      { step_id: 'a', transform: 'raw' },
      { step_id: 'a', transform: 'clean', after: ['nothing'] },
    ];
    t.match((await plan([pipeline({ steps: broken })])).results[0]?.errors, [
      { code: 'steps_refused', pointer: '/spec/steps/1/step_id' },
      { code: 'steps_refused', pointer: '/spec/steps/1/after/0' },
    ]);
    const doubled = [
      { step_id: 'a', transform: 'raw' },
      { step_id: 'b', transform: 'raw' },
    ];
    const { status, results } = await apply([pipeline({ steps: doubled }, 'doubled')]);
    t.equal(status, 'applied');
    t.match(results[0]?.warnings, [{ code: 'output_doubled', detail: /The pipeline is not valid: step [ab]: / }]);
  });
});
