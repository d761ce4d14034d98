import { createHash } from 'node:crypto';
import t from 'tap';
import * as endpoints from '../src/contract.ts';
import { refused, setUp } from './kit.ts';

const FIRST = 'a'.repeat(64);
const SECOND = 'b'.repeat(64);

t.test('runs of a transform → listed with filters, read, and its newest beside the transform', async (t) => {
  const { acme, kernel, call, create, run } = await setUp(t);
  const [one, two] = [await create('one'), await create('two')];
  const input = { dataset_id: 'bronze.acme.orders', snapshot_id: '9007199254740993' };
  const first = await run(one.transform_id, { orchestratorRunId: 'night', reason: 'first', inputs: [input] });
  await kernel.runs.finish(acme, first, { status: 'succeeded' });
  const second = await run(one.transform_id, { triggeringTransformId: two.transform_id });
  const other = await run(two.transform_id, { outputSnapshotId: '9223372036854775807', rowCount: '12' });
  const ids = async (query: object) => {
    const answer = await call(endpoints.listTransformRuns, { query });
    return answer.ok ? answer.body.items.map(({ run_id }) => run_id) : answer.problem.code;
  };
  t.strictSame(await ids({}), [other, second, first]);
  t.strictSame(await ids({ status: 'succeeded' }), [first]);
  t.strictSame(await ids({ status: 'pending', transform_id: one.transform_id }), [second]);
  t.strictSame(await ids({ orchestrator_run_id: 'night' }), [first]);
  t.strictSame(await ids({ triggering_transform_id: two.transform_id }), [second]);
  const params = { transform_id: one.transform_id };
  t.match(await call(endpoints.listRunsOfTransform, { params, query: { limit: 1 } }), {
    body: { items: [{ run_id: second, transform_id: one.transform_id, status: 'pending' }] },
  });
  t.match(await call(endpoints.getTransformRun, { params: { run_id: other } }), {
    body: { output_snapshot_id: '9223372036854775807', rows: '12', reason: null, worker: {} },
  });
  t.match(await call(endpoints.getRunOfTransform, { params: { ...params, run_id: first } }), {
    body: { orchestrator_run_id: 'night', reason: 'first', inputs: [input], status: 'succeeded', worker: null },
  });
  const ofAnother = { params: { ...params, run_id: other } };
  t.match(await call(endpoints.getRunOfTransform, ofAnother), refused(404, 'not_found'));
  t.match(await call(endpoints.getTransform, { params }), { body: { last_run: { run_id: second } } });
  t.match(await call(endpoints.readTransformRunLog, { params: { run_id: first } }), { body: { ended: true } });
});

t.test('an artifact → read, and downloaded as the bytes that its id digests', async (t) => {
  const { as, app, call, create, hydrated, tenant } = await setUp(t);
  const { transform_id } = await create('one');
  await hydrated(transform_id, FIRST);
  await hydrated(transform_id, SECOND, { materialization: 'append' });
  const { transform_id: other } = await create('other');
  await hydrated(other, SECOND);
  const list = await call(endpoints.listArtifacts, { query: { transform_id } });
  t.match(list, { body: { items: [{ artifact_id: SECOND }, { artifact_id: FIRST }] } });
  t.match(await call(endpoints.listArtifacts, { query: { transform_id: other } }), {
    body: { items: [{ artifact_id: SECOND, transform_ids: [transform_id, other].toSorted() }] },
  });
  const params = { artifact_id: FIRST };
  t.match(await call(endpoints.getArtifact, { params }), { body: { runtime: 'duckdb-sql/1', columns: 1 } });
  t.match(await call(endpoints.getArtifactContent, { params }), { body: { inputs: ['bronze.acme.orders'] } });
  const headers = { ...(await as('acme').headers()), accept: 'application/json' };
  const file = await app.inject({ url: `/api/v1/artifacts/${FIRST}/download`, headers });
  t.equal(file.headers['content-disposition'], `attachment; filename="${FIRST}.json"`);
  t.match(file.json(), { runtime: 'duckdb-sql/1' });
  t.match(createHash('sha256').update(file.body).digest('hex'), /^[0-9a-f]{64}$/);
  await tenant('foreign');
  t.match(await as('foreign').call(endpoints.getArtifact, { params }), refused(404, 'not_found'));
});

