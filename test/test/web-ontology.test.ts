import { developmentToken } from '@weir/embedded';
import type { Endpoint, Input } from '@weir/kernel/contract';
import {
  createEntityType,
  type EntityTypeItemView,
  getEntityType,
  listEntityTypes,
} from '@weir/plugin-ontology/contract';
import { setTenantPlugin } from '@weir/plugin-platform/contract';
import t from 'tap';
import type { EntityItem } from '../../plugins/ontology/src/model/entity/store.ts';
import { embeddedStore } from '../../plugins/ontology/src/service/store/embedded.ts';
import { NODE, placed } from '../../ui/src/graph/layout.ts';
import {
  documentIn,
  draftOf,
  proposedCode,
  readDraft,
  recoded,
  retyped,
} from '../../ui/src/ontology/document/draft.ts';
import { conditionsIn, filterText, valueText } from '../../ui/src/ontology/entities/filter.ts';
import { around, joined, relationsOf } from '../../ui/src/ontology/graph/relations.ts';
import { axeFaults, fitsIn, press, shot, signIn } from '../web-steps.ts';
import { webWorld } from '../web-world.ts';

const RUN = '0199d3f2-5c1e-7a40-9b6d-3f1c2a7e8d90';
const LONG_CODE = `T${'x'.repeat(63)}`;

const text = (code: string, more: object = {}) => ({ code, value_type: 'string' as const, ...more });

t.test('relations with circles, loops and missing targets → each is drawn once, no box over another', async (t) => {
  const one = (code: string, ...targets: string[]) =>
    ({
      code,
      name: code,
      status: 'active',
      properties_count: 1,
      relationships: targets.map((target_type, at) => ({ code: `to_${at}`, target_type, cardinality: 'one' })),
    }) as unknown as EntityTypeItemView;
  const codesOf = ({ nodes }: { nodes: readonly { code: string }[] }) => nodes.map(({ code }) => code).sort();
  const chain = Array.from({ length: 40 }, (_, at) => one(`N${at}`, `N${(at + 1) % 40}`, `N${at}`));
  const whole = relationsOf([one('A', 'B', 'B'), one('B', 'A', 'Gone'), one('Alone'), ...chain]);
  const { drawn, alone } = joined(whole);
  t.match(alone, [{ code: 'Alone' }]);
  t.strictSame(codesOf(around(whole, 'Gone', 1)), ['B', 'Gone']);
  t.strictSame(codesOf(around(whole, 'N0', 2)), ['N0', 'N1', 'N2', 'N38', 'N39']);
  const { nodes, edges, width, height } = placed(drawn);
  t.equal(edges.length, 4 + 80);
  for (const [at, { x, y }] of nodes.entries()) {
    t.ok(x >= NODE.width / 2 && y >= NODE.height / 2 && x + NODE.width / 2 <= width && y + NODE.height / 2 <= height);
    const others = nodes.slice(at + 1);
    const isOver = (other: (typeof nodes)[number]) =>
      Math.abs(other.x - x) < NODE.width && Math.abs(other.y - y) < NODE.height;
    t.notOk(others.some(isOver));
  }
  t.notMatch(edges.map(({ path }) => path).join(), /NaN|undefined/);
  t.match(placed(relationsOf([])), { height: 0, nodes: [], edges: [] });
});

t.test('a document as a form → the same document; what is changed in it names what it was', async (t) => {
  const amount = { code: 'amount', value_type: 'decimal' as const, constraints: { precision: 9, scale: 2 } };
  const document = {
    properties: [text('b', { required: true }), { code: 'a', value_type: 'uuid' as const, required: true }, amount],
    primary_key: ['a', 'b'],
    title_property: 'b',
    relationships: [{ code: 'own', target_type: 'Me', target_key: ['a', 'b'], cardinality: 'many' as const }],
  };
  const draft = draftOf(document);
  t.strictSame(documentIn(draft, 'Me'), document);
  const file = JSON.stringify({ apiVersion: 'x', spec: { code: 'Me', ...document } });
  t.match(readDraft(file), { body: { draft, labels: { code: 'Me' } } });
  for (const odd of ['', '[]', 'a: [', '{"properties": 7}', '{"properties": [{"code": 7}]}'])
    t.ok('fault' in readDraft(odd), odd);
  const before = new Set(['amount']);
  const renamed = recoded(recoded(amount, 'amoun', before), 'sum', before);
  t.match(renamed, { code: 'sum', renamed_from: 'amount' });
  t.notOk('renamed_from' in recoded(renamed, 'amount', before), 'its old name again');
  t.strictSame(retyped({ ...amount, indexed: true }, 'json'), { code: 'amount', value_type: 'json' });
  t.strictSame(retyped(amount, 'list'), { code: 'amount', value_type: 'list', item_type: 'string' });
  const names = ['Müller & Söhne', '2nd café', '東京', 'x'.repeat(90)];
  t.strictSame(names.map(proposedCode), ['MuellerSoehne', 'ndCafe', '', `X${'x'.repeat(63)}`]);
});

