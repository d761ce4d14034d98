import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { developmentToken } from '@weir/embedded';
import type { Endpoint, Input, Output } from '@weir/kernel/contract';
import { listDatasets, previewDataset } from '@weir/plugin-datasets/contract';
import {
  createSource,
  getDiscoveryStatus,
  listSources,
  putSchedule,
  startDiscovery,
} from '@weir/plugin-sources/contract';
import pg from 'pg';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { NAME_RULE } from '../../ui/src/sources/create/source-name.ts';
import { until } from '../until.ts';
import { axeFaults, fitsIn, leaks, press, shot, signIn } from '../web-steps.ts';
import { type WebWindow, webWorld } from '../web-world.ts';

/** A database with names that people have: a key of two columns, a dot, quotes, an umlaut, and a table without rows. */
const SERVER = new URL(process.env.WEIR_TEST_DATABASE_URL ?? '');
const TABLE = 'Aufträge "2026".q1';
const database = `weir_${randomBytes(6).toString('hex')}`;
const admin = new pg.Client({ connectionString: SERVER.href });
await admin.connect();
await admin.query(`CREATE DATABASE ${database}`);
const db = new pg.Client({ connectionString: new URL(`/${database}`, SERVER).href });
await db.connect();
t.teardown(async () => {
  await db.end();
  await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
  await admin.end();
});
const named = `"${TABLE.replaceAll('"', '""')}"`;
await db.query(`CREATE TABLE ${named} ("Nr." int, "Jahr" int, "geändert am" timestamptz NOT NULL, "Straße ""x""" text,
    PRIMARY KEY ("Nr.", "Jahr"));
  INSERT INTO ${named} VALUES (1, 2026, '2026-01-01', 'a'), (2, 2026, '2026-01-02', 'b');
  CREATE TABLE leer (id int PRIMARY KEY, updated_at timestamptz NOT NULL); CREATE TABLE ohne (doc jsonb)`);

const egress = { WEIR_EGRESS_ALLOW: '127.0.0.0/8' };
const world = await webWorld(t, egress, egress);
if (world === undefined) {
  t.plan(0, 'no Chromium on this machine, and it cannot be installed');
  process.exit();
}
const { url, open } = world;
const token = await developmentToken(world.issuer, 'ada@demo');
const { hostname, port, username, password } = SERVER;
const secret = password === '' ? 'trusted-anyway-9182' : password;
const config = { host: hostname, port: Number(port), database, username, ssl_mode: 'disable' };

async function ask<E extends Endpoint>(endpoint: E, input: Partial<Input<E>> = {}): Promise<Output<E>> {
  const answer = await world?.platform.call({ token, tenant: 'demo' }, endpoint, input);
  if (!answer?.ok) throw new Error(JSON.stringify(answer));
  return answer.body;
}

/** What the console said beside the refusals that a test provokes. */
const unexpected = ({ faults }: WebWindow) => faults.filter((fault) => !fault.includes('Failed to load resource'));
const row = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Streams' }).getByRole('row').filter({ hasText: name });
const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name });
/** The name of what has the focus. */
const focused = (page: Page) =>
  page.evaluate(
    'document.activeElement.getAttribute("aria-label") ?? document.activeElement.id ?? ""',
  ) as Promise<string>;

const hasFocus = (page: Page, name: string) =>
  until(`the cursor in ${name}`, async () => (await page.evaluate('document.activeElement.name')) === name);

async function choose(page: Page, label: string, value: string | RegExp): Promise<void> {
  await page
    .getByRole('combobox', { name: label })
    .or(page.getByRole('textbox', { name: label }))
    .first()
    .click();
  await option(page, value).click();
}

async function synced(page: Page, rows: number): Promise<void> {
  await page.getByRole('button', { name: 'Sync now' }).click();
  await page.getByText(`Rows committed${rows}`).waitFor();
  await page.getByText('Succeeded', { exact: true }).first().waitFor();
}

