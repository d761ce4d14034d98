import { writeFile } from 'node:fs/promises';
import { developmentToken } from '@weir/embedded';
import type { Endpoint, Input } from '@weir/kernel/contract';
import {
  createEntityType,
  type EntityTypeView,
  listBackingDatasets,
  type SuggestionsView,
} from '@weir/plugin-ontology/contract';
import { setTenantPlugin } from '@weir/plugin-platform/contract';
import { bulkStreams, createSource, getSyncStatus, startSync } from '@weir/plugin-sources/contract';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import {
  arranged,
  chosenFill,
  doubtful,
  filled,
  led,
  mappingBody,
  suggestedMapping,
  unmapped,
} from '../../ui/src/ontology/backing/mapping.ts';
import { until } from '../until.ts';
import { axeFaults, fitsIn, press, shot, signIn } from '../web-steps.ts';
import { webWorld } from '../web-world.ts';

t.test('suggestions → sure ones are decided, doubtful ones wait, and what is decided is what is sent', async (t) => {
  const property = (code: string, more: object = {}) => ({ code, name: code, required: false, ...more });
  const lead = (code: string, target_key: string[], more: object = {}) => ({
    ...{ code, name: code, target_type: 'T', target_key, cardinality: 'many', required: false },
    ...more,
  });
  const type = {
    properties: [property('no'), property('city', { name: 'Größe' }), property('other', { required: true })],
    primary_key: ['no'],
    relationships: [lead('owner', ['id'], { cardinality: 'one' }), lead('parts', ['a', 'b']), lead('tags', ['id'])],
  } as unknown as EntityTypeView;
  const columns = ['CustomerNo', 'größe', 'sum', 'owner', 'a', 'b'].map((name) => ({ name, type: 'string' }));
  const pair = (code: string, column: string, confidence: string, more: object = {}) => ({
    ...{ property: code, column, confidence, alternatives: [] },
    ...more,
  });
  const alternatives = [{ column: 'sum', cast: 'cast("sum" AS DOUBLE)' }];
  const suggestions = {
    mappings: [pair('no', 'CustomerNo', 'sure'), pair('other', 'größe', 'review', { alternatives })],
    relationships: [
      { relationship: 'owner', columns: ['owner'], confidence: 'sure' },
      { relationship: 'tags', columns: ['tags'], confidence: 'sure' },
    ],
  } as unknown as SuggestionsView;
  const mapping = suggestedMapping(suggestions);
  t.equal(doubtful(mapping), 1);
  t.strictSame(unmapped(type, mapping), ['other'], 'a doubtful suggestion fills nothing');
  t.strictSame(chosenFill(suggestions, 'other', 'sum').sql, 'cast("sum" AS DOUBLE)');
  const whole = led(filled(mapping, 'other', chosenFill(suggestions, 'other', 'sum')), 'parts', {
    columns: ['a', ''],
    isDoubtful: false,
  });
  t.strictSame(unmapped(type, whole), []);
  t.strictSame(mappingBody(type, whole, [...columns, { name: 'tags', type: 'list<string>' }]), {
    property_mappings: [
      { column: 'CustomerNo', property: 'no' },
      { expression: 'cast("sum" AS DOUBLE)', property: 'other' },
    ],
    primary_key_mapping: [{ column: 'CustomerNo', property: 'no' }],
    relationship_mappings: [
      { relationship: 'owner', columns: ['owner'], target_type: 'T', target_key: ['id'] },
      { relationship: 'tags', columns: ['tags'], target_type: 'T', target_key: ['id'], many: 'list' },
    ],
  });
  t.strictSame(
    arranged(type, columns, whole).map(({ name }) => name),
    ['CustomerNo', 'sum', 'größe', 'owner', 'a', 'b'],
  );
  t.strictSame(filled(mapping, 'other', undefined).properties, { no: mapping.properties.no });
});

const world = await webWorld(t, {}, {}, 'source,ontology-sync-v2');
if (world === undefined) {
  t.plan(1, 'no Chromium on this machine, and it cannot be installed');
  process.exit();
}
const { url, open, platform, issuer } = world;
const folder = t.testdir({});
const WIDE = [...Array.from({ length: 98 }, (_, at) => `c${at}`), 'City', 'id'];
await writeFile(`${folder}/wide.csv`, `${WIDE}\n`);
await writeFile(`${folder}/orders.csv`, 'id,City,revenue\n1,Ulm,1.5\n2,Müller & Söhne,2\n3,,x\n');

