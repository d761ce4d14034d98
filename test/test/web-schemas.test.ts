import { writeFile } from 'node:fs/promises';
import { developmentToken } from '@weir/embedded';
import type { Endpoint, Input } from '@weir/kernel/contract';
import { listSubjects, registerSchema } from '@weir/plugin-schema-registry/contract';
import { bulkStreams, createSource, getSyncStatus, startSync } from '@weir/plugin-sources/contract';
import t from 'tap';
import { schemaRows } from '../../ui/src/schemas/schema-rows.ts';
import { apiOf, giveOptIn } from '../examples.ts';
import { until } from '../until.ts';
import { axeFaults, fitsIn, press, shot, signIn } from '../web-steps.ts';
import { webWorld } from '../web-world.ts';

t.test('a schema with references, lists, choices and a circle → rows that end, each member at its place', async (t) => {
  const schema = {
    type: 'object',
    required: ['a/b'],
    properties: {
      'a/b': { $ref: '#/$defs/money', description: 'What it costs' },
      lines: { type: 'array', items: { $ref: '#/$defs/line' } },
      kind: { enum: ['x', null], description: '<b>kind</b>' },
      self: { $ref: '#' },
      away: { $ref: 'https://example.org/x' },
      odd: { $ref: '#/$defs/__proto__' },
      never: false,
    },
    $defs: {
      money: { type: 'object', properties: { amount: { type: 'number', minimum: 0 } }, additionalProperties: false },
      line: { allOf: [{ properties: { sku: { type: ['string', 'null'], pattern: '^a' } } }] },
    },
  };
  const rows = schemaRows(schema);
  t.match(rows.slice(0, 5), [
    { pointer: '/a~1b', type: 'object', isRequired: true, description: 'What it costs', rules: ['no other members'] },
    { pointer: '/a~1b/amount', depth: 1, type: 'number', rules: ['≥ 0'] },
    { pointer: '/lines', type: 'list of anything' },
    { pointer: '/lines/*', name: 'each item', depth: 1 },
    { pointer: '/lines/*/sku', depth: 2, type: 'string or null', rules: ['matches ^a'] },
  ]);
  t.match(
    rows.filter(({ depth }) => depth === 0).map(({ name, type }) => `${name} ${type}`),
    [
      'a/b object',
      'lines list of anything',
      'kind value',
      'self object',
      'away https://example.org/x',
      /^odd /,
      'never nothing',
    ],
  );
  t.ok(rows.length <= 5_000);
  for (const odd of [true, null, [], 'x', {}, { properties: 7 }]) t.strictSame(schemaRows(odd), []);
});

const world = await webWorld(t, {}, {}, 'source,discovery');
if (world === undefined) {
  t.plan(1, 'no Chromium on this machine, and it cannot be installed');
  process.exit();
}
const { url, open, platform, issuer } = world;
const folder = t.testdir({});
await writeFile(`${folder}/orders.csv`, 'id,city\n1,Ulm\n,Bonn\n3,Müller & Söhne\n');

/** Calls the API as Ada in `demo`. */
async function ok<E extends Endpoint>(endpoint: E, input: Partial<Input<E>> = {}) {
  const token = await developmentToken(issuer, 'ada@demo');
  const answer = await platform.call({ token, tenant: 'demo' }, endpoint, input);
  if (!answer.ok) throw new Error(JSON.stringify(answer.problem));
  return answer.body;
}

t.test('a tenant without the plugin → no link to the pages, and who can switch it on', async (t) => {
  const window = await open();
  const { page } = window;
  await signIn(window, `${url}/schemas`, 'Ada');
  await page.getByText('does not have the plugin schema-registry').waitFor();
  await page.getByText('Switch it on in the list of plugins.').waitFor();
  t.equal(await page.getByRole('link', { name: 'Schemas', exact: true }).count(), 0);
  t.strictSame(await axeFaults(page), []);
  await shot(page, 'schemas-off');
});

