import { developmentToken } from '@weir/embedded';
import { previewDataset } from '@weir/plugin-datasets/contract';
import { listSources, listStreams } from '@weir/plugin-sources/contract';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { until } from '../until.ts';
import { axeFaults, fitsIn, goWithin, press, shot, signIn } from '../web-steps.ts';
import { webWorld } from '../web-world.ts';

const world = await webWorld(t);
if (world === undefined) {
  t.plan(0, 'no Chromium on this machine, and it cannot be installed');
  process.exit();
}
const { url, open, platform } = world;
const token = await developmentToken(world.issuer, 'ada@demo');
const as = { token, tenant: 'demo' };

const AMOUNTS = Array.from({ length: 12 }, (_, at) => `${at},0${at % 9}123,${at === 7 ? 'n/a' : `${at}.50`}\n`).join(
  '',
);
const FILES = {
  'Müller & Söhne.csv': `id,zip,Amount €\n${AMOUNTS}`,
  'revenue.csv': 'month;revenue\n1;10\n2;20\nTotal: 2 rows\n',
  'page.csv': '<!DOCTYPE html>\n<p>Sign in</p>\n',
  'empty.csv': '',
  'notes.txt': 'day|what\n01/02/2024|one\n03/04/2024|two\n',
};

const asFiles = (contents: Record<string, string>) =>
  Object.entries(contents).map(([name, text]) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) }));

const choose = (page: Page, contents: Record<string, string>) =>
  page.locator('input[type=file]').setInputFiles(asFiles(contents));

const sources = async () => {
  const found = await platform.call(as, listSources, {});
  return found.ok ? found.body.items : [];
};

const table = (page: Page, name: string) => page.getByRole('region', { name: `Table ${name}` });

t.test('files of a person → types and misfits before the load, corrections, and an account behind it', async (t) => {
  const window = await open();
  const { page, faults } = window;
  await signIn(window, `${url}/sources/load`, 'Ada');
  await choose(page, FILES);
  await page.getByRole('heading', { name: '5 files: 2 to load, 3 left out' }).waitFor();
  for (const reason of ['web page', 'It has no bytes', 'Its ending says no format']) {
    await page.getByRole('listitem').filter({ hasText: reason }).first().waitFor();
  }
  const own = table(page, 'Müller & Söhne');
  await own.getByText('Column Amount € stays text: 1 value of 12 is not a number').waitFor();
  await own.getByText('line 9: n/a').waitFor();
  await own.getByText('Read as CSV, utf-8, comma between fields, header in line 1').waitFor();
  await own.getByRole('cell', { name: '3.50' }).waitFor();
  const revenue = table(page, 'revenue');
  await revenue.getByText('1 line with fewer fields than the header').waitFor();
  await revenue.getByText('line 4: Total: 2 rows').waitFor();
  await revenue.getByText('All 3 records looked at: 2 rows, 1 line for quarantine').waitFor();
  t.strictSame(await axeFaults(page), [], 'what will be loaded');
  await shot(page, 'load-plan');
  t.strictSame(await sources(), [], 'nothing is loaded yet');

  await own.getByRole('combobox', { name: 'Type of Amount €' }).selectOption('number');
  await own.getByText('Column Amount €: 1 value does not fit its type').waitFor();
  await page.getByRole('combobox', { name: 'Read notes.txt as' }).selectOption('csv');
  await page.getByRole('heading', { name: '5 files: 3 to load, 2 left out' }).waitFor();
  const notes = table(page, 'notes');
  await notes.getByText('its days may be read as day and month').waitFor();
  await notes.getByRole('combobox', { name: 'Type of day' }).selectOption('day_first');
  await notes.getByRole('cell', { name: '2024-02-01' }).waitFor();
  t.strictSame(await axeFaults(page), [], 'what was corrected');

  await page.reload();
  await notes.getByRole('cell', { name: '2024-02-01' }).waitFor();
  await own.getByText('1 value does not fit its type').waitFor();
  await shot(page, 'load-plan-again');
  await page.getByRole('textbox', { name: 'Name of the source' }).fill('mine');
  await page.getByRole('button', { name: 'Load 3 files' }).click();
  await page.getByRole('heading', { name: '5 files: 3 loaded, 2 left out' }).waitFor();
  await shows(page);
  t.strictSame(await axeFaults(page), [], 'the account');
  await shot(page, 'load-account');
  await page.reload();
  await page.getByRole('heading', { name: '5 files: 3 loaded, 2 left out' }).waitFor();
  await shows(page);
  t.strictSame(
    (await sources()).map(({ name }) => name),
    ['mine'],
    'a reload loads nothing again',
  );
  await page.getByRole('link', { name: '1 line of revenue in quarantine' }).click();
  await page.getByText('Total: 2 rows').waitFor();
  t.strictSame(faults, []);
  await landsAsSaid(t);
});

