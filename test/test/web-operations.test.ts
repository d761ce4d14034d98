import { developmentToken } from '@weir/embedded';
import { createApiToken, listPolicies, updatePolicy } from '@weir/plugin-identity/contract';
import { createSource, updateSource } from '@weir/plugin-sources/contract';
import { createWebhook } from '@weir/plugin-webhooks/contract';
import t from 'tap';
import { instantOf, wallOf } from '../../ui/src/parts/zones.ts';
import { until } from '../until.ts';
import { axeFaults, press, shot, signIn } from '../web-steps.ts';
import { webWorld } from '../web-world.ts';

const TOKENS = 10_000;
const MOST_ROWS = 60;

const world = await webWorld(t);
if (world === undefined) {
  t.plan(0, 'no Chromium on this machine, and it cannot be installed');
  process.exit();
}
const { url, open, platform, issuer } = world;
const ada = async () => ({ token: await developmentToken(issuer, 'ada@demo'), tenant: 'demo' });

t.test('10,000 rows → at most 60 of them in the page, each reached by keys, under heads that stay', async (t) => {
  const first = { name: 'token-1', role: 'viewer' as const };
  t.ok((await platform.call(await ada(), createApiToken, { body: first })).ok);
  await platform.database.peek(
    `insert into identity.api_token (tenant_id, api_token_id, name, role, secret_sha256, created_by, created_at, expires_at)
       select tenant_id, gen_random_uuid(), 'token-' || n, role, secret_sha256, created_by,
         created_at - n * interval '1 second', expires_at
       from generate_series(2, $1::integer) n, identity.api_token`,
    [TOKENS],
  );
  const window = await open();
  const { page, faults } = window;
  await signIn(window, `${url}/operations?tab=tokens`, 'Ada');
  const table = page.getByRole('table');
  await page.getByText('token-1', { exact: true }).waitFor();
  const most = async () => (await table.getByRole('row').count()) <= MOST_ROWS;
  t.ok(await most(), 'of the first page');
  t.equal(await table.getAttribute('aria-rowcount'), '-1', 'how many there are is not known yet');
  t.strictSame(await axeFaults(page), []);
  await shot(page, 'long-table');
  await press(page, page.getByRole('region', { name: 'API tokens' }), 'End');
  await until('all pages, read by scrolling', async () => {
    await page.keyboard.press('End');
    return (await page.getByText('10,000 tokens', { exact: true }).count()) > 0;
  });
  t.ok(await most(), 'of all');
  await page.keyboard.press('Home');
  await press(page, page.getByRole('button', { name: 'Revoke… token-1', exact: true }), 'ArrowDown');
  await press(page, page.getByRole('button', { name: 'Revoke… token-2', exact: true }), 'End');
  const last = page.getByRole('row', { name: 'token-10000' });
  await until('the focus on the last row', async () => (await last.locator(':focus').count()) === 1);
  t.equal(await last.getAttribute('aria-rowindex'), String(TOKENS + 1));
  t.equal(await table.getAttribute('aria-rowcount'), String(TOKENS + 1));
  t.ok(await page.getByRole('columnheader', { name: 'Last used' }).isVisible(), 'the heads stay');
  await page.keyboard.press('k');
  t.equal(await page.getByRole('row', { name: 'token-9999' }).locator(':focus').count(), 1);
  t.ok(await most(), 'at the end of them');
  t.strictSame(await axeFaults(page), [], 'at the end of them');
  await shot(page, 'long-table-end');
  t.strictSame(faults, []);
});

