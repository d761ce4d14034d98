import { Type } from '@sinclair/typebox';
import { contribute } from '@weir/kernel';
import { Closed } from '@weir/kernel/contract';
import t from 'tap';
import { startWorkflow, WORKFLOW_STARTS, type WorkflowStart, WorkflowStarts } from '../src/contract.ts';
import { engineUnderTest } from './kit.ts';

t.test('a workflow that no plugin brings is 501 feature_not_configured by name', async (t) => {
  const under = await engineUnderTest(t);
  await under.tenant('acme');
  for (const name of WORKFLOW_STARTS) {
    const call = under.as('acme', 'pipeline_editor').call(startWorkflow[name], { body: { anything: 1 } });
    t.match(await call, { status: 501, problem: { code: 'feature_not_configured', feature: name } });
    const viewer = await under.as('acme', 'viewer').call(startWorkflow[name], { body: {} });
    t.match(viewer, { status: 403, problem: { code: 'forbidden_role' } });
  }
});

t.test('the plugin that brings a workflow starts it, for the tenant and with the body that it declared', async (t) => {
  const started: unknown[] = [];
  const accepted = { run_id: '018f4a6e-0000-7000-8000-000000000001', workflow_id: 'w', warning: null };
  const transform: WorkflowStart = {
    name: 'transform',
    body: Closed({ transform_id: Type.String({ maxLength: 5 }) }),
    async start({ alias }, principal, body) {
      started.push([alias, 'subject' in principal && principal.subject, body]);
      return accepted;
    },
  };
  const under = await engineUnderTest(t, { contributes: [contribute(WorkflowStarts, transform)] });
  await under.tenant('acme');
  const { call } = under.as('acme', 'pipeline_editor');
  const answer = await call(startWorkflow.transform, { body: { transform_id: 't1' } });
  t.match(answer, { status: 202, body: accepted });
  t.equal(answer.headers.get('location'), '/api/v1/workflow-engine/workflows/w');
  t.strictSame(started, [['acme', 'pipeline_editor@acme', { transform_id: 't1' }]]);
  for (const [body, pointer, code] of [
    [{}, '/transform_id', 'required'],
    [{ transform_id: 'canary-too-long' }, '/transform_id', 'maxLength'],
    [{ transform_id: 7 }, '/transform_id', 'type'],
    // A name that the caller made up is not echoed: the pointer is that of its object.
    [{ transform_id: 't', other: 1 }, '', 'additionalProperties'],
    [[], '', 'type'],
    ['text', '', 'type'],
  ] as const) {
    const refused = await call(startWorkflow.transform, { body: body as never });
    t.match(refused, { status: 400, problem: { code: 'validation_failed', errors: [{ pointer, code }] } });
    t.notMatch(JSON.stringify(refused), /canary/);
  }
  t.equal(started.length, 1);
  t.match(await call(startWorkflow.pipeline, { body: {} }), { status: 501, problem: { feature: 'pipeline' } });
});
