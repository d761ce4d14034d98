import type { TenantRole } from '@weir/kernel/contract';
import { getDatasetSchema, previewDataset } from '@weir/plugin-datasets/contract';
import { getMe } from '@weir/plugin-identity/contract';
import { listPlugins } from '@weir/plugin-platform/contract';
import { getRun, listRuns } from '@weir/plugin-runs/contract';
import { getInspection, getPattern, getStreamState, listStreams } from '@weir/plugin-sources/contract';
import t from 'tap';
import { testBrowser } from '../browser.ts';
import { buildPages } from '../build.ts';
import { uuidOf } from '../stories/made-up.ts';
import { type StoryState, storyServer } from '../stories/story-server.ts';
import { until } from '../until.ts';
import { axeFaults, fitsIn, goWithin, IS_HERE, shot } from '../web-steps.ts';
import { openWindow } from '../web-world.ts';

const MANY = 10_000;
const MOST_ROWS = 60;
const WIDE = { width: 1_280, height: 800 };
/** A narrow telephone, and a usual window at 400 % zoom. */
const NARROW = [360, 320];
/** Only these depend on the theme. */
const COLOURS = ['color-contrast', 'link-in-text-block'];
const ID = uuidOf(1);
const UUID = /^[\da-f]{8}-/;
const TABLE = 'bronze.demo.orders';
const tabs = (address: string, ...names: string[]) => names.map((name) => `${address}?tab=${name}`);

const PAGES = [
  ...[
    '/',
    '/sources',
    '/sources/new',
    '/sources/add',
    `/sources/add?run=${ID}`,
    '/sources/load',
    '/sources/new/files',
    '/datasets',
    '/query',
  ],
  ...[
    '/transforms',
    '/transforms/new',
    '/transforms/patterns',
    '/transforms/patterns/tidy',
    '/runs',
    '/runs?status=failed',
    `/runs/compare?one=${ID}&other=${uuidOf(2)}&all=yes`,
    '/pipelines',
  ],
  ...tabs(`/pipelines/${ID}`, 'steps', 'runs', 'versions'),
  ...tabs(`/sources/${ID}`, 'sync', 'streams', 'history', 'schedule', 'configuration', 'credentials'),
  ...[`streams&stream=${ID}`, 'configuration&show=edit', `history&run=${ID}&show=receipt`].map(
    (more) => `/sources/${ID}?tab=${more}`,
  ),
  ...tabs(`/datasets/${TABLE}`, 'preview', 'schema', 'snapshots', 'quarantine', 'used', 'lineage', 'elsewhere'),
  '/lineage',
  `/lineage?dataset=${TABLE}`,
  ...tabs(`/transforms/${ID}`, 'overview', 'definition', 'checks', 'runs', 'versions', 'lineage', 'schedule'),
  ...['source-sync', 'source-discovery', 'materialization', 'transform', 'pipeline_sandbox'].map(
    (kind) => `/runs/${kind}`,
  ),
  ...tabs('/ontology', 'backing', 'route'),
  ...tabs(`/ontology/backing/${ID}`, 'overview', 'history', 'health'),
  `/ontology/backing/${ID}/mapping`,
  ...tabs('/operations', 'health', 'plugins', 'tokens', 'webhooks', 'audit', 'users', 'policies', 'limits', 'tenants'),
];

/** Pages that show nothing of the platform before something is done. */
const FORMS = ['/sources/add', '/sources/load', '/transforms/new'];

const browser = await testBrowser(t);
if (browser === undefined) {
  t.plan(0, 'no Chromium on this machine, and it cannot be installed');
  process.exit();
}
await buildPages();
const story = await storyServer(t);