t.test('conditions of an address → those of indexed properties, and the same text again', async (t) => {
  const conditions = [{ property: 'country', value: 'F&R=1 +' }];
  t.strictSame(conditionsIn(filterText(conditions), ['country']), conditions);
  t.strictSame(conditionsIn('country=a&gone=b&country=c', ['country']), [{ property: 'country', value: 'c' }]);
  t.strictSame([[1, 'a'], null, false, 0, []].map(valueText), ['1, a', undefined, 'false', '0', '']);
});

const world = await webWorld(t, {}, {}, '');
if (world === undefined) {
  t.plan(1, 'no Chromium on this machine, and it cannot be installed');
  process.exit();
}
const { url, open, platform, issuer } = world;

/** Calls the API as Ada in `demo`. */
async function ok<E extends Endpoint>(endpoint: E, input: Partial<Input<E>> = {}) {
  const token = await developmentToken(issuer, 'ada@demo');
  const answer = await platform.call({ token, tenant: 'demo' }, endpoint, input);
  if (!answer.ok) throw new Error(JSON.stringify(answer.problem));
  return answer.body;
}

const key = text('id', { required: true });
const leads = (code: string, target_type: string, more: object = {}) => ({
  ...{ code, target_type, target_key: ['id'], cardinality: 'one' as const },
  ...more,
});
const type = (code: string, relationships: object[] = [], more: object = {}) =>
  ok(createEntityType, {
    body: { code, status: 'active', properties: [key], primary_key: ['id'], relationships, ...more } as never,
  });

t.test('a tenant without the plugin → no link to the pages, and who can switch it on', async (t) => {
  const window = await open();
  const { page } = window;
  await signIn(window, `${url}/ontology`, 'Ada');
  await page.getByText('does not have the plugin ontology').waitFor();
  t.equal(await page.getByRole('link', { name: 'Entity types', exact: true }).count(), 0);
  t.strictSame(await axeFaults(page), []);
});

