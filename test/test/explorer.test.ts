import t from 'tap';
import { testBrowser } from '../browser.ts';
import { testPlatform } from '../platform.ts';

t.test('the explorer shows every endpoint and tries one, under a policy that lets nothing else run', async (t) => {
  const browser = await testBrowser(t);
  if (browser === undefined) {
    t.plan(0, 'no Chromium on this machine, and it cannot be installed');
    return;
  }
  const world = await testPlatform(t, t.testdir());
  const page = await browser.newPage();
  const faults: string[] = [];
  const elsewhere: string[] = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== 'data:' && origin !== world.api.url) elsewhere.push(request.url());
  });
  await page.goto(`${world.api.url}/docs`);
  const operation = page.locator('.opblock[id^="operations-kernel"][id$="get_health"]');
  await operation.locator('button.opblock-summary-control').click();
  await operation.locator('button.try-out__btn').click();
  await operation.locator('button.execute').click();
  await operation.locator('.live-responses-table .response').first().waitFor();
  t.match(await operation.locator('.live-responses-table').textContent(), /"release_sha"/);
  t.equal(await page.locator('.opblock').count(), world.api.app.declaredRoutes.length, 'every endpoint is there');
  t.strictSame(faults, [], 'no error on the console, so the policy stopped nothing');
  t.strictSame(elsewhere, [], 'nothing is asked of another host');
  if (process.env.WEIR_TEST_SCREENSHOT) await page.screenshot({ path: process.env.WEIR_TEST_SCREENSHOT });
});

t.test('every error code has a page, and every code that an endpoint names is one of them', async (t) => {
  const world = await testPlatform(t, t.testdir());
  const codes = [...world.platform.problems.keys()];
  const list = await (await fetch(`${world.api.url}/docs/errors`)).text();
  for (const code of codes) {
    const answer = await fetch(`${world.api.url}/docs/errors/${code}`);
    const text = await answer.text();
    if (!t.match([answer.status, text], [200, `<h1>${code}</h1>`], code)) continue;
    t.match(answer.headers.get('content-security-policy'), /default-src 'none'/);
    t.ok(list.includes(`/docs/errors/${code}"`), `${code} is listed`);
  }
  for (const { endpoint } of world.api.app.declaredRoutes) {
    for (const { entry } of endpoint.errors ?? []) {
      t.ok(world.platform.problems.get(entry.code) === entry, `${endpoint.id} names ${entry.code}`);
    }
  }
  const unknown = await fetch(`${world.api.url}/docs/errors/no_such_code`);
  t.match([unknown.status, await unknown.json()], [404, { code: 'not_found' }]);
});
