import t from 'tap';
import { syncWorld, VEHICLE, vehicle } from './sync-kit.ts';

const MORE = { ...VEHICLE, properties: [...VEHICLE.properties, { code: 'owner_name', value_type: 'string' as const }] };
const OWNED = { merge_mode: 'owned_properties' };
const mapped = (property: string, more: object = {}) => ({
  ...OWNED,
  property_mappings: [
    { column: 'id', property: 'vin' },
    { column: 'name', property },
  ],
  ...more,
});

t.test('replace: a key that another backing dataset claims is a rejected row', async (t) => {
  const { land, type, backing, sync, entitiesOf, world, acme, lines } = await syncWorld(t);
  await type('Vehicle');
  await land([vehicle(1), vehicle(2)]);
  await land([vehicle(2, 'other'), vehicle(3)], 'more');
  const [first, second] = [await backing('one'), await backing('two', {}, 'more')];
  t.match(await sync(first), { status: 'succeeded' });
  t.match(await sync(second), { status: 'failed', failure: 'rows_rejected', counts: { rejected: 1, upserted: 1 } });
  t.match(lines.join('\n'), /1 claimed_by_other/);
  t.match(await entitiesOf(), { '2': { label: 'n2' }, '3': { label: 'n3' } });
  await world.kernel
    .db(acme)
    .transaction((tx) =>
      tx.sql('update ontology.backing_dataset set max_rejected_rows = 1 where tenant_id = $1', [acme.tenantId]),
    );
  t.match(await sync(second), { status: 'succeeded', replayReason: 'initial', counts: { rejected: 1 } });
});

t.test('owned_properties: each backing dataset writes what it maps, and its claim takes that away', async (t) => {
  const { land, replace, type, backing, sync, entitiesOf, remove, peek } = await syncWorld(t);
  await type('Vehicle', MORE);
  await land([vehicle(1), vehicle(2)]);
  await land([vehicle(2, 'Müller'), vehicle(3, 'Söhne')], 'owners');
  const labels = await backing('labels', mapped('label'));
  const owners = await backing('owners', mapped('owner_name'), 'owners');
  t.match(await sync(labels), { status: 'succeeded' });
  t.match(await sync(owners), { status: 'succeeded', counts: { upserted: 2, rejected: 0 } });
  const both = { vin: '2', label: 'n2', owner_name: 'Müller' };
  t.strictSame(await entitiesOf(), {
    '1': { vin: '1', label: 'n1' },
    '2': both,
    '3': { vin: '3', owner_name: 'Söhne' },
  });
  await replace([vehicle(3, 'Sons')], 'owners');
  t.match(await sync(owners), { status: 'succeeded', counts: { deleted: 0, upserted: 1 } });
  t.strictSame(await entitiesOf(), {
    '1': { vin: '1', label: 'n1' },
    '2': { vin: '2', label: 'n2' },
    '3': { vin: '3', owner_name: 'Sons' },
  });
  await remove(labels, 'remove');
  t.strictSame(await entitiesOf(), { '3': { vin: '3', owner_name: 'Sons' } });
  await remove(owners, 'keep');
  t.strictSame(await entitiesOf(), { '3': { vin: '3', owner_name: 'Sons' } }, 'it is there, and nothing claims it');
  t.strictSame(await peek('select 1 from ontology.claim'), []);
});

