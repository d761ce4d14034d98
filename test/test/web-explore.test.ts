import { writeFile } from 'node:fs/promises';
import { developmentToken } from '@weir/embedded';
import type { Endpoint, Input } from '@weir/kernel/contract';
import { listDatasetSnapshots } from '@weir/plugin-datasets/contract';
import { bulkStreams, createSource, getSyncStatus, startSync } from '@weir/plugin-sources/contract';
import { createTransform, hydrateTransform } from '@weir/plugin-transforms/contract';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { until } from '../until.ts';
import { axeFaults, fitsIn, goWithin, leaks, press, shot, signIn } from '../web-steps.ts';
import { webWorld } from '../web-world.ts';

const ODD = '<img src=x onerror=alert(1)>';
const BIG = '9007199254740993';
const TABLE = 'bronze.demo.shop__orders';
const GOLD = 'gold.demo.by_city';
const ROWS = 300;

const world = await webWorld(t, {}, {}, 'source,discovery,transform');
if (world === undefined) {
  t.plan(0, 'no Chromium on this machine, and it cannot be installed');
  process.exit();
}
const { url, open, platform, issuer } = world;
const folder = t.testdir({});
const line = (i: number) => `${i},${i % 3 === 0 ? '' : ODD},${i % 2 === 0 ? 'Ulm' : 'Bonn'},${i}.5\n`;
const text = Array.from({ length: ROWS }, (_, i) => line(i + 1)).join('');
await writeFile(`${folder}/orders.csv`, `id,note,city,amount\n${BIG},,"",1.5\n${text}`);

/** Calls the API as Ada in `demo`. */
async function ok<E extends Endpoint>(endpoint: E, input: Partial<Input<E>> = {}) {
  const answer = await platform.call(
    { token: await developmentToken(issuer, 'ada@demo'), tenant: 'demo' },
    endpoint,
    input,
  );
  if (!answer.ok) throw new Error(JSON.stringify(answer.problem));
  return answer.body;
}

const source = await ok(createSource, {
  body: { name: 'shop', pattern_id: 'files', source_config: { path: folder } },
});
const params = { source_id: source.source_id };
/** Each sync replaces all rows. */
const whole = { sync_mode: 'full_refresh' as const, write_mode: 'overwrite' as const };
const sync = async () => {
  await ok(startSync, { params });
  await until('the sync', async () => {
    const { run } = await ok(getSyncStatus, { params });
    if (run?.failure) throw new Error(JSON.stringify(run.failure));
    return run?.status === 'succeeded';
  });
};
const properties = {
  id: { type: 'integer' },
  note: { type: ['string', 'null'] },
  city: { type: 'string' },
  amount: { type: 'number' },
};
await ok(bulkStreams, {
  params,
  body: { streams: [{ name: 'orders', ...whole, schema: { type: 'object', properties }, enabled: true }] },
});
await sync();
await writeFile(`${folder}/orders.csv`, `id,note,city,amount\n${BIG},,"",1.5\n${text}9,a,Kiel,2\n`);
await sync();

/** Each of these must be free of faults of accessibility. */
const EVERYWHERE: readonly (readonly [address: string, shown: string])[] = [
  ['/datasets', 'shop__orders'],
  [`/datasets/${TABLE}`, BIG],
  [`/datasets/${TABLE}?chart=on`, 'Of all'],
  [`/datasets/${TABLE}?tab=schema`, 'Version 0'],
  [`/datasets/${TABLE}?tab=snapshots`, 'newest'],
  [`/datasets/${TABLE}?tab=quarantine`, 'No line was ever rejected'],
  [`/datasets/${TABLE}?tab=used`, 'Written by'],
  [`/datasets/${TABLE}?tab=lineage`, 'by_city'],
  [`/datasets/${TABLE}?tab=elsewhere`, 'iceberg_scan'],
  ['/query', 'shop__orders'],
  ['/transforms', 'by_city'],
  ['/lineage', 'by_city'],
  ['/runs', 'Why it failed'],
  ['/operations', 'Parts'],
  ['/operations?tab=tokens', 'No token'],
  ['/operations?tab=users', 'ada@demo'],
  ['/operations?tab=plugins', 'datasets'],
];
const OF_ADMINS: readonly (readonly [address: string, shown: string])[] = [
  // By its action, since the trail grows with all that the tests before did.
  ['/operations?tab=audit&action=sources.create_source', 'ada@demo'],
  ['/operations?tab=webhooks', 'No webhook yet'],
  ['/operations?tab=policies', 'No policy'],
];