t.test(
  'a server that takes a connection and says nothing → the page says what it waits for, and how long',
  async (t) => {
    const [shown, sockets]: [WebWindow, Socket[]] = [await open(), []];
    const mute = createServer((socket) => void sockets.push(socket.on('error', () => undefined))).listen(
      0,
      '127.0.0.1',
    );
    t.teardown(() => mute.close());
    await once(mute, 'listening');
    const { page } = shown;
    await signIn(shown, `${url}/sources/new/postgres`, 'Ada');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('mute');
    await page.getByRole('textbox', { name: 'Host' }).fill('127.0.0.1');
    await page.getByRole('textbox', { name: 'Database' }).fill(database);
    await page.getByRole('textbox', { name: 'User' }).fill(username);
    await page.getByRole('textbox', { name: 'Password' }).fill(secret);
    await page.getByRole('button', { name: 'More settings' }).click();
    await page.getByRole('textbox', { name: 'Port' }).fill(String((mute.address() as AddressInfo).port));
    await choose(page, 'TLS', 'disable');
    await page.getByRole('button', { name: 'Test and discover' }).click();
    const progress = page.getByRole('status').filter({ hasText: 'Trying the configuration' });
    await progress.getByText(/tries the configuration at its source, for at most \d+ seconds/).waitFor();
    await progress.getByTestId('newest-line').waitFor();
    t.strictSame(await axeFaults(page), [], 'a test that waits');
    await until('the connector at the server', async () => sockets.length > 0);
    mute.close();
    for (const socket of sockets) socket.destroy();
    await page.getByText('Discovery failed').waitFor();
  },
);