t.test(
  'owned_properties: a property that the mapping loses goes from the entities, unless another one maps it now',
  async (t) => {
    const { land, type, backing, sync, change, entitiesOf } = await syncWorld(t);
    await type('Vehicle', MORE);
    await land([vehicle(1), vehicle(2)]);
    const labels = await backing('labels', mapped('label'));
    t.match(await sync(labels), { status: 'succeeded' });
    await change(labels, mapped('owner_name'));
    t.match(await sync(labels), { status: 'succeeded', mode: 'full' });
    t.strictSame(await entitiesOf(), { '1': { vin: '1', owner_name: 'n1' }, '2': { vin: '2', owner_name: 'n2' } });
    await land([vehicle(1, 'Müller & Söhne')], 'owners');
    await change(labels, mapped('label'));
    t.match(await sync(await backing('owners', mapped('owner_name'), 'owners')), { status: 'succeeded' });
    t.match(await sync(labels), { status: 'succeeded' });
    const first = { vin: '1', label: 'n1', owner_name: 'Müller & Söhne' };
    t.match(await entitiesOf(), { '1': first, '2': { vin: '2', label: 'n2' } });
  },
);

t.test('entities of the type that a backing dataset filled before go with the next sync, or with it', async (t) => {
  const { land, type, backing, sync, change, entitiesOf, remove, peek } = await syncWorld(t);
  for (const code of ['Vehicle', 'Car', 'Van']) await type(code);
  await land([vehicle(1), vehicle(2)]);
  await land([vehicle(1)], 'kept');
  const [id, kept] = [await backing('fleet'), await backing('kept', { entity_type_code: 'Van' }, 'kept')];
  t.match(await sync(id), { status: 'succeeded' });
  t.match(await sync(kept), { status: 'succeeded' });
  await remove(kept, 'keep');
  await change(id, { entity_type_code: 'Car' });
  t.match(await sync(id), { status: 'succeeded', mode: 'full', counts: { deleted: 2, upserted: 2 } });
  t.strictSame(Object.keys(await entitiesOf()), []);
  t.strictSame(Object.keys(await entitiesOf('Car')), ['1', '2']);
  await change(id, { entity_type_code: 'Vehicle', delete_policy: 'never' });
  t.match(await sync(id), { status: 'succeeded', counts: { deleted: 0, upserted: 2 } });
  t.strictSame(Object.keys(await entitiesOf('Car')), ['1', '2'], 'rows never take their entities with them');
  await change(id, { entity_type_code: 'Van' });
  await remove(id, 'remove');
  t.strictSame(Object.keys(await entitiesOf()), []);
  t.strictSame(Object.keys(await entitiesOf('Van')), ['1'], 'it never filled this type');
  t.strictSame(await peek('select 1 from ontology.claim'), []);
});

t.test('links go with their entity, come from one column, several, lists and split texts', async (t) => {
  const { land, replace, type, backing, sync, store, call } = await syncWorld(t);
  const relationship = (code: string, target_type: string, target_key: string[], cardinality = 'many') => ({
    ...{ code, target_type, target_key, cardinality },
  });
  await type('Place', {
    properties: [
      { code: 'city', value_type: 'string', required: true },
      { code: 'zip', value_type: 'integer', required: true },
    ],
    primary_key: ['city', 'zip'],
  });
  await type('Vehicle', {
    ...VEHICLE,
    relationships: [relationship('near', 'Place', ['city', 'zip']), relationship('tagged', 'Tag', ['code'])] as never,
  });
  await land([vehicle(5, 'a, b,,a'), vehicle(6, '')]);
  const id = await backing('fleet', {
    relationship_mappings: [
      { relationship: 'near', columns: ['id', 'name'], target_type: 'Place', target_key: ['zip', 'city'] },
      { relationship: 'tagged', columns: ['name'], target_type: 'Tag', target_key: ['code'], many: 'split' },
    ],
  });
  t.match(await sync(id), { status: 'succeeded' });
  const links = async (key: string, name: string) => {
    const from = { type: 'Vehicle', key, relationship: name, direction: 'out' as const };
    return (await store.listLinks(call, from, { limit: 9 })).map(({ type: to, key: far }) => `${to} ${far}`);
  };
  t.strictSame(await links('5', 'near'), ['Place ["a, b,,a",5]']);
  t.strictSame(await links('5', 'tagged'), ['Tag a', 'Tag b']);
  t.strictSame(await links('6', 'tagged'), []);
  await replace([vehicle(6)]);
  t.match(await sync(id), { status: 'succeeded', counts: { deleted: 1, upserted: 1 } });
  t.strictSame([await links('5', 'tagged'), await links('6', 'tagged')], [[], ['Tag n6']]);
});