async function visit(
  page: Page,
  pages: typeof EVERYWHERE,
  theme: string,
  faultsOf: (page: Page) => Promise<string[]> = axeFaults,
): Promise<string[]> {
  const found: string[] = [];
  for (const [address, shown] of pages) {
    await goWithin(page, address);
    await page.locator('main').getByText(shown).filter({ visible: true }).first().waitFor();
    found.push(...(await faultsOf(page)).map((fault) => `${theme} ${address}: ${fault}`));
    await shot(page, `explore-${theme}${address.replaceAll(/[^a-z]+/gi, '-')}`);
  }
  return found;
}

t.test('by keyboard alone, in dark: from a sync to its table, its rows and a chart of them', async (t) => {
  const window = await open({ colorScheme: 'dark' });
  const { page, faults } = window;
  await signIn(window, `${url}/sources/${source.source_id}`, 'Ada');
  await press(page, page.getByRole('link', { name: TABLE }), 'Enter');
  const grid = page.getByRole('grid', { name: 'Rows of shop__orders' });
  await grid.getByText(BIG, { exact: true }).waitFor();
  t.match(await grid.textContent(), /NULL/, 'NULL is shown as such');
  await press(page, page.getByRole('textbox', { name: 'Find columns' }), 'Tab');
  await press(page, grid, 'ArrowRight');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByText(ODD).waitFor();
  t.strictSame(await axeFaults(page), [], 'a cell in full, which is no markup');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.keyboard.press('Control+End');
  await until('the rows behind the first page', async () => {
    await page.keyboard.press('Control+End');
    return (await page.getByText(`${ROWS + 2} rows`, { exact: true }).count()) > 0;
  });
  t.ok((await grid.getByRole('row').count()) < 60, 'only rows in sight are elements');
  await page.keyboard.press('c');
  await page.getByRole('img', { name: /^sum of/ }).waitFor();
  t.strictSame(await axeFaults(page), [], 'a chart');
  await shot(page, 'explore-chart');
  t.strictSame(faults, []);
});

t.test('two snapshots → their difference, and the rows as they were', async (t) => {
  const { items } = await ok(listDatasetSnapshots, { params: { dataset_id: TABLE } });
  const [newer, older] = items.map(({ snapshot_id_exact: id }) => id);
  const window = await open();
  const { page, faults } = window;
  await signIn(window, `${url}/datasets/${TABLE}?tab=snapshots`, 'Ada');
  for (const id of [newer, older]) await page.getByRole('checkbox', { name: `Compare snapshot ${id}` }).check();
  const difference = page.getByRole('region', { name: 'Difference' });
  await difference.getByText('Both have the same columns.').waitFor();
  t.match(await difference.textContent(), /301 → 302 \(\+1\)/);
  t.strictSame(await axeFaults(page), [], 'a difference');
  await shot(page, 'explore-difference');
  await page.getByRole('link', { name: `View snapshot ${older}` }).click();
  await page.getByText('Shown as it was at snapshot').waitFor();
  await page.getByRole('grid').getByText(BIG).waitFor();
  t.match(await page.getByRole('status').first().textContent(), /301 rows/);
  t.strictSame(faults, []);
});