/** Calls the API as Ada in `demo`. */
async function ok<E extends Endpoint>(endpoint: E, input: Partial<Input<E>> = {}) {
  const token = await developmentToken(issuer, 'ada@demo');
  const answer = await platform.call({ token, tenant: 'demo' }, endpoint, input);
  if (!answer.ok) throw new Error(JSON.stringify(answer.problem));
  return answer.body;
}

/** The table `bronze.demo.shop__orders` with three rows. */
async function loadOrders(): Promise<void> {
  const body = { name: 'shop', pattern_id: 'files', source_config: { path: folder } };
  const { source_id } = await ok(createSource, { body });
  const params = { source_id };
  const properties = { id: { type: 'string' }, City: { type: 'string' }, revenue: { type: 'string' } };
  const stream = { name: 'orders', sync_mode: 'full_refresh' as const, write_mode: 'overwrite' as const };
  const wide = Object.fromEntries(WIDE.map((name) => [name, { type: 'string' }]));
  const streams = [
    { ...stream, schema: { type: 'object', properties }, enabled: true },
    { ...stream, name: 'wide', schema: { type: 'object', properties: wide }, enabled: true },
  ];
  await ok(bulkStreams, { params, body: { streams } });
  await ok(startSync, { params });
  await until('the sync', async () => (await ok(getSyncStatus, { params })).run?.status === 'succeeded');
}

/** Decides the suggestions by the keyboard and the mouse, and looks at the entities. */
async function mapOnBoard(t: Test, page: Page): Promise<void> {
  const board = page.getByRole('region', { name: 'Mapping' });
  await board.waitFor();
  const choice = (name: string) => board.getByRole('combobox', { name: `Column of ${name}` });
  t.equal(await choice('city').inputValue(), '.City');
  const drawn = (count: number) =>
    until(`${count} lines`, async () => (await page.locator('.board-line').count()) === count, 'often');
  await drawn(3);
  t.equal(await page.locator('.board-line[data-doubtful="true"]').count(), 1, 'its cast loses a value');
  await page.getByText('1 suggestion to accept or to remove').waitFor();
  await press(page, board.getByRole('button', { name: 'Accept revenue' }), 'Enter');
  await page.getByText('Every suggestion is decided.').waitFor();
  t.equal(await board.getByRole('textbox', { name: 'SQL of revenue' }).inputValue(), 'try_cast("revenue" AS DOUBLE)');
  const preview = page.getByRole('region', { name: 'The first entities' });
  await preview.getByRole('cell', { name: 'Müller & Söhne' }).waitFor();
  t.strictSame(await axeFaults(page), [], 'the board');
  await shot(page, 'backing-board');
  await press(page, board.getByRole('button', { name: 'City string' }), 'Enter');
  await press(page, board.getByRole('button', { name: 'Put City into remark' }), 'Enter');
  await drawn(4);
  await press(page, choice('remark'), 'Backspace');
  await drawn(3);
  await board.getByRole('button', { name: 'id string', exact: true }).dragTo(choice('remark'));
  t.equal(await choice('remark').inputValue(), '.id');
  await choice('remark').selectOption('.revenue');
  await choice('remark').selectOption('sql');
  await board.getByRole('textbox', { name: 'SQL of remark' }).fill('sum(revenue)');
  await board.getByRole('alert').waitFor();
  await board.getByRole('textbox', { name: 'SQL of remark' }).fill("'of ' || id");
  await preview.getByRole('cell', { name: 'of 2' }).waitFor();
}

