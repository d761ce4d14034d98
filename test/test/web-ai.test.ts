import { writeFile } from 'node:fs/promises';
import { developmentToken } from '@weir/embedded';
import type { Endpoint, Input } from '@weir/kernel/contract';
import {
  composePipeline,
  fixCiFailure,
  getComposeStatus,
  getExecution,
  listExecutions,
  publishTransform,
} from '@weir/plugin-ai/contract';
import { getRun } from '@weir/plugin-runs/contract';
import { bulkStreams, createSource, getSyncStatus, startSync } from '@weir/plugin-sources/contract';
import {
  changeTransform,
  createTransform,
  getTransform,
  hydrateTransform,
  materializeTransform,
} from '@weir/plugin-transforms/contract';
import { startWorkflow } from '@weir/plugin-workflow-engine/contract';
import t from 'tap';
import { apiOf, giveOptIn } from '../examples.ts';
import { until } from '../until.ts';
import { axeFaults, press, shot, signIn } from '../web-steps.ts';
import { webWorld } from '../web-world.ts';

const world = await webWorld(t, {}, {}, 'source,discovery,transform,general');
if (world === undefined) {
  t.plan(1, 'no Chromium on this machine, and it cannot be installed');
  process.exit();
}
const { url, open, platform, issuer } = world;
const folder = t.testdir({});
await writeFile(`${folder}/orders.csv`, 'id,city\n1,Ulm\n2,Bonn\n3,Müller & Söhne\n');
const ORDERS = 'bronze.demo.shop__orders';

/** Calls the API as Ada in `demo`. */
async function ok<E extends Endpoint>(endpoint: E, input: Partial<Input<E>> = {}) {
  const token = await developmentToken(issuer, 'ada@demo');
  const answer = await platform.call({ token, tenant: 'demo' }, endpoint, input);
  if (!answer.ok) throw new Error(JSON.stringify(answer.problem));
  return answer.body;
}

t.before(async () => {
  const token = await developmentToken(issuer, 'ada@demo');
  await giveOptIn(apiOf({ url, token, tenant: 'demo' }), 'demo');
  const source = await ok(createSource, {
    body: { name: 'shop', pattern_id: 'files', source_config: { path: folder } },
  });
  const params = { source_id: source.source_id };
  const schema = { type: 'object', properties: { id: { type: 'integer' }, city: { type: 'string' } } };
  const stream = { name: 'orders', sync_mode: 'full_refresh' as const, write_mode: 'overwrite' as const };
  await ok(bulkStreams, { params, body: { streams: [{ ...stream, schema, enabled: true }] } });
  await ok(startSync, { params });
  await until('the sync', async () => (await ok(getSyncStatus, { params })).run?.status === 'succeeded');
});

t.test('in the editor by keyboard: a fix is accepted as draft, a written statement is refused', async (t) => {
  const made = await ok(createTransform, {
    body: { name: 'cities', output: 'gold.demo.cities', sql: `select id, uper(city) as city from ${ORDERS}` },
  });
  const params = { transform_id: made.transform_id };
  const { page, ...window } = await open({ colorScheme: 'dark' });
  await signIn({ page, ...window }, `${url}/transforms/${made.transform_id}?tab=definition`, 'Ada');
  const fix = page.getByRole('button', { name: 'Fix it' });
  await until('the fault is known', () => fix.isEnabled());
  await press(page, fix, 'Enter');
  const proposal = page.getByRole('region', { name: 'Proposal' });
  await proposal.getByText('upper(city)').waitFor();
  t.strictSame(await axeFaults(page), []);
  await shot(page, 'ai-fix');
  t.match(await ok(getTransform, { params }), { draft: { sql: /uper/ } }, 'nothing is changed before it is accepted');
  await press(page, proposal.getByRole('button', { name: 'Accept as draft' }), 'Enter');
  await proposal.waitFor({ state: 'detached' });
  t.match(await ok(getTransform, { params }), { draft: { sql: `select id, upper(city) as city from ${ORDERS}` } });

  await page.getByRole('textbox', { name: 'What the table should hold' }).fill('count rows by city');
  const write = page.getByRole('button', { name: 'Write it' });
  await until('its tables are known', () => write.isEnabled());
  await press(page, write, 'Enter');
  await proposal.getByText('The number of rows for each city').waitFor();
  await press(page, proposal.getByRole('button', { name: 'Refuse' }), 'Enter');
  await proposal.waitFor({ state: 'detached' });
  await press(page, page.getByRole('button', { name: 'Explain it' }), 'Enter');
  await page.getByText(`Reads ${ORDERS}, and gives 2 columns.`).waitFor();
  const { items } = await ok(listExecutions);
  t.same(items.map(({ proposal: state }) => String(state)).toSorted(), ['accepted', 'null', 'refused']);
  t.strictSame(window.faults, []);
});

