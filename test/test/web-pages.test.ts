import { mkdir, writeFile } from 'node:fs/promises';
import { developmentToken } from '@weir/embedded';
import {
  bulkStreams,
  createSource,
  listSyncDays,
  MAX_BULK_STREAMS,
  type SyncDayView,
} from '@weir/plugin-sources/contract';
import fc from 'fast-check';
import t from 'tap';
import { cases } from '../lane.ts';
import { testPlatform } from '../platform.ts';
import { until } from '../until.ts';
import { axeFaults, fitsIn, leaks, press, shot, signIn } from '../web-steps.ts';
import { webWorld } from '../web-world.ts';

const ODD = '<img src=x onerror=alert(1)>';

const world = await webWorld(t);
if (world === undefined) {
  t.plan(0, 'no Chromium on this machine, and it cannot be installed');
  process.exit();
}
const { url, open } = world;
const adaToken = () => developmentToken(world.issuer, 'ada@demo');
const folder = t.testdir({ orders: { 'orders.csv': 'id,city\n1,Ulm\n2,Bonn\n3,Kiel\n' } });
await writeFile(`${folder}/orders/${ODD.replaceAll('/', '')}.csv`, 'id\n1\n');
await mkdir(`${folder}/empty`);
const orders = `${folder}/orders`;

/** Most that Home may be received with at this machine, the sign-in, fonts and answers of the API counted in. */
const MAX_HOME_BYTES = 280 * 1024;
/** The same of the style of the development sign-in page, of which another deployment sends nothing. */
const MAX_PROVIDER_STYLE = { bytes: 56 * 1024, requests: 5 };
const isProviderStyle = (address: string) => address.startsWith(`${world.issuer}/style/`);
/** Requests until the sign-in page shows. */
const MAX_FIRST_REQUESTS = 10;

