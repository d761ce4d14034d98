import { developmentToken } from '@weir/embedded';
import { createApiToken } from '@weir/plugin-identity/contract';
import t from 'tap';
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