t.test('by keyboard, without JSON: a type, a version that breaks readers, and its end and return', async (t) => {
  await ok(setTenantPlugin, { params: { alias: 'demo', plugin_id: 'ontology' }, body: { enabled: true } });
  const window = await open({ colorScheme: 'dark' });
  const { page, faults } = window;
  await signIn(window, `${url}/ontology`, 'Ada');
  await page.getByText('No entity type yet').waitFor();
  await shot(page, 'ontology-empty');
  await press(page, page.getByRole('link', { name: 'Create an entity type' }), 'Enter');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Müller & Söhne');
  await page.getByRole('button', { name: 'Add a property' }).click();
  await page.getByRole('textbox', { name: 'Code of the new property' }).fill('country');
  await press(page, page.getByRole('checkbox', { name: 'country is indexed' }), 'Space');
  await page.getByRole('button', { name: 'Add a property' }).click();
  await page.getByRole('textbox', { name: 'Code of the new property' }).fill('2nd');
  await page.getByText('A letter, then letters').waitFor();
  await page.getByRole('textbox', { name: 'Code of 2nd' }).fill('revenue');
  await page.getByRole('combobox', { name: 'Values of revenue' }).selectOption('decimal');
  t.strictSame(await axeFaults(page), [], 'the form');
  await shot(page, 'ontology-create');
  await page.getByRole('button', { name: 'Details of revenue' }).click();
  await page.getByRole('textbox', { name: 'Unit' }).fill('EUR');
  t.strictSame(await axeFaults(page), [], 'details');
  await shot(page, 'ontology-details');
  await page.getByRole('button', { name: 'Done' }).click();
  await press(page, page.getByRole('button', { name: 'Create', exact: true }), 'Enter');
  await page.getByRole('heading', { level: 1, name: 'Müller & Söhne' }).waitFor();
  t.match(await ok(getEntityType, { params: { code: 'MuellerSoehne' } }), {
    properties: [{ required: true }, { indexed: true }, { unit: 'EUR', constraints: { precision: 18, scale: 2 } }],
  });
  t.strictSame(await axeFaults(page), [], 'a type');
  await shot(page, 'ontology-type');
  await press(page, page.getByRole('link', { name: 'New version' }), 'Enter');
  await press(page, page.getByRole('checkbox', { name: 'revenue is required' }), 'Space');
  await press(page, page.getByRole('button', { name: 'See what it changes' }), 'Enter');
  await page.getByText('The one change from version 1 breaks').waitFor();
  t.ok(await page.getByRole('button', { name: 'Store as version 2' }).isDisabled());
  t.strictSame(await axeFaults(page), [], 'a verdict');
  await shot(page, 'ontology-breaking');
  await press(page, page.getByRole('switch', { name: 'Store it although' }), 'Space');
  await press(page, page.getByRole('button', { name: 'Store as version 2' }), 'Enter');
  await page.getByRole('region', { name: 'What differs' }).waitFor();
  await page.getByText('Every entity needs a value now').waitFor();
  t.strictSame(await axeFaults(page), [], 'versions');
  await shot(page, 'ontology-versions');
  await press(page, page.getByRole('button', { name: 'More actions' }), 'Enter');
  await page.getByRole('menuitem', { name: 'Retire…' }).click();
  await page.getByRole('button', { name: 'Retire', exact: true }).click();
  await page.getByText('No entity type yet').waitFor();
  t.strictSame((await ok(listEntityTypes)).items, []);
  await page.goto(`${url}/ontology/types/MuellerSoehne`);
  await page.getByText('The type is retired').waitFor();
  await press(page, page.getByRole('button', { name: 'More actions' }), 'Enter');
  await page.getByRole('menuitem', { name: 'Bring it back' }).click();
  await page.getByText('Active', { exact: true }).waitFor();
  t.strictSame(faults, []);
});

/** Types that lead in circles, with names of the greatest length, and entities with links. */
async function furnish(): Promise<void> {
  await type('Trip', [leads('vehicle', 'Vehicle'), leads('driver', 'Person'), leads('from', 'Place')]);
  await type('Vehicle', [leads('owner', 'Person'), leads('parts', 'Vehicle', { cardinality: 'many' })], {
    description: 'What drives: <b>cars</b> & others',
    title_property: 'name',
    properties: [key, text('name'), text('country', { indexed: true }), { code: 'wheels', value_type: 'integer' }],
  });
  await type('Person', [leads('lives_in', 'Place'), leads('drives', 'Vehicle', { cardinality: 'many' })]);
  await type(LONG_CODE, [leads(`r${'y'.repeat(63)}`, 'Nowhere')], {
    properties: [key, ...Array.from({ length: 199 }, (_, at) => text(`property_${at}`, { description: 'Said' }))],
  });
  await ok(createEntityType, { body: { code: 'Place', properties: [key], primary_key: ['id'] } });
  const item = (id: string, more: object = {}, links: EntityItem['links'] = []): EntityItem => ({
    ...{ key: id, properties: { id, ...more }, links },
    rowHash: Buffer.from(id.padEnd(32).slice(-32)).toString('hex'),
  });
  const owner = { relationship: 'owner', targetType: 'Person', targetKey: 'Müller & Söhne/1' };
  const vehicles = Array.from({ length: 130 }, (_, at) =>
    item(`V-${String(at).padStart(3, '0')}`, { name: `Käfer ${at}`, country: at % 2 === 0 ? 'DE' : 'F&R', wheels: 4 }, [
      owner,
    ]),
  );
  const { database, tenants } = platform.platform;
  const tenant = await tenants.byAlias('demo');
  if (tenant === undefined) throw new Error('no tenant');
  const store = embeddedStore({ db: database.db, ping: async () => true });
  const chunk = { runId: RUN, operation: 'upsert' as const };
  const call = { tenant, ontologyTenant: 'development' };
  await store.submitBulk(call, {
    ...{ ...chunk, seq: 0, items: vehicles },
    type: { code: 'Vehicle', version: 1, indexed: ['country'] },
  });
  const lost = { relationship: 'lives_in', targetType: 'Place', targetKey: 'Ulm' };
  await store.submitBulk(call, {
    ...{ ...chunk, seq: 1, items: [item('Müller & Söhne/1', {}, [lost])] },
    type: { code: 'Person', version: 1, indexed: [] },
  });
}