t.test('by mouse: a database by a cursor, a broken server put right, a stream reset, a source deleted', async (t) => {
  const window = await open();
  const { page } = window;
  await signIn(window, `${url}/sources/new/postgres`, 'Ada');
  await t.test('a test far below the fold → its answer is in sight and has the focus', async (t) => {
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('laden');
    await page.getByRole('textbox', { name: 'Host' }).fill(hostname);
    await page.getByRole('textbox', { name: 'Database' }).fill(database);
    await page.getByRole('textbox', { name: 'User' }).fill(username);
    await page.getByRole('textbox', { name: 'Password' }).fill(secret);
    await page.getByRole('button', { name: 'More settings' }).click();
    await page.getByRole('textbox', { name: 'Port' }).fill(port);
    await choose(page, 'TLS', 'disable');
    await page.getByRole('button', { name: 'Test and discover' }).click();
    const answer = page.getByRole('heading', { name: '3 streams found' });
    await answer.waitFor();
    t.equal(await focused(page), 'Answer');
    t.ok(
      await answer.evaluate(
        (element) => (element as unknown as { getBoundingClientRect(): { y: number } }).getBoundingClientRect().y >= 0,
      ),
    );
    await shot(page, 'answer-in-sight');
    await page.getByRole('button', { name: 'Create source' }).click();
  });
  await t.test('a stream is set to incremental → its cursor is asked for, its key is known', async (t) => {
    await page.getByRole('tab', { name: 'Streams' }).click();
    await row(page, TABLE).click();
    const panel = page.getByRole('dialog');
    await panel.getByRole('heading', { name: TABLE }).waitFor();
    t.match(page.url(), /stream=[0-9a-f-]{36}/);
    await panel.getByText('Nr.').first().waitFor();
    await choose(page, 'Sync mode', /^Incremental/);
    await panel.getByRole('switch', { name: 'Sync this stream' }).click();
    await panel.getByText('Choose the field that shows').waitFor();
    t.strictSame(await axeFaults(page), [], 'a stream that lacks its cursor');
    await shot(page, 'stream-lacks-cursor');
    t.equal(await panel.getByLabel('Write mode').first().inputValue(), 'Merge', 'as it has a key');
    await choose(page, 'Cursor', /^geändert am/);
    await panel.getByRole('button', { name: 'Save' }).click();
    await panel.getByText('Saved. The next sync').waitFor();
    t.strictSame(await axeFaults(page), [], 'a stream');
    await shot(page, 'stream-panel');
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    t.notMatch(page.url(), /stream=/);
  });
  await t.test('an increment → adds only the new rows, and the state says where it is', async () => {
    await synced(page, 2);
    await db.query(`INSERT INTO ${named} VALUES (1, 2027, '2026-01-03', 'c')`);
    await synced(page, 1);
    await page.getByText('Ready to run').waitFor();
    await page.getByRole('tab', { name: 'Streams' }).click();
    await row(page, TABLE).click();
    await page.getByText('geändert am').first().waitFor();
    await page.getByLabel('State as JSON').getByText('2026-01-0').first().waitFor();
    await page.keyboard.press('Escape');
  });
  await t.test('settings for all streams → set where they can be, with the reason elsewhere', async (t) => {
    await page.getByRole('checkbox', { name: 'Select all that fit' }).check();
    await page.getByRole('button', { name: 'Set mode, cursor or key…' }).click();
    const dialog = page.getByRole('dialog');
    await choose(page, 'Sync mode', /^Incremental/);
    await dialog.getByText(/ohne.*: The source can only be read whole/).waitFor();
    t.strictSame(await axeFaults(page), [], 'settings of many streams');
    await shot(page, 'bulk-dialog');
    await dialog.getByRole('button', { name: 'Set on 1 stream' }).click();
    await dialog.waitFor({ state: 'detached' });
    await row(page, 'leer').getByText('updated_at').waitFor();
  });
  await t.test(
    'a server that is not there → the failure leads to the field, and a test shows that it is right again',
    async (t) => {
      await page.getByRole('tab', { name: 'Configuration' }).click();
      await page.getByText('Stored, never shown').waitFor();
      t.strictSame(await axeFaults(page), [], 'a configuration');
      await shot(page, 'configuration');
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByRole('button', { name: 'Replace Password' }).waitFor();
      await page.getByRole('textbox', { name: 'Port' }).fill('1');
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      await page.getByText('This names another place').waitFor();
      await page.getByRole('textbox', { name: 'Password' }).fill(secret);
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      await page.getByRole('alert').getByText('The server cannot be reached').waitFor();
      t.strictSame(await axeFaults(page), [], 'a change that does not work');
      await shot(page, 'change-fails');
      await page.getByRole('button', { name: 'Go to “Host”' }).click();
      await hasFocus(page, 'config.host');
      await page.getByRole('textbox', { name: 'Port' }).fill(port);
      await page.getByRole('textbox', { name: 'Database' }).fill('nirgends');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The next sync uses it').waitFor();
      await page.getByRole('button', { name: 'Sync now' }).click();
      await page.getByRole('link', { name: 'Correct “Database”' }).click();
      await hasFocus(page, 'config.database');
      t.match(page.url(), /field=/);
      await page.getByRole('textbox', { name: 'Database' }).fill(database);
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      await page.getByText('It works').waitFor();
      await shot(page, 'change-works');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The next sync uses it').waitFor();
      await synced(page, 0);
      t.notOk(`${await page.content()}${JSON.stringify([window.faults, window.asked])}`.includes(secret), 'no secret');
    },
  );
  await t.test('a stream is reset → the next sync reads all of it, and its receipt is verified', async (t) => {
    await page.getByRole('tab', { name: 'Streams' }).click();
    await row(page, TABLE).click();
    await page.getByRole('button', { name: 'Reset this stream…' }).click();
    await page.getByText(/replaces the 3 rows of bronze\.demo\./).waitFor();
    t.strictSame(await axeFaults(page), [], 'what a reset means');
    await shot(page, 'reset');
    await page.getByRole('button', { name: 'Reset', exact: true }).click();
    await page.getByText('No state yet').waitFor();
    await page.keyboard.press('Escape');
    await synced(page, 3);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Verify the last sync' }).click();
    await page.getByRole('button', { name: 'Verify', exact: true }).click();
    await page
      .getByText('hold exactly what the sync says')
      .or(page.getByText('holds exactly what the sync says'))
      .waitFor();
    t.strictSame(await axeFaults(page), [], 'a receipt that is verified');
    await shot(page, 'receipt');
  });
  await t.test('renamed, its schedule paused, then deleted: its tables stay', async (t) => {
    const [source] = (await ask(listSources)).items;
    const params = { source_id: source?.source_id ?? '' };
    await ask(putSchedule, { params, body: { cron: ['0 3 * * *'], timezone: 'UTC' } as never });
    const more = async (name: string) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    await more('Rename…');
    await page.getByRole('textbox', { name: 'Name' }).fill('ge schäft');
    await page.getByRole('dialog').getByText(NAME_RULE).waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('shop');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor();
    await more('Pause the schedule');
    await until('a paused schedule', async () => (await ask(listSources)).items[0]?.schedule?.paused === true);
    await more('Resume the schedule');
    await until('a schedule', async () => (await ask(listSources)).items[0]?.schedule?.paused === false);
    await more('Delete…');
    await page.getByText('its tables, with every row and snapshot').waitFor();
    await until('the safe button', () => page.evaluate('document.activeElement.textContent === "Keep it"'));
    t.strictSame(await axeFaults(page), [], 'what ends and what stays');
    await shot(page, 'delete');
    await page.getByRole('button', { name: 'Delete the source' }).click();
    await page.waitForURL(`${url}/sources`);
    t.equal((await ask(listSources)).items.length, 0);
    const table = (await ask(listDatasets)).items.find(({ dataset_id }) => dataset_id.includes('2026'));
    t.equal((await ask(previewDataset, { params: { dataset_id: table?.dataset_id ?? '' } })).rows.length, 3);
    t.strictSame(await leaks(window), []);
    t.strictSame(unexpected(window), []);
  });
});

