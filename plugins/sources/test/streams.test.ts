import t, { type Test } from 'tap';
import {
  bulkStreams,
  createSource,
  createStream,
  deleteStream,
  getSource,
  getSourceReadiness,
  getStream,
  listStreams,
  refreshSchema,
  resetStream,
  startDiscovery,
} from '../src/contract.ts';
import { ok, refusal } from './platform.ts';
import { type SharedPlatform, sharedPlatform } from './shared-platform.ts';
import { ABSENT, BOTH, type StreamSource, schema, sourceMaker } from './stream-source.ts';

t.test('streams are made, changed and removed by their rules', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.idle('demo');
  const source = await sourceMaker(platform, api);

  await t.test('a stream is as its body says, with defaults for what it leaves out', async (t) => {
    const { create, params, name } = await source();
    t.equal(ok(await api(getSource, { params })).status, 'draft');
    const first = await create({});
    const orders = ok(first);
    t.equal(first.status, 201);
    t.equal(first.headers.get('location'), `/api/v1/sources/${params.source_id}/streams/${orders.stream_id}`);
    t.match(orders, {
      ...{ enabled: false, sync_mode: 'full_refresh', write_mode: 'overwrite', namespace: null, generation: 1 },
      ...{ cursor_field: null, primary_key: null, needs_attention: false, attention: [] },
      ...{ schema, supported_sync_modes: ['full_refresh'], destination: { table: `${name}__orders` } },
    });
    t.strictSame(ok(await api(getStream, { params: { ...params, stream_id: orders.stream_id } })), orders);
    t.equal(ok(await api(getSource, { params })).status, 'ready', 'its streams are known now');
    const chosen = {
      ...{ name: 'Orders', namespace: 'sales', enabled: true, sync_mode: 'incremental', write_mode: 'append' },
      ...{ cursor_field: ['at'], primary_key: [['id']], supported_sync_modes: BOTH.toReversed() },
    };
    const twin = ok(await create(chosen));
    t.match(twin, { ...chosen, supported_sync_modes: BOTH, destination: { table: `${name}__sales__orders` } });
    const third = ok(await create({ name: 'ORDERS', destination: { table: `${name}_mine` } }));
    t.equal(third.destination.table, `${name}_mine`);
  });

  await t.test('what cannot be is refused with its code and place', async (t) => {
    const { create } = await source();
    ok(await create({}));
    t.equal(refusal(await create({})), '409 stream_name_taken');
    t.equal(refusal(await create({ name: 'ORDERS' })), '201', 'another case is another stream');
    const own = await create({ name: 'n', namespace: 'n' });
    t.equal(refusal(own), '422 namespace_refused');
    t.match(own, { problem: { errors: [{ pointer: '/namespace', code: 'own_name' }] } });
    t.equal(refusal(await create({ name: 'n', namespace: '' })), '400 validation_failed');
    t.equal(refusal(await create({ name: '' })), '400 validation_failed');
    t.equal(refusal(await create({ name: 'a\u0007b' })), '400 validation_failed', 'a control character');
    t.equal(refusal(await create({ name: 'n', etag: '1' })), '400 validation_failed', 'a read-only field');
    t.equal(refusal(await create({ name: 'n', schema: { type: 'string' } })), '422 stream_schema_invalid');
    t.equal(refusal(await create({ name: 'n', schema: { properties: null } })), '422 stream_schema_invalid');
    t.equal(refusal(await create({ name: 'n', schema: { properties: { a: 1 } } })), '422 stream_schema_invalid');
    t.equal(refusal(await create({ name: 'n', cursor_field: ['nope'] })), '422 stream_not_syncable');
    t.equal(refusal(await create({ name: 'n', sync_mode: 'incremental' })), '422 stream_not_syncable');
    t.equal(refusal(await create({ name: 'n', write_mode: 'merge', enabled: true })), '422 stream_not_syncable');
    t.equal(refusal(await create({ name: 'n', schema_change_policy: 'ignore' })), '400 validation_failed');
    const taken = ok(await create({ name: 'first', destination: { table: 'Mine' } })).destination.table;
    t.equal(refusal(await create({ name: 'n', destination: { table: taken } })), '409 destination_taken');
    const kept = { table: 'mine__Quarantine' };
    t.equal(refusal(await create({ name: 'n', destination: kept })), '409 destination_taken', 'a kept name');
    t.equal(
      refusal(await create({ name: 'n', destination: { table: 'mine' } })),
      '409 destination_taken',
      'in any case',
    );
    t.equal(
      refusal(await api(createStream, { params: { source_id: ABSENT }, body: { name: 'n', schema } })),
      NOT_FOUND,
    );
  });

  await t.test('a stream is removed, and its name comes back to the table that stays', async (t) => {
    const { create, params } = await source();
    const stream = ok(await create({}));
    const at = { params: { ...params, stream_id: stream.stream_id } };
    const stale = await api(deleteStream, at, { 'if-match': '"7"' });
    t.equal(refusal(stale), '412 precondition_failed');
    t.equal(refusal(await api(deleteStream, at, { 'if-match': `"${stream.etag}"` })), '204');
    t.equal(refusal(await api(deleteStream, at)), NOT_FOUND);
    t.equal(refusal(await api(getStream, at)), NOT_FOUND);
    const again = ok(await create({}));
    t.equal(again.destination.table, stream.destination.table);
    t.not(again.stream_id, stream.stream_id);
  });

  await t.test('while a run of the source is open nothing is removed or reset', async (t) => {
    const { create, params, bulk } = await source();
    const { stream_id, etag } = ok(await create({}));
    const at = { params: { ...params, stream_id } };
    const { run_id } = ok(await api(startDiscovery, { body: params, query: { queue: true } }));
    const refused = await api(deleteStream, at);
    t.equal(refusal(refused), '409 run_already_active');
    t.match(refused, { problem: { run_id } });
    t.equal(refusal(await api(resetStream, at, { 'if-match': etag })), '409 run_already_active');
    t.equal(refusal(await bulk([{ stream_id, delete: true }])), '409 run_already_active');
    const body = { streams: [{ name: 'other', schema, supported_sync_modes: BOTH }] };
    t.equal(refusal(await api(refreshSchema, { params, body })), '409 run_already_active', 'it would remove one');
    t.equal(refusal(await api(refreshSchema, { params, body: { streams: [] } })), '200');
  });

  await t.test('two sources that want the same tables in another order never wait in a circle', async (t) => {
    const sources = [await source(), await source()];
    const tables = Array.from({ length: 30 }, (_, index) => `wanted_${index}`);
    const asked = Array.from({ length: 8 }, (_, round) => {
      const order = round % 2 === 0 ? tables : tables.toReversed();
      const streams = order.map((table) => ({ name: `${round}_${table}`, schema, destination: { table } }));
      return sources[round % 2]?.bulk(streams);
    });
    const outcomes = (await Promise.all(asked)).map((answer) => answer && refusal(answer));
    t.strictSame(outcomes.toSorted(), ['200', ...Array(7).fill('422 streams_refused')]);
  });

  await t.test('more are removed at once than the store has connections, and none waits for another', async (t) => {
    const { bulk, params } = await source();
    const names = Array.from({ length: 24 }, (_, index) => ({ name: `s${index}`, schema }));
    const { results } = ok(await bulk(names));
    const remove = ({ stream_id }: { stream_id: string }) => api(deleteStream, { params: { ...params, stream_id } });
    const statuses = await Promise.all(results.map(async (made) => refusal(await remove(made))));
    t.strictSame(new Set(statuses), new Set(['204']));
  });

  await t.test('lists are filtered', async (t) => {
    const { create, params } = await source();
    for (const name of ['a', 'b']) ok(await create({ name, namespace: 'x' }));
    ok(await create({ name: 'c', enabled: true }));
    const names = async (query: object) => ok(await api(listStreams, { params, query })).items.map(({ name }) => name);
    t.strictSame(await names({}), ['a', 'b', 'c']);
    t.strictSame(await names({ enabled: true }), ['c']);
    t.strictSame(await names({ namespace: 'x', order: '-name' }), ['b', 'a']);
    t.strictSame(await names({ name: 'b' }), ['b']);
    t.strictSame(await names({ write_mode: 'append' }), []);
    t.strictSame(await names({ needs_attention: true }), []);
    const page = ok(await api(listStreams, { params, query: { limit: 2 } }));
    t.strictSame(await names({ limit: 2, page_token: page.next_page_token ?? '' }), ['c']);
  });

  await t.test('what is another tenant’s is absent', async (t) => foreign(t, platform, await source()));
  await t.test('configuration may be sent as YAML', (t) => yaml(t, platform));
});

