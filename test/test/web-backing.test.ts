import { writeFile } from 'node:fs/promises';
import { developmentToken } from '@weir/embedded';
import type { Endpoint, Input } from '@weir/kernel/contract';
import {
  changeBackingDataset,
  createEntityType,
  createEntityTypeVersion,
  type EntityTypeView,
  getBackingDataset,
  getSyncCapabilities,
  listBackingDatasets,
  type SuggestionsView,
  syncBackingDataset,
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
} from '../../ui/src/ontology/mapping/mapping.ts';
import { keyFile } from '../key-file.ts';
import { until } from '../until.ts';
import { axeFaults, fitsIn, press, shot, signIn } from '../web-steps.ts';
import { webWorld } from '../web-world.ts';
import { startWorker } from '../worker-process.ts';

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
const ORDER: Input<typeof createEntityTypeVersion>['body']['document'] = {
  primary_key: ['id'],
  properties: [
    { code: 'id', value_type: 'string', required: true },
    { code: 'city', value_type: 'string', indexed: true },
    { code: 'revenue', value_type: 'double' },
    { code: 'remark', value_type: 'string' },
  ],
};
const MORE = { code: 'more', name: 'Größe', value_type: 'string' as const };
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
  await ok(createEntityType, { body: { code: 'Order', status: 'active', ...ORDER } });
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

/** Takes the mapping to a new version of its type by the mouse; a reload keeps which one. */
async function toNewestVersion(t: Test, page: Page, params: { backing_dataset_id: string }): Promise<void> {
  const board = page.getByRole('region', { name: 'Mapping' });
  const added = board.getByRole('combobox', { name: 'Column of Größe' });
  const save = page.getByRole('button', { name: 'Save' });
  await ok(createEntityTypeVersion, {
    params: { code: 'Order' },
    body: { base_version: 1, document: { ...ORDER, properties: [...ORDER.properties, MORE] } },
  });
  await page.reload();
  await page.getByRole('link', { name: 'Change the mapping' }).click();
  await page.getByRole('combobox', { name: 'Version of the type' }).selectOption('2');
  await page.waitForURL(/\/mapping\?version=2$/);
  await added.waitFor();
  await page.reload();
  await board.getByRole('button', { name: 'City string', exact: true }).dragTo(added);
  await page.getByText('2 changes', { exact: true }).waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('');
  await save.click();
  await page.getByRole('alert').filter({ hasText: 'Name' }).waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('revenue');
  await save.click();
  await page.getByRole('heading', { level: 1, name: 'revenue' }).waitFor();
  t.match(await ok(getBackingDataset, { params }), { name: 'revenue', entity_type_version: 2 });
}

t.test(
  'a stored mapping is changed on the board → what differs is seen first, and nobody is overwritten',
  async (t) => {
    const window = await open();
    const { page, faults } = window;
    const [backing] = (await ok(listBackingDatasets)).items;
    const params = { backing_dataset_id: backing?.backing_dataset_id ?? '' };
    await signIn(window, `${url}/ontology/backing/${params.backing_dataset_id}`, 'Ada');
    await press(page, page.getByRole('link', { name: 'Change the mapping' }), 'Enter');
    const board = page.getByRole('region', { name: 'Mapping' });
    const choice = (name: string) => board.getByRole('combobox', { name: `Column of ${name}` });
    const save = page.getByRole('button', { name: 'Save' });
    const change = (of: string) => page.getByRole('region', { name: 'Changes' }).getByRole('row', { name: of });
    await page.getByText('Nothing is changed yet.').waitFor();
    t.equal(await choice('city').inputValue(), '.City');
    t.equal(await board.getByRole('textbox', { name: 'SQL of remark' }).inputValue(), "'of ' || id");
    t.equal(await save.isDisabled(), true);

    await press(page, choice('remark'), 'Backspace');
    t.match(await change('remark').textContent(), /remarkSQL: 'of ' || idnot filled/);
    await page.getByText('A sync becomes due, which reads every row of the table again.').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      t.strictSame(await axeFaults(page), [], colorScheme);
      await shot(page, `backing-change-${colorScheme}`);
    }
    await ok(changeBackingDataset, { params, body: { name: 'Orders', max_rejected_rows: 5 } });
    await press(page, save, 'Enter');
    await page.getByText('It was changed meanwhile').waitFor();
    t.equal(await save.isDisabled(), true, 'before a person has decided');
    t.strictSame(await axeFaults(page), [], 'overtaken');
    await shot(page, 'backing-change-overtaken');
    await press(page, page.getByRole('button', { name: 'Compare mine with it' }), 'Enter');
    await page.getByText('1 change', { exact: true }).waitFor();
    await press(page, save, 'Enter');
    await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
    await page.getByText('; it starts on request.').waitFor();
    const stored = await ok(getBackingDataset, { params });
    t.match(stored, { name: 'Orders', max_rejected_rows: 5, state: 'pending' });
    t.strictSame(stored.property_mappings.map(({ property }) => property).toSorted(), ['city', 'id', 'revenue']);

    await toNewestVersion(t, page, params);
    const refused = faults.map((said) => /status of (\d+)/.exec(said)?.[1] ?? said);
    t.strictSame(refused, ['412', '400'], 'an old version, then a name that is refused');
  },
);