t.test('a binding that is revoked stops a run before its next I/O, and what is applied stays', async (t) => {
  const { land, type, backing, start, attempt, bind, row, entitiesOf, sync, world, acme } = await syncWorld(t);
  await type('Vehicle');
  await land([vehicle(1)]);
  const id = await backing('fleet');
  const { runId } = await start(id);
  bind(false);
  await t.rejects(attempt(runId), { code: 'ontology_binding_missing' });
  t.strictSame(await entitiesOf(), {});
  t.match(await row(id), { appliedSyncSpecFingerprint: null, dirtyRunId: null });
  bind(true);
  await world.kernel.runs.finish(acme, runId, { status: 'failed' });
  t.match(await sync(id), { status: 'succeeded' });
});

t.test('the same run twice at once: the overtaken attempt is refused at its next step', async (t) => {
  const { land, type, backing, start, attempt, entitiesOf, runOf } = await syncWorld(t);
  await type('Vehicle');
  await land([vehicle(1), vehicle(2)]);
  const { runId } = await start(await backing('fleet'));
  const zombie = attempt(runId, (ports) => ({
    ...ports,
    async takeRange(...asked) {
      await attempt(runId);
      return ports.takeRange(...asked);
    },
  }));
  await t.rejects(zombie, { code: 'lease_lost' });
  t.match(await runOf(runId), { status: 'succeeded', counts: { upserted: 2 } });
  t.strictSame(Object.keys(await entitiesOf()), ['1', '2']);
});

/** Values that no property may have, by what is wrong with them; and values just within what it allows. */
const REFUSED = [
  ['day', "'infinity'::date", 'not_castable'],
  ['day', "date '0044-03-15 (BC)'", 'not_castable'],
  ['day', "date '99999-01-01'", 'not_castable'],
  ['at', "'infinity'::timestamp", 'not_castable'],
  ['zoned', "'-infinity'::timestamptz", 'not_castable'],
  ['reals', "[1, 'nan'::double]", 'not_castable'],
  ['ref', "'no uuid'", 'not_castable'],
  ['kind', "'boat'", 'not_in_enum'],
  ['speed', '301', 'above_max'],
  ['speed', '-1', 'below_min'],
  ['plate', "'Müller'", 'pattern_missed'],
  ['plate', "'AB-12345'", 'too_long'],
] as const;
const TAKEN = [
  ['day', "date '0001-01-01'", '0001-01-01'],
  ['day', "date '9999-12-31'", '9999-12-31'],
  ['reals', '[1, null]::double[]', [1, null]],
  ['ref', "'0199D3F2-5C1E-7A40-9B6D-3F1C2A7E8D90'", '0199d3f2-5c1e-7a40-9b6d-3f1c2a7e8d90'],
  ['kind', "'car'", 'car'],
  ['speed', '300', 300],
  ['plate', "'AB-1'", 'AB-1'],
  ['at', "timestamp '9999-12-31 23:59:59'", '9999-12-31T23:59:59'],
  ['zoned', "timestamptz '0001-01-01 00:00:00+00'", '0001-01-01T00:00:00Z'],
] as const;

