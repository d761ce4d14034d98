import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import t from 'tap';
import { KIT_FAULTS } from '../../connectors/sdk/src/kit-faults.ts';
import { testBrowser } from '../browser.ts';
import { testPlatform } from '../platform.ts';
import { PATIENT_MS } from '../until.ts';
import { axeFaults } from '../web-steps.ts';

/** The colour behind the text of a page, the family of its font, and whether the file of the font is there. */
const looks = (page: Page) =>
  page.evaluate(`document.fonts.ready.then(() => {
    const { backgroundColor, fontFamily } = getComputedStyle(document.body);
    const [family] = fontFamily.replaceAll('"', '').split(',');
    return [backgroundColor, family, [...document.fonts].some((font) => font.family.includes(family) && font.status === 'loaded')];
  })`) as Promise<[string, string, boolean]>;

t.test('the explorer shows every endpoint and tries one, under a policy that lets nothing else run', async (t) => {
  const browser = await testBrowser(t);
  if (browser === undefined) {
    t.plan(0, 'no Chromium on this machine, and it cannot be installed');
    return;
  }
  const world = await testPlatform(t, t.testdir());
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENT_MS);
  const faults: string[] = [];
  const elsewhere: string[] = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== 'data:' && origin !== world.api.url) elsewhere.push(request.url());
  });
  await page.goto(`${world.api.url}/docs`);
  // Folded at first: the explorer does not draw all operations of a platform at once.
  const tags = page.locator('.opblock-tag');
  await tags.first().waitFor();
  const declared = world.api.app.declaredRoutes.filter(({ endpoint: { path } }) => !path.includes('*'));
  const groups = new Set<string | null>(declared.map(({ endpoint }) => endpoint.id.split('.')[0] ?? ''));
  const shown = await Promise.all((await tags.all()).map((tag) => tag.getAttribute('data-tag')));
  t.strictSame(new Set(shown), groups, 'every group is there');
  await page.locator('button.authorize').first().click();
  const ways = await page.locator('.auth-container').allTextContents();
  t.equal(ways.length, 1, 'there is one way to be authorised');
  t.match(ways[0], /weir token/, 'and it says where a token comes from');
  await page.locator('.close-modal').click();
  await page.locator('.opblock-tag[data-tag="kernel"]').click();
  const operation = page.locator('.opblock[id^="operations-kernel"][id$="get_health"]');
  await operation.locator('button.opblock-summary-control').click();
  await operation.locator('button.try-out__btn').click();
  await operation.locator('button.execute').click();
  await operation.locator('.live-responses-table .response').first().waitFor();
  t.match(await operation.locator('.live-responses-table').textContent(), /"release_sha"/);
  const own = declared.filter(({ endpoint }) => endpoint.id.startsWith('kernel.'));
  t.equal(await page.locator('.opblock').count(), own.length, 'every endpoint of the group is there');
  t.strictSame(
    await looks(page),
    ['rgb(251, 252, 253)', 'Inter Variable', true],
    'in the colours and font of the application',
  );
  t.strictSame(await axeFaults(page, ['color-contrast']), []);
  await page.evaluate("localStorage.setItem('mantine-color-scheme-value', 'dark')");
  await page.goto(`${world.api.url}/docs/errors/tenant_not_allowed`);
  t.equal((await looks(page))[0], 'rgb(20, 24, 28)', 'and in the scheme that was chosen there');
  t.strictSame(await axeFaults(page), []);
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
  const declared = new Set(
    world.platform.plugins.flatMap(({ plugin }) =>
      Object.values(plugin.spec.problems ?? {}).map(({ entry }) => entry.code),
    ),
  );
  for (const connector of ['files', 'http', 'postgres']) {
    const file = new URL(`../../connectors/${connector}/faults.json`, import.meta.url);
    const faults = JSON.parse(await readFile(file, 'utf8')) as Record<string, { message: string; hint: string }>;
    t.not(Object.keys(faults).length, 0);
    for (const [code, { message, hint }] of Object.entries(faults)) {
      const entry = world.platform.problems.get(code);
      t.ok(
        entry?.detail.includes(message) && entry.hint.includes(hint),
        `${code} of ${connector} has a page with its words`,
      );
      t.notOk(declared.has(code), `${code} of ${connector} is no code of the platform`);
    }
  }
  for (const code of Object.keys(KIT_FAULTS)) t.ok(world.platform.problems.has(code), `${code} has a page`);
  const unknown = await fetch(`${world.api.url}/docs/errors/no_such_code`);
  t.match([unknown.status, await unknown.json()], [404, { code: 'not_found' }]);
});