const NOT_FOUND = '404 not_found';

async function foreign(t: Test, platform: SharedPlatform, { params, create }: StreamSource): Promise<void> {
  const mine = ok(await create({}));
  const other = await platform.as('other');
  for (const ids of [
    { ...params, stream_id: mine.stream_id },
    { source_id: ABSENT, stream_id: ABSENT },
  ]) {
    const { source_id } = ids;
    const body = { streams: [] as never[] };
    const answers = [
      await other(getStream, { params: ids }),
      await other(deleteStream, { params: ids }),
      await other(resetStream, { params: ids }, { 'if-match': '"1"' }),
      await other(createStream, { params: { source_id }, body: { name: 'n', schema } }),
      await other(bulkStreams, { params: { source_id }, body: { streams: [{ name: 'n', schema }] } }),
      await other(refreshSchema, { params: { source_id }, body }),
      await other(getSourceReadiness, { params: { source_id } }),
    ];
    for (const answer of answers) t.equal(refusal(answer), NOT_FOUND);
  }
  const viewer = await platform.as('demo', 'viewer');
  const at = { params: { ...params, stream_id: mine.stream_id } };
  t.equal(refusal(await viewer(getStream, at)), '200');
  t.equal(refusal(await viewer(getSourceReadiness, { params })), '200');
  t.equal(refusal(await viewer(deleteStream, at)), '403 forbidden_role');
  t.equal(refusal(await viewer(refreshSchema, { params, body: { streams: [] } })), '403 forbidden_role');
}

