import { writeFile } from 'node:fs/promises';
import { developmentToken } from '@weir/embedded';
import type { Endpoint, Input } from '@weir/kernel/contract';
import { createApiToken } from '@weir/plugin-identity/contract';
import { createEntityType } from '@weir/plugin-ontology/contract';
import { listRuns } from '@weir/plugin-runs/contract';
import { bulkStreams, createSource, putSchedule, startSync } from '@weir/plugin-sources/contract';
import {
  createTransform,
  hydrateTransform,
  listTransforms,
  materializeTransform,
} from '@weir/plugin-transforms/contract';
import t, { type Test } from 'tap';
import { apiOf, giveOptIn } from '../examples.ts';
import { inLane } from '../lane.ts';
import { until } from '../until.ts';
import { furnishBacking, furnishPipelines, furnishSchemas } from '../walk/furnish.ts';
import { type Walk, walk, watched } from '../walk/walk.ts';
import { signIn } from '../web-steps.ts';
import { type WebWindow, webWorld } from '../web-world.ts';

/** Failed requests that a page means. */
const MEANT: readonly string[] = [
  // A sync that nobody has verified: the page says so.
  '404 GET /api/v1/sources/sync-runs/:id/verification',
  // Tables that a run was to write and did not: their pages say so.
  ...['gold.demo.broken', 'gold.demo.faulty', 'bronze.demo.gone__none'].map(
    (table) => `404 GET /api/v1/datasets/${table}`,
  ),
];
const PAGES_AT_LEAST = 30;
/** Addresses with the names of those parameters that not every text fits. */
const LEGAL_VALUES: readonly (readonly [address: string, ...names: string[]])[] = [
  ['/sources', 'status', 'schedule', 'sort'],
  ['/datasets', 'sort'],
  ['/pipelines', 'sort'],
  ['/datasets/gold.demo.revenue', 'tab', 'snapshot', 'compare', 'filter', 'depth', 'chart', 'how', 'kind'],
  ['/query', 'show', 'limit', 'how', 'kind'],
  ['/transforms', 'archived', 'sort'],
  ['/ontology', 'tab', 'status', 'steps'],
  ['/schemas', 'tab', 'status'],
  ['/ontology/types/Vehicle', 'tab', 'version', 'against'],
  ['/runs', 'status', 'kind', 'since', 'subject'],
  ['/runs/compare', 'one', 'other', 'all'],
  ['/operations', 'tab', 'result', 'from', 'to', 'webhook', 'policy', 'show'],
];
/** Names that the catalogue or a source permits and nobody here chose: a word alone, other letters, the longest, an ending. */
const LONGEST = 'a'.repeat(63);
const ODD_STREAM = 'Müller & Söhne "x"';
const HEAD = [
  'id',
  'a.b',
  'my col',
  'say "hi"',
  "it's",
  'größe',
  'x:eq:1',
  'c,d',
  '-neg',
  'UPPER',
  'select',
  '<b>b</b>',
];
const WIDE = Array.from({ length: 300 }, (_, at) => `c${at}`);
/** Switches that change what other pages show. */
const LEAVES = /^(Together|One by one|Give .* to the tenant)$/;
/** Buttons that ask for a proposal, which changes nothing by itself. */
const PRESSES = /^(Fix it|Explain it|Why, and what would help)$/;
const csvLine = (cells: readonly string[]) => `${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join()}\n`;

const OF_LANE = inLane('web-walk') ? ',ontology-sync-v2' : '';

const world = await webWorld(t, {}, {}, `source,discovery,transform${OF_LANE}`);
if (world === undefined) {
  t.plan(0, 'no Chromium on this machine, and it cannot be installed');
  process.exit();
}
const { url, open, platform, issuer } = world;
const token = await developmentToken(issuer, 'ada@demo');

/** Calls the API as Ada in `demo`. */
async function ok<E extends Endpoint>(endpoint: E, input: Partial<Input<E>> = {}) {
  const answer = await platform.call({ token, tenant: 'demo' }, endpoint, input);
  if (!answer.ok) throw new Error(`${endpoint.id}: ${JSON.stringify(answer.problem)}`);
  return answer.body;
}

