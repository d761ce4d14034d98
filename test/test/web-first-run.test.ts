import { randomBytes } from 'node:crypto';
import { developmentToken } from '@weir/embedded';
import { previewDataset } from '@weir/plugin-datasets/contract';
import { createSource } from '@weir/plugin-sources/contract';
import type { Page } from 'playwright-core';
import t from 'tap';
import { axeFaults, fitsIn, leaks, press, shot, signIn } from '../web-steps.ts';
import { webWorld } from '../web-world.ts';

const ODD = '<img src=x onerror=alert(1)>';
/** More than a double can hold. */
const BIG = '9007199254740993';
const SHOPS = `id,city,note\n1,Ulm,\n2,Bonn,${ODD}\n${BIG},Kiel,x\n`;
const HOUR_MS = 60 * 60 * 1_000;

const world = await webWorld(t);
if (world === undefined) {
  t.plan(0, 'no Chromium on this machine, and it cannot be installed');
  process.exit();
}
const { url, open } = world;

/** Files as a person has them in a folder. */
const asFiles = (contents: Record<string, string>) =>
  Object.entries(contents).map(([name, text]) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) }));

/** Drops a file on the page, as the browser tells a page of it. */
async function drop(page: Page, place: string, name: string, text: string): Promise<void> {
  const files = `const files = new DataTransfer(); files.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));`;
  const event = (kind: string) =>
    `place.dispatchEvent(new DragEvent('${kind}', { dataTransfer: files, bubbles: true, cancelable: true }));`;
  await page.evaluate(
    `{ ${files} const place = document.querySelector(${JSON.stringify(place)}); ${event('dragover')} ${event('drop')} }`,
  );
}

t.test(
  'the first run, without a page of the docs: from the address to rows of an own file in four clicks',
  async (t) => {
    const window = await open();
    const { page, faults } = window;
    const clicks: string[] = [];
    const click = async (role: 'button' | 'link', name: string) => {
      await page.getByRole(role, { name }).click();
      clicks.push(name);
    };
    await page.goto(url);
    await click('button', 'Ada');
    await page.getByText('Drop files here').waitFor();
    t.strictSame(await axeFaults(page), [], 'home of a new tenant');
    await shot(page, 'first-home');
    const chosen = page.waitForEvent('filechooser');
    await click('button', 'Choose files');
    await (await chosen).setFiles(asFiles({ 'shops.csv': SHOPS }));
    clicks.push('shops.csv');
    await page.getByRole('heading', { name: '1 file: 1 to load' }).waitFor();
    await page.getByRole('cell', { name: ODD }).waitFor();
    t.strictSame(await axeFaults(page), [], 'what will be loaded');
    await shot(page, 'first-plan');
    await click('button', 'Load 1 file');
    await page.getByRole('cell', { name: BIG }).waitFor();
    await page.getByText('3 rows loaded').waitFor();
    await page.getByRole('cell', { name: ODD }).waitFor();
    t.strictSame(await axeFaults(page), [], 'rows');
    await shot(page, 'first-rows');
    t.strictSame(
      clicks,
      ['Ada', 'Choose files', 'shops.csv', 'Load 1 file'],
      'as docs/how-to/use-the-web-pages.md says',
    );
    t.strictSame(faults, [], 'nothing on the console, and the policy refused nothing');
    t.strictSame(await leaks(window), [], 'no token in storage, address or page');
    const token = await developmentToken(world.issuer, 'ada@demo');
    const preview = await world.platform.call({ token, tenant: 'demo' }, previewDataset, {
      params: { dataset_id: 'bronze.demo.shops__shops' },
    });
    t.match(preview, { ok: true, body: { rows: { length: 3 } } }, 'the table is there for everybody');
  },
);

t.test('by keyboard alone, in a narrow window: an own file, its rows, its table, and a chart', async (t) => {
  const window = await open({ width: 360 });
  const { page, faults } = window;
  await page.goto(`${url}/sources/load`);
  await press(page, page.getByRole('button', { name: 'Ada' }), 'Enter');
  await page.getByText('Drop files here').waitFor();
  const chosen = page.waitForEvent('filechooser');
  await press(page, page.getByRole('button', { name: 'Choose files' }), 'Enter');
  await (await chosen).setFiles(asFiles({ 'typed.csv': SHOPS }));
  await press(page, page.getByRole('button', { name: 'Load 1 file' }), 'Enter');
  await page.getByText('3 rows loaded').waitFor();
  await press(page, page.getByRole('link', { name: 'bronze.demo.typed__typed' }), 'Enter');
  await page.getByRole('gridcell', { name: BIG }).waitFor();
  t.ok(await fitsIn(page));
  t.strictSame(await axeFaults(page), []);
  await shot(page, 'narrow-own-table');
  await page.keyboard.press('c');
  await page.getByRole('img', { name: /^(sum|count) of/ }).waitFor();
  t.strictSame(await axeFaults(page), [], 'a chart of them');
  await shot(page, 'narrow-own-chart');
  t.strictSame(faults, []);
});

