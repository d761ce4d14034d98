import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getDataset, listDatasetSnapshots } from '@weir/plugin-datasets/contract';
import t, { type Test } from 'tap';
import {
  createStream,
  deleteStream,
  listTableFormatRefs,
  previewReset,
  previewSourceReset,
  resetSource,
  resetStream,
  type StreamView,
  updateStream,
} from '../src/contract.ts';
import { type Api, discovered, enableAll, filesSource, ok, refusal, streamsOf, synced } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';

const APPEND = { sync_mode: 'incremental', write_mode: 'append' } as const;

t.test('a reset stream starts from nothing and replaces its rows in one commit', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.as('demo');
  const data = join(platform.folder, 'data');
  await mkdir(data);
  await writeFile(join(data, 'a.csv'), 'id\n1\n2\n');
  await writeFile(join(data, 'b.csv'), 'id\n1\n');
  const { source_id } = await filesSource(api, 'shop', data);
  await discovered(api, source_id);
  await enableAll(api, source_id, APPEND);
  t.match(await synced(api, source_id), { status: 'succeeded', rows_written: 3 });
  await writeFile(join(data, 'a2.csv'), 'id\n9\n');
  const rows = async (table: string) =>
    ok(await api(getDataset, { params: { dataset_id: platform.bronze(`shop__${table}`) } })).total_records;
  const stream = async (name: string) => (await streamsOf(api, source_id)).get(name) as StreamView;
  const at = async (name: string) => ({ params: { source_id, stream_id: (await stream(name)).stream_id } });

  await t.test('the consequences are told first, and nothing has happened by then', async (t) => {
    const told = await api(previewReset, await at('a'));
    const consequence = ok(told);
    t.match(consequence, {
      ...{ name: 'a', dataset_id: platform.bronze('shop__a'), table_exists: true, rows: '2', state_dropped: true },
      ...{ rows_replaced: true, deleted_now: false, generation: { from: 1, to: 2 }, snapshot_id: /^\d+$/ },
      sentences: [
        'Nothing is deleted now.',
        /reads everything/,
        RegExp(`replaces the 2 rows of ${platform.bronze('shop__a')}`),
      ],
    });
    t.equal(told.headers.get('etag'), `"${consequence.etag}"`);
    t.equal((await stream('a')).generation, 1);
  });

  await t.test('the very state must be named', async (t) => {
    const one = await at('a');
    const missing = await api(resetStream, one);
    t.equal(refusal(missing), '400 if_match_required');
    t.match(missing, { problem: { errors: [{ pointer: '/headers/if-match', code: 'required' }] } });
    t.equal(refusal(await api(resetStream, one, { 'if-match': '"99"' })), '412 precondition_failed');
  });

  await t.test(
    'all streams of a source are reset in one call, as they were when its consequences were told',
    async (t) => {
      const made = await filesSource(api, 'twin', data);
      const params = { source_id: made.source_id };
      await discovered(api, made.source_id);
      await enableAll(api, made.source_id, APPEND);
      await synced(api, made.source_id);
      const [one] = (await streamsOf(api, made.source_id)).values();
      const { etag } = ok(await api(previewSourceReset, { params }));
      t.equal(refusal(await api(resetSource, { params })), '400 if_match_required');
      ok(await api(updateStream, { params: { ...params, stream_id: one?.stream_id ?? '' }, body: { enabled: false } }));
      t.equal(refusal(await api(resetSource, { params }, { 'if-match': `"${etag}"` })), '412 precondition_failed');
      const told = ok(await api(previewSourceReset, { params }));
      const { size } = await streamsOf(api, made.source_id);
      t.match(told, {
        streams: size,
        enabled: size - 1,
        sentences: [RegExp(`all ${size} streams`), 'Nothing is deleted now.'],
      });
      ok(await api(resetSource, { params }, { 'if-match': `"${told.etag}"` }));
      const after = [...(await streamsOf(api, made.source_id)).values()];
      t.strictSame(new Set(after.map(({ generation }) => generation)), new Set([2]), 'disabled ones too');
    },
  );

  await t.test('the next sync reads all of it and leaves every row there once', async (t) => {
    const { etag } = ok(await api(previewReset, await at('a')));
    t.match(ok(await api(resetStream, await at('a'), { 'if-match': `"${etag}"` })), { generation: 2, enabled: true });
    t.equal(await rows('a'), '2', 'a reset itself deletes nothing');
    const told = ok(await api(previewReset, await at('a')));
    t.match(told, { state_dropped: false, rows: '2', generation: { from: 2, to: 3 } });
    const run = await synced(api, source_id);
    const byName = new Map(run.streams.map((one) => [one.name, one]));
    t.match(run, { status: 'succeeded', rows_written: 2 });
    t.match(byName.get('a'), { rows_written: 2, commits: 1, committed_at: String });
    t.match(byName.get('b'), { rows_written: 0, commits: 0, committed_at: null }, 'the others go on from their state');
    t.equal(await rows('a'), '2');
    const { items } = ok(await api(listDatasetSnapshots, { params: { dataset_id: platform.bronze('shop__a') } }));
    t.strictSame(
      items.map(({ operation }) => operation),
      ['overwrite', 'append'],
      'in one commit, and the snapshot before is kept',
    );
    t.match(await synced(api, source_id), { status: 'succeeded', rows_written: 0 }, 'from then on it goes on');
    t.equal(await rows('a'), '2');
  });

  await t.test('a full refresh that appends replaces once after a reset, and appends again', async (t) => {
    const body = { sync_mode: 'full_refresh', write_mode: 'append' } as const;
    ok(await api(updateStream, { ...(await at('b')), body }));
    t.match(await synced(api, source_id), { status: 'succeeded' });
    t.equal(await rows('b'), '2', 'it was appended');
    ok(await api(resetStream, await at('b'), { 'if-match': '*' }));
    t.match(await synced(api, source_id), { status: 'succeeded' });
    t.equal(await rows('b'), '1');
    t.match(await synced(api, source_id), { status: 'succeeded' });
    t.equal(await rows('b'), '2');
  });

  await t.test('a reset belongs to the table that the stream had', async (t) => {
    ok(await api(resetStream, await at('a'), { 'if-match': '*' }));
    const destination = { table: 'shop__elsewhere' };
    ok(await api(updateStream, { ...(await at('a')), body: { destination } }));
    t.match(await synced(api, source_id), { status: 'succeeded' });
    t.equal(await rows('elsewhere'), '2');
    t.equal(await rows('a'), '2', 'what it has left behind stays');
  });

  await t.test('a name that comes back gets its table back and no row twice', async (t) => {
    const { schema } = await stream('b');
    const [before] = ok(
      await api(listTableFormatRefs, { params: { source_id }, query: { per_stream: 3 } }),
    ).items.slice(-1);
    t.equal(refusal(await api(deleteStream, await at('b'))), '204');
    t.equal(await rows('b'), '3', 'its table stays');
    const made = ok(
      await api(createStream, {
        params: { source_id },
        body: {
          ...{ name: 'b', schema, supported_sync_modes: ['full_refresh', 'incremental'] },
          ...APPEND,
          enabled: true,
          cursor_field: ['id'],
        },
      }),
    );
    t.equal(made.destination.dataset_id, platform.bronze('shop__b'));
    await refs(t, api, { source_id, before, bronze: platform.bronze });
    t.match(await synced(api, source_id), { status: 'succeeded' });
    t.equal(await rows('b'), '1');
    t.match(await synced(api, source_id), { status: 'succeeded' });
    t.equal(await rows('b'), '1');
  });
});

async function refs(
  t: Test,
  api: Api,
  { source_id, before, bronze }: { source_id: string; before: object | undefined; bronze(table: string): string },
): Promise<void> {
  t.match(before, {
    ...{ name: 'b', readable: true, snapshot_id: /^\d+$/ },
    snapshots: [
      { operation: 'append', run_id: /^[0-9a-f-]{36}$/, added_records: '1' },
      { operation: 'append' },
      { operation: 'overwrite', snapshot_id: /^\d+$/ },
    ],
  });
  const { items } = ok(await api(listTableFormatRefs, { params: { source_id } }));
  t.strictSame(
    items.map(({ name, snapshots, dataset_id }) => [name, snapshots.length, dataset_id]),
    [
      ['a', 1, bronze('shop__elsewhere')],
      ['b', 1, bronze('shop__b')],
    ],
    'what a table stands at is told of the table, whatever stream wrote it',
  );
}