t.test('the sign-in page and Home → few requests, weighed as they are received', async (t) => {
  const window = await open();
  const { page, asked } = window;
  const received: Promise<number>[] = [];
  const style: Promise<number>[] = [];
  page.on('requestfinished', (request) => {
    const of = isProviderStyle(request.url()) ? style : received;
    of.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  const codings: string[] = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (/^\/assets\/.*\.(js|css)$/.test(pathname)) codings.push(response.headers()['content-encoding'] ?? pathname);
  });
  await page.goto(`${url}/`);
  await page.getByRole('button', { name: 'Ada' }).waitFor();
  const first = asked.filter((address) => !isProviderStyle(address)).length;
  t.ok(first <= MAX_FIRST_REQUESTS, `${first} requests before the sign-in page`);
  await page.getByRole('button', { name: 'Ada' }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.getByText('Drop files here').waitFor();
  const bytes = (await Promise.all(received)).reduce((sum, size) => sum + size, 0);
  t.comment(
    `${first} requests before the sign-in page; Home after ${Math.ceil(bytes / 1024)} KiB, ${asked.length} requests`,
  );
  t.ok(bytes <= MAX_HOME_BYTES, `${bytes} bytes`);
  const styleBytes = (await Promise.all(style)).reduce((sum, size) => sum + size, 0);
  t.ok(styleBytes <= MAX_PROVIDER_STYLE.bytes, `${styleBytes} bytes of style of the sign-in`);
  t.ok(style.length > 0 && style.length <= MAX_PROVIDER_STYLE.requests, `${style.length} files of it`);
  t.strictSame([...new Set(codings)], ['br'], 'each script and style is packed');
  const script = asked.find((address) => address.endsWith('.js')) ?? '';
  for (const [accepted, coding] of [
    ['identity', null],
    ['gzip', 'gzip'],
    ['gzip, br', 'br'],
    ['br;q=0, gzip', 'gzip'],
  ] as const) {
    const { headers } = await fetch(script, { headers: { 'accept-encoding': accepted } });
    t.strictSame([headers.get('content-encoding'), headers.get('vary')], [coding, 'accept-encoding'], accepted);
  }
});

t.test('by mouse: sign in, files to rows, in light', async (t) => {
  const window = await open();
  const { page, faults, asked } = window;
  await signIn(window, `${url}/sources`, 'Ada');
  t.equal(new URL(page.url()).pathname, '/sources', 'the page that was asked for is shown after the sign-in');
  await page.getByText('No source yet').waitFor();
  t.strictSame(await axeFaults(page), [], 'empty list');
  await page.getByRole('link', { name: 'New source' }).first().click();
  await page.getByRole('link', { name: /^Files/ }).click();
  await page.getByRole('textbox', { name: 'Folder' }).fill(`${folder}/nowhere`);
  await page.getByRole('button', { name: 'Test and discover' }).click();
  t.match(
    await page.getByRole('alert').textContent(),
    /folder_unreadable/,
    'a wrong folder is the words of the connector',
  );
  t.strictSame(await axeFaults(page), [], 'a discovery that failed');
  await shot(page, 'discovery-failed');
  await page.getByRole('textbox', { name: 'Folder' }).fill('');
  await page.getByRole('button', { name: 'Test and discover' }).click();
  await page.getByText('This is required.').waitFor();
  t.strictSame(await axeFaults(page), [], 'a form with an error');
  await page.getByRole('textbox', { name: 'Folder' }).fill(orders);
  await page.getByRole('button', { name: 'Test and discover' }).click();
  await page.getByRole('heading', { name: '2 streams found' }).waitFor();
  t.strictSame(await axeFaults(page), [], 'streams that were found');
  await shot(page, 'discovered');
  await page.getByRole('checkbox', { name: 'orders' }).check();
  await page.getByRole('button', { name: 'Create source and enable 1 stream' }).click();
  await page.getByRole('button', { name: 'Sync now' }).click();
  await page.getByText('Succeeded', { exact: true }).first().waitFor();
  const figures = await page.locator('main').textContent();
  t.match(figures, /Rows committed3/, 'the rows that were committed');
  t.strictSame(await axeFaults(page), [], 'a sync');
  await shot(page, 'synced');
  await page.getByRole('tab', { name: 'Streams' }).click();
  await page.getByText(ODD.replaceAll('/', '')).waitFor();
  t.strictSame(await axeFaults(page), [], 'streams');
  await shot(page, 'streams');
  await page.getByRole('tab', { name: 'History' }).click();
  await page.getByRole('link', { name: 'Log' }).click();
  await page.getByRole('log').getByText('connector').first().waitFor();
  t.strictSame(await axeFaults(page), [], 'a log');
  await shot(page, 'log');
  await page.goto(`${url}/`);
  await page.getByRole('heading', { name: 'Newest runs' }).waitFor();
  t.strictSame(await axeFaults(page), [], 'home');
  t.strictSame(faults, [], 'nothing on the console, and the policy refused nothing');
  t.strictSame(
    [...new Set(asked.map((address) => new URL(address).hostname))],
    ['127.0.0.1'],
    'nothing from elsewhere',
  );
  t.strictSame(await leaks(window), [], 'no token in storage, address or page');
});

t.test('by keyboard alone, in dark: sign in, create, enable, sync', async (t) => {
  const window = await open({ colorScheme: 'dark' });
  const { page, faults } = window;
  await page.goto(`${url}/`);
  await press(page, page.getByRole('button', { name: 'Ada' }), 'Enter');
  await page.getByRole('link', { name: 'Home', exact: true }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await page.getByRole('heading', { name: 'Sources' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('A page, an action, a table, a transform, a source or a run').waitFor();
  await page.keyboard.type('New source');
  await page.keyboard.press('Enter');
  await press(page, page.getByRole('link', { name: /^Files/ }), 'Enter');
  await press(page, page.getByRole('textbox', { name: 'Name' }), 'Control+a');
  await page.keyboard.type('typed');
  await press(page, page.getByRole('textbox', { name: 'Folder' }), 'Control+a');
  await page.keyboard.type(orders);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: '2 streams found' }).waitFor();
  await press(page, page.getByRole('checkbox', { name: 'orders' }), 'Space');
  await shot(page, 'dark-discovered');
  await press(page, page.getByRole('button', { name: /^Create source/ }), 'Enter');
  await page.getByRole('button', { name: 'Sync now' }).waitFor();
  await page.keyboard.press('r');
  await page.getByText('Succeeded', { exact: true }).first().waitFor();
  t.match(await page.locator('main').textContent(), /Rows committed3/);
  t.strictSame(await axeFaults(page), [], 'a sync');
  await shot(page, 'dark-synced');
  await press(page, page.getByRole('tab', { name: 'Sync' }), 'ArrowRight');
  await press(page, page.getByRole('row', { name: 'orders' }), 'x');
  await page.getByRole('toolbar', { name: 'Chosen streams' }).waitFor();
  t.strictSame(await axeFaults(page), [], 'streams with chosen ones');
  await shot(page, 'dark-streams');
  await press(page, page.getByRole('button', { name: 'Discover again' }), 'Enter');
  await page.getByRole('dialog').getByText('Nothing has changed').waitFor();
  t.strictSame(await axeFaults(page), [], 'the review of a schema');
  await page.keyboard.press('Escape');
  await page.goto(`${url}/sources`);
  await page.getByRole('link', { name: 'typed' }).waitFor();
  t.strictSame(await axeFaults(page), [], 'the list');
  await shot(page, 'dark-sources');
  t.strictSame(faults, []);
});

t.test('a source of which a run failed → home and the source say so and why, in both themes', async (t) => {
  const token = await adaToken();
  const made = await world.platform.call({ token, tenant: 'demo' }, createSource, {
    body: { name: 'gone', pattern_id: 'files', source_config: { path: `${folder}/empty` } },
  });
  t.ok(made.ok);
  const source_id = made.ok ? made.body.source_id : '';
  const stream = { name: 'none', schema: { type: 'object', properties: { id: { type: 'integer' } } }, enabled: true };
  await world.platform.call({ token, tenant: 'demo' }, bulkStreams, {
    params: { source_id },
    body: { streams: [stream] },
  });
  for (const colorScheme of ['light', 'dark'] as const) {
    const window = await open({ colorScheme });
    const { page, faults } = window;
    await signIn(window, `${url}/sources/${source_id}`, 'Ada');
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByRole('alert').getByText('The sync failed').waitFor();
    t.strictSame(await axeFaults(page), [], `a failed sync, ${colorScheme}`);
    await shot(page, `${colorScheme}-failed`);
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    await page
      .getByText(colorScheme === 'light' ? 'Failed' : 'Failed again')
      .first()
      .waitFor();
    const days = await world.platform.call({ token, tenant: 'demo' }, listSyncDays, {});
    const items = days.ok ? days.body.items : [];
    const sum = (of: (day: SyncDayView) => number) => items.reduce((all, day) => all + of(day), 0);
    const [rows, syncs, failed] = [
      sum((day) => Number(day.rows_written)),
      sum((day) => day.syncs),
      sum((day) => day.failed),
    ];
    await page.getByText(`${rows} rows by ${syncs} syncs in 14 days`).waitFor();
    await page.getByText(`${failed} sync${failed === 1 ? '' : 's'} failed`, { exact: true }).waitFor();
    t.strictSame(await axeFaults(page), [], `home, ${colorScheme}`);
    await shot(page, `${colorScheme}-home`);
    t.strictSame(faults, []);
  }
});

t.test('Ctrl K → finds a table, a page and an action by name, and what was seen last', async (t) => {
  const window = await open();
  const { page, faults } = window;
  // The tables come after the words: the first that fits is chosen all the same.
  const typed = Promise.withResolvers<void>();
  await page.route(/\/api\/v1\/datasets\?limit=500$/, async (route) => {
    await typed.promise;
    await route.continue();
  });
  await signIn(window, url, 'Ada');
  const find = async (words: string) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('textbox', { name: 'Find', exact: true }).fill(words);
  };
  await find('typed__ord');
  const fits = page.locator('.mantine-Spotlight-action');
  await until('nothing fits yet', async () => (await fits.count()) === 0);
  typed.resolve();
  await page.getByRole('button', { name: 'typed__orders bronze.demo.typed__orders' }).waitFor();
  t.strictSame(await axeFaults(page), [], 'what is found');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'typed__orders' }).waitFor();
  await find('webhook');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Operations: Webhooks' }).waitFor();
  await page.keyboard.press('Control+k');
  const first = page.locator('.mantine-Spotlight-action').first();
  await first.getByText('bronze.demo.typed__orders').waitFor();
  await page.getByRole('textbox', { name: 'Find', exact: true }).fill('dark');
  await page.keyboard.press('Enter');
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
  t.strictSame(faults, []);
});