t.test('by keyboard alone: SQL to a gold table, a check that fails, and who did it when', async (t) => {
  const window = await open();
  const { page, faults } = window;
  await signIn(window, `${url}/`, 'Ada');
  await page.keyboard.press('g');
  await page.keyboard.press('q');
  const editor = page.getByRole('textbox', { name: 'Statement' });
  await editor.waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('select nothere from bronze.');
  await page.getByRole('listbox').getByText('demo').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.type('demo.shop__orders');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('button', { name: 'Line 1, column 8' }).waitFor();
  t.strictSame(await axeFaults(page), [], 'a statement at fault');
  await shot(page, 'explore-fault');
  await editor.focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(`select city, count(*) as orders from ${TABLE} group by city`);
  await page.keyboard.press('Control+Enter');
  await page.getByRole('grid').getByText('Kiel').waitFor();
  t.match(page.url(), /#sql=select/, 'the statement is in the address');
  t.strictSame(await axeFaults(page), [], 'rows of a statement');
  await shot(page, 'explore-query');
  await press(page, page.getByRole('link', { name: 'Save as transform' }), 'Enter');
  await press(page, page.getByRole('textbox', { name: 'Name' }), 'Control+a');
  await page.keyboard.type('by_city');
  t.equal(await page.getByRole('textbox', { name: 'Output table' }).inputValue(), GOLD);
  await press(page, page.getByRole('button', { name: 'Create transform' }), 'Enter');
  await page.getByRole('heading', { name: 'Ready to run', exact: true }).waitFor();
  await page.keyboard.press('r');
  await page.locator('main').getByText('Succeeded', { exact: true }).first().waitFor();
  await page.getByText('First run').waitFor();
  t.strictSame(await axeFaults(page), [], 'a transform that ran');
  await shot(page, 'explore-transform');
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await setSchedule(t, page);
  await addCheck(page);
  await press(page, page.getByRole('tab', { name: 'Checks' }), 'Home');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Ready to run', exact: true }).waitFor();
  await page.keyboard.press('r');
  await page.getByRole('alert').getByText('The last run failed').waitFor();
  await press(page, page.getByRole('link', { name: 'Open the run' }), 'Enter');
  await page.getByRole('heading', { name: 'Checks' }).waitFor();
  await page.getByRole('grid', { name: 'Rows that break few_orders' }).waitFor();
  t.strictSame(await axeFaults(page), [], 'a run that failed by a check');
  await shot(page, 'explore-check-failed');
  await seeWhoChanged(t, page, id);
  await shot(page, 'explore-audit');
  t.strictSame(
    faults.filter((fault) => !fault.includes('422')),
    [],
    'nothing but the statement at fault',
  );
  t.strictSame(await leaks(window), [], 'no token in storage, address or page');
});

/** Finds in the audit trail who changed a transform, and when. */
async function seeWhoChanged(t: Test, page: Page, id: string): Promise<void> {
  await page.keyboard.press('g');
  await page.keyboard.press('o');
  await press(page, page.getByRole('tab', { name: 'Health' }), 'ArrowRight');
  await press(page, page.getByRole('textbox', { name: 'On which id' }), 'Control+a');
  await page.keyboard.type(id);
  const changed = page.getByRole('row', { name: /ada@demo transforms\.change_transform/ });
  await changed.waitFor();
  await until('the filter', async () => (await page.getByText('sources.create_source').count()) === 0);
  t.ok(await changed.locator('time').getAttribute('datetime'), 'who changed it, and when');
}

/** Gives the transform a schedule and comes back to its overview. */
async function setSchedule(t: Test, page: Page): Promise<void> {
  await press(page, page.getByRole('tab', { name: 'Overview' }), 'End');
  await page.keyboard.press('ArrowLeft');
  await page.getByText('No schedule: transform by_city runs when somebody starts it.').waitFor();
  await press(page, page.getByRole('button', { name: 'Set a schedule' }), 'Enter');
  await press(page, page.getByRole('button', { name: 'Save schedule' }), 'Enter');
  await page.getByRole('region', { name: 'Next runs' }).waitFor();
  t.strictSame(await axeFaults(page), [], 'the schedule of a transform');
  await shot(page, 'explore-schedule');
  await press(page, page.getByRole('tab', { name: 'Schedule' }), 'Home');
}

/** Adds the check that no city has more than 100 orders. */
async function addCheck(page: Page): Promise<void> {
  await press(page, page.getByRole('tab', { name: 'Overview' }), 'ArrowRight');
  await page.keyboard.press('ArrowRight');
  await press(page, page.getByRole('button', { name: 'Add a check' }), 'Enter');
  const rule = page.getByRole('combobox', { name: 'Rule' });
  await press(page, rule, 'End');
  await press(page, page.getByRole('textbox', { name: 'Name of the check' }), 'Control+a');
  await page.keyboard.type('few_orders');
  await press(page, page.getByRole('textbox', { name: 'SELECT of the wrong rows' }), 'Control+a');
  await page.keyboard.type('select * from result where orders > 100');
  await press(page, page.getByRole('button', { name: 'Add the check' }), 'Enter');
  await page.getByRole('button', { name: 'Remove few_orders' }).waitFor();
  await page.getByText('Saving…').waitFor({ state: 'hidden' });
}

t.test(
  'a transform over a table that is not made yet → its page says what it waits for, and leads there',
  async (t) => {
    const made = async (name: string, sql: string) => {
      const { transform_id } = await ok(createTransform, { body: { name, sql, output: `silver.demo.${name}` } });
      await ok(hydrateTransform, { params: { transform_id } });
      return transform_id;
    };
    const first = await made('never_ran', 'select 1 as one');
    const id = await made('behind_it', 'select one from silver.demo.never_ran');
    const window = await open();
    const { page, faults } = window;
    await signIn(window, `${url}/transforms/${id}`, 'Ada');
    const readiness = page.getByRole('region', { name: 'Not ready to run' });
    await readiness.getByText('It waits for silver.demo.never_ran, which the transform never_ran makes.').waitFor();
    t.strictSame(await axeFaults(page), [], 'a transform that waits');
    await shot(page, 'explore-waits');
    await readiness.getByRole('link', { name: 'Run the transform never_ran' }).click();
    await page.waitForURL(`**/transforms/${first}*`);
    await page.getByRole('heading', { name: 'Ready to run', exact: true }).waitFor();
    t.strictSame(faults, []);
  },
);

t.test('a line of a log that is put into the address → a link that opens the log around it', async (t) => {
  const { run } = await ok(getSyncStatus, { params });
  const window = await open();
  const { page, faults } = window;
  await signIn(window, `${url}/runs/${run?.run_id}`, 'Ada');
  const info = page.getByRole('group', { name: 'Lines by level' }).getByRole('button', { name: /^info: \d+ lines?$/ });
  await info.click();
  await page.waitForURL(/level=info/);
  const second = page
    .getByRole('log')
    .getByRole('button', { name: /link to line \d+$/ })
    .nth(1);
  const name = (await second.getAttribute('aria-label')) ?? '';
  await press(page, second, 'Enter');
  await page.waitForURL(/line=/);
  await shot(page, 'explore-log-line');
  await page.reload();
  const line = page.getByRole('button', { name, exact: true });
  await line.waitFor();
  t.equal(await line.getAttribute('aria-current'), 'location');
  t.equal(await info.getAttribute('aria-pressed'), 'true');
  t.strictSame(await axeFaults(page), [], 'a log with a chosen line');
  t.strictSame(faults, []);
});

t.test(
  'rows, names and a chart full of HTML on the SQL page → text, no element, no report of the policy',
  async (t) => {
    const window = await open();
    const { page, faults } = window;
    const sql = `select note || '<script>alert(2)</script>' as "<b onclick=alert(1)>x</b>", count(*) as "<i>n</i>" from ${TABLE} where note <> '' group by 1`;
    await signIn(window, `${url}/query#sql=${encodeURIComponent(sql)}`, 'Ada');
    await page.getByRole('button', { name: 'Run' }).click();
    const grid = page.getByRole('grid');
    await grid.getByText(`${ODD}<script>alert(2)</script>`).waitFor();
    t.match(await grid.textContent(), /<b onclick=alert\(1\)>x<\/b>/, 'a name of a column');
    const foreign = page.locator('main').locator('img, script, b[onclick], i');
    t.equal(await foreign.count(), 0);
    await page.getByRole('tab', { name: 'Chart' }).click();
    await page.getByRole('img', { name: 'sum of <i>n</i>' }).waitFor();
    t.equal(await foreign.count(), 0, 'nor in the chart');
    await shot(page, 'explore-html');
    t.strictSame(faults, []);
  },
);

t.test('every page in both themes → no fault, and nothing refused by its policy', async (t) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const window = await open({ colorScheme });
    await signIn(window, `${url}/`, 'Ada');
    t.strictSame(await visit(window.page, [...EVERYWHERE, ...OF_ADMINS], colorScheme), []);
    t.strictSame(window.faults, [], 'nothing on the console');
  }
});

