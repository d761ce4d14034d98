import { writeFile } from 'node:fs/promises';
import { developmentToken } from '@weir/embedded';
import type { Endpoint, Input } from '@weir/kernel/contract';
import { createEntityType, type EntityTypeView, listBackingDatasets } from '@weir/plugin-ontology/contract';
import { setTenantPlugin } from '@weir/plugin-platform/contract';
import { bulkStreams, createSource, getSyncStatus, startSync } from '@weir/plugin-sources/contract';
import t from 'tap';
import { mappingBody, proposedMapping, unmapped } from '../../ui/src/ontology/backing/mapping.ts';
import { until } from '../until.ts';
import { axeFaults, fitsIn, press, shot, signIn } from '../web-steps.ts';
import { webWorld } from '../web-world.ts';

t.test('columns and a type → those of one name are matched, and what is chosen is what is sent', async (t) => {
  const property = (code: string, more: object = {}) => ({ code, name: code, required: false, ...more });
  const lead = (code: string, target_key: string[], cardinality: 'one' | 'many') => ({
    ...{ code, target_type: 'T', target_key, cardinality },
  });
  const type = {
    properties: [property('customer_no'), property('city', { name: 'Größe' }), property('other', { required: true })],
    primary_key: ['customer_no'],
    relationships: [lead('owner', ['id'], 'one'), lead('parts', ['a', 'b'], 'many'), lead('tags', ['id'], 'many')],
  } as unknown as EntityTypeView;
  const columns = [
    ...['CustomerNo', 'größe', 'owner', 'parts_a'].map((name) => ({ name, isList: false })),
    { name: 'tags_id', isList: true },
  ];
  const mapping = proposedMapping(type, columns);
  t.strictSame(mapping, {
    properties: { customer_no: 'CustomerNo', city: 'größe' },
    relationships: { owner: ['owner'], tags: ['tags_id'] },
  });
  t.strictSame(unmapped(type, mapping), ['other']);
  t.strictSame(
    mappingBody(type, { ...mapping, relationships: { ...mapping.relationships, parts: ['x', ''] } }, columns),
    {
      property_mappings: [
        { column: 'CustomerNo', property: 'customer_no' },
        { column: 'größe', property: 'city' },
      ],
      primary_key_mapping: [{ column: 'CustomerNo', property: 'customer_no' }],
      relationship_mappings: [
        { relationship: 'owner', columns: ['owner'], target_type: 'T', target_key: ['id'] },
        { relationship: 'tags', columns: ['tags_id'], target_type: 'T', target_key: ['id'], many: 'list' },
      ],
    },
  );
});

const world = await webWorld(t, {}, {}, 'source,ontology-sync-v2');
if (world === undefined) {
  t.plan(1, 'no Chromium on this machine, and it cannot be installed');
  process.exit();
}
const { url, open, platform, issuer } = world;
const folder = t.testdir({});
await writeFile(`${folder}/orders.csv`, 'id,City\n1,Ulm\n2,Müller & Söhne\n3,\n');

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
  const properties = { id: { type: 'string' }, City: { type: 'string' } };
  const stream = { name: 'orders', sync_mode: 'full_refresh' as const, write_mode: 'overwrite' as const };
  const streams = [{ ...stream, schema: { type: 'object', properties }, enabled: true }];
  await ok(bulkStreams, { params, body: { streams } });
  await ok(startSync, { params });
  await until('the sync', async () => (await ok(getSyncStatus, { params })).run?.status === 'succeeded');
}

t.test('a table fills a type by a form → synced, shown with its run, and replayed by force', async (t) => {
  await ok(setTenantPlugin, { params: { alias: 'demo', plugin_id: 'ontology' }, body: { enabled: true } });
  await loadOrders();
  await ok(createEntityType, {
    body: {
      ...{ code: 'Order', status: 'active', primary_key: ['id'] },
      properties: [
        { code: 'id', value_type: 'string', required: true },
        { code: 'city', value_type: 'string', indexed: true },
      ],
    },
  });
  const window = await open({ colorScheme: 'dark' });
  const { page, faults } = window;
  await signIn(window, `${url}/ontology?tab=backing`, 'Ada');
  await page.getByText('No table fills an entity type yet').waitFor();
  await page.goto(`${url}/ontology/backing/create?type=Order&dataset=bronze.demo.shop__orders`);
  await page.getByRole('combobox', { name: 'Column of city' }).waitFor();
  t.equal(await page.getByRole('combobox', { name: 'Column of city' }).inputValue(), 'City');
  t.strictSame(await axeFaults(page), [], 'the form');
  await shot(page, 'backing-create');
  await page.getByRole('textbox', { name: 'Name' }).fill('Orders of Müller & Söhne');
  await page.getByRole('combobox', { name: 'A sync starts' }).selectOption('manual');
  await press(page, page.getByRole('button', { name: 'Fill it' }), 'Enter');
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
  t.strictSame(faults, []);
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
