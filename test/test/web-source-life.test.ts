import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { developmentToken } from '@weir/embedded';
import type { Endpoint, Input, Output } from '@weir/kernel/contract';
import { createSource, refreshSchema } from '@weir/plugin-sources/contract';
import t from 'tap';
import { testMount } from '../secret-mount.ts';
import { axeFaults, fitsIn, hasFocus, leaks, press, shot, signIn } from '../web-steps.ts';
import { type WebWindow, webWorld } from '../web-world.ts';

/** A service with a list of people, which wants a token that its owner changes. */
const [first, second] = [randomBytes(16).toString('hex'), randomBytes(16).toString('hex')];
let wanted = first;
const people = createServer(({ headers }, answer) => {
  const isRight = headers.authorization === `Bearer ${wanted}`;
  answer.writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' });
  answer.end(JSON.stringify(isRight ? [{ id: 1 }, { id: 2 }] : {}));
});
people.listen(0, '127.0.0.1');
await once(people, 'listening');
t.teardown(() => people.close());
const { port } = people.address() as AddressInfo;

const mount = await testMount(t);
const egress = { WEIR_EGRESS_ALLOW: '127.0.0.0/8', WEIR_EGRESS_PORTS: String(port) };
const world = await webWorld(
  t,
  { ...mount.environment('api'), ...egress },
  { ...mount.environment('worker'), ...egress },
);
if (world === undefined) {
  t.plan(0, 'no Chromium on this machine, and it cannot be installed');
  process.exit();
}
const { url, open } = world;
const token = await developmentToken(world.issuer, 'ada@demo');

async function ask<E extends Endpoint>(endpoint: E, input: Partial<Input<E>>): Promise<Output<E>> {
  const answer = await world?.platform.call({ token, tenant: 'demo' }, endpoint, input);
  if (!answer?.ok) throw new Error(JSON.stringify(answer));
  return answer.body;
}

/** What the console said beside the refusals that a test provokes. */
const unexpected = ({ faults }: WebWindow) => faults.filter((fault) => !fault.includes('Failed to load resource'));