/** A viewer at the address of a stream. */
async function viewed(t: Test, address: string): Promise<void> {
  const viewer = await open({ width: 360 });
  await signIn(viewer, address, 'Eve', 'tasten');
  await viewer.page.getByRole('dialog').getByText('geändert am').first().waitFor();
  t.strictSame(await axeFaults(viewer.page), [], 'a stream, for a viewer');
  await shot(viewer.page, 'narrow-stream-viewer');
  t.equal(
    await viewer.page
      .getByRole('dialog')
      .getByRole('button', { name: /Save|Reset/ })
      .count(),
    0,
  );
  t.equal(await viewer.page.getByRole('button', { name: 'More actions' }).count(), 0);
  t.strictSame(
    viewer.asked.filter((address) => address.endsWith('/state')),
    [],
  );
  await viewer.context.close();
}

/** A wrong database is tried, seen and taken back, from the tab of the sync. */
async function triedByKeyboard(t: Test, page: Page): Promise<void> {
  await press(page, page.getByRole('tab', { name: 'Sync' }), 'ArrowLeft');
  await press(page, page.getByRole('tab', { name: 'Credentials' }), 'ArrowLeft');
  await press(page, page.getByRole('button', { name: 'Edit' }), 'Enter');
  await press(page, page.getByRole('textbox', { name: 'Database' }), 'End');
  await page.keyboard.type('x');
  await press(page, page.getByRole('button', { name: 'Test', exact: true }), 'Enter');
  await page.getByRole('alert').getByText('no such database').waitFor();
  t.ok(await fitsIn(page));
  await shot(page, 'dark-narrow-change-fails');
  await press(page, page.getByRole('button', { name: 'Go to “Database”' }), 'Enter');
  await hasFocus(page, 'config.database');
  await page.keyboard.press('End');
  await page.keyboard.press('Backspace');
  await press(page, page.getByRole('button', { name: 'Test', exact: true }), 'Enter');
  await page.getByText('It works').waitFor();
  await press(page, page.getByRole('button', { name: 'Cancel' }), 'Enter', 'Shift+Tab');
  await page.getByRole('button', { name: 'Edit' }).waitFor();
}

