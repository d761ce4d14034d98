import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { until } from '../../../test/until.ts';
import {
  createSource,
  deleteSource,
  discoverPatterns,
  getDiscoveryStatus,
  getPattern,
  getSource,
  getSyncStatus,
  listSources,
  listStreams,
  listSyncHistory,
  refreshSchema,
  startDiscovery,
  startSync,
  updateSource,
  updateStream,
} from '../src/contract.ts';
import { discovered, filesSource, ok, refusal, streamsOf } from './platform.ts';
import { type SharedPlatform, sharedPlatform } from './shared-platform.ts';

const ABSENT = '01900000-0000-7000-8000-000000000000';

t.test('the routes of sources keep their rules', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.idle('demo');
  const data = await folderWith(platform, 'data', { 'a.csv': 'id\n1\n', 'b-c.csv': 'id\n1\n', 'b_c.csv': 'id\n1\n' });

  await t.test('patterns are listed and shown with their specification', async (t) => {
    const { items } = ok(await api(discoverPatterns));
    const files = items.filter(({ pattern_id }) => pattern_id === 'files');
    t.match(files, [{ pattern_id: 'files', version: '1.7.0', needs_credentials: false }]);
    const pattern = ok(await api(getPattern, { params: { pattern_id: 'files' } }));
    t.match(pattern.spec, { properties: { path: { type: 'string' }, url: { type: 'string' } } });
    t.equal(refusal(await api(getPattern, { params: { pattern_id: 'nope' } })), '404 not_found');
  });

  await t.test('a source is created as a draft, once by name', async (t) => {
    const body = { name: 'one', pattern_id: 'files', source_config: { path: data } };
    const made = await api(createSource, { body });
    const source = ok(made);
    t.match(source, { ...body, status: 'draft', last_run: null, streams: 0, pattern_version: '1.7.0' });
    t.equal(made.status, 201);
    t.equal(made.headers.get('location'), `/api/v1/sources/${source.source_id}`);
    t.equal(made.headers.get('etag'), `"${source.etag}"`);
    t.equal(refusal(await api(createSource, { body })), '409 name_taken');
  });

  await t.test('a source without a name gets that of its pattern, with a number that is free', async (t) => {
    const other = await platform.idle('unnamed');
    const body = { pattern_id: 'files', source_config: { path: data } };
    const create = async (more = {}) => ok(await other(createSource, { body: { ...body, ...more } })).name;
    await create({ name: 'files-2' });
    const made = await Promise.all([create(), create(), create()]);
    t.strictSame(made.sort(), ['files-1', 'files-3', 'files-4']);
    t.equal(await create({ name: 'files' }), 'files');
  });

  await t.test('a source that cannot be is refused with its code', async (t) => {
    const body = { name: 'two', pattern_id: 'files', source_config: { path: data } };
    const create = async (change: object) => refusal(await api(createSource, { body: { ...body, ...change } }));
    t.equal(await create({ pattern_id: 'nope' }), '422 pattern_not_found');
    t.equal(await create({ source_config: {} }), '422 source_config_invalid');
    t.equal(await create({ source_config: { path: 7 } }), '422 source_config_invalid');
    t.equal(await create({ source_config: { path: data, hidden: 'canary' } }), '422 source_config_invalid');
    t.equal(await create({ name: 'Not A Name' }), '400 validation_failed');
    t.equal(await create({ credential_values: { key: 'x' } }), '422 undeclared_credential_field');
    t.equal(await create({ secrets: { key: 'x' } }), '400 validation_failed', 'an unknown field');
    t.equal(await create({ status: 'active' }), '400 validation_failed', 'a read-only field');
  });

  await t.test('sources are paged, filtered and ordered', async (t) => {
    for (const name of ['three', 'two']) await filesSource(api, name, data);
    const first = ok(await api(listSources, { query: { order: 'name', limit: 2 } }));
    t.strictSame(
      first.items.map(({ name }) => name),
      ['one', 'three'],
    );
    const token = first.next_page_token ?? '';
    const second = ok(await api(listSources, { query: { order: 'name', limit: 2, page_token: token } }));
    t.strictSame(
      second.items.map(({ name }) => name),
      ['two'],
    );
    t.equal(second.next_page_token, null);
    t.equal(ok(await api(listSources, { query: { status: 'active' } })).items.length, 0);
    t.equal(ok(await api(listSources, { query: { name: 'two' } })).items.length, 1);
    t.equal(refusal(await api(listSources, { query: { page_token: 'x' } })), '400 invalid_page_token');
    const other = { order: 'name', page_token: token, limit: 2 } as const;
    t.equal(refusal(await api(listSources, { query: { ...other, order: '-name' } })), '400 invalid_page_token');
  });

  await t.test('a patch merges, checks the whole and honours If-Match', async (t) => {
    const source = await filesSource(api, 'patched', data, { glob: '*.csv' });
    const params = { source_id: source.source_id };
    const patch = (body: object, headers = {}) => api(updateSource, { params, body }, headers);
    const changed = ok(await patch({ source_config: { glob: 'a.csv' } }, { 'if-match': `"${source.etag}"` }));
    t.strictSame(changed.source_config, { path: data, glob: 'a.csv' });
    t.equal(refusal(await patch({ name: 'late' }, { 'if-match': `"${source.etag}"` })), '412 precondition_failed');
    t.strictSame(ok(await patch({ source_config: { glob: null } })).source_config, { path: data }, 'null clears');
    t.equal(refusal(await patch({ source_config: { path: null } })), '422 source_config_invalid');
    t.equal(refusal(await patch({ name: 'one' })), '409 name_taken');
    t.equal(refusal(await patch({ pattern_id: 'files' })), '400 validation_failed');
  });

  await t.test('a draft cannot sync, and what was not discovered has no streams', async (t) => {
    const { source_id } = await filesSource(api, 'draft', data);
    t.equal(refusal(await api(startSync, { params: { source_id } })), '409 source_not_ready');
    t.strictSame(ok(await api(listStreams, { params: { source_id } })).items, []);
    t.strictSame(ok(await api(getSyncStatus, { params: { source_id } })), { source_id, run: null });
  });

  await t.test('without a worker a discovery waits, only once, and holds the source', async (t) => {
    const { source_id } = await filesSource(api, 'waiting', data);
    const refused = await api(startDiscovery, { body: { source_id } });
    t.equal(refusal(refused), '503 no_worker');
    t.match(refused, { problem: { queue: String, last_seen_at: null } });
    t.equal(ok(await api(getSource, { params: { source_id } })).status, 'draft', 'nothing was begun');
    const started = await api(startDiscovery, { body: { source_id }, query: { queue: true } });
    const { workflow_id, run_id, warning } = ok(started);
    t.equal(started.status, 202);
    t.match(warning, { code: 'no_worker' });
    const path = `/api/v1/sources/discover/status/${encodeURIComponent(workflow_id)}`;
    t.equal(started.headers.get('location'), path);
    for (const id of [workflow_id, run_id]) {
      const status = ok(await api(getDiscoveryStatus, { params: { workflow_id: id } }));
      t.match(status, { status: 'pending', is_terminal: false, source_id, streams: null, worker: { state: 'none' } });
    }
    t.equal(ok(await api(getSource, { params: { source_id } })).status, 'discovering');
    const again = await api(startDiscovery, { body: { source_id }, query: { queue: true } });
    t.equal(refusal(again), '409 run_already_active');
    t.match(again, { problem: { run_id } });
    t.equal(refusal(await api(deleteSource, { params: { source_id } })), '409 run_already_active');
  });

  await t.test('a discovery takes a source or a pattern with its configuration, not both', async (t) => {
    const start = async (body: object) => refusal(await api(startDiscovery, { body }));
    const config = { pattern_id: 'files', source_config: { path: data } };
    t.equal(await start({}), '400 validation_failed');
    t.equal(await start({ source_id: ABSENT, ...config }), '400 validation_failed');
    t.equal(await start({ pattern_id: 'files' }), '400 validation_failed');
    t.equal(
      await start({ ...config, apply: false }),
      '400 validation_failed',
      'there is nothing that it could apply to',
    );
    t.equal(await start({ pattern_id: 'nope', source_config: {} }), '422 pattern_not_found');
    t.equal(await start({ pattern_id: 'files', source_config: {} }), '422 source_config_invalid');
    t.equal(await start({ source_id: ABSENT }), '404 not_found');
  });

  await t.test('what is absent and what is another tenant’s is the same 404', async (t) => {
    const { source_id } = await filesSource(api, 'mine', data);
    const other = await platform.as('other');
    for (const id of [source_id, ABSENT]) {
      const params = { source_id: id };
      const answers = [
        await other(getSource, { params }),
        await other(updateSource, { params, body: { name: 'x' } }),
        await other(deleteSource, { params }),
        await other(listStreams, { params }),
        await other(updateStream, { params: { ...params, stream_id: ABSENT }, body: { enabled: true } }),
        await other(startSync, { params }),
        await other(getSyncStatus, { params }),
        await other(listSyncHistory, { params }),
        await other(startDiscovery, { body: params }),
      ];
      for (const answer of answers) t.equal(refusal(answer), '404 not_found');
    }
  });

  await t.test('a viewer reads and changes nothing', async (t) => {
    const viewer = await platform.as('demo', 'viewer');
    const params = { source_id: ABSENT };
    t.equal(refusal(await viewer(listSources)), '200');
    const body = { name: 'v', pattern_id: 'files', source_config: { path: data } };
    t.equal(refusal(await viewer(createSource, { body })), '403 forbidden_role');
    t.equal(refusal(await viewer(updateSource, { params, body: {} })), '403 forbidden_role');
    t.equal(refusal(await viewer(deleteSource, { params })), '403 forbidden_role');
    t.equal(refusal(await viewer(startSync, { params })), '403 forbidden_role');
    t.equal(refusal(await viewer(startDiscovery, { body: params })), '403 forbidden_role');
  });

  await t.test('with a worker', (t) => withWorker(t, platform, data));
});