t.test('a table fills a type on the board → synced, shown with its run, and replayed by force', async (t) => {
  await ok(setTenantPlugin, { params: { alias: 'demo', plugin_id: 'ontology' }, body: { enabled: true } });
  await loadOrders();
  await ok(createEntityType, {
    body: {
      ...{ code: 'Order', status: 'active', primary_key: ['id'] },
      properties: [
        { code: 'id', value_type: 'string', required: true },
        { code: 'city', value_type: 'string', indexed: true },
        { code: 'revenue', value_type: 'double' },
        { code: 'remark', value_type: 'string' },
      ],
    },
  });
  const window = await open({ colorScheme: 'dark' });
  const { page, faults } = window;
  await signIn(window, `${url}/ontology?tab=backing`, 'Ada');
  await page.getByText('No table fills an entity type yet').waitFor();
  await page.goto(`${url}/ontology/backing/create?type=Order&dataset=bronze.demo.shop__orders`);
  await mapOnBoard(t, page);
  await page.getByRole('textbox', { name: 'Name' }).fill('Orders of Müller & Söhne');
  await page.getByRole('combobox', { name: 'A sync starts' }).selectOption('manual');
  await press(page, page.getByRole('button', { name: 'Save' }), 'Enter');
  await page.getByRole('heading', { level: 1, name: 'Orders of Müller & Söhne' }).waitFor();
  await page.getByText('It was not synced yet; it starts on request').waitFor();
  t.strictSame(await axeFaults(page), [], 'before the first sync');
  await shot(page, 'backing-pending');
  await press(page, page.getByRole('button', { name: 'Sync now' }), 'Enter');
  await page.getByText('In step', { exact: true }).waitFor();
  await page.getByText('the same', { exact: true }).waitFor();
  t.strictSame(await axeFaults(page), [], 'in step');
  await shot(page, 'backing-in-step');
  await page.getByRole('button', { name: 'Replay every row' }).click();
  await page.getByRole('tab', { name: 'History' }).click();
  await page.getByText('Every row: it was forced').waitFor();
  await until('the replay', async () => (await ok(listBackingDatasets)).items[0]?.state === 'in_step');
  await shot(page, 'backing-history');
  await page.getByRole('region', { name: 'Syncs' }).getByRole('link').first().click();
  await page.getByRole('heading', { level: 1, name: 'Sync of entities: Orders of Müller & Söhne' }).waitFor();
  await page.getByText('Rows read').waitFor();
  t.strictSame(await axeFaults(page), [], 'a run');
  await shot(page, 'backing-run');
  await page.goto(`${url}/ontology/types/Order?tab=entities`);
  await page.getByText('3 entities').waitFor();
  t.match(faults.splice(0), [/status of 422/], 'SQL that is refused, and nothing else');
});

t.test('a viewer in a narrow window → state, health and list fit, and offer no change', async (t) => {
  const window = await open({ width: 400 });
  const { page, faults } = window;
  const [backing] = (await ok(listBackingDatasets)).items;
  await signIn(window, `${url}/ontology/backing/${backing?.backing_dataset_id}?tab=health`, 'Eve', backing?.name);
  await page.getByRole('list', { name: 'Checks' }).waitFor();
  t.equal(await page.getByRole('button', { name: 'Sync now' }).count(), 0);
  t.ok(await fitsIn(page));
  t.strictSame(await axeFaults(page), [], 'health');
  await shot(page, 'backing-health');
  await page.goto(`${url}/ontology?tab=backing`);
  await page.getByRole('link', { name: backing?.name ?? '' }).waitFor();
  t.ok(await fitsIn(page));
  await shot(page, 'backing-list');
  t.strictSame(faults, []);
});

t.test(
  'the board of a table of 100 columns without rows → its columns are filtered, and it says that no row is there',
  async (t) => {
    const window = await open();
    const { page, faults } = window;
    await signIn(window, `${url}/ontology/backing/create?type=Order&dataset=bronze.demo.shop__wide`, 'Ada');
    await page.getByText('The table has no rows that fit').waitFor();
    await page.getByText('Whether the key is unique is seen by a sync.').waitFor();
    const drawn = (count: number) =>
      until(`${count} lines`, async () => (await page.locator('.board-line').count()) === count, 'often');
    await drawn(2);
    t.strictSame(await axeFaults(page), [], 'a wide table');
    await shot(page, 'backing-board-wide');
    await page.getByRole('textbox', { name: 'Filter columns' }).fill('c9');
    await drawn(0);
    t.equal(await page.getByRole('list', { name: 'Columns' }).getByRole('listitem').count(), 9);
    t.strictSame(faults, []);
  },
);

t.test('the board in a narrow window → lists alone, with which the same can be done', async (t) => {
  const window = await open({ width: 400 });
  const { page, faults } = window;
  const title = 'Fill an entity type from a table';
  await signIn(window, `${url}/ontology/backing/create?type=Order&dataset=bronze.demo.shop__orders`, 'Ada', title);
  await page.getByRole('combobox', { name: 'Column of city' }).selectOption('.revenue');
  await page.getByRole('button', { name: 'Remove what fills revenue' }).click();
  await page.getByText('3 rows that were looked at would become entities.').waitFor();
  t.equal(await page.locator('.board-line').count(), 0);
  t.ok(await fitsIn(page));
  t.strictSame(await axeFaults(page), [], 'the board in a narrow window');
  await shot(page, 'backing-board-narrow');
  t.strictSame(faults, []);
});
