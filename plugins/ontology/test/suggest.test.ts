import type { SamplesService } from '@weir/plugin-datasets/contract';
import t, { type Test } from 'tap';
import { suggestService } from '../src/service/backing/suggest.ts';
import { SYNC_WORKER } from '../src/service/sync/sync-ports.ts';
import { property } from './kit.ts';
import { syncWorld } from './sync-kit.ts';

const owner = { code: 'owner', target_type: 'Person', target_key: ['id'], cardinality: 'one' as const };
const drivers = { ...owner, code: 'drivers', cardinality: 'many' as const };
const twin = { ...owner, code: 'twin', target_type: 'Car', target_key: ['vin'] };
const CAR = {
  properties: [
    property('vin', 'string', { required: true }),
    property('speed', 'double'),
    property('city', 'string', { name: 'Größe & Ort' }),
    property('wheels', 'integer'),
    property('doors', 'integer'),
    property('registered', 'date', { required: true }),
    property('extracted_at', 'timestamptz'),
  ],
  primary_key: ['vin'],
  relationships: [owner, drivers, twin],
};
const PERSON = { properties: [property('id', 'long', { required: true })], primary_key: ['id'] };
const text = { type: 'string' };
const SCHEMA = {
  type: 'object',
  properties: { VIN: text, 'Größe & Ort': text, speed_kmh: { type: 'number' }, wheels: text, doors: text },
};
const LINKS = { owner_id: { type: 'integer' }, drivers: text };
const WHOLE = { ...SCHEMA, properties: { ...SCHEMA.properties, ...LINKS } };

async function suggesting(t: Test, rows: object[]) {
  const world = await syncWorld(t);
  const id = 'datasets.samples@1';
  const samples = world.world.registration.services?.find((one) => one.id === id)?.implementation as SamplesService;
  await world.world.land(world.acme, 'revenue', rows, WHOLE);
  await world.type('Car', CAR as never);
  await world.type('Person', PERSON as never);
  const { suggest } = suggestService({ ...world.deps, samples, store: world.store });
  return {
    ...world,
    suggest: (more: object = {}) => {
      const body = { dataset_id: 'bronze.acme.revenue', entity_type_code: 'Car', ...more };
      return suggest(world.acme, SYNC_WORKER, { body, signal: new AbortController().signal });
    },
  };
}

const row = (vin: string | null, more: object = {}) => ({
  ...{
    VIN: vin,
    'Größe & Ort': 'Müller & Söhne',
    speed_kmh: 1.5,
    wheels: '4',
    doors: '5',
    owner_id: 1,
    drivers: '1, 2',
  },
  ...more,
});

t.test('columns of a table and a type → likely pairs with casts, key, links and what is missing', async (t) => {
  const { suggest, call, store } = await suggesting(t, [
    row('a'),
    row('b', { owner_id: 2, wheels: 'vier' }),
    row(null),
  ]);
  const type = { code: 'Person', version: 1, indexed: [] };
  const items = [{ key: '1', properties: { id: '1' }, links: [], rowHash: 'a'.repeat(64) }];
  await store.submitBulk(call, {
    runId: '0199d3f2-5c1e-7a40-9b6d-3f1c2a7e8d90',
    seq: 0,
    type,
    operation: 'upsert',
    items,
  });
  const found = await suggest();
  const pairs = found.mappings.map(({ property: code, column, cast }) => [code, column, cast]);
  t.strictSame(pairs, [
    ['vin', 'VIN', undefined],
    ['speed', 'speed_kmh', undefined],
    ['city', 'Größe & Ort', undefined],
    ['wheels', 'wheels', 'try_cast("wheels" AS INTEGER)'],
    ['doors', 'doors', 'cast("doors" AS INTEGER)'],
  ]);
  t.match(found.mappings[0], { confidence: 'sure', reasons: { name: 1, type: 1, values: null } });
  t.match(found.mappings[3], { confidence: 'review' }, 'a cast that loses a value is for a person to see');
  t.strictSame(found.unmapped_required, ['registered']);
  t.strictSame(found.key, { columns: ['VIN'], unique: true, nulls: 1 });
  t.strictSame(
    found.relationships.map(({ relationship, columns, many, coverage }) => [relationship, columns, many, coverage]),
    [
      ['owner', ['owner_id'], null, 0.5],
      ['drivers', ['drivers'], 'split', 0.5],
    ],
    'the own key does not lead to the own type',
  );
  t.strictSame(found.sample, { rows: 3, complete: true });
  t.notMatch(JSON.stringify(found), /Müller|vier|_extracted_at/, 'no value, and no column of the platform');
  const none = await suggest({ top_k: 0 });
  t.ok(none.mappings.every(({ alternatives }) => alternatives.length === 0));
});

t.test('a table without rows → names alone, and nothing is said of the key', async (t) => {
  const { suggest, world, acme } = await suggesting(t, []);
  const found = await suggest();
  t.equal(found.mappings.find(({ property: code }) => code === 'vin')?.column, 'VIN');
  t.match(found.key, { columns: ['VIN'], unique: null, nulls: null });
  t.strictSame(found.sample, { rows: 0, complete: true });
  t.match(await suggest({ entity_type_code: 'Person' }), { mappings: [{ column: 'owner_id', confidence: 'review' }] });
  await t.rejects(suggest({ version: 2 }), { code: 'entity_type_missing' });
  await world.land(acme, 'wide', [wide('a')], { type: 'object', properties: wide({ type: 'string' }) });
  t.equal((await suggest({ dataset_id: 'bronze.acme.wide' })).mappings[0]?.column, 'vin');
});

/** More columns than are compared one with the other. */
const wide = <T>(value: T) =>
  Object.fromEntries(
    [...Array.from({ length: 1_200 }, (_, at) => `c${at}_of_something`), 'vin'].map((name) => [name, value]),
  );