t.test(
  'a viewer in a narrow window → reads everything, is offered no change, and nothing runs over the edge',
  async (t) => {
    const window = await open({ width: 360 });
    const { page, faults } = window;
    await page.goto(`${url}/sources`);
    await page.getByRole('button', { name: 'Eve' }).click();
    await page.getByRole('link', { name: 'files', exact: true }).waitFor();
    t.equal(await page.getByRole('link', { name: 'New source' }).count(), 0);
    t.ok(await fitsIn(page), 'the list');
    await shot(page, 'narrow-sources');
    await page.getByRole('link', { name: 'files', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'files' }).waitFor();
    await page.getByText('Succeeded', { exact: true }).first().waitFor();
    t.equal(await page.getByRole('button', { name: 'Sync now' }).count(), 0);
    t.ok(await fitsIn(page), 'a source');
    t.strictSame(await axeFaults(page), []);
    await shot(page, 'narrow-source');
    await page.getByRole('button', { name: 'Navigation' }).click();
    await page.getByText('ask an admin of demo').waitFor();
    await shot(page, 'narrow-navigation');
    t.strictSame(faults, []);
  },
);

t.test(
  'more streams than one request takes → at most 60 rows in the page, and all enabled by one button',
  async (t) => {
    const who = { token: await adaToken(), tenant: 'demo' };
    const body = { name: 'wide', pattern_id: 'files', source_config: { path: orders } };
    const made = await world.platform.call(who, createSource, { body });
    t.ok(made.ok);
    const params = { source_id: made.ok ? made.body.source_id : '' };
    const schema = { type: 'object', properties: { id: { type: 'integer' } } };
    const all = Array.from({ length: MAX_BULK_STREAMS + 1 }, (_, i) => ({ name: `table_${i}`, schema }));
    for (const streams of [all.slice(1), all.slice(0, 1)])
      t.ok((await world.platform.call(who, bulkStreams, { params, body: { streams } })).ok);
    const window = await open();
    const { page } = window;
    await signIn(window, `${url}/sources/${params.source_id}?tab=streams`, 'Ada');
    await page.getByText('1,001 streams', { exact: true }).waitFor();
    const rows = () => page.getByRole('row').count();
    t.ok((await rows()) <= 60);
    await page.getByRole('table').locator('..').evaluate('(view) => (view.scrollTop = view.scrollHeight / 2)');
    t.ok((await rows()) <= 60, 'also in the middle of them');
    await page.getByRole('checkbox', { name: 'Select all that fit' }).check();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('1,001 of 1,001 streams enabled').waitFor();
    t.strictSame(await axeFaults(page), []);
    await shot(page, 'wide');
    t.strictSame(window.faults, []);
  },
);