t.test('files dropped on any page, in dark: one that is no data is left out, and each becomes a table', async (t) => {
  const window = await open({ colorScheme: 'dark' });
  const { page, faults } = window;
  await signIn(window, `${url}/sources`, 'Ada');
  await page.getByRole('link', { name: 'shops' }).waitFor();
  await drop(page, 'h1', 'notes.txt', 'x');
  await page.getByRole('heading', { name: '1 file: 1 left out' }).waitFor();
  t.strictSame(await axeFaults(page), [], 'a file that is left out');
  await page.getByRole('button', { name: 'Choose other files' }).click();
  await page.getByText('Drop files here').waitFor();
  await drop(page, '.drop-zone', 'dropped.csv', 'n\n1\n');
  await page.getByRole('region', { name: 'Table dropped' }).waitFor();
  await page.getByRole('button', { name: 'Choose other files' }).click();
  await page.locator('input[type=file]').setInputFiles(asFiles({ 'a.csv': 'n\n1\n', 'b.csv': 'n\n2\n' }));
  const name = page.getByRole('textbox', { name: 'Name of the source' });
  await name.fill('shops');
  await page.getByText('A source has this name already').waitFor();
  t.ok(await page.getByRole('button', { name: 'Load 2 files' }).isDisabled());
  t.strictSame(await axeFaults(page), [], 'a name that is taken');
  await shot(page, 'dark-load-plan');
  await name.fill('pair');
  await press(page, page.getByRole('button', { name: 'Load 2 files' }), 'Enter');
  await page.getByRole('heading', { name: 'bronze.demo.pair__b' }).waitFor();
  await page.getByText('1 row loaded').last().waitFor();
  t.strictSame(await axeFaults(page), [], 'a load that has ended');
  await shot(page, 'dark-loaded');
  t.strictSame(faults, []);
});

t.test('a file that no table can be made of, at 400 % zoom → the words of the connector', async (t) => {
  const window = await open({ width: 320 });
  const { page } = window;
  await page.goto(`${url}/sources/load`);
  await page.getByRole('button', { name: 'Ada' }).click();
  await page.locator('input[type=file]').setInputFiles(asFiles({ 'broken.parquet': 'no parquet' }));
  await page.getByRole('alert').waitFor();
  t.ok(await page.getByRole('button', { name: 'Load 0 files' }).isDisabled());
  t.ok(await fitsIn(page));
  t.strictSame(await axeFaults(page), []);
  await shot(page, 'zoomed-load-failed');
  await page.getByRole('button', { name: 'Choose other files' }).click();
  await page.getByText('Drop files here').waitFor();
});

t.test('credentials that are kept in the database → said so and replaced, and no value is shown', async (t) => {
  const token = await developmentToken(world.issuer, 'ada@demo');
  const secret = randomBytes(16).toString('hex');
  const source_config = { url: 'https://example.org/' };
  const body = { name: 'sealed', pattern_id: 'http', source_config, credential_values: { token: secret } };
  const made = await world.platform.call({ token, tenant: 'demo' }, createSource, { body });
  t.ok(made.ok);
  for (const colorScheme of ['light', 'dark'] as const) {
    const window = await open({ colorScheme });
    const { page } = window;
    await signIn(window, `${url}/sources/${made.ok ? made.body.source_id : ''}?tab=credentials`, 'Ada');
    await page.getByText('Sealed in the database').waitFor();
    t.notMatch(await page.content(), secret);
    await page.getByRole('button', { name: 'Replace' }).click();
    await page.getByRole('textbox', { name: 'Token' }).fill('another-token');
    t.strictSame(await axeFaults(page), [], colorScheme);
    await shot(page, `${colorScheme}-inline`);
    await page.getByRole('button', { name: 'Replace credentials' }).click();
    await page.getByRole('button', { name: 'Replace', exact: true }).waitFor();
    t.notMatch(await page.content(), 'another-token');
  }
});

t.test('a sign-in that ends while someone types → what was typed is kept, and the call goes on', async (t) => {
  const window = await open();
  const { page } = window;
  await page.clock.install();
  await signIn(window, `${url}/sources/new/files`, 'Ada');
  await page.getByRole('textbox', { name: 'Folder' }).fill('/typed/before/the/end');
  await world.endSignIns();
  await page.clock.fastForward(HOUR_MS);
  await page.getByRole('button', { name: 'Test and discover' }).click();
  await page.getByRole('dialog').getByText('Your sign-in has ended').waitFor();
  t.strictSame(await axeFaults(page), [], 'a sign-in that has ended');
  await shot(page, 'sign-in-ended');
  // Else the tokens of the new sign-in would be from an hour ago.
  await page.clock.setSystemTime(Date.now());
  const beside = page.waitForEvent('popup');
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await (await beside).getByRole('button', { name: 'Ada' }).click();
  await page.getByRole('alert').getByText('folder').first().waitFor();
  t.equal(await page.getByRole('textbox', { name: 'Folder' }).inputValue(), '/typed/before/the/end');
  t.strictSame(await leaks(window), []);
});

t.test(
  'an API that restarts while someone types → the pages say so, and the edit is sent once it is back',
  async (t) => {
    const window = await open();
    const { page } = window;
    await signIn(window, `${url}/sources/new/files`, 'Ada');
    await page.getByRole('textbox', { name: 'Folder' }).fill('/typed/before/the/restart');
    const startAgain = await world.stopApi();
    await page.getByRole('button', { name: 'Test and discover' }).click();
    await page.getByRole('alert').getByText('did not answer').waitFor();
    t.strictSame(await axeFaults(page), [], 'a server that is away');
    await shot(page, 'server-away');
    await startAgain();
    await page.getByRole('button', { name: 'Test and discover' }).click();
    await page.getByRole('alert').getByText('folder_unreadable').waitFor();
    t.equal(await page.getByRole('textbox', { name: 'Folder' }).inputValue(), '/typed/before/the/restart');
  },
);