t.test('the checklist of a transform says of each item what to do', async (t) => {
  const { acme, kernel, workflows, call, create, hydrated, run } = await setUp(t);
  const { transform_id } = await create('one');
  const params = { transform_id };
  const failing = async () => {
    const answer = await call(endpoints.getTransformDetail, { params });
    if (!answer.ok) throw new Error(answer.problem.code);
    const failed = answer.body.readiness.checks.filter(({ status }) => status === 'fail');
    t.ok(
      failed.every(({ hint }) => hint !== null),
      'each has a fix',
    );
    t.equal(answer.body.can_run_now, failed.length === 0);
    return failed.map(({ check }) => check);
  };
  t.strictSame(await failing(), ['hydrated'], 'what a version would tell is not known yet');
  const missing = ['bronze.acme.gone', 'bronze.other.foreign'];
  await hydrated(transform_id, FIRST, { runtime: 'other/1', inputs: missing });
  t.strictSame(await failing(), ['runtime', 'inputs']);
  t.match(await call(endpoints.getTransformDetail, { params }), {
    body: {
      readiness: { checks: [{}, {}, {}, { items: [{ code: 'input_missing' }, { code: 'dataset_not_readable' }] }] },
    },
  });
  const open = { column: 'id', sources: [], influences: [], complete: false };
  await hydrated(transform_id, SECOND, { lineage: [open] });
  t.strictSame(await failing(), []);
  t.match(await call(endpoints.getTransformDetail, { params }), {
    body: { artifact: { lineage: [open] }, readiness: { ready: true } },
  });
  workflows.polledAt = undefined;
  t.strictSame(await failing(), ['worker']);
  workflows.polledAt = new Date();
  const runId = await run(transform_id);
  t.strictSame(await failing(), ['last_run']);
  await kernel.runs.finish(acme, runId, { status: 'cancelled' });
  await call(endpoints.changeTransform, { params, body: { archived: true } });
  t.strictSame(await failing(), ['archived']);
});

t.test('a transform with an open run → not deleted; afterwards its runs and artifacts go with it', async (t) => {
  const { kernel, acme, call, create, hydrated, run, end } = await setUp(t);
  const [one, two] = [await create('one'), await create('two')];
  const params = { transform_id: one.transform_id };
  await hydrated(one.transform_id, FIRST);
  await hydrated(one.transform_id, SECOND);
  await hydrated(two.transform_id, SECOND);
  const own = await run(one.transform_id, { artifactId: FIRST });
  t.match(await call(endpoints.deleteTransform, { params }), {
    ok: false,
    problem: { status: 409, code: 'run_already_active', run_id: own },
  });
  await kernel.runs.finish(acme, own, { status: 'succeeded' });
  const refusal = async () => {
    const answer = await call(endpoints.deleteTransform, { params });
    return answer.ok ? undefined : answer.problem.run_id;
  };
  t.match(await refusal(), /-/, 'the whole is open');
  await end(own);
  const fired = await run(two.transform_id, { triggeringTransformId: one.transform_id });
  t.equal(await refusal(), fired, 'a run of another transform that it triggered');
  await end(fired);
  const kept = await run(two.transform_id);
  t.match(await call(endpoints.deleteTransform, { params }), { ok: true });
  t.match(await call(endpoints.listTransformRuns), { body: { items: [{ run_id: kept }] } });
  for (const run_id of [own, fired])
    t.match(await call(endpoints.getTransformRun, { params: { run_id } }), refused(404, 'not_found'));
  t.match(await call(endpoints.listArtifacts), { body: { items: [{ artifact_id: SECOND }] } });
});