t.test('a policy by its form → a draft, whom it touches, in force, and a change that meets another one', async (t) => {
  const window = await open({ colorScheme: 'dark' });
  const { page, faults } = window;
  await signIn(window, `${url}/operations?tab=policies`, 'Ada');
  await page.getByRole('link', { name: 'New policy' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('no-tokens');
  await page.getByRole('combobox', { name: 'Do what' }).fill('identity.create_api_token');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Add the rule' }).click();
  const rules = page.getByRole('textbox', { name: 'Rules' });
  const statement = 'forbid (principal, action == Action::"identity.create_api_token", resource);';
  t.equal(await rules.inputValue(), statement);
  await rules.fill(statement.replace('principal,', 'somebody,'));
  await page.getByRole('button', { name: 'Save as draft' }).click();
  await page.getByText(/^Line 1, column \d+/).waitFor();
  t.strictSame(await axeFaults(page), [], 'a document at fault');
  await shot(page, 'policy-fault');
  await rules.fill(statement);
  await page.getByRole('button', { name: 'Save as draft' }).click();
  await page.getByRole('heading', { name: 'no-tokens' }).waitFor();
  await page.getByRole('button', { name: 'Preview' }).click();
  const touched = page.getByRole('region', { name: 'Whom it touches' });
  await touched.getByText('may no longer: identity.create_api_token').waitFor();
  t.strictSame(await axeFaults(page), [], 'whom a policy touches');
  await shot(page, 'policy');
  await page.getByRole('button', { name: 'Put in force…' }).click();
  await page.getByRole('button', { name: 'Put in force', exact: true }).click();
  await page.getByText('in force', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Change', exact: true }).click();
  await page.getByRole('button', { name: 'Add a limit' }).click();
  await page.getByRole('textbox', { name: 'is one of' }).fill('ada@demo');
  await page.getByRole('checkbox', { name: 'admin', exact: true }).check();
  await page.getByText('Whose subject is ada@demo: keeps roles up to viewer, admin').waitFor();
  await meanwhile(statement.replace('resource)', 'resource in Resource::"/api-tokens")'));
  await page.getByRole('button', { name: 'Save, in force at once' }).click();
  await page.getByText('ada@demo saved version 2 meanwhile').waitFor();
  t.strictSame(await axeFaults(page), [], 'a version that another one came before');
  await shot(page, 'policy-conflict');
  await page.getByRole('button', { name: 'Compare mine with version 2' }).click();
  await page.getByRole('heading', { name: 'What changes to version 2' }).waitFor();
  await page.getByRole('button', { name: 'Save, in force at once' }).click();
  const versions = page.getByRole('region', { name: 'Table of versions' });
  await versions.getByRole('row', { name: /^3/ }).getByText('keeps roles up to viewer, admin').waitFor();
  await page.getByRole('button', { name: 'Clone…' }).click();
  await page.getByRole('button', { name: 'Clone', exact: true }).click();
  await page.getByRole('heading', { name: 'no-tokens-2' }).waitFor();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('1 policy', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'no-tokens' }).click();
  await page.getByRole('button', { name: 'Archive…' }).click();
  await page.getByRole('button', { name: 'Archive', exact: true }).click();
  await page.getByText('archived', { exact: true }).waitFor();
  t.strictSame(
    faults.filter((fault) => !/422|409/.test(fault)),
    [],
    'nothing but what was refused',
  );
});

t.test('by keyboard alone: from a source to who changed it and when, in the zone of the person', async (t) => {
  const who = await ada();
  const made = await platform.call(who, createSource, {
    body: { name: 'asked', pattern_id: 'files', source_config: { path: '/nowhere' } },
  });
  const source_id = made.ok ? made.body.source_id : '';
  t.ok((await platform.call(who, updateSource, { params: { source_id }, body: { name: 'asked-again' } })).ok);
  const window = await open();
  const { page, faults } = window;
  await signIn(window, `${url}/sources/${source_id}`, 'Ada');
  await press(page, page.getByRole('link', { name: 'Who changed this' }), 'Enter');
  const changed = page.getByRole('row', { name: /ada@demo sources\.update_source/ });
  await changed.waitFor();
  const at = (await changed.locator('time').getAttribute('datetime')) ?? '';
  t.ok(Date.parse(at) > 0, 'who changed it, and when');
  t.equal(await page.getByRole('row').count(), 3, 'nothing but what was done to it');
  t.strictSame(await axeFaults(page), []);
  await shot(page, 'audit-of-source');
  const wall = (hours: number) => wallOf(new Date(Date.parse(at) + hours * 3_600_000).toISOString(), 'Europe/Berlin');
  const from = page.getByLabel('From, in Europe/Berlin');
  await from.fill(wall(-1));
  await until('the address', async () => page.url().includes('from='));
  t.equal(new URL(page.url()).searchParams.get('from'), instantOf(wall(-1), 'Europe/Berlin'));
  t.equal(await changed.count(), 1);
  await from.fill(wall(1));
  await page.getByText('No event fits the filter.').waitFor();
  await press(page, page.getByRole('button', { name: 'Show all' }), 'Enter');
  await page.getByText('sources.create_source').first().waitFor();
  t.strictSame(faults, []);
});

/** Saves a version of the one policy while a person edits it. */
async function meanwhile(cedar: string): Promise<void> {
  const who = await ada();
  const list = await platform.call(who, listPolicies, {});
  const policy_id = list.ok ? (list.body.items[0]?.policy_id ?? '') : '';
  const body = { document: { cedar }, expected_version: 1 };
  const { ok } = await platform.call(who, updatePolicy, { params: { policy_id }, body });
  if (!ok) throw new Error('The policy was not changed.');
}

t.test(
  'a webhook by its form → renamed, other events and a new secret, each kept as it was where nothing was said',
  async (t) => {
    const body = { name: 'pager', url: 'https://9.9.9.9/weir', events: ['run.failed' as const] };
    t.ok((await platform.call(await ada(), createWebhook, { body })).ok);
    const window = await open();
    const { page, faults } = window;
    await signIn(window, `${url}/operations?tab=webhooks`, 'Ada');
    await page.getByRole('button', { name: 'Change… pager' }).click();
    await page.getByLabel('Name').fill('on-call');
    await page.getByLabel('A table has new rows or columns').check();
    t.strictSame(await axeFaults(page), [], 'the form');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'on-call' }).waitFor();
    const row = page.getByRole('row', { name: /on-call/ });
    t.match(await row.textContent(), /9\.9\.9\.9.*A run failed.*A table has new rows or columns/);
    await page.getByRole('button', { name: 'Change… on-call' }).click();
    await page.getByLabel('Make a new secret').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('From now on every request is signed').waitFor();
    await shot(page, 'webhook-secret');
    t.strictSame(faults, []);
  },
);