t.test(
  'new syncs move to contract 1 and back → what happens is named first, and a proof that lacks is shown',
  async (t) => {
    const [backing] = (await ok(listBackingDatasets)).items;
    const params = { backing_dataset_id: backing?.backing_dataset_id ?? '' };
    // The one of the world lies in a folder that was emptied.
    const ofFirst = { ...platform.environment, WEIR_CREDENTIAL_KEY_FILE: keyFile(folder) };
    const reader = await open({ width: 360 });
    await signIn(reader, `${url}/ontology?tab=route`, 'Ed', 'Entity types');
    await reader.page.getByText('Platform admins see its proof here').waitFor();
    t.equal(await reader.page.getByRole('button', { name: /contract/ }).count(), 0);
    t.ok(await fitsIn(reader.page));
    t.strictSame([await axeFaults(reader.page), reader.faults], [[], []], 'a pipeline editor');

    const window = await open({ colorScheme: 'dark', width: 1_440 });
    const { page, faults } = window;
    const dialog = page.getByRole('dialog');
    const send = (to: number) => page.getByRole('button', { name: `Send new syncs to contract ${to}…` });
    await signIn(window, `${url}/ontology?tab=route`, 'Ada');
    await page.getByText('It was set at the installation, without a proof.').waitFor();
    await page.getByText('Contract 1 has drained').waitFor();
    t.strictSame(await axeFaults(page), [], 'the route');
    await shot(page, 'route-dark');
    await press(page, send(1), 'Enter');
    await press(page, dialog.getByRole('button', { name: 'Send to contract 1' }), 'Enter');
    await dialog.getByText('No worker of this release polls it for workflows').waitFor();
    await dialog.getByText('The route is not proven').waitFor();
    t.strictSame(await axeFaults(page), [], 'a refusal');
    await shot(page, 'route-refused');
    await page.keyboard.press('Escape');
    t.match(await ok(getSyncCapabilities), { sync_contract_version: 2 });

    const first = await startWorker(t, ofFirst, 'ontology-sync');
    await press(page, send(1), 'Enter');
    await press(page, dialog.getByRole('button', { name: 'Send to contract 1' }), 'Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Contract 1', { exact: true }).first().waitFor();
    await until('both proofs', async () => (await page.getByText('Proven', { exact: true }).count()) === 2);
    t.match(await ok(getSyncCapabilities), { sync_contract_version: 1 });
    await first.end('SIGTERM');
    await ok(syncBackingDataset, { params, query: { queue: true } });
    await page.getByText('Contract 1: 1 execution open').waitFor();
    await page.getByRole('region', { name: 'Open syncs', exact: true }).getByRole('link').waitFor();
    await page.emulateMedia({ colorScheme: 'light' });
    t.strictSame(await axeFaults(page), [], 'an open sync');
    await shot(page, 'route-open-light');
    await startWorker(t, ofFirst, 'ontology-sync');
    await page.getByText('Every sync of this tenant has ended.').waitFor();
    await send(2).click();
    await dialog.getByText('A replay of every row can be forced').waitFor();
    await shot(page, 'route-dialog');
    await dialog.getByRole('button', { name: 'Send to contract 2' }).click();
    await dialog.waitFor({ state: 'detached' });
    t.match(await ok(getSyncCapabilities), { sync_contract_version: 2 });
    t.match(faults, [/status of 409/], 'the route that was not proven, and nothing else');
  },
);

t.test('a viewer in a narrow window → state, health and list fit, and offer no change', async (t) => {
  const window = await open({ width: 400 });
  const { page, faults } = window;
  const [backing] = (await ok(listBackingDatasets)).items;
  await signIn(window, `${url}/ontology/backing/${backing?.backing_dataset_id}?tab=health`, 'Eve', backing?.name);
  await page.getByRole('list', { name: 'Checks' }).waitFor();
  t.equal(await page.getByRole('button', { name: 'Sync now' }).count(), 0);
  t.equal(await page.getByRole('link', { name: 'Change the mapping' }).count(), 0);
  t.ok(await fitsIn(page));
  t.strictSame(await axeFaults(page), [], 'health');
  await shot(page, 'backing-health');
  await page.goto(`${url}/ontology?tab=backing`);
  await page.getByRole('link', { name: backing?.name ?? '', exact: true }).waitFor();
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