async function yaml(t: Test, platform: SharedPlatform): Promise<void> {
  const headers = {
    authorization: `Bearer ${await platform.token('demo')}`,
    'x-tenant-id': platform.alias('demo'),
    'content-type': 'application/yaml',
  };
  const post = async (path: string, body: string, method = 'POST') => {
    const answer = await fetch(`${platform.url}/api/v1${path}`, { method, headers, body });
    return { status: answer.status, body: (await answer.json()) as Record<string, string> };
  };
  const source = await post(
    createSource.path,
    `name: written\npattern_id: files\nsource_config: { path: ${platform.folder} }\n`,
  );
  t.match(source, { status: 201, body: { name: 'written' } });
  const at = `/sources/${source.body.source_id}/streams`;
  const stream = 'name: orders\nschema:\n  properties:\n    since: { type: string, default: 2024-01-31 }\n';
  const made = await post(at, stream);
  t.match(made, { status: 201, body: { schema: { properties: { since: { default: '2024-01-31' } } } } });
  t.match(await post(`${at}/${made.body.stream_id}`, 'write_mode: append\n', 'PATCH'), { status: 200 });
  t.match(await post(`${at}/bulk`, 'streams:\n  - { name: orders, enabled: true }\n'), { status: 200 });
  t.match(await post(`${at}/refresh-schema?dry_run=true`, 'streams: []\n'), { status: 200, body: { unchanged: 1 } });
  t.match(await post(at, 'name: !!binary eA==\n'), { status: 400, body: { code: 'yaml_not_json' } });
}