t.test('a value that its property does not allow → a rejected row with the reason', async (t) => {
  const { land, type, backing, sync, entitiesOf, change, lines, world, acme } = await syncWorld(t);
  const properties = [
    { code: 'day', value_type: 'date' },
    { code: 'at', value_type: 'timestamp' },
    { code: 'zoned', value_type: 'timestamptz' },
    { code: 'reals', value_type: 'list', item_type: 'double' },
    { code: 'ref', value_type: 'uuid' },
    { code: 'kind', value_type: 'string', enum: ['car', 'van'] },
    { code: 'speed', value_type: 'integer', constraints: { min: 0, max: 300 } },
    { code: 'plate', value_type: 'string', constraints: { pattern: '^[A-Z]+-', max_length: 7 } },
  ];
  await type('Vehicle', { ...VEHICLE, properties: [...VEHICLE.properties, ...properties] as never });
  const ids = [...REFUSED.keys(), REFUSED.length];
  await land(ids.map((id) => vehicle(id)));
  const id = await backing('fleet');
  const limit = 'update ontology.backing_dataset set max_rejected_rows = 100 where tenant_id = $1';
  await world.kernel.db(acme).transaction((tx) => tx.sql(limit, [acme.tenantId]));
  /** Each value in a row of its own. */
  const mapping = (values: readonly (readonly [property: string, expression: string, ...more: unknown[]])[]) => ({
    property_mappings: [
      { column: 'id', property: 'vin' },
      ...properties.map(({ code: property }) => {
        const cases = values.flatMap(([of, sql], row) => (of === property ? [`when ${row} then ${sql}`] : []));
        return { property, expression: `case id ${cases.join(' ')} end` };
      }),
    ],
  });
  await change(id, mapping(REFUSED));
  t.match(await sync(id), { status: 'succeeded', counts: { rejected: REFUSED.length, upserted: 1 } });
  for (const [code, rows] of Map.groupBy(REFUSED, ([, , code]) => code))
    t.match(lines.at(-1), `${rows.length} ${code}`);
  await change(id, mapping(TAKEN));
  t.match(await sync(id), { status: 'succeeded', counts: { rejected: 0, upserted: REFUSED.length } });
  const entities = await entitiesOf();
  for (const [row, [property, , value]] of TAKEN.entries())
    t.strictSame(entities[row], { vin: String(row), [property]: value });
});

/** Documents, and how many rows are rejected for an integer that a reader would round. */
const DOCUMENTS = [
  ['{"n":9007199254740991,"d":0.12345678901234567,"e":1e30}', 0],
  ['{"n":"9007199254740993","a\\\\\\"b":[-1]}', 0],
  ['{"n":[1,{"m":9007199254740993}]}', 1],
  ['[-90071992547409930000000000000000000000000]', 1],
] as const;