/** The tables as the page has shown them. */
async function landsAsSaid(t: Test): Promise<void> {
  const [{ source_id = '' } = {}] = await sources();
  const streams = await platform.call(as, listStreams, { params: { source_id } });
  const modes = streams.ok ? streams.body.items.map((one) => `${one.sync_mode} ${one.write_mode}`) : [];
  t.strictSame(modes, Array(3).fill('incremental append'), 'as `weir load` does it: a broken file holds up no other');
  const dataset_id = 'bronze.demo.mine__muller___sohne';
  const amounts = await platform.call(as, previewDataset, { params: { dataset_id } });
  t.match(amounts, { ok: true, body: { rows: { length: 12 } } });
  const columns = amounts.ok ? amounts.body.columns.map(({ name, type }) => `${name} ${type}`) : [];
  t.match(columns, ['id long', 'zip string', 'Amount € double'], 'the type that was chosen');
}

/** The account of the records of all tables: rows, marked ones, and those in quarantine. */
async function shows(page: Page): Promise<void> {
  const row = (name: string) => page.getByRole('region', { name: 'Records by table' }).getByRole('row', { name });
  const figures = async (name: string) => {
    const texts = await row(name).getByRole('cell').allTextContents();
    return texts.join(' ');
  };
  await row('notes').waitFor();
  for (const [name, right] of [
    ['Müller & Söhne', '12 12 1 0 0 0'],
    ['revenue', '3 2 0 1 0 0'],
    ['notes', '2 2 0 0 0 0'],
  ] as const) {
    await until(`${name}: ${right}`, async () => (await figures(name)) === right);
  }
}

t.test('by keyboard alone, in a narrow window: a title, another delimiter, no header → as it is said', async (t) => {
  const window = await open({ width: 360 });
  const { page, faults } = window;
  await page.goto(`${url}/sources/load`);
  await press(page, page.getByRole('button', { name: 'Ada' }), 'Enter');
  await page.getByText('Drop files here').waitFor();
  await choose(page, { 'report.csv': 'Report of May\n1|a;b\n2|c;d\n' });
  const own = table(page, 'report');
  await own.waitFor();
  await press(page, own.getByRole('button', { name: 'Read it otherwise: report' }), 'Enter');
  await press(page, own.getByRole('combobox', { name: 'Between fields' }), 'b');
  await press(page, own.getByRole('textbox', { name: 'Lines above the header' }), 'ArrowUp');
  await press(page, own.getByRole('checkbox', { name: 'The first line names the columns' }), 'Space');
  t.strictSame(await axeFaults(page), [], 'how it is written');
  await shot(page, 'narrow-load-written');
  await press(page, own.getByRole('button', { name: 'Look again' }), 'Enter');
  await own.getByText('bar between fields, no header line').waitFor();
  await own.getByRole('cell', { name: 'c;d' }).waitFor();
  t.ok(await fitsIn(page));
  t.strictSame(await axeFaults(page), [], 'what will be loaded');
  await press(page, page.getByRole('button', { name: 'Load 1 file' }), 'Enter');
  await page.getByRole('heading', { name: '1 file: 1 loaded' }).waitFor();
  await page.getByRole('region', { name: 'Records by table' }).waitFor();
  t.ok(await fitsIn(page));
  t.strictSame(await axeFaults(page), [], 'the account');
  await shot(page, 'narrow-load-account');
  t.strictSame(faults, []);
});

t.test('nothing that can be sent → each file with its reason, and another choice', async (t) => {
  const window = await open({ colorScheme: 'dark' });
  const { page, faults } = window;
  await signIn(window, `${url}/sources/load`, 'Ada');
  await choose(page, { 'empty.csv': '', 'plan.xlsx': 'x' });
  await page.getByRole('heading', { name: '2 files: 2 left out' }).waitFor();
  await page.getByText('It is a spreadsheet').waitFor();
  t.strictSame(await axeFaults(page), []);
  await shot(page, 'dark-load-nothing');
  await choose(page, { 'notes.txt': 'plain\n' });
  await page.getByRole('heading', { name: '1 file: 1 left out' }).waitFor();
  await page.getByRole('alert').waitFor();
  t.ok(await page.getByRole('button', { name: 'Load 0 files' }).isDisabled());
  t.strictSame(await axeFaults(page), [], 'no file of a format');
  // The browser itself reports the 404 that follows.
  t.strictSame(faults, []);
  await goWithin(page, `/sources/load?upload=${crypto.randomUUID()}`);
  await page.getByRole('alert').waitFor();
  await page.getByText('Drop files here').waitFor();
  t.strictSame(await axeFaults(page), [], 'an upload that is gone');
});