t.test(
  'a credential that its owner changed: the sync fails and says why, rotated it succeeds, and home says so',
  async (t) => {
    const window = await open();
    const { page } = window;
    const secrets = async () => {
      const kept = `${await page.content()}${JSON.stringify([window.faults, window.asked])}`;
      return [first, second].filter((secret) => kept.includes(secret));
    };
    await signIn(window, `${url}/sources/new/http`, 'Ada');
    await page.getByRole('textbox', { name: 'Name' }).fill('people');
    await page.getByRole('textbox', { name: 'Address' }).fill(`http://127.0.0.1:${port}/`);
    await page.getByRole('textbox', { name: 'Token' }).fill(first);
    await page.getByRole('button', { name: 'As a command' }).click();
    const command = page.getByText('weir sources create');
    t.match(await command.textContent(), /--name people .*=env:TOKEN .*url: http/s, 'the credential is only named');
    t.strictSame(await axeFaults(page), [], 'the form as a command');
    await shot(page, 'as-command');
    await page.getByRole('button', { name: 'Test and discover' }).click();
    await page.getByRole('heading', { name: '1 stream found' }).waitFor();
    await page.getByRole('button', { name: /^Create source/ }).click();
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByText('Succeeded', { exact: true }).first().waitFor();
    wanted = second;
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByRole('alert').getByText('does not accept the credentials').waitFor();
    t.strictSame(await axeFaults(page), [], 'a sync that failed');
    await page.getByRole('tab', { name: 'Credentials' }).click();
    await page.getByText('Token: stored').waitFor();
    t.strictSame(await axeFaults(page), [], 'a credential');
    await shot(page, 'credential');
    await page.getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('dialog').getByText('becomes version 2').waitFor();
    await page.getByRole('textbox', { name: 'Token' }).fill(second);
    t.strictSame(await axeFaults(page), [], 'a rotation');
    await shot(page, 'credential-rotating');
    await page.getByRole('button', { name: 'Write the next version' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('Version2').waitFor();
    t.strictSame(await secrets(), [], 'no secret in page, address or console');
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByText('Rows committed2').waitFor();
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    await page.getByText('Recovered').waitFor();
    t.strictSame(await axeFaults(page), [], 'home');
    await shot(page, 'recovered');
    t.strictSame(await leaks(window), []);
    t.strictSame(unexpected(window), []);
  },
);

t.test('a credential is detached and attached again; a viewer learns nothing of it', async (t) => {
  const window = await open({ colorScheme: 'dark' });
  const { page } = window;
  await signIn(window, `${url}/sources`, 'Ada');
  await page.getByRole('link', { name: 'people' }).click();
  await page.getByRole('tab', { name: 'Credentials' }).click();
  await page.getByRole('button', { name: 'Detach' }).click();
  await page.getByRole('dialog').getByText('no sync of people can start').waitFor();
  t.strictSame(await axeFaults(page), [], 'what detaching does');
  await page.getByRole('dialog').getByRole('button', { name: 'Detach' }).click();
  await page.getByText('None attached').waitFor();
  t.strictSame(await axeFaults(page), [], 'a source without a credential');
  await shot(page, 'dark-credential-none');
  await page.getByRole('combobox', { name: 'Use one that is there' }).click();
  await page.getByRole('option', { name: 'people, version 2' }).click();
  await page.getByRole('button', { name: 'Attach' }).click();
  await page.getByText('Token: stored').waitFor();
  await page.locator('time').first().hover();
  await page.getByRole('tooltip').waitFor();
  t.strictSame(await axeFaults(page), [], 'a credential, and a time with its zone');
  await shot(page, 'dark-credential');
  t.strictSame(unexpected(window), []);
  const viewer = await open({ width: 360 });
  await signIn(viewer, page.url(), 'Eve', 'people');
  await viewer.page.getByText('may not know anything of credentials').waitFor();
  t.equal(await viewer.page.getByRole('tab', { name: 'Credentials' }).count(), 0);
  t.strictSame(
    viewer.asked.filter((address) => address.includes('/credentials')),
    [],
    'and nothing is asked',
  );
});

t.test('a schedule by keyboard alone: set, seen, run, paused with a reason, resumed, removed', async (t) => {
  const window = await open({ colorScheme: 'dark' });
  const { page } = window;
  await signIn(window, `${url}/sources`, 'Ada');
  await press(page, page.getByRole('link', { name: 'people' }), 'Enter');
  await press(page, page.getByRole('tab', { name: 'Sync' }), 'ArrowRight');
  for (const name of ['Streams', 'History']) await press(page, page.getByRole('tab', { name }), 'ArrowRight');
  await press(page, page.getByRole('button', { name: 'Set a schedule' }), 'Enter');
  await press(page, page.getByRole('radio', { name: 'On days' }), 'ArrowRight');
  await press(page, page.getByRole('radio', { name: 'Monthly' }), 'ArrowRight');
  await press(page, page.getByRole('textbox', { name: 'Cron expressions' }), 'Control+a');
  await page.keyboard.type('61 * * * *');
  await page.getByText('is not a cron expression').waitFor();
  t.strictSame(await axeFaults(page), [], 'an expression that is refused');
  await shot(page, 'dark-schedule-refused');
  await press(page, page.getByRole('textbox', { name: 'Cron expressions' }), 'Control+a', 'Shift+Tab');
  await page.keyboard.type('30 2 * * mon-fri');
  await page.getByText('At 02:30').waitFor();
  t.equal(await page.getByRole('region', { name: 'Next runs' }).getByRole('row').count(), 6, 'before it is saved');
  await press(page, page.getByRole('button', { name: 'Save schedule' }), 'Enter');
  await page.getByText('Active', { exact: true }).nth(1).waitFor();
  const times = await page
    .getByRole('region', { name: 'Next runs' })
    .last()
    .getByText(/\d\d:30/)
    .count();
  t.ok(times >= 10, 'five times, by two clocks');
  t.strictSame(await axeFaults(page), [], 'a schedule');
  await shot(page, 'dark-schedule');
  await press(page, page.getByRole('button', { name: 'Run now' }), 'Enter');
  await page.getByText('started by ada@demo').waitFor();
  await press(page, page.getByRole('button', { name: 'Pause' }), 'Enter');
  const reason = page.getByRole('textbox', { name: 'Reason' });
  await reason.waitFor();
  t.ok(await hasFocus(reason), 'a dialog has the keyboard from the moment it is seen');
  const syncs = () => window.asked.filter((address) => address.endsWith('/sync')).length;
  const before = syncs();
  await press(page, page.getByRole('dialog').getByRole('button', { name: 'Cancel' }), 'r');
  t.equal(syncs(), before, 'a letter does nothing to the page behind it');
  await press(page, reason, 'End', 'Shift+Tab');
  await page.keyboard.type('stocktaking');
  await page.keyboard.press('Enter');
  await page.getByText('stocktaking').waitFor();
  t.strictSame(await axeFaults(page), [], 'a schedule that is paused');
  await press(page, page.getByRole('button', { name: 'Resume' }), 'Enter');
  await page.getByText('Active', { exact: true }).last().waitFor();
  await press(page, page.getByRole('button', { name: 'Edit' }), 'Enter');
  await page.getByRole('checkbox', { name: 'Sat' }).waitFor();
  t.notOk(await page.getByRole('checkbox', { name: 'Sat' }).isChecked(), 'what was written as cron is shown in words');
  t.strictSame(await axeFaults(page), [], 'the form');
  await shot(page, 'dark-schedule-form');
  await press(page, page.getByRole('button', { name: 'Cancel', exact: true }), 'Enter');
  await press(page, page.getByRole('button', { name: 'Remove' }), 'Enter');
  await press(page, page.getByRole('button', { name: 'Remove schedule' }), 'Enter');
  await page.getByText('No schedule: source people').waitFor();
  t.strictSame(unexpected(window), []);
});

t.test('by keyboard alone: a sync that fails and why, its credential rotated, and a sync that succeeds', async (t) => {
  const window = await open({ colorScheme: 'dark' });
  const { page } = window;
  wanted = first;
  await signIn(window, `${url}/sources`, 'Ada');
  await press(page, page.getByRole('link', { name: 'people' }), 'Enter');
  await page.getByRole('button', { name: 'Sync now' }).waitFor();
  await page.keyboard.press('r');
  await page.getByRole('alert').getByText('does not accept the credentials').waitFor();
  t.strictSame(await axeFaults(page), [], 'a sync that failed');
  await press(page, page.getByRole('tab', { name: 'Sync' }), 'ArrowLeft');
  await press(page, page.getByRole('button', { name: 'Rotate' }), 'Enter');
  await press(page, page.getByRole('textbox', { name: 'Token' }), 'End');
  await page.keyboard.type(first);
  await page.keyboard.press('Enter');
  await page.getByText('Version3').waitFor();
  // A letter that is pressed while the form is still there is typed into it.
  await page.getByRole('textbox', { name: 'Token' }).waitFor({ state: 'detached' });
  await page.keyboard.press('r');
  await page.getByText('Rows committed2').waitFor();
  t.strictSame(unexpected(window), []);
});

t.test(
  'a source that has changed, by keyboard and by mouse → the difference is reviewed, and nothing changes before',
  async (t) => {
    const folder = t.testdir({ 'orders.csv': 'id\n1\n', 'old.csv': 'id\n1\n' });
    const config = { path: folder };
    const { source_id } = await ask(createSource, {
      body: { name: 'shop', pattern_id: 'files', source_config: config },
    });
    const schema = { type: 'object', properties: { id: { type: ['integer', 'null'] } } };
    const stream = (name: string) => ({ name, namespace: null, schema, supported_sync_modes: ['full_refresh'] });
    await ask(refreshSchema, { params: { source_id }, body: { streams: [stream('orders'), stream('old')] } } as never);
    await writeFile(`${folder}/orders.csv`, 'id,city\n1,Ulm\n');
    const window = await open({ width: 360 });
    const { page } = window;
    await signIn(window, `${url}/sources/${source_id}?tab=streams`, 'Ada', 'shop');
    await press(page, page.getByRole('button', { name: 'Discover again' }), 'Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('city').first().waitFor();
    t.strictSame(await axeFaults(page), [], 'a difference');
    t.ok(await fitsIn(page));
    await shot(page, 'narrow-difference');
    await press(page, dialog.getByRole('button', { name: 'Apply' }), 'Enter');
    await dialog.waitFor({ state: 'detached' });
    await writeFile(`${folder}/new.csv`, 'id\n1\n');
    await page.getByRole('button', { name: 'Discover again' }).click();
    await dialog.getByText('1 stream added').waitFor();
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('3 streams', { exact: true }).waitFor();
    t.strictSame(unexpected(window), []);
  },
);