t.test('by keyboard alone: cursor and configuration, reset and delete; a viewer sees values only', async (t) => {
  const body = {
    name: 'tasten',
    pattern_id: 'postgres',
    source_config: config,
    credential_values: { password: secret },
  };
  const { source_id } = await ask(createSource, { body });
  const { workflow_id } = await ask(startDiscovery, { body: { source_id } });
  await until('a discovery', async () => (await ask(getDiscoveryStatus, { params: { workflow_id } })).is_terminal);
  const window = await open({ colorScheme: 'dark', width: 360 });
  const { page } = window;
  await signIn(window, `${url}/sources/${source_id}?tab=streams`, 'Ada', 'tasten');
  await press(page, row(page, TABLE), 'Enter');
  const panel = page.getByRole('dialog');
  await panel.getByRole('heading', { name: TABLE }).waitFor();
  await press(page, panel.getByLabel('Sync this stream'), ' ');
  await press(page, panel.getByLabel('Sync mode').first(), 'ArrowDown');
  await option(page, /^Incremental/).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await press(page, panel.getByLabel('Cursor').first(), 'g');
  await option(page, /^geändert am/).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await press(page, panel.getByRole('button', { name: 'Save' }), 'Enter');
  await panel.getByText('Saved. The next sync').waitFor();
  t.ok(await fitsIn(page));
  t.strictSame(await axeFaults(page), [], 'a stream');
  await shot(page, 'dark-narrow-stream');
  const opened = page.url();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await page.keyboard.press('r');
  await page.getByText('Rows committed3').waitFor();
  await triedByKeyboard(t, page);
  await press(page, page.getByRole('button', { name: 'More actions' }), 'Enter', 'Shift+Tab');
  await press(page, page.getByRole('menuitem', { name: 'Reset all streams…' }), 'Enter', 'ArrowDown');
  await press(page, page.getByRole('dialog').getByRole('button', { name: 'Reset', exact: true }), 'Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await viewed(t, opened);
  await press(page, page.getByRole('button', { name: 'More actions' }), 'Enter');
  await press(page, page.getByRole('menuitem', { name: 'Delete…' }), 'Enter', 'ArrowDown');
  await press(page, page.getByRole('button', { name: 'Delete the source' }), 'Enter');
  await page.waitForURL(`${url}/sources`);
  t.strictSame(unexpected(window), []);
});

t.test('a file that cannot be described → named by the creation, the page of the source and the review', async (t) => {
  const folder = join(t.testdir(), 'data');
  await mkdir(folder);
  await writeFile(join(folder, 'good.csv'), 'id\n1\n');
  await writeFile(join(folder, 'torn "ä".csv'), '"id\n1\n');
  const window = await open();
  const { page } = window;
  await signIn(window, `${url}/sources/new/files`, 'Ada');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('akten');
  await page.getByRole('textbox', { name: 'Folder' }).fill(folder);
  await page.getByRole('button', { name: 'Test and discover' }).click();
  await page.getByText('1 stream could not be described').waitFor();
  await page.getByText('torn "ä"').first().waitFor();
  t.strictSame(await axeFaults(page), [], 'streams found beside one that is not');
  await shot(page, 'undescribed');
  await page.getByRole('button', { name: /^Create source/ }).click();
  await page.getByRole('tab', { name: 'Streams' }).click();
  await page.getByRole('button', { name: 'Discover again' }).click();
  await page.getByRole('dialog').getByText('1 stream could not be described').waitFor();
  await page.getByRole('button', { name: 'Change nothing' }).click();
  await page.getByRole('tab', { name: 'Sync' }).click();
  await page.getByText(/torn "ä" cannot be described/).waitFor();
  t.strictSame(await axeFaults(page), [], 'readiness with a warning');
  await shot(page, 'readiness-warning');
  t.strictSame(unexpected(window), []);
});
