import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CallResult, call, type Endpoint, type Input } from '@weir/kernel/contract';
import { type Teardown, testDatabase, testIssuer } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import { previewDataset, sweepStagedFiles } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { apiProcess } from '../../../test/api-process.ts';
import { faultFolder } from '../../../test/crash/fault-folder.ts';
import { platformEnvironment } from '../../../test/platform.ts';
import { until } from '../../../test/until.ts';
import { startWorker } from '../../../test/worker-process.ts';
import * as endpoints from '../src/contract.ts';

const OUTPUT = 'gold.acme.answers';
/** Longer than two graces of a sweep. */
const LONG_AGO_HOURS = 100;

/** Database, issuer and folder of a platform whose processes a test starts and kills; calls go to `api.url`. */
async function processWorld(t: Teardown) {
  const folder = await mkdtemp(join(tmpdir(), 'weir-restarts-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const database = await testDatabase(t, tools);
  await database.tenant('acme');
  const issuer = await testIssuer(t);
  const token = await issuer.userToken({ subject: 'admin@acme', organizations: ['acme'], roles: ['admin'] });
  const faults = await faultFolder(`${folder}/faults`);
  const temporary = await mkdir(`${folder}/tmp`, { recursive: true }).then(() => `${folder}/tmp`);
  const own = { WEIR_FAULTPOINTS: faults.path, TMPDIR: temporary };
  const environment = { ...platformEnvironment({ database, issuer, folder }), ...own };
  const api = { url: '' };
  const asked = <E extends Endpoint>(endpoint: E, input: Partial<Input<E>> = {}): Promise<CallResult<E>> =>
    call(endpoint, input, { url: api.url, token, tenant: 'acme' });
  const ok = async <E extends Endpoint>(endpoint: E, input: Partial<Input<E>> = {}) => {
    const answer = await asked(endpoint, input);
    if (!answer.ok) throw new Error(JSON.stringify(answer.problem));
    return answer.body;
  };
  return { folder, temporary, database, faults, environment, api, asked, ok };
}

t.test('API and worker killed in mid-run → one run, right status, table before or after, files swept', async (t) => {
  const { folder, temporary, database, faults, environment, api, asked, ok } = await processWorld(t);
  const first = await apiProcess(t, environment);
  api.url = first.url;
  const worker = await startWorker(t, environment, 'transform');
  const body = { name: 'answers', sql: 'select 1 as v', output: OUTPUT };
  const params = { transform_id: (await ok(endpoints.createTransform, { body })).transform_id };
  await ok(endpoints.hydrateTransform, { params });
  const ended = (runId: string) =>
    until('the end of a run', async () => {
      const run = await ok(endpoints.getTransformRun, { params: { run_id: runId } });
      return run.is_terminal ? run : undefined;
    });
  const runs = async () => (await ok(endpoints.listRunsOfTransform, { params })).items;
  const rows = async () => (await ok(previewDataset, { params: { dataset_id: OUTPUT }, query: {} })).rows;
  const before = await ended((await ok(endpoints.materializeTransform, { params })).run_id);
  t.match(before, { status: 'succeeded', reason: 'first' });
  await ok(endpoints.changeTransform, { params, body: { sql: 'select 2 as v' } });
  await ok(endpoints.hydrateTransform, { params });

  // The workflow was started, which no answer says and no row: whoever is next must find one run.
  for (const point of ['S2', 'T2'] as const) await faults.arm(point);
  const lost = asked(endpoints.materializeTransform, { params }).catch(() => undefined);
  await faults.held('S2');
  await faults.held('T2');
  await first.end();
  await lost;
  const ofFirst = async () =>
    (await readdir(temporary)).filter((name) => name.startsWith(`weir-selects-${first.pid}-`));
  t.equal((await ofFirst()).length, 1, 'the killed API left the folder of its statements');
  const second = await apiProcess(t, environment);
  api.url = second.url;
  t.strictSame(await ofFirst(), [], 'the next one removed it');
  const [open, ...others] = await runs();
  t.match(open, { status: 'running', is_terminal: false });
  t.match(others, [{ run_id: before.run_id }], 'the lost answer made one run');
  t.strictSame(await rows(), [[1]], 'the table is as before');
  t.match(await asked(endpoints.materializeTransform, { params }), {
    problem: { status: 409, code: 'run_already_active', run_id: open?.run_id },
  });
  await worker.end('SIGKILL');
  await faults.release(['S2', 'T2']);
  await startWorker(t, environment, 'transform');
  const run = await ended(open?.run_id ?? '');
  t.match(run, { status: 'succeeded', reason: 'definition_changed', rows: '1', attempt: 2, failure: null });
  t.strictSame(await rows(), [[2]], 'the table is as after');
  t.match(await runs(), [{ run_id: run.run_id }, { run_id: before.run_id }]);

  await t.test('what the killed attempt had staged → swept, and nothing else', async (t) => {
    const data = `${folder}/warehouse/gold/acme`;
    const files = async () => {
      const found = await readdir(data, { recursive: true, withFileTypes: true });
      const names = found.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
      return names.filter((name) => name.endsWith('.parquet')).toSorted();
    };
    const staged = await files();
    const ofLost = staged.filter((name) => name.includes(`${run.run_id}-1`));
    t.equal(ofLost.length, 1, 'the killed attempt left a file');
    for (const action of ['mark', 'remove'] as const) {
      await database.peek(
        `update datasets.staged_file set staged_at = staged_at - make_interval(hours => ${LONG_AGO_HOURS}),
           marked_at = marked_at - make_interval(hours => ${LONG_AGO_HOURS})`,
      );
      const { items } = await ok(sweepStagedFiles, { query: {} });
      const own = items.filter(({ run_id }) => run_id === run.run_id);
      t.match(own, [{ action, dataset_id: OUTPUT, file_count: 1, done: true }], action);
    }
    t.strictSame(
      await files(),
      staged.filter((name) => !ofLost.includes(name)),
    );
    t.strictSame(await rows(), [[2]]);
    t.strictSame(await database.peek('select location from datasets.staged_file'), []);
  });
});
