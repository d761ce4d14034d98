import { writeFile } from 'node:fs/promises';
import { developmentToken } from '@weir/embedded';
import type { Endpoint, Input } from '@weir/kernel/contract';
import { bulkStreams, createSource, getSyncStatus, startSync } from '@weir/plugin-sources/contract';
import {
  createTransform,
  getTransformRun,
  hydrateTransform,
  materializeTransform,
} from '@weir/plugin-transforms/contract';
import type { Locator, Page } from 'playwright-core';
import t from 'tap';
import { until } from '../until.ts';
import { axeFaults, fitsIn, press, shot, signIn } from '../web-steps.ts';
import { webWorld } from '../web-world.ts';

const TABLE = 'bronze.demo.shop__orders';

const world = await webWorld(t, {}, {}, 'source,discovery,transform');
if (world === undefined) {
  t.plan(0, 'no Chromium on this machine, and it cannot be installed');
  process.exit();
}
const { url, open, platform, issuer } = world;
const folder = t.testdir({});
await writeFile(`${folder}/orders.csv`, 'id,city,at\n1,Ulm,2026-01-01\n1,Bonn,2026-01-02\n2,Kiel,2026-01-03\n');

/** Calls the API as Ada in `demo`. */
async function ok<E extends Endpoint>(endpoint: E, input: Partial<Input<E>> = {}) {
  const token = await developmentToken(issuer, 'ada@demo');
  const answer = await platform.call({ token, tenant: 'demo' }, endpoint, input);
  if (!answer.ok) throw new Error(JSON.stringify(answer.problem));
  return answer.body;
}

const source = await ok(createSource, {
  body: { name: 'shop', pattern_id: 'files', source_config: { path: folder } },
});
const params = { source_id: source.source_id };
const properties = { id: { type: 'integer' }, city: { type: 'string' }, at: { type: 'string', format: 'date' } };
const stream = { name: 'orders', sync_mode: 'full_refresh' as const, write_mode: 'overwrite' as const };
await ok(bulkStreams, {
  params,
  body: { streams: [{ ...stream, schema: { type: 'object', properties }, enabled: true }] },
});
await ok(startSync, { params });
await until('the sync', async () => (await ok(getSyncStatus, { params })).run?.status === 'succeeded');

/** Types a text into a field that Tab reaches. */
async function type(page: Page, field: Locator, text: string): Promise<void> {
  await press(page, field, 'Control+a');
  await page.keyboard.type(text);
}