t.test('a viewer in a narrow window → sees each page, and is offered no change', async (t) => {
  const window = await open({ width: 400 });
  const { page, faults } = window;
  await signIn(window, `${url}/`, 'Eve').catch(() => undefined);
  await page.getByRole('button', { name: 'Navigation' }).waitFor();
  const seen = EVERYWHERE.map(([address, shown]) => [address, shown === 'ada@demo' ? 'eve@demo' : shown] as const);
  const overEdge = async () => ((await fitsIn(page)) ? [] : ['runs over the edge']);
  t.strictSame(await visit(page, seen, 'narrow', overEdge), []);
  t.strictSame(await axeFaults(page), []);
  const offers = /^(New |Save as|Run now|Hydrate|Delete|Cancel run|Run again|Try all)/;
  for (const address of ['/transforms', '/runs', '/query', `/datasets/${TABLE}?tab=quarantine`]) {
    await goWithin(page, address);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    t.equal(await page.locator('main').getByRole('button', { name: offers }).count(), 0, address);
  }
  t.equal(await page.getByRole('tab', { name: 'Audit trail' }).count(), 0);
  t.strictSame(faults, []);
});

t.test('another tenant is chosen → nothing of the first in tree, completion, history or memory', async (t) => {
  const window = await open();
  const { page, faults } = window;
  await signIn(window, `${url}/query#sql=${encodeURIComponent(`select count(*) as n from ${TABLE}`)}`, 'Mia');
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByRole('grid').getByText('302').waitFor();
  await page.getByRole('tab', { name: 'History' }).click();
  await page.getByText('In this tab only').waitFor();
  await page.getByRole('combobox', { name: 'Tenant' }).selectOption('other');
  await page.getByRole('link', { name: 'SQL' }).click();
  await page.getByText('No table yet.').waitFor();
  await page.getByRole('tab', { name: 'History' }).click();
  await page.getByText('What you run is listed here').waitFor();
  await page.getByRole('textbox', { name: 'Statement' }).focus();
  await page.keyboard.type('select * from bronze.demo.');
  await page.keyboard.press('Control+Space');
  t.notMatch(await page.locator('body').textContent(), /shop__orders/);
  await page.getByRole('link', { name: 'Datasets' }).click();
  await page.getByText('No table yet').waitFor();
  t.notMatch(await page.locator('body').textContent(), /shop__orders/);
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('A page, an action, a table, a transform, a source or a run').fill('sho');
  await page.getByText('Nothing has this name').waitFor();
  t.strictSame(faults, []);
});