t.test(
  'by keyboard: a schema, a version that breaks it, one that does not, and a table that does not fit',
  async (t) => {
    const token = await developmentToken(issuer, 'ada@demo');
    await giveOptIn(apiOf({ url, token, tenant: 'demo' }), 'demo');
    const source = await ok(createSource, {
      body: { name: 'shop', pattern_id: 'files', source_config: { path: folder } },
    });
    const params = { source_id: source.source_id };
    const properties = { id: { type: 'integer' }, city: { type: 'string' } };
    const stream = { name: 'orders', sync_mode: 'full_refresh' as const, write_mode: 'overwrite' as const };
    await ok(bulkStreams, {
      params,
      body: { streams: [{ ...stream, schema: { type: 'object', properties }, enabled: true }] },
    });
    await ok(startSync, { params });
    await until('the sync', async () => (await ok(getSyncStatus, { params })).run?.status === 'succeeded');
    const window = await open({ colorScheme: 'dark' });
    const { page, faults } = window;
    await signIn(window, `${url}/schemas`, 'Ada');
    await page.getByText('No schema yet').waitFor();
    await press(page, page.getByRole('link', { name: 'Register a schema' }).first(), 'Enter');
    const text = page.getByRole('textbox', { name: /^Schema/ });
    await text.waitFor();
    t.strictSame(await axeFaults(page), [], 'the form');
    await page.getByRole('textbox', { name: /^Subject/ }).fill('shop.order');
    await text.fill('type: object\nproperties:\n  id: { type: integer }\n');
    await press(page, page.getByRole('button', { name: 'See what it breaks' }), 'Enter');
    await page.getByText('No version is in force yet').waitFor();
    t.strictSame((await ok(listSubjects)).items, [], 'nothing is stored yet');
    await press(page, page.getByRole('button', { name: 'Register', exact: true }), 'Enter');
    await page.getByRole('heading', { level: 1, name: 'shop.order' }).waitFor();
    await press(page, page.getByRole('link', { name: 'New version' }), 'Enter');
    await page.getByRole('heading', { level: 1, name: 'New version of shop.order' }).waitFor();
    await text.fill('{"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}');
    await press(page, page.getByRole('button', { name: 'See what it breaks' }), 'Enter');
    await page.getByText('the old version accepts this document').waitFor();
    t.ok(await page.getByRole('button', { name: 'Register', exact: true }).isDisabled());
    t.strictSame(await axeFaults(page), [], 'a verdict');
    await shot(page, 'schemas-breaking');
    const stricter = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] };
    await ok(registerSchema, { body: { subject: 'shop.order', schema: stricter, compatibility: 'NONE' } });
    await page.goto(`${url}/schemas/subjects/shop.order?version=2&against=1`);
    await page.getByText('Breaking', { exact: true }).waitFor();
    t.strictSame(await axeFaults(page), [], 'a subject');
    await shot(page, 'schemas-subject');
    await page.goto(`${url}/schemas/check?dataset=bronze.demo.shop__orders&subject=shop.order`);
    await page.getByText('Faults in the 3 rows').waitFor();
    const row = page.getByRole('row', { name: /^id/ });
    t.match(await row.textContent(), /id1must have required property/);
    t.strictSame(await axeFaults(page), [], 'a check');
    await shot(page, 'schemas-check');
    t.strictSame(faults, []);
  },
);

t.test('published models: found with typos, a model in a narrow window, a link that survives a reload', async (t) => {
  const window = await open({ width: 400 });
  const { page, faults } = window;
  await signIn(window, `${url}/schemas?tab=models&q=custmer`, 'Ada', 'Schemas');
  await page.getByRole('link', { name: 'core:People:Customer' }).click();
  await page.getByRole('heading', { level: 1, name: 'Customer' }).waitFor();
  await page.getByRole('textbox', { name: 'Find members' }).fill('mail');
  await page.getByText('1 of 7 members').waitFor();
  t.ok(await fitsIn(page));
  t.strictSame(await axeFaults(page), []);
  await page.reload();
  await page.getByText('1 of 7 members').waitFor();
  await shot(page, 'schemas-model');
  t.strictSame(faults, []);
});