story.answer(getMe, (me) => ({
  ...me,
  name: 'Ada',
  tenants: [{ alias: 'demo', roles: [story.role] }],
  platform_admin: story.role === 'admin',
}));
const RECORDS = {
  properties: {
    'id "ä".b': { type: 'integer', description: 'A long description of a field that wraps in a narrow window' },
    doc: { type: ['null', 'object'], properties: { a_rather_long_name_without_any_space_in_it: { type: 'string' } } },
  },
};
interface RunLike {
  status: string;
  failure: object | null;
}
const whole = <R>(run: R): R => {
  const { status, failure } = run as RunLike;
  const isOpen = status === 'pending' || status === 'running';
  const why = {
    code: 'files_unreadable',
    origin: 'source',
    retryable: true,
    detail: 'A file has no head.',
    hint: null,
  };
  return { ...run, is_terminal: !isOpen, failure: status === 'failed' ? (failure ?? why) : null };
};
story.answer(listRuns, (made) => ({ ...made, items: (made.items as unknown[]).map(whole) }));
story.answer(getRun, (made, { id = '' }) =>
  whole({
    ...made,
    kind: UUID.test(String(id)) ? 'source-sync' : id,
    status: id === 'materialization' ? 'succeeded' : 'failed',
  }),
);
const ONTOLOGY = { plugin_id: 'ontology', version: '1.0.0', tenancy: 'opt-in', permissions: [], routes: 1 };
story.answer(listPlugins, (made) => ({
  ...made,
  items: [...(made.items as object[]), { ...ONTOLOGY, enabled: true }],
}));
story.answer(getDatasetSchema, (made) => ({
  ...made,
  fields: Array.from({ length: sizeOf() }, (_, i) => ({
    id: i,
    parent_id: i % 3 === 1 ? i - 1 : null,
    name: `column_${i}`,
    type: 'string',
    required: i % 2 === 0,
  })),
}));
story.answer(previewDataset, (made) => {
  const columns = ['id', 'a note', 'amount', 'city'].map((name, i) => ({ name, type: i === 2 ? 'double' : 'string' }));
  const rows = Array.from({ length: Math.min(sizeOf(), 100) }, (_, i) => [
    '9007199254740993',
    '<b onmouseover=alert(1)>',
    i / 3,
    i % 2 === 0 ? null : '',
  ]);
  return { ...made, columns, rows };
});
const NO_ENGINE = { code: 'connector_engine_absent', origin: 'config', retryable: false };
story.answer(getInspection, (made) => ({
  ...made,
  ...{ is_terminal: true, status: 'failed', found: null },
  failure: { ...NO_ENGINE, detail: 'There is no container engine here.', hint: 'Install one.' },
}));
story.answer(getStreamState, (made) => ({ ...made, state: '{"cursor":9007199254740993}' }));
story.answer(listStreams, (made) => ({
  ...made,
  items: (made.items as object[]).map((stream) => ({
    ...stream,
    schema: RECORDS,
    supported_sync_modes: ['full_refresh'],
  })),
}));
const STORAGES = ['Web', 'S3', 'Google Cloud', 'Azure Blob', 'SSH', 'SCP', 'SFTP', 'Local files'];
const text = (title: string, more = {}) => ({ type: 'string', title, description: `What ${title} is`, ...more });
story.answer(getPattern, (made) => ({
  ...made,
  credential_fields: ['/token'],
  spec: {
    type: 'object',
    required: ['url', 'token', 'mode'],
    properties: {
      url: text('Address', { format: 'uri' }),
      token: text('Token', { airbyte_secret: true }),
      mode: text('Mode', { enum: ['fast', 'careful'] }),
      note: text('Note', { maxLength: 9_000 }),
      auth: {
        title: 'Sign-in',
        oneOf: ['none', 'key'].map((kind) => ({
          title: kind,
          properties: { kind: { const: kind }, [`name of ${kind}`]: text(kind) },
        })),
      },
      storage: {
        title: 'Storage',
        oneOf: STORAGES.map((kind) => ({
          title: kind,
          properties: { kind: { const: kind }, [kind]: text(`Of ${kind}`) },
        })),
      },
      size: { type: 'integer', title: 'Size', default: 10 },
      tidy: { type: 'boolean', title: 'Tidy' },
      globs: { type: 'array', title: 'Globs', items: { type: 'string' } },
      parts: { type: 'array', title: 'Parts', items: { type: 'object', properties: { key: text('Key') } } },
    },
  },
}));
const sizeOf = () => (typeof story.state === 'number' ? story.state : 1);

