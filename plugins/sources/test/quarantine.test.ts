import { listQuarantine } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { getSyncReceipt, readRunLogs, startReplay } from '../src/contract.ts';
import { people } from './people-source.ts';
import { type Api, ok, refusal, synced } from './platform.ts';

t.test('a line without its key is kept and listed, and a row when it is tried again after the fix', async (t) => {
  const { api, source_id, set, dataset, params, replayed, rows } = await people(
    t,
    'id,name\n1,Ada\n,Grace\n3,Hedy\n,Joan\n',
  );
  await set({ enabled: true, write_mode: 'merge', primary_key: [['id']] });
  t.equal(refusal(await api(listQuarantine, { params })), '404 not_found', 'there is no dataset yet');
  const run = await synced(api, source_id);
  t.match(run, { status: 'succeeded', verdict: 'with_rejects', rows_read: 4, rows_written: 2, rows_rejected: 2 });
  const { receipt } = ok(await api(getSyncReceipt, { params: { sync_run_id: run.run_id } }));
  t.match(receipt.streams, [
    { rows_written: 2, rows_quarantined: 2, rows_in_table: 2, quarantine_dataset_id: `${dataset}__quarantine` },
  ]);

  const list = ok(await api(listQuarantine, { params, query: { limit: 1 } }));
  t.match(list, {
    quarantine_dataset_id: `${dataset}__quarantine`,
    reasons: [{ reason: 'key_missing', lines: 2 }],
    total: 2,
    items: [{ run_id: run.run_id, stream: 'people', reason: 'key_missing', position: '1', truncated: false }],
  });
  t.match(JSON.parse(list.items[0]?.line ?? ''), { record: { data: { name: 'Grace' } } }, 'the line byte for byte');
  const next = ok(await api(listQuarantine, { params, query: { limit: 1, page_token: list.next_page_token ?? '' } }));
  t.match(next, { items: [{ position: '3' }], next_page_token: null });
  const none = { reason: 'invalid_utf8' };
  t.match(ok(await api(listQuarantine, { params, query: none })), { items: [], reasons: [], total: 0 });

  const again = await replayed({});
  t.match(again, { status: 'succeeded', outcome: { lines: 2, rows: 0, rejected: 2, reasons: [{ lines: 2 }] } });
  t.match(ok(await api(listQuarantine, { params })), { total: 2, items: [{ run_id: run.run_id, position: '1' }, {}] });
  const log = ok(await api(readRunLogs, { params: { source_id, run_id: again.run_id } }));
  t.strictSame(
    log.items.map(({ level, step, message }) => `${level} ${step}: ${message}`),
    [
      'info attempt: attempt 1 started',
      'info replay: of 2 lines 0 are rows now, 2 stay in quarantine',
      'warn replay: still in quarantine for key_missing: 2 lines',
      'info end: the run has ended: succeeded',
    ],
  );

  await set({ write_mode: 'append' });
  t.match((await replayed({ reasons: ['malformed_json'] })).outcome, { lines: 0, rows: 0 });
  t.match((await replayed({ run_id: run.run_id })).outcome, {
    lines: 2,
    rows: 2,
    rejected: 0,
    snapshot_id: /^\d+$/,
  });
  t.strictSame(await rows(), [
    ['1', 'Ada'],
    [null, 'Grace'],
    ['3', 'Hedy'],
    [null, 'Joan'],
  ]);
  t.match(ok(await api(listQuarantine, { params })), { total: 0, items: [] });
  t.match((await replayed({})).outcome, { lines: 0, rows: 0 }, 'nothing is moved twice');
});

t.test('a replay belongs to a stream of the tenant whose settings hold', async (t) => {
  const { platform, api, source_id, set, dataset, replayed } = await people(t, 'id,name\n1,Ada\n');
  const start = (dataset_id: string, as: Api = api) =>
    as(startReplay, { body: { dataset_id }, query: { queue: true } }).then(refusal);
  await set({ write_mode: 'merge' });
  t.equal(await start(dataset), '422 stream_not_syncable', 'merge needs a key');
  await set({ write_mode: 'append' });
  t.equal(await start(platform.bronze('other')), '404 not_found');
  t.equal(await start(dataset, await platform.as('other')), '404 not_found');
  t.equal(await start('nonsense'), '404 not_found');
  t.equal(await start(dataset, await platform.as('demo', 'viewer')), '403 forbidden_role');
  const run = await replayed({});
  t.match(run, { status: 'succeeded', source_id, outcome: { lines: 0 } }, 'without a table there is nothing to do');
});
