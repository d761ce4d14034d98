import t from 'tap';
import { updateSource } from '../../sources/src/contract.ts';
import { changeTransform, listTransforms } from '../../transforms/src/contract.ts';
import { applyPlan } from '../src/contract.ts';
import { furnishRest, furnishSource, SCHEMA } from './furnish.ts';
import { bodyOf, doc, world } from './kit.ts';

const SQL = 'select id from bronze.acme.shop__orders';

t.test('kinds', async (t) => {
  const { as, plan } = await world(t);
  const acme = await as('acme');
  const path = t.testdirName;
  const source_id = await furnishSource(acme, 'shop', path);
  await furnishRest(acme, 'acme');
  const shop = (spec: object) => doc('Source', 'shop', { pattern_id: 'files', source_config: { path }, ...spec });
  const codes = (results: { action: string; errors?: { code: string; pointer: string }[] }[]) =>
    results.map(({ action, errors = [] }) => [action, ...errors.map(({ code, pointer }) => `${code} ${pointer}`)]);

  t.test('streams of a source → create, patch, noop, and unmanaged where the document is silent', async (t) => {
    const silent = await plan(acme, [shop({})]);
    t.match(silent.results, [{ action: 'noop', streams: [{ action: 'unmanaged' }, { action: 'unmanaged' }] }]);
    const streams = [
      { name: 'orders', write_mode: 'append' },
      { name: 'refunds', schema: SCHEMA },
    ];
    const { results } = await plan(acme, [shop({ streams })]);
    t.match(results, [
      {
        action: 'patch',
        streams: [
          { name: 'orders', action: 'patch' },
          { name: 'refunds', action: 'create' },
          { name: 'Müller & Söhne', action: 'unmanaged' },
        ],
        changes: [
          { pointer: '/streams/orders/write_mode', before: 'merge', after: 'append' },
          { pointer: '/streams/refunds', change: 'add' },
        ],
        calls: [{ method: 'POST', path: `/api/v1/sources/${source_id}/streams/bulk` }],
      },
    ]);
  });

  t.test('streams called as members of every object → are created and changed as others', async (t) => {
    const names = ['__proto__', 'toString', 'constructor'];
    const docs = [shop({ streams: names.map((name) => ({ name, schema: SCHEMA })) })];
    const { results, fingerprint } = await plan(acme, docs);
    t.strictSame(
      results[0]?.changes.map(({ pointer, change }) => `${change} ${pointer}`),
      names.map((name) => `add /streams/${name}`),
    );
    t.match(bodyOf(await acme(applyPlan, { body: { docs, fingerprint } })), { status: 'applied' });
    t.match((await plan(acme, docs)).results, [{ action: 'noop' }]);
  });

  t.test('streams that cannot be → errors by place', async (t) => {
    const streams = [
      { name: 'refunds' },
      { name: 'orders', sync_mode: 'incremental' },
      { name: 'orders' },
      { name: 'new', schema: SCHEMA, primary_key: [['nothing']] },
    ];
    t.strictSame(codes((await plan(acme, [shop({ streams })])).results), [
      [
        'error',
        'stream_unknown /spec/streams/0/name',
        'stream_not_syncable /spec/streams/1/sync_mode',
        'document_doubled /spec/streams/2/name',
        'stream_not_syncable /spec/streams/3/primary_key/0',
      ],
    ]);
  });

  t.test('the schedule of a source → set, resumed, and deleted where that is allowed', async (t) => {
    const at = `/api/v1/sources/${source_id}/schedule`;
    const nightly = { cron: ['0 6 * * mon-fri'], timezone: 'Europe/Kyiv', overlap: 'buffer_one' };
    t.match((await plan(acme, [shop({ schedule: nightly })])).results, [
      { action: 'patch', changes: [{ pointer: '/schedule/paused' }], calls: [{ path: `${at}/resume` }] },
    ]);
    t.match((await plan(acme, [shop({ schedule: { interval_seconds: 3600, paused: true } })])).results, [
      { action: 'patch', calls: [{ method: 'PUT', path: at }] },
    ]);
    t.strictSame(codes((await plan(acme, [shop({ schedule: { cron: ['x'] } })])).results), [
      ['error', 'schedule_invalid /spec/schedule/cron/0'],
    ]);
    t.strictSame(codes((await plan(acme, [shop({ schedule: null })])).results), [
      ['would-409', 'would_retire /spec/schedule'],
    ]);
    t.match((await plan(acme, [shop({ schedule: null })], { allow_deprecate: true })).results, [
      { action: 'patch', calls: [{ method: 'DELETE', path: at }] },
    ]);
  });

  t.test('sources that cannot be → errors by code', async (t) => {
    const results = await plan(acme, [
      doc('Source', 'a', { pattern_id: 'nothing', source_config: {} }),
      doc('Source', 'b', { pattern_id: 'files', source_config: { pth: 'x' } }),
      doc('Source', 'c', { source_config: {} }),
      doc('Source', 'd', { pattern_id: 'postgres', source_config: { host: 'db', credential: 'x' } }),
      doc('Source', 'shop', { pattern_id: 'postgres', source_config: {} }),
      doc('Source', 'e', { pattern_id: 'files', source_config: { path }, credential_name: 'shop' }),
    ]);
    const at = '/spec/source_config';
    t.strictSame(codes(results.results), [
      ['error', 'pattern_not_found /spec/pattern_id'],
      ['error', `source_config_invalid ${at}`, `source_config_invalid ${at}`],
      ['error', 'spec_invalid /spec/pattern_id'],
      ['error', ...['', '/database', '/username', '/password'].map((place) => `source_config_invalid ${at}${place}`)],
      ['error', 'immutable /spec/pattern_id'],
      ['would-409', 'credential_mode_unsupported '],
    ]);
  });

  t.test('a configuration that lost and gained members → a patch that clears and sets them', async (t) => {
    bodyOf(await acme(updateSource, { params: { source_id }, body: { source_config: { path, glob: '*.csv' } } }));
    const docs = [shop({ source_config: { path: '/data/Größe', encoding: 'iso-8859-1' } })];
    const { results, fingerprint } = await plan(acme, docs);
    t.strictSame(results[0]?.changes, [
      { pointer: '/source_config/path', change: 'replace', before: path, after: '/data/Größe' },
      { pointer: '/source_config/glob', change: 'remove', before: '*.csv' },
      { pointer: '/source_config/encoding', change: 'add', after: 'iso-8859-1' },
    ]);
    t.match(bodyOf(await acme(applyPlan, { body: { docs, fingerprint } })), { status: 'applied' });
    t.match((await plan(acme, docs)).results, [{ action: 'noop' }]);
    t.match((await plan(acme, [shop({})])).results, [{ action: 'patch' }]);
  });

  t.test('a transform → compared by its draft, with patterns by their parameters', async (t) => {
    const parameters = {
      input: 'bronze.acme.shop__orders',
      key: ['id'],
      order_by: [{ column: 'id', direction: 'desc' }],
    };
    const [view] = bodyOf(await acme(listTransforms, { query: { name: 'daily' } })).items;
    const { results } = await plan(acme, [
      doc('Transform', 'daily', { sql: SQL, output: 'gold.acme.daily' }),
      doc('Transform', 'once', { pattern_id: 'deduplicate', parameters, output: 'silver.acme.once' }),
    ]);
    t.match(results, [
      {
        action: 'patch',
        calls: [
          { method: 'PATCH', path: `/api/v1/transforms/${view?.transform_id}` },
          { method: 'POST', path: `/api/v1/transforms/${view?.transform_id}/hydrate` },
        ],
      },
      { action: 'patch', changes: [{ pointer: '/parameters/order_by', change: 'replace' }] },
    ]);
    const pointers = results[0]?.changes.map(({ pointer }) => pointer).toSorted();
    t.strictSame(pointers, ['/checks', '/description', '/key', '/materialization', '/sql', '/tags']);
  });

  t.test('transforms that cannot be → by code, with earlier documents seen', async (t) => {
    const transform = (name: string, spec: object = {}) =>
      doc('Transform', name, { sql: SQL, output: `gold.acme.${name}`, ...spec });
    const parameters = { input: 'bronze.other.x', key: ['id'], order_by: [{ column: 'id' }] };
    const { results } = await plan(acme, [
      transform('foreign', { sql: 'select * from bronze.other.x' }),
      doc('Transform', 'elsewhere', { pattern_id: 'deduplicate', parameters, output: 'gold.other.x' }),
      transform('nowhere', { output: 'x; drop table x' }),
      transform('unkeyed', { materialization: 'merge' }),
      transform('unmade', { pattern_id: 'deduplicate' }),
      transform('taken', { output: 'gold.acme.daily' }),
      transform('first', { output: 'gold.acme.one' }),
      transform('second', { output: 'GOLD.acme.one' }),
      transform('text', { sql: "select 'bronze.other.x' as a from bronze.acme.b -- silver.other.y" }),
    ]);
    t.strictSame(codes(results), [
      ['error', 'reference_unknown /spec/sql'],
      ['error', 'output_refused /spec/output', 'reference_unknown /spec/parameters/input'],
      ['error', 'invalid_dataset_id /spec/output'],
      ['error', 'materialization_refused /spec/key'],
      ['error', 'statement_unclear /spec/sql'],
      ['would-409', 'output_taken /spec/output'],
      ['create'],
      ['would-409', 'output_taken /spec/output'],
      ['create'],
    ]);
  });

  t.test('the name of an archived transform → would-409', async (t) => {
    const [view] = bodyOf(await acme(listTransforms, { query: { name: 'once' } })).items;
    const params = { transform_id: view?.transform_id ?? '' };
    bodyOf(await acme(changeTransform, { params, body: { archived: true } }));
    const { results } = await plan(acme, [doc('Transform', 'once', { sql: SQL, output: 'gold.acme.other' })]);
    t.strictSame(codes(results), [['would-409', 'name_taken /metadata/name']]);
  });
});