await giveOptIn(apiOf({ url, token, tenant: 'demo' }), 'demo');
const LEADS = { code: 'parts', target_type: 'Vehicle', target_key: ['id'], cardinality: 'many' as const };
await ok(createEntityType, {
  body: {
    code: 'Vehicle',
    name: ODD_STREAM,
    properties: [{ code: 'id', value_type: 'string', required: true }],
    primary_key: ['id'],
    relationships: [LEADS],
  },
});

const runsEnd = () =>
  until('the end of every run', async () => {
    const { items } = await ok(listRuns, { query: { limit: 500 } });
    return items.every(({ ended_at }) => ended_at !== null);
  });

const folder = t.testdir({});
await writeFile(`${folder}/orders.csv`, 'id,city,amount\n1,Ulm,1.5\n2,Bonn,2\n3,,x\n');
await writeFile(`${folder}/odd.csv`, csvLine(HEAD) + csvLine(HEAD.map((name, i) => (i === 0 ? '1' : `of ${name}`))));
await writeFile(`${folder}/${ODD_STREAM}.csv`, 'id\n1\n');
const { source_id } = await ok(createSource, {
  body: { name: 'shop', pattern_id: 'files', source_config: { path: folder } },
});
const streamOf = (name: string, columns: readonly string[]) => ({
  name,
  sync_mode: 'full_refresh' as const,
  write_mode: 'overwrite' as const,
  schema: { type: 'object', properties: Object.fromEntries(columns.map((column) => [column, { type: 'string' }])) },
  enabled: true,
});
const streams = [streamOf('orders', ['id', 'city', 'amount']), streamOf('odd', HEAD), streamOf(ODD_STREAM, ['id'])];
await ok(bulkStreams, { params: { source_id }, body: { streams } });
await ok(startSync, { params: { source_id } });
await runsEnd();

const select = async (name: string, sql: string, more: object = {}) => {
  const { transform_id } = await ok(createTransform, { body: { name, sql, output: `gold.demo.${name}`, ...more } });
  await ok(hydrateTransform, { params: { transform_id } });
  await ok(materializeTransform, { params: { transform_id }, body: {} });
};
const ODD_TABLE = 'bronze.demo.shop__odd';
await select('revenue', `select * from bronze.demo.shop__orders`);
await select('json', `select * exclude (_extra, _errors) from ${ODD_TABLE}`);
await select('nothing', `select id from ${ODD_TABLE} where false`);
await select(LONGEST, 'select 1 as id');
await runsEnd();
const TABLES = [
  ...['gold.demo.revenue', 'gold.demo.json', 'gold.demo.nothing', `gold.demo.${LONGEST}`],
  ...['bronze.demo.shop__muller___sohne__x_', ODD_TABLE],
];

/** Windows of one person. */
async function windowsOf(person: string, count: 1 | 2): Promise<[WebWindow, ...WebWindow[]]> {
  const windows: [WebWindow, ...WebWindow[]] = [await open()];
  if (count > 1) windows.push(await open());
  for (const window of windows) await signIn(window, url, person);
  return windows;
}

/** Walks as a person: each address is a test of its own, so that a long walk shows where it is. */
async function walked(t: Test, person: string, how: Walk): Promise<{ addresses: number; clicks: number }> {
  let [addresses, clicks] = [0, 0];
  for await (const step of walk(await windowsOf(person, person === 'Ada' ? 2 : 1), url, how)) {
    t.strictSame(step.found, [], step.address);
    [addresses, clicks] = [addresses + 1, step.clicks];
  }
  return { addresses, clicks };
}

t.test('tables with hostile names → every tab, link and switch works, by click, reload and link', async (t) => {
  const starts = TABLES.map((table) => `/datasets/${table}`);
  const goes = (address: string) => address.startsWith(`/datasets/${ODD_TABLE}?`);
  const { clicks } = await walked(t, 'Ada', { starts, goes, ofShape: 1, meant: [] });
  t.ok(clicks > TABLES.length * 8, `${clicks} clicks`);
});