async function withWorker(t: Test, platform: SharedPlatform, data: string): Promise<void> {
  const api = await platform.as('demo');
  const { source_id } = await filesSource(api, 'found', data);
  t.match(await discovered(api, source_id), { status: 'succeeded' });
  t.equal(ok(await api(getSource, { params: { source_id } })).status, 'ready');
  const streams = await streamsOf(api, source_id);
  const stream = (name: string) => ({ source_id, stream_id: streams.get(name)?.stream_id ?? '' });
  const patch = (name: string, body: object, headers = {}) =>
    api(updateStream, { params: stream(name), body }, headers);

  await t.test('streams whose names normalise alike have tables of their own', async (t) => {
    const tables = [...streams.values()].map(({ destination }) => destination.table);
    t.equal(new Set(tables).size, 3);
    t.match(streams.get('a'), { destination: { dataset_id: platform.bronze('found__a') } });
  });

  await t.test('a sync needs an enabled stream', async (t) => {
    t.equal(refusal(await api(startSync, { params: { source_id } })), '409 no_streams_enabled');
  });

  await t.test('a stream is changed within the rules', async (t) => {
    t.equal(refusal(await patch('a', { write_mode: 'merge', enabled: true })), '422 stream_not_syncable', 'no key');
    t.equal(refusal(await patch('a', { sync_mode: 'incremental' })), '422 stream_not_syncable', 'overwrite stays');
    t.equal(refusal(await patch('a', { cursor_field: ['nope'] })), '422 stream_not_syncable');
    t.equal(refusal(await patch('a', { schema: {} })), '400 validation_failed', 'a read-only field');
    t.equal(refusal(await patch('a', { destination: { table: 'x.y' } })), '400 validation_failed');
    const set = ok(await patch('a', { cursor_field: ['id'], primary_key: [['id']] }));
    t.match(set, { cursor_field: ['id'], primary_key: [['id']], enabled: false });
    const cleared = ok(await patch('a', { cursor_field: null, primary_key: null }, { 'if-match': `"${set.etag}"` }));
    t.match(cleared, { cursor_field: null, primary_key: null });
    t.equal(refusal(await patch('a', { enabled: true }, { 'if-match': `"${set.etag}"` })), '412 precondition_failed');
  });

  await t.test('routing takes a free table of the tenant and no taken one', async (t) => {
    const taken = streams.get('b-c')?.destination.table ?? '';
    t.equal(refusal(await patch('a', { destination: { table: taken } })), '409 destination_taken');
    const moved = ok(await patch('a', { destination: { table: 'elsewhere' } }));
    t.equal(moved.destination.dataset_id, platform.bronze('elsewhere'));
    const twin = await filesSource(api, 'twin', data);
    await discovered(api, twin.source_id);
    const params = {
      source_id: twin.source_id,
      stream_id: (await streamsOf(api, twin.source_id)).get('a')?.stream_id ?? '',
    };
    const body = { destination: { table: 'elsewhere' } };
    t.equal(refusal(await api(updateStream, { params, body })), '409 destination_taken');
    t.equal(refusal(await patch('b-c', { destination: { table: 'found__a' } })), '200', 'its own old table is free');
  });

  await t.test('a discovery that only looks changes nothing, and what it found can be reviewed', async (t) => {
    await writeFile(join(data, 'looked.csv'), 'id\n1\n');
    const before = await streamsOf(api, source_id);
    const { workflow_id } = ok(await api(startDiscovery, { body: { source_id, apply: false } }));
    const seen = await until('a discovery', async () => {
      const status = ok(await api(getDiscoveryStatus, { params: { workflow_id } }));
      return status.is_terminal ? status : undefined;
    });
    t.match(seen, { status: 'succeeded', apply: false, source_id });
    t.strictSame(await streamsOf(api, source_id), before);
    const body = { streams: seen.streams ?? [] };
    const diff = ok(await api(refreshSchema, { params: { source_id }, query: { dry_run: true }, body }));
    t.match(diff, { added: [{ name: 'looked' }], changed: [], removed: [], unchanged: before.size });
    const named = (id: string, source = source_id) =>
      api(refreshSchema, {
        ...{ params: { source_id: source }, query: { dry_run: true }, body: { workflow_id: id } },
      });
    t.strictSame(ok(await named(workflow_id)), diff, 'a discovery may be named instead of sent');
    t.strictSame(ok(await named(seen.run_id)), diff);
    t.equal(refusal(await named(ABSENT)), '422 discovery_not_usable');
    const other = await filesSource(api, 'elsewhere', data);
    t.equal(refusal(await named(workflow_id, other.source_id)), '422 discovery_not_usable');
    await rm(join(data, 'looked.csv'));
  });

  await t.test('a discovery again refreshes schemas and keeps settings', async (t) => {
    await writeFile(join(data, 'a.csv'), 'id,more\n1,x\n');
    await writeFile(join(data, 'new.csv'), 'id\n1\n');
    const before = ok(await patch('a', { enabled: true, sync_mode: 'incremental', write_mode: 'append' }));
    await discovered(api, source_id);
    const after = (await streamsOf(api, source_id)).get('a');
    t.match(after, { enabled: true, sync_mode: 'incremental', destination: before.destination });
    t.ok(Object.hasOwn(after?.schema.properties ?? {}, 'more'));
    t.ok((await streamsOf(api, source_id)).has('new'));
  });

  await t.test('a configuration is discovered before a source is made, and then forgotten', async (t) => {
    const body = { pattern_id: 'files', source_config: { path: data } };
    const { workflow_id, run_id } = ok(await api(startDiscovery, { body }));
    const status = await until('a discovery', async () => {
      const found = ok(await api(getDiscoveryStatus, { params: { workflow_id } }));
      return found.is_terminal ? found : undefined;
    });
    t.match(status, { status: 'succeeded', source_id: null, pattern_id: 'files' });
    t.ok(status.streams?.some(({ name }) => name === 'a'));
    const rows = await platform.peek('select source_config from sources.discovery where run_id = $1', [run_id]);
    t.strictSame(rows, [{ source_config: null }]);
    const other = await platform.as('other');
    t.equal(refusal(await other(getDiscoveryStatus, { params: { workflow_id } })), '404 not_found');
  });

  await t.test('a retired source is gone, and its name is free', async (t) => {
    t.equal(refusal(await api(deleteSource, { params: { source_id } })), '204');
    t.equal(refusal(await api(getSource, { params: { source_id } })), '404 not_found');
    t.equal(refusal(await api(deleteSource, { params: { source_id } })), '404 not_found');
    t.equal((await filesSource(api, 'found', data)).status, 'draft');
  });
}

async function folderWith(platform: SharedPlatform, name: string, files: Record<string, string>): Promise<string> {
  const folder = join(platform.folder, name);
  await mkdir(folder);
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
  return folder;
}
