import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { until } from '../../../test/until.ts';
import { getSyncReceipt, getVerification, readRunLogs, updateStream, verifySync } from '../src/contract.ts';
import { type Api, discovered, enableAll, filesSource, ok, refusal, streamsOf, synced } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';
import { ABSENT } from './stream-source.ts';

async function verified(api: Api, sync_run_id: string) {
  const { run_id } = ok(await api(verifySync, { params: { sync_run_id } }));
  return until('a verification', async () => {
    const query = { verification_run_id: run_id };
    const found = ok(await api(getVerification, { params: { sync_run_id }, query }));
    return found.is_terminal ? found : undefined;
  });
}

t.test('a receipt is held against the tables: equal, superseded, changed by somebody else, gone', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.as('demo');
  const data = join(platform.folder, 'data');
  await mkdir(data);
  await writeFile(join(data, 'people.csv'), 'id,name\n1,Ada\n2,Grace\n,Nobody\n');
  const { source_id } = await filesSource(api, 'shop', data);
  t.match(await discovered(api, source_id), { status: 'succeeded' });
  const stream_id = (await streamsOf(api, source_id)).get('people')?.stream_id ?? '';
  const set = async (body: object) => ok(await api(updateStream, { params: { source_id, stream_id }, body }));
  await set({ enabled: true, write_mode: 'merge', primary_key: [['id']] });
  const params = (sync_run_id: string) => ({ params: { sync_run_id } });

  const first = await synced(api, source_id);
  t.equal(first.status, 'succeeded');
  const { receipt, sha256 } = ok(await api(getSyncReceipt, params(first.run_id)));
  t.match(receipt.streams, [{ rows_in_table: 2, checksum: /^[a-z0-9-]+:[0-9a-f]{16}$/, snapshot_ids: [/^\d+$/] }]);
  t.equal(refusal(await api(getVerification, params(first.run_id))), '404 not_found', 'nobody has looked yet');
  const equal = await verified(api, first.run_id);
  t.match(equal, {
    status: 'succeeded',
    outcome: { verdict: 'equal', receipt_sha256: sha256, streams: [{ verdict: 'equal', reason: null }] },
  });
  t.strictSame(
    equal.outcome?.streams[0]?.figures.map(({ figure }) => figure),
    ['rows', 'rows_with_errors', 'checksum', 'rows_quarantined'],
  );

  const log = ok(await api(readRunLogs, { params: { source_id, run_id: equal.run_id } }));
  t.strictSame(
    log.items.map(({ step, message }) => `${step}: ${message}`),
    [
      'attempt: attempt 1 started',
      `verify: the receipt of run ${first.run_id} is held against its tables`,
      `verify: ${platform.bronze('shop__people')} is equal`,
      'end: the run has ended: succeeded',
    ],
  );

  await writeFile(join(data, 'people.csv'), 'id,name\n2,Hopper\n4,Hedy\n');
  const second = await synced(api, source_id);
  t.match(await verified(api, first.run_id), {
    outcome: { verdict: 'equal', streams: [{ superseded_by: second.run_id }] },
  });
  t.match(await verified(api, second.run_id), { outcome: { verdict: 'equal', streams: [{ superseded_by: null }] } });

  t.equal(refusal(await api(verifySync, params(ABSENT))), '404 not_found');
  const other = await platform.as('other');
  t.equal(refusal(await other(verifySync, params(first.run_id))), '404 not_found');
  t.equal(refusal(await other(getVerification, params(first.run_id))), '404 not_found');
});

t.test('a receipt of a sync that replaced the rows of a file → equal, and the one before is superseded', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.as('demo');
  const data = join(platform.folder, 'edited');
  await mkdir(data);
  await writeFile(join(data, 'a.csv'), 'id,name\n1,Ada\n2,Grace\n');
  await writeFile(join(data, 'b.csv'), 'id,name\n3,Joan\n');
  const streams = [{ name: 'people', glob: '*.csv' }];
  const { source_id } = await filesSource(api, 'edited', data, { streams });
  t.match(await discovered(api, source_id), { status: 'succeeded' });
  await enableAll(api, source_id, { sync_mode: 'incremental', write_mode: 'append' });
  const first = await synced(api, source_id);
  t.match(first.streams, [{ rows_in_table: 3 }]);
  await writeFile(join(data, 'a.csv'), 'id,name\n1,Ada\n2,Hopper\n4,Hedy\n');
  const second = await synced(api, source_id);
  t.match(second.streams, [{ rows_written: 3, rows_in_table: 3, checksum: String }]);
  const same = { outcome: { verdict: 'equal', streams: [{ superseded_by: null }] } };
  t.match(await verified(api, second.run_id), same);
  const replaced = { outcome: { verdict: 'equal', streams: [{ superseded_by: second.run_id }] } };
  t.match(await verified(api, first.run_id), replaced);
  const query = { step: 'commit' } as const;
  const { items } = ok(await api(readRunLogs, { params: { source_id, run_id: second.run_id }, query }));
  t.match(items, [{ message: /^committed 3 rows .*, 2 earlier rows of their files taken out$/ }]);
});
