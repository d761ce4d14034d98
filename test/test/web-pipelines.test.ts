import { developmentToken } from '@weir/embedded';
import type { Endpoint, Input } from '@weir/kernel/contract';
import { listPipelineRuns, listPipelines } from '@weir/plugin-pipelines/contract';
import { createTransform, hydrateTransform, runQuery } from '@weir/plugin-transforms/contract';
import type { Page } from 'playwright-core';
import t from 'tap';
import { axeFaults, fitsIn, press, shot, signIn } from '../web-steps.ts';
import { webWorld } from '../web-world.ts';

const world = await webWorld(t, {}, {}, 'transform');
if (world === undefined) {
  t.plan(0, 'no Chromium on this machine, and it cannot be installed');
  process.exit();
}
const { url, open, platform, issuer } = world;
const NAME = 'nightly_revenue';

/** Calls the API as Ada in `demo`. */
async function ok<E extends Endpoint>(endpoint: E, input: Partial<Input<E>> = {}) {
  const token = await developmentToken(issuer, 'ada@demo');
  const answer = await platform.call({ token, tenant: 'demo' }, endpoint, input);
  if (!answer.ok) throw new Error(JSON.stringify(answer.problem));
  return answer.body;
}

async function transform(name: string, sql: string): Promise<void> {
  const { transform_id } = await ok(createTransform, { body: { name, sql, output: `gold.demo.${name}` } });
  await ok(hydrateTransform, { params: { transform_id } });
}
await transform('revenue', "select 'Müller & Söhne' as customer, 12.5 as amount union all select '<b>x</b>', 3");
await transform('revenue_by_name', 'select customer, sum(amount) as amount from gold.demo.revenue group by customer');

/** Chooses a transform in a list that is searched by typing. */
async function choose(page: Page, list: string, word: string): Promise<void> {
  await page
    .getByRole('combobox', { name: list })
    .or(page.getByRole('textbox', { name: list }))
    .first()
    .click();
  await page.keyboard.type(word);
  await page.getByRole('option', { name: new RegExp(`^${word} →`) }).click();
}

const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true });
const next = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

t.test('two transforms → a pipeline that is validated, rehearsed, activated and run, all in the browser', async (t) => {
  const window = await open({ colorScheme: 'dark' });
  const { page, faults } = window;
  await signIn(window, `${url}/`, 'Ada');
  await page.keyboard.press('g');
  await page.keyboard.press('p');
  await page.getByText('No pipeline yet.').waitFor();
  await page.keyboard.press('n');
  await page.getByRole('textbox', { name: 'Name' }).fill('Müller & Söhne');
  t.equal(await next(page, 'Create pipeline').isDisabled(), true, 'a name that the API refuses');
  await page.getByRole('textbox', { name: 'Name' }).fill(NAME);
  await choose(page, 'Transforms', 'revenue_by_name');
  t.strictSame(await axeFaults(page), [], 'the form');
  await page.keyboard.press('Escape');
  await press(page, next(page, 'Create pipeline'), 'Enter');
  await page.getByRole('heading', { level: 1, name: NAME }).waitFor();
  await choose(page, 'Add a step', 'revenue');
  await page.getByRole('button', { name: 'Remove step revenue', exact: true }).waitFor();
  await page.getByRole('region', { name: 'Graph of steps' }).getByText('gold.demo.revenue_by_name').waitFor();
  t.strictSame(await axeFaults(page), [], 'steps and their graph');
  await shot(page, 'pipeline-steps');
  await press(page, next(page, 'Validate'), 'Enter');
  await page.getByText('No fault. The steps run in 2 waves.').waitFor();
  await press(page, next(page, 'Rehearse'), 'Enter');
  await page.getByRole('heading', { level: 1, name: `Rehearsal of a pipeline: ${NAME}` }).waitFor();
  await page.getByRole('grid', { name: 'Rows of revenue_by_name' }).getByText('<b>x</b>').waitFor();
  t.strictSame(await axeFaults(page), [], 'a rehearsal and its rows');
  await shot(page, 'pipeline-rehearsal');
  await page.reload();
  await page.getByRole('link', { name: NAME }).first().click();
  await press(page, next(page, 'Activate'), 'Enter');
  await page.getByText('version 1', { exact: true }).waitFor();
  await press(page, next(page, 'Run now'), 'Enter');
  await page.getByRole('heading', { level: 1, name: `Pipeline: ${NAME}` }).waitFor();
  await page.locator('main').getByText('Succeeded', { exact: true }).first().waitFor();
  t.equal(await page.getByRole('heading', { level: 1 }).textContent(), `Pipeline: ${NAME}`);
  await shot(page, 'pipeline-run');
  const { rows } = await ok(runQuery, { body: { sql: 'select count(*) from gold.demo.revenue_by_name' } });
  t.strictSame(rows.map(String), ['2'], 'the tables are published');
  t.strictSame(faults, []);
});

t.test('its runs, versions and schedule; a step removed → what is active stays, and is named as it is', async (t) => {
  const window = await open({ width: 1_000 });
  const { page, faults } = window;
  const [pipeline] = (await ok(listPipelines)).items;
  const params = { pipeline_id: pipeline?.pipeline_id ?? '' };
  await signIn(window, `${url}/pipelines/${params.pipeline_id}`, 'Ada');
  await press(page, tab(page, 'Steps'), 'ArrowRight');
  await page.getByText('Started by hand, version 1').waitFor();
  t.equal(
    (await ok(listPipelineRuns, { params })).items.length,
    await page
      .getByRole('list', { name: /^Time and rows/ })
      .getByRole('listitem')
      .count(),
  );
  t.strictSame(await axeFaults(page), [], 'runs');
  await press(page, tab(page, 'Runs'), 'ArrowRight');
  await page.getByText('· active').waitFor();
  t.strictSame(await axeFaults(page), [], 'versions');
  await press(page, tab(page, 'Versions'), 'ArrowRight');
  await page.getByText(`No schedule: pipeline ${NAME} runs when somebody starts it.`).waitFor();
  await press(page, next(page, 'Set a schedule'), 'Enter');
  await press(page, next(page, 'Save schedule'), 'Enter');
  await page.getByRole('region', { name: 'Next runs' }).waitFor();
  await tab(page, 'Steps').click();
  await page.getByRole('button', { name: 'Remove step revenue', exact: true }).click();
  await page.getByText('version 1, not these steps').waitFor();
  t.strictSame(await axeFaults(page), [], 'steps that are not active');
  await page.getByRole('link', { name: 'Pipelines', exact: true }).click();
  await page.getByText('has changes that are not active').waitFor();
  await shot(page, 'pipelines');
  t.strictSame(faults, []);
});

t.test('a viewer in a narrow window → sees it, and is offered no change', async (t) => {
  const window = await open({ width: 400 });
  const { page, faults } = window;
  await signIn(window, `${url}/pipelines`, 'Eve', 'Pipelines');
  await page.getByRole('link', { name: NAME }).click();
  await page.getByRole('heading', { level: 1, name: NAME }).waitFor();
  await page.getByRole('row').filter({ hasText: 'revenue_by_name' }).first().waitFor();
  t.equal(
    await page.getByRole('button', { name: /^(Validate|Rehearse|Activate|Run now|Remove step|Pause)/ }).count(),
    0,
  );
  t.equal(await fitsIn(page), true);
  t.strictSame(await axeFaults(page), []);
  t.strictSame(faults, []);
});