t.test(
  'a platform admin makes a tenant, limits it, and a person signs in to it, who sees the own limits alone',
  async (t) => {
    const window = await open();
    const { page, faults } = window;
    await signIn(window, `${url}/operations?tab=tenants`, 'Ada');
    await page.getByRole('button', { name: 'New tenant' }).click();
    await page.getByLabel('Alias').fill('Northwind');
    await page.getByRole('button', { name: 'Make the tenant' }).click();
    await page.getByText('put people into the organization Northwind').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Limits… Northwind' }).click();
    await page.getByLabel('Open runs').selectOption('At most');
    await page.getByLabel('Open runs, at most').fill('3');
    t.strictSame(await axeFaults(page), [], 'the form');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /^Northwind northwind in .* 0 of 3/ }).waitFor();
    await shot(page, 'tenants');
    t.strictSame(faults, []);

    const other = await open();
    await other.page.goto(`${url}/operations?tab=limits`);
    await other.page.getByText('Another person').click();
    await other.page.getByLabel('Name').fill('Zoë');
    await other.page.getByLabel('Organization').fill('Northwind');
    await other.page.getByLabel('Role').selectOption('admin');
    t.strictSame(await axeFaults(other.page), [], 'the sign-in page');
    await other.page.getByRole('button', { name: 'Add and sign in' }).click();
    await other.page.getByText('0 of 3').waitFor();
    t.equal(await other.page.getByRole('tab', { name: 'Tenants' }).count(), 0);
    t.strictSame(other.faults, []);
  },
);