t.test('values of every type travel as their carriers say; an expression of several rows is refused', async (t) => {
  const { land, type, backing, sync, entitiesOf, change } = await syncWorld(t);
  const values = {
    big: ['long', '9007199254740993'],
    small: ['integer', 'id'],
    real: ['double', 'id / 4'],
    money: ['decimal', '1234567890123456789.25::decimal(30, 2)'],
    day: ['date', "date '2024-02-29'"],
    at: ['timestamp', "timestamp '2024-02-29 10:00:00.5'"],
    zoned: ['timestamptz', "timestamptz '2024-02-29 10:00:00+02'"],
    yes: ['boolean', 'id = 1'],
    place: ['geometry', `'{"type":"Point","coordinates":[1,2]}'`],
    doc: ['json', "{'a': [1, null], 'b': {'c': 'ü'}}"],
    nothing: ['string', 'null'],
  } as const;
  const mapped = Object.entries(values).map(([property, [, expression]]) => ({ property, expression }));
  const list = { code: 'tags', value_type: 'list', item_type: 'long' };
  const declared = Object.entries(values).map(([code, [value_type]]) => ({ code, value_type }));
  await type('Vehicle', { ...VEHICLE, properties: [...VEHICLE.properties, ...declared, list] as never });
  await land([vehicle(1)]);
  const vin = { column: 'id', property: 'vin' };
  const id = await backing('fleet', {
    property_mappings: [vin, ...mapped, { property: 'tags', expression: '[1, 2]' }],
  });
  t.match(await sync(id), { status: 'succeeded', counts: { rejected: 0 } });
  t.strictSame((await entitiesOf())['1'], {
    vin: '1',
    big: '9007199254740993',
    small: 1,
    real: 0.25,
    money: '1234567890123456789.25',
    day: '2024-02-29',
    at: '2024-02-29T10:00:00.5',
    zoned: '2024-02-29T08:00:00Z',
    yes: true,
    place: { type: 'Point', coordinates: [1, 2] },
    doc: { a: [1, null], b: { c: 'ü' } },
    tags: ['1', '2'],
  });
  const tried = async (expression: string, more: object = {}) => {
    await change(id, { property_mappings: [vin, { property: 'label', expression }], ...more });
    return (await sync(id)).failure;
  };
  t.equal(await tried('now()::varchar'), 'mapping_volatile');
  t.equal(await tried('random()::varchar'), 'mapping_volatile');
  for (const outside of ["(select content from read_text('/etc/passwd'))", "getenv('HOME')", 'sum(id)'])
    t.match(await tried(outside), /^mapping_(?:refused|failed)$/, outside);
  t.match(
    await tried('name', { row_filter: 'true) union select 1, 2, 3 where (true' }),
    /^mapping_(?:refused|failed)$/,
  );
  t.match(await tried('name', { row_filter: 'true) order by (1' }), /^mapping_refused$/);
  t.equal(await tried('name', { row_filter: null }), undefined);
  for (const [json, rejected] of DOCUMENTS) {
    await change(id, { property_mappings: [vin, { property: 'doc', expression: `'${json}'` }] });
    t.match(await sync(id), { counts: { rejected } }, `an integer that a reader would round is refused: ${json}`);
  }
});

t.test('no row and no credential is in what is kept of runs, or in their logs', async (t) => {
  const { land, type, backing, sync, lines, peek } = await syncWorld(t);
  await type('Vehicle');
  await land([vehicle(1, 'needle-in-a-row'), vehicle(2, 'needle\u0000'), vehicle(2, 'needle-twice')]);
  const id = await backing('fleet', { duplicate_keys: { last_by: 'name' } });
  t.match(await sync(id), { status: 'succeeded' });
  t.match(await sync(id, true), { status: 'succeeded' });
  const failing = await backing('failing', { row_filter: "error(name) = 'x'" });
  t.match(await sync(failing), { status: 'failed' });
  const tables = [
    'ontology.sync_run',
    'ontology.bulk_chunk',
    'ontology.bulk_job',
    'ontology.backing_dataset',
    'kernel.run',
  ];
  const kept = [lines.join('\n')];
  for (const table of tables)
    kept.push(JSON.stringify(await peek(`select row_to_json(t)::text as row from ${table} t`)));
  t.ok(kept.every((text) => text !== '[]'));
  t.notMatch(kept.join('\n'), /needle|warehouse|secret/i);
});

t.test('two backing datasets end their claims of one entity at once → it is deleted', async (t) => {
  const { land, replace, type, backing, sync, entitiesOf, peek } = await syncWorld(t);
  await type('Vehicle', MORE);
  await land([vehicle(1), vehicle(2)]);
  await land([vehicle(1, 'Müller'), vehicle(2, 'Söhne')], 'owners');
  const ids = [await backing('labels', mapped('label')), await backing('owners', mapped('owner_name'), 'owners')];
  for (const id of ids) t.match(await sync(id), { status: 'succeeded' });
  await replace([vehicle(1)]);
  await replace([vehicle(1, 'Müller')], 'owners');
  for (const run of await Promise.all(ids.map((id) => sync(id)))) t.match(run, { status: 'succeeded' });
  t.strictSame(await entitiesOf(), { '1': { vin: '1', label: 'n1', owner_name: 'Müller' } });
  t.strictSame(await peek('select distinct entity_key from ontology.claim'), [{ entity_key: '1' }]);
});