t.test('what was edited since a proposal was made → is not lost to it', async (t) => {
  const sql = `select id, uper(city) as city from ${ORDERS}`;
  const { transform_id } = await ok(createTransform, { body: { name: 'towns', output: 'gold.demo.towns', sql } });
  const params = { transform_id };
  const { execution_id, digest } = await ok(fixCiFailure, { body: { transform_id } });
  const edited = `select id from ${ORDERS}`;
  await ok(changeTransform, { params, body: { sql: edited } });
  const body = { execution_id, expected_digest: digest ?? '' };
  const token = await developmentToken(issuer, 'ada@demo');
  const late = await platform.call({ token, tenant: 'demo' }, publishTransform, { body });
  t.match(late, { status: 412, problem: { code: 'precondition_failed' } });
  t.match(await ok(getTransform, { params }), { draft: { sql: edited } });
  t.match(await ok(getExecution, { params: { execution_id } }), { proposal: 'drafted' }, 'it can be looked at still');
});

t.test('a failed run → why, and what would help', async (t) => {
  const made = await ok(createTransform, {
    body: {
      name: 'numbers',
      output: 'gold.demo.numbers',
      sql: `select cast(city as integer) as number from ${ORDERS}`,
    },
  });
  const params = { transform_id: made.transform_id };
  await ok(hydrateTransform, { params });
  const { run_id: id } = await ok(materializeTransform, { params });
  await until('the run', async () => (await ok(getRun, { params: { id } })).status === 'failed');
  const { page, ...window } = await open();
  await signIn({ page, ...window }, `${url}/runs/${id}`, 'Ada');
  await press(page, page.getByRole('button', { name: 'Why, and what would help' }), 'Enter');
  const proposal = page.getByRole('region', { name: 'Proposal' });
  await proposal.waitFor();
  t.match(await proposal.textContent(), /No change of the statement helps by itself/);
  t.notMatch(await proposal.textContent(), /Söhne|Ulm/);
  t.strictSame(await axeFaults(page), []);
  await shot(page, 'ai-why');
  t.strictSame(window.faults, []);
});

t.test('a worker composes a pipeline and matches schemas; the starts name the proposals', async (t) => {
  const goal = 'rows where id > 1; count rows by city';
  const { execution_id } = await ok(composePipeline, { body: { goal, dataset_ids: [ORDERS] } });
  const composed = await until('the pipeline', async () => {
    const found = await ok(getComposeStatus, { params: { execution_id } });
    return found.status === 'succeeded' ? found : undefined;
  });
  t.match(composed, {
    progress: 1,
    proposal: 'drafted',
    result: { dag_validation: { valid: true }, reviews: [{}, {}] },
  });
  const schema = { type: 'object', properties: { town: { type: 'string' }, id: { type: 'string' } } };
  const body = { source: { dataset_id: ORDERS }, target: { schema } };
  const match = await ok(startWorkflow['schema-match'], { body });
  const params = { execution_id: match.execution_id ?? '' };
  const found = await until('the match', async () => {
    const one = await ok(getExecution, { params });
    return one.status === 'succeeded' ? one : undefined;
  });
  t.match(found, {
    task: 'schema-match',
    proposal: 'drafted',
    result: { mappings: [{ source_field: 'id', target_field: 'id' }] },
  });
});