t.test('an address of nothing, and one that a program asks for → a page that says so, and a problem', async (t) => {
  const window = await open();
  const { page } = window;
  await signIn(window, `${url}/nowhere/at/all`, 'Ada');
  await page.getByRole('heading', { name: 'No such page' }).waitFor();
  const answer = await fetch(`${url}/nowhere`);
  t.match([answer.status, await answer.json()], [404, { code: 'not_found' }]);
  const home = await fetch(url, { headers: { accept: 'text/html' } });
  t.match(home.headers.get('content-security-policy'), /script-src 'self'; style-src 'self' 'unsafe-inline'/);
  const script = /\/assets\/[\w-]+\.js/.exec(await home.text())?.[0];
  t.match((await fetch(`${url}${script}`)).headers.get('cache-control'), /immutable/);
  t.equal((await fetch(`${url}/assets/..%2findex.html`)).status, 400);
});

t.test('any name that the catalogue permits → its address is a page, whatever ending it has', async (t) => {
  const headers = { accept: 'text/html' };
  const typeOf = async (path: string) => {
    const { status, headers: answered } = await fetch(`${url}${path}`, { headers });
    return `${status} ${answered.get('content-type')?.split(';')[0]}`;
  };
  const endings = ['revenue', 'orders', 'json', 'csv', 'js', 'css', 'html', 'map', 'svg', 'woff2', 'x', 'a1', 'ico'];
  for (const table of endings) t.equal(await typeOf(`/datasets/gold.demo.${table}`), '200 text/html', table);
  const names = fc.stringMatching(/^(bronze|silver|gold)\.[A-Za-z0-9_]{1,20}\.[A-Za-z0-9_]{1,63}$/);
  await fc.assert(
    fc.asyncProperty(names, async (name) => (await typeOf(`/datasets/${name}`)) === '200 text/html'),
    { numRuns: cases(200) },
  );
  const missing = await fetch(`${url}/assets/gone-1.js`);
  t.match([missing.status, await missing.json()], [404, { code: 'not_found' }], 'a file that is not built');
});

t.test('pages of the docs that are not there → a browser gets a page', async (t) => {
  for (const [path, status] of [
    ['unknown_code', 404],
    ['Not-A-Code', 400],
  ] as const) {
    const answer = await fetch(`${url}/docs/errors/${path}`, { headers: { accept: 'text/html' } });
    t.match([answer.status, answer.headers.get('content-type')], [status, /^text\/html/], path);
    t.match(await answer.text(), /href="\/docs\/errors"/);
  }
});

t.test('WEIR_UI_CLIENT_ID: the client with which the pages sign in', async (t) => {
  const other = await testPlatform(t, t.testdir(), { WEIR_UI_CLIENT_ID: 'pages-of-acme' });
  const clientAt = async (address: string) => {
    const html = await (await fetch(address, { headers: { accept: 'text/html' } })).text();
    return /client_id&#34;:&#34;([\w-]+)/.exec(html)?.[1];
  };
  t.strictSame([await clientAt(url), await clientAt(other.api.url)], ['weir-ui', 'pages-of-acme']);
});

t.test('signed out → nothing is kept, and signing in asks who', async (t) => {
  const window = await open();
  const { page } = window;
  await signIn(window, url, 'Ada');
  await page.reload();
  await page.getByRole('link', { name: 'Home', exact: true }).waitFor();
  t.pass('a reload signs in again without a question');
  await page.getByRole('button', { name: 'Ada: settings and sign-out' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  t.strictSame(await axeFaults(page), [], 'settings');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out').waitFor();
  t.strictSame(await leaks(window), []);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Eve' }).waitFor();
});
