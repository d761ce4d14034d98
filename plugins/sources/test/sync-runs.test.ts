import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { until } from '../../../test/until.ts';
import {
  cancelSync,
  getSyncRun,
  getSyncStats,
  getSyncStatus,
  listSyncDays,
  listSyncHistory,
  listSyncRunStreams,
  listTableFormatRefs,
  startSync,
} from '../src/contract.ts';
import { discovered, enableAll, filesSource, ok, refusal, streamsOf, synced } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';
import { ABSENT } from './stream-source.ts';

t.test('what syncs did can be read by either of their ids', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.as('demo');
  const data = join(platform.folder, 'data');
  await mkdir(data);
  for (const name of ['a', 'b', 'c']) await writeFile(join(data, `${name}.csv`), 'id\n1\n');
  const { source_id } = await filesSource(api, 'shop', data);
  const params = { source_id };

  const { run_id: discovery } = await discovered(api, source_id);
  t.equal(refusal(await api(cancelSync, { params: { sync_run_id: discovery } })), '404 not_found', 'it is no sync');
  await enableAll(api, source_id, { sync_mode: 'full_refresh', write_mode: 'overwrite' });
  const first = await synced(api, source_id);
  const second = await synced(api, source_id);
  await writeFile(join(data, 'c.csv'), '\n1,too\n');
  const failed = await synced(api, source_id);
  t.equal(failed.status, 'failed');

  await t.test('details and streams', async (t) => {
    for (const id of [first.run_id, first.workflow_id]) {
      const run = ok(await api(getSyncRun, { params: { workflow_id: id } }));
      t.match(run, { run_id: first.run_id, source_id, status: 'succeeded', worker: null, image: null });
      t.equal(run.streams.length, 3);
      const { items } = ok(await api(listSyncRunStreams, { params: { sync_run_id: id } }));
      t.strictSame(items, run.streams);
    }
    const page = { params: { sync_run_id: first.run_id } };
    const one = ok(await api(listSyncRunStreams, { ...page, query: { limit: 2, order: '-name' } }));
    t.strictSame(
      one.items.map(({ name }) => name),
      ['c', 'b'],
    );
    const query = { limit: 2, order: '-name', page_token: one.next_page_token ?? '' };
    t.strictSame(
      ok(await api(listSyncRunStreams, { ...page, query })).items.map(({ name }) => name),
      ['a'],
    );
    const broken = { params: { sync_run_id: failed.run_id } };
    const of = async (status: 'failed' | 'running') =>
      ok(await api(listSyncRunStreams, { ...broken, query: { status } })).items.map(({ name }) => name);
    t.ok((await of('failed')).includes('c'));
    t.strictSame(await of('running'), [], 'nothing runs in a run that has ended');
    for (const id of [ABSENT, 'nothing', `x:${first.run_id}`]) {
      t.equal(refusal(await api(getSyncRun, { params: { workflow_id: id } })), '404 not_found');
      t.equal(refusal(await api(listSyncRunStreams, { params: { sync_run_id: id } })), '404 not_found');
      t.equal(refusal(await api(cancelSync, { params: { sync_run_id: id } })), '404 not_found');
    }
    const other = await platform.as('other');
    t.equal(refusal(await other(getSyncRun, { params: { workflow_id: first.workflow_id } })), '404 not_found');
    t.equal(refusal(await other(cancelSync, { params: { sync_run_id: first.run_id } })), '404 not_found');
    t.equal(refusal(await other(getSyncStats, { params })), '404 not_found');
    t.equal(refusal(await other(listTableFormatRefs, { params })), '404 not_found');
  });

  await t.test('a run that has ended is not cancelled', async (t) => {
    t.equal(refusal(await api(cancelSync, { params: { sync_run_id: first.run_id } })), '409 run_not_active');
  });

  await t.test('statistics of all syncs, and of those since a time', async (t) => {
    const { items } = ok(await api(listSyncDays, { query: { days: 2, zone: 'Pacific/Kiritimati' } }));
    const all = ok(await api(listSyncHistory, { params })).items;
    const rows = all.reduce((sum, run) => sum + run.rows_written, 0);
    const sum = (count: (day: (typeof items)[number]) => number) => items.reduce((total, day) => total + count(day), 0);
    t.strictSame(
      [items.length, sum(({ syncs }) => syncs), sum((day) => Number(day.rows_written)), sum(({ failed: bad }) => bad)],
      [2, all.length, rows, 1],
    );
    t.equal(refusal(await api(listSyncDays, { query: { zone: 'Mars/Olympus' } })), '400 validation_failed');
    const other = await platform.as('other');
    t.match(ok(await other(listSyncDays, { query: { days: 1 } })).items, [{ syncs: 0, rows_written: '0' }]);
    const stats = ok(await api(getSyncStats, { params }));
    t.match(stats, {
      ...{ source_id, since: null, runs: 3, truncated: false, success_rate: 2 / 3 },
      by_status: { pending: 0, running: 0, succeeded: 2, failed: 1, cancelled: 0, skipped: 0 },
      duration_seconds: { p50: Number, p95: Number, max: Number },
      ...{ rows_written: first.rows_written + second.rows_written + failed.rows_written, rows_rejected: 0 },
      last_success: { run_id: second.run_id },
      streak: { status: 'failed', length: 1 },
    });
    const since = failed.created_at;
    t.match(ok(await api(getSyncStats, { params, query: { since } })), { since, runs: 1, last_success: null });
    t.match(ok(await api(getSyncStats, { params, query: { since: '2999-01-01T00:00:00Z' } })), {
      ...{ runs: 0, success_rate: null, duration_seconds: null, streak: null },
    });
    t.equal(refusal(await api(getSyncStats, { params, query: { since: 'yesterday' } })), '400 validation_failed');
    const history = async (query: object) => api(listSyncHistory, { params, query });
    t.strictSame(
      ok(await history({ since: second.created_at })).items.map(({ run_id }) => run_id),
      [failed.run_id, second.run_id],
    );
    const paged = ok(await history({ since: second.created_at, limit: 1 }));
    const next = ok(await history({ since: second.created_at, limit: 2, page_token: paged.next_page_token }));
    t.match(next, { items: [{ run_id: second.run_id }], next_page_token: null });
    t.equal(refusal(await history({ since, order: 'created_at' })), '400 validation_failed');
  });

  await t.test('the tables stand at snapshots with decimal ids', async (t) => {
    const { items } = ok(await api(listTableFormatRefs, { params, query: { per_stream: 50 } }));
    const last = new Map(second.streams.map((stream) => [stream.name, stream.snapshot_id]));
    t.equal(items.length, 3);
    t.equal(items[2]?.snapshot_id, last.get('c'), 'the last good one');
    for (const { snapshots, snapshot_id } of items) {
      t.equal(snapshots[0]?.snapshot_id, snapshot_id);
      t.ok(snapshots.every((one) => /^\d+$/.test(one.snapshot_id) && one.operation === 'overwrite'));
    }
    const [stream] = (await streamsOf(api, source_id)).values();
    const chosen = ok(await api(listTableFormatRefs, { params, query: { stream_id: stream?.stream_id ?? '' } }));
    t.match(chosen, { items: [{ name: 'a', snapshots: [{}] }], next_page_token: null });
    const two = ok(await api(listTableFormatRefs, { params, query: { limit: 2 } }));
    const rest = { limit: 2, page_token: two.next_page_token ?? '' };
    t.match(ok(await api(listTableFormatRefs, { params, query: rest })), { items: [{ name: 'c' }] });
    t.equal(refusal(await api(listTableFormatRefs, { params, query: { per_stream: 51 } })), '400 validation_failed');
  });

  await t.test('an open run says who has it in hands', async (t) => {
    await writeFile(join(data, 'c.csv'), 'id\n1\n');
    ok(await api(startSync, { params }));
    const seen = await until('a run in hands, or its end', async () => {
      const { run } = ok(await api(getSyncStatus, { params }));
      return run?.is_terminal || run?.worker?.state === 'working' ? run : undefined;
    });
    t.equal(seen.worker === null, seen.is_terminal);
    await until('its end', async () => ok(await api(getSyncStatus, { params })).run?.is_terminal || undefined);
  });
});