t.test('nonsense in every search parameter → the page as without them, and an address without them', async (t) => {
  const window = watched((await windowsOf('Ada', 1))[0], url, []);
  for (const [address, ...names] of LEGAL_VALUES) {
    await window.load(address);
    const look = await window.look();
    for (const value of ['', 'nonsense']) {
      await window.load(`${address}?${names.map((name) => `${name}=${value}`).join('&')}`);
      t.strictSame([await window.look(), window.address(), await window.faults()], [look, address, []], value);
    }
  }
});

if (inLane('web-walk')) {
  const morePages = [...(await addFailures()), ...(await addMore())];
  for (const person of ['Ada', 'Ed', 'Eve']) {
    t.test(`${person} → every tab, link, switch and menu of every page works`, async (t) => {
      // Tables are walked above, one for each kind of name.
      const goes = (address: string) => !/^\/datasets\/(?!gold\.demo\.revenue|bronze\.demo\.shop__wide)/.test(address);
      const every = { goes, ofShape: person === 'Ada' ? 2 : 1, meant: MEANT, presses: PRESSES, leaves: LEAVES };
      const { addresses, clicks } = await walked(t, person, { ...every, starts: ['/', ...morePages] });
      t.ok(addresses > PAGES_AT_LEAST, `${addresses} addresses, ${clicks} clicks`);
    });
  }
}

/** Pages of pipelines, backing datasets, schemas, a wide table, a statement to help with, and of two runs that are compared. */
async function addMore(): Promise<string[]> {
  await writeFile(`${folder}/wide.csv`, `${WIDE}\n`);
  await ok(bulkStreams, { params: { source_id }, body: { streams: [streamOf('wide', WIDE)] } });
  const again = await ok(startSync, { params: { source_id } });
  const odd = await ok(createTransform, {
    body: { name: 'faulty', sql: 'select uper(city) as city from gold.demo.revenue', output: 'gold.demo.faulty' },
  });
  await runsEnd();
  const { items } = await ok(listRuns, { query: { limit: 500 } });
  const one = items.find(({ kind, run_id }) => kind === 'source-sync' && run_id !== again.run_id)?.run_id ?? '';
  const { items: transforms } = await ok(listTransforms);
  const ofNames = ['revenue', 'json'].map((name) => transforms.find((it) => it.name === name)?.transform_id ?? '');
  return [
    ...(await furnishPipelines(ok, ofNames, LONGEST)),
    ...(await furnishBacking(ok, 'bronze.demo.shop__orders', 'gold.demo.nothing')),
    ...(await furnishSchemas(ok, 'bronze.demo.shop__orders')),
    '/ontology/backing/create?type=Order&dataset=bronze.demo.shop__wide',
    '/datasets/bronze.demo.shop__wide',
    `/transforms/${odd.transform_id}?tab=definition`,
    `/runs/compare?one=${one}&other=${again.run_id}`,
  ];
}

/** Runs that failed, and one of what only admins see; answers a page of a run of each kind and end. */
async function addFailures(): Promise<string[]> {
  const gone = { name: 'gone', pattern_id: 'files', source_config: { path: `${folder}/nowhere` } };
  const failing = (await ok(createSource, { body: gone })).source_id;
  await ok(bulkStreams, { params: { source_id: failing }, body: { streams: [streamOf('none', ['id'])] } });
  await ok(startSync, { params: { source_id: failing } });
  const checks = [{ name: 'never', kind: 'row_count' as const, min: 5, severity: 'fail' as const }];
  await select('broken', 'select 1 as id', { checks });
  await ok(putSchedule, { params: { source_id }, body: { cron: ['0 4 1 1 *'], timezone: 'UTC' } });
  await ok(createApiToken, { body: { name: 'ci', role: 'viewer' } });
  await runsEnd();
  const { items } = await ok(listRuns, { query: { limit: 500 } });
  return [...new Map(items.map(({ kind, status, run_id }) => [`${kind} ${status}`, `/runs/${run_id}`])).values()];
}