/** Waits until two frames are drawn and no transition runs. */
const SETTLE = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
  const moves = document.getAnimations().filter(({ effect }) => effect.getComputedTiming().iterations !== Infinity);
  void Promise.allSettled(moves.map(({ finished }) => finished)).then(done);
})))`;
/** A region that waits for its data. */
const BUSY = /aria-busy="true"/;
/** What a page says of an answer that it cannot show. */
const ODD = /does not fit these pages|did not answer|You may not see this|No such page|undefined|NaN|\[object/;
/** Words of what changes something; everybody has tokens of their own. */
const CHANGES =
  /^(New (source|transform|webhook|policy|pipeline)|Validate|Rehearse|Activate|Save (a|c)|Create|Load|Choose files|Sync now|Cancel|Run (now|again)|Try|Test|Discover|Hydrate|Put in force|Discard|Restore|Delete|Add a check|Remove|Edit|Pause|Set a|Rotate|Detach|Replace|Redeliver|Reset|Verify$|Change the|Send new|Fill a)/;
const { page, faults } = await openWindow(t, browser, { colorScheme: 'light' });
const settle = () => page.evaluate(SETTLE);
const main = page.locator('main');

/** Goes to a page within the application, since a load would sign in again, and waits until it says this, or has all its data. */
async function show(address: string, wanted?: RegExp): Promise<void> {
  await goWithin(page, address);
  let quiet = 0;
  const look = async () => {
    await settle();
    if (!(await page.evaluate(IS_HERE))) return false;
    if (wanted !== undefined) return wanted.test(await main.innerHTML());
    // Between a script that has come and the data that it asks for, nothing is open.
    quiet = story.open === 0 && !BUSY.test(await main.innerHTML()) ? quiet + 1 : 0;
    return quiet > 1;
  };
  await until(address, look, 'often');
}

/** What is wrong with a page as it is shown now, in both themes and in narrow windows. */
async function faultsOf(address: string): Promise<string[]> {
  const name = `${story.role}-${story.state}${address.replaceAll(/[^a-z]+/gi, '-')}`;
  const found = await axeFaults(page);
  await shot(page, `light-${name}`);
  const rows = await main.getByRole('row').count();
  if (rows > MOST_ROWS) found.push(`has ${rows} rows`);
  await page.emulateMedia({ colorScheme: 'dark' });
  for (const width of NARROW) {
    await page.setViewportSize({ ...WIDE, width });
    await settle();
    if (!(await fitsIn(page))) found.push(`is wider than ${width} px`);
    if (width === NARROW[0]) await shot(page, `dark-${name}`);
  }
  await page.setViewportSize(WIDE);
  await settle();
  found.push(...(await axeFaults(page, COLOURS)).map((fault) => `in dark: ${fault}`));
  await page.emulateMedia({ colorScheme: 'light' });
  const said = faults.splice(0).filter((fault) => !fault.includes('Failed to load resource'));
  return [...found, ...said].map((fault) => `${address} ${fault}`);
}

/** Loads the application for a role, in a state. */
async function enter(state: StoryState, role: TenantRole): Promise<void> {
  Object.assign(story, { state, role });
  // Calls without an answer hold every connection that the browser has, until their page is left.
  await page.goto('about:blank');
  await page.goto(story.url);
  await page.getByRole('link', { name: 'Home', exact: true }).waitFor();
}

/** Shows each page in a state; answers what is wrong with them. */
async function tour(state: StoryState, { wanted, role = 'admin' }: { wanted?: RegExp; role?: TenantRole } = {}) {
  await enter(state, role);
  const found: string[] = [];
  for (const address of wanted === undefined ? PAGES : PAGES.filter((one) => !FORMS.includes(one))) {
    await show(address, wanted);
    const odd = wanted === undefined ? ODD.exec((await main.textContent()) ?? '') : null;
    found.push(...(odd === null ? [] : [`${address} says ${odd[0]}`]), ...(await faultsOf(address)));
    if (role !== 'viewer') continue;
    const offered = main.getByRole('button', { name: CHANGES }).or(main.getByRole('link', { name: CHANGES }));
    found.push(...(await offered.allTextContents()).map((text) => `${address} offers ${text}`));
  }
  return found;
}

for (const items of [0, 1, MANY]) {
  t.test(`lists of ${items} → every page shows them, in both themes and in narrow windows`, async (t) => {
    t.strictSame(await tour(items), []);
  });
}

t.test('no answer yet → every page shows that it loads', async (t) => {
  t.strictSame(await tour('loading', { wanted: BUSY }), []);
});

t.test('a page whose script is still to come → its place says so, then the page shows', async (t) => {
  await enter(1, 'admin');
  await show('/sources');
  const { promise, resolve } = Promise.withResolvers<void>();
  const scripts = /\/assets\/runs-page-/;
  await page.route(scripts, (route) => promise.then(() => route.continue()));
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  await main.locator('[aria-busy=true]').waitFor();
  t.equal(await page.getByRole('heading', { name: 'Sources' }).count(), 0, 'the page before has gone');
  resolve();
  await page.getByRole('heading', { name: 'Runs' }).waitFor();
  await page.unroute(scripts);
});

t.test('a click on a row of a list, beside its link → opens what the row is about', async (t) => {
  await enter(1, 'admin');
  for (const list of ['/sources', '/datasets', '/transforms', '/pipelines', '/runs']) {
    await show(list);
    await main.getByRole('row').nth(1).getByRole('cell').last().click();
    const opened = `${list}/`;
    t.ok(await until(`what a row of ${list} is about`, () => new URL(page.url()).pathname.startsWith(opened)), list);
  }
});

t.test('an API that fails → every page says so', async (t) => {
  t.strictSame(await tour('failed', { wanted: /Internal error/ }), []);
});

t.test('a policy that denies everything → every page says so', async (t) => {
  t.strictSame(await tour('denied', { wanted: /You may not see this/ }), []);
});

t.test('a viewer → every page asks for nothing and offers nothing that the role is denied', async (t) => {
  t.strictSame(await tour(1, { role: 'viewer' }), []);
  t.strictSame(story.refused, []);
});

t.test('a secret while it is typed, sent and kept → only in the request', async (t) => {
  const secret = 'S3cret-that-nobody-sees';
  /** Where it is seen: in the page as text or attribute, in storage, in the address, or on the console. */
  const seenIn = async () => {
    const kept = await page.evaluate(
      'JSON.stringify([document.documentElement.outerHTML, { ...localStorage }, { ...sessionStorage }, location.href])',
    );
    return [String(kept), ...faults].filter((text) => text.includes(secret)).length;
  };
  const bodies: string[] = [];
  page.on('request', (request) => bodies.push(request.postData() ?? ''));
  Object.assign(story, { state: 1, role: 'admin' });
  await page.goto(story.url);
  await page.getByRole('link', { name: 'Home', exact: true }).waitFor();
  await show('/sources/new/files');
  await page.getByRole('textbox', { name: 'Address' }).fill('https://example.org');
  await page.getByRole('textbox', { name: 'Token' }).fill(secret);
  t.equal(await seenIn(), 0, 'while it is typed');
  await page.getByRole('button', { name: 'Show Token' }).click();
  t.equal(await page.getByRole('textbox', { name: 'Token' }).inputValue(), secret, 'it can be looked at');
  t.equal(await seenIn(), 0, 'while it is looked at');
  await page.getByRole('combobox', { name: 'Mode' }).click();
  await page.getByRole('option', { name: 'fast' }).click();
  await page.getByRole('button', { name: 'Test and discover' }).click();
  await until('the request', () => bodies.some((body) => body.includes(secret)));
  await settle();
  t.equal(await seenIn(), 0, 'once it is sent');
  bodies.length = 0;
  await show(`/sources/${ID}?tab=credentials`);
  await page.getByRole('button', { name: 'Rotate' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Token' }).fill(secret);
  t.equal(await seenIn(), 0, 'while it is typed into a dialog');
  await dialog.getByRole('button', { name: 'Write the next version' }).click();
  await until('the request', () => bodies.some((body) => body.includes(secret)));
  await dialog.waitFor({ state: 'detached' });
  t.equal(await seenIn(), 0, 'once it is kept');
});