t.test('by keyboard alone: a pattern, its form, the statement and rows of it, a transform that ran', async (t) => {
  const window = await open({ colorScheme: 'dark' });
  const { page, faults } = window;
  await signIn(window, `${url}/transforms`, 'Ada');
  await press(page, page.getByRole('button', { name: 'New transform' }).first(), 'Enter');
  await press(page, page.getByRole('menuitem', { name: 'From a pattern' }), 'Enter', 'ArrowDown');
  await page.getByRole('link', { name: /^Keep one row of each key/ }).waitFor();
  t.strictSame(await axeFaults(page), [], 'the gallery');
  await shot(page, 'patterns-gallery');
  await page.keyboard.press('/');
  await page.keyboard.type('one row of each');
  await page.getByRole('link', { name: /^History of changes/ }).waitFor({ state: 'hidden' });
  await press(page, page.getByRole('link', { name: /^Keep one row of each key/ }), 'Enter');
  await page.getByText('Rows arrive twice when a source sends them again').waitFor();
  t.strictSame(await axeFaults(page), [], 'the form of a pattern');
  await shot(page, 'patterns-form');
  await type(page, page.getByRole('textbox', { name: 'Name' }), 'orders once');
  t.equal(await page.getByRole('textbox', { name: 'Output table' }).inputValue(), 'silver.demo.orders_once');
  await type(page, page.getByRole('textbox', { name: 'Name' }), 'orders_once');
  await type(page, page.getByRole('combobox', { name: 'Input' }), 'shop');
  await page.getByRole('option', { name: TABLE }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await type(page, page.getByRole('combobox', { name: 'Key' }), 'i');
  await page.getByRole('option', { name: 'id', exact: true }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await type(page, page.getByRole('combobox', { name: 'Column' }), 'att');
  await page.keyboard.press('Escape');
  await page.getByRole('list', { name: 'Faults' }).getByText('Did you mean at?').waitFor();
  t.strictSame(await axeFaults(page), [], 'a name that the input does not have');
  await shot(page, 'patterns-fault');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Escape');
  await page.getByText('The statement is sound.').waitFor();
  await page.getByRole('region', { name: 'Columns of the result' }).getByText('city').waitFor();
  await press(page, page.getByRole('tab', { name: 'Statement' }), 'ArrowRight');
  await page.getByRole('grid', { name: 'Rows of the statement' }).getByText('Bonn').waitFor();
  t.strictSame(await axeFaults(page), [], 'rows of a form');
  await shot(page, 'patterns-rows');
  await press(page, page.getByRole('button', { name: 'Create transform' }), 'Enter', 'Shift+Tab');
  await page.getByRole('heading', { name: 'Ready to run', exact: true }).waitFor();
  await page.keyboard.press('r');
  await page.locator('main').getByText('Succeeded', { exact: true }).first().waitFor();
  await changeForm(page);
  t.strictSame(await axeFaults(page), [], 'a transform of a pattern');
  await shot(page, 'patterns-definition');
  t.strictSame(faults, []);
});

/** Changes the order of a transform by the form that it was made with. */
async function changeForm(page: Page): Promise<void> {
  await press(page, page.getByRole('tab', { name: 'Overview' }), 'ArrowRight');
  await page.getByText('Made of the pattern Keep one row of each key, version 1.0.1.').waitFor();
  await page.getByText('The statement is sound.').waitFor();
  await type(page, page.getByRole('combobox', { name: 'Column' }), 'city');
  await page.keyboard.press('Escape');
  await press(page, page.getByRole('button', { name: 'Put in force' }), 'Enter', 'Shift+Tab');
  await page.getByText('In force: version 2').waitFor();
  await page.getByText('As saved').waitFor();
  await page.locator('.cm-content').getByText('city').waitFor();
}

/** A transform that ran once; its page, on a tab. */
async function ranTransform(name: string): Promise<(tab: string) => string> {
  const sql = `select id, city from ${TABLE}`;
  const made = await ok(createTransform, { body: { name, sql, output: `gold.demo.${name}` } });
  const params = { transform_id: made.transform_id };
  await ok(hydrateTransform, { params });
  const { run_id } = await ok(materializeTransform, { params });
  await until('its run', async () => (await ok(getTransformRun, { params: { run_id } })).status === 'succeeded');
  return (tab) => `${url}/transforms/${made.transform_id}?tab=${tab}`;
}

/** Replaces the statement of the editor. */
async function write(page: Page, sql: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Statement' }).focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(sql);
}

t.test('a typo that is saved → a draft that is not put in force; the transform runs on, and goes back', async (t) => {
  const at = await ranTransform('cities');
  const window = await open({ width: 1440 });
  const { page, faults } = window;
  await signIn(window, at('definition'), 'Ada');
  const put = page.getByRole('button', { name: 'Put in force' });
  const why = page.getByText('It cannot be put in force.');
  await write(page, `select id, ctiy from ${TABLE}`);
  await why.getByRole('button', { name: 'Line 1, column 12' }).waitFor();
  t.ok(await put.isDisabled());
  await shot(page, 'draft-fault');
  await page.getByRole('button', { name: 'Save draft' }).click();
  await page.getByText('Draft, not in force: runs use version 1').waitFor();
  await why.getByRole('button', { name: 'Line 1, column 12' }).waitFor();
  t.strictSame(await axeFaults(page), [], 'a draft with a fault');
  await shot(page, 'draft-saved');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Run even if nothing changed' }).click();
  await page.getByRole('tab', { name: 'Overview' }).click();
  await page.getByText('Forced').waitFor();
  await page.locator('main').getByText('Succeeded', { exact: true }).nth(1).waitFor();
  await page.getByRole('textbox', { name: 'Statement' }).getByText('city').waitFor();
  t.ok(await page.getByRole('button', { name: 'Run now' }).isEnabled());
  t.strictSame(await axeFaults(page), [], 'the overview with a draft');
  await shot(page, 'draft-overview');
  await page.getByRole('link', { name: 'See the draft' }).click();
  await page.getByText('Difference to version 1').click();
  await page.getByLabel('Difference to version 1').getByText('ctiy').first().waitFor();
  t.strictSame(await axeFaults(page), [], 'the difference of a draft');
  await shot(page, 'draft-difference');
  await page.getByText('Edit', { exact: true }).click();
  await write(page, `select id, city, count(*) as orders from ${TABLE} group by all`);
  await put.click();
  await page.getByText('In force: version 2').waitFor();
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByLabel('Difference of version 1 and version 2').waitFor();
  t.strictSame(await axeFaults(page), [], 'the versions');
  await shot(page, 'draft-versions');
  await page.getByRole('button', { name: 'Restore version 1' }).click();
  await page.getByRole('dialog').getByText('It becomes version 3').waitFor();
  await shot(page, 'draft-restore');
  await page.getByRole('dialog').getByRole('button', { name: 'Restore version 1' }).click();
  await page.getByText('version 1 restored, statement').waitFor();
  t.strictSame(faults, []);
});

t.test('what a form lacks → said at its fields when it is sent, in a narrow window', async (t) => {
  const window = await open({ width: 360 });
  const { page, faults } = window;
  await signIn(window, `${url}/transforms/patterns/data-quality-gate`, 'Ada', 'New transform: Data-quality gate');
  await page.getByRole('button', { name: 'Create transform' }).click();
  await page.getByRole('alert').getByText('fields need a change').waitFor();
  t.match(await page.getByRole('combobox', { name: 'Rule' }).first().getAttribute('aria-invalid'), 'true');
  t.ok(await fitsIn(page));
  t.strictSame(await axeFaults(page), []);
  await shot(page, 'patterns-narrow');
  t.strictSame(faults, []);
});

t.test('no such pattern, and a viewer → said in words, and nothing offered', async (t) => {
  const window = await open();
  const { page } = window;
  await signIn(window, `${url}/transforms/patterns/absent`, 'Ada');
  await page.getByRole('alert').getByText('not_found').waitFor();
  const other = await open();
  await signIn(other, `${url}/transforms/patterns`, 'Eve');
  await other.page.getByText('Your role may look at transforms and not create them.').waitFor();
  t.equal(await other.page.getByRole('button', { name: 'New transform' }).count(), 0);
  t.strictSame(other.faults, []);
});