t.test('types in circles, long names, 200 properties, entities with links → found and followed', async (t) => {
  await furnish();
  const window = await open();
  const { page, faults } = window;
  await signIn(window, `${url}/ontology?tab=graph`, 'Ada');
  await page.getByRole('region', { name: 'Relations of entity types' }).waitFor();
  t.strictSame(await axeFaults(page), [], 'the graph');
  await shot(page, 'ontology-graph');
  await page.goto(`${url}/ontology?q=EHIC`);
  await page.getByText('1 entity type', { exact: true }).waitFor();
  await page.goto(`${url}/ontology`);
  await page.getByRole('link', { name: LONG_CODE }).waitFor();
  await shot(page, 'ontology-list');
  await page.goto(`${url}/ontology/types/${LONG_CODE}?q=property_19`);
  await page.getByText('10 of 200 properties').waitFor();
  await shot(page, 'ontology-long');
  await page.goto(`${url}/ontology/types/${LONG_CODE}/version`);
  await page.getByRole('textbox', { name: 'Code of property_198' }).waitFor();
  await shot(page, 'ontology-long-version');
  await page.goto(`${url}/ontology/types/Vehicle?tab=relationships`);
  await page.getByRole('region', { name: 'Relations of Vehicle' }).waitFor();
  t.strictSame(await axeFaults(page), [], 'relationships');
  await shot(page, 'ontology-relationships');
  await page.goto(`${url}/ontology/types/Vehicle?tab=document`);
  await page.getByText('"primary_key"').waitFor();
  await shot(page, 'ontology-document');
  await page.goto(`${url}/ontology/types/Vehicle?tab=entities`);
  await page.getByText('The first 100 entities').waitFor();
  await shot(page, 'ontology-entities');
  await page.getByRole('textbox', { name: 'Value of country' }).fill('F&R');
  await page.keyboard.press('Enter');
  await page.getByText('65 entities').waitFor();
  t.strictSame(await axeFaults(page), [], 'entities');
  await page.reload();
  await page.getByText('65 entities').waitFor();
  await shot(page, 'ontology-entities-filtered');
  await page.getByRole('link', { name: 'Käfer 1', exact: true }).click();
  await page.getByRole('link', { name: 'Müller & Söhne/1' }).click();
  await page.getByRole('heading', { level: 1, name: 'Müller & Söhne/1' }).waitFor();
  await page.getByText('The first 50').waitFor();
  await page.getByText('missing: no entity has this key').waitFor();
  t.strictSame(await axeFaults(page), [], 'an entity');
  await shot(page, 'ontology-entity');
  await page.reload();
  await page.getByRole('link', { name: 'Käfer 1', exact: true }).waitFor();
  t.strictSame(faults, []);
});

t.test('a viewer in a narrow window → every page fits, and offers no change', async (t) => {
  const window = await open({ width: 400, colorScheme: 'dark' });
  const { page, faults } = window;
  await signIn(window, `${url}/ontology/types/Vehicle`, 'Eve', 'Vehicle');
  t.equal(await page.getByRole('link', { name: 'New version' }).count(), 0);
  t.ok(await fitsIn(page));
  await shot(page, 'ontology-narrow-type');
  for (const address of [
    '/ontology',
    '/ontology?tab=graph',
    '/ontology/types/Person/entity?key=M%C3%BCller+%26+S%C3%B6hne%2F1',
  ]) {
    await page.goto(`${url}${address}`);
    await page
      .getByRole('link', { name: 'Vehicle' })
      .or(page.getByRole('heading', { name: 'Links' }))
      .first()
      .waitFor();
    t.ok(await fitsIn(page), address);
    await shot(page, `ontology-narrow${address.replaceAll(/\W+/g, '-').slice(0, 30)}`);
  }
  await page.goto(`${url}/ontology/create`);
  await page.getByText('may look at entity types').waitFor();
  t.strictSame(faults, []);
});
