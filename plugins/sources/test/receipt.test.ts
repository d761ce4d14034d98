import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson } from '@weir/kernel';
import t from 'tap';
import { cancelSync, getSyncReceipt, startSync } from '../src/contract.ts';
import { specFingerprint } from '../src/model/receipt/spec-fingerprint.ts';
import { discovered, enableAll, filesSource, ok, refusal, synced } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';
import { ABSENT } from './stream-source.ts';

t.test('a fingerprint changes with a setting and never with a credential or an order', async (t) => {
  const spec = { properties: { path: {}, token: { airbyte_secret: true } } };
  const pattern = { id: 'p', version: '1.0.0', image: 'i', spec } as never;
  const source = (source_config: object) => ({ pattern_id: 'p', pattern_version: '1.0.0', source_config }) as never;
  const one = { stream_id: 'a', name: 'a', sync_mode: 'full_refresh', json_schema: { x: 1, y: 2 } };
  const two = { ...one, stream_id: 'b', name: 'b' };
  const of = (config: object, streams: Record<string, unknown>[]) =>
    specFingerprint({ source: source(config), streams }, pattern);
  const first = of({ path: '/a', token: 'x' }, [one, two]);
  t.match(first, /^sha256:[0-9a-f]{64}$/);
  const turned = { ...one, json_schema: { y: 2, x: 1 } };
  t.equal(of({ token: 'y', path: '/a', undeclared: 'z' }, [two, turned]), first);
  t.not(of({ path: '/b' }, [one, two]), first);
  t.not(of({ path: '/a' }, [one]), first);
  t.not(of({ path: '/a' }, [{ ...one, sync_mode: 'incremental' }, two]), first);
});

t.test('every sync ends in a receipt, however it ends', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.as('demo');
  const data = join(platform.folder, 'data');
  await mkdir(data);
  await writeFile(join(data, 'orders.csv'), 'id,at\n1,a\n2,b\n');
  const { source_id } = await filesSource(api, 'shop', data);
  const receiptOf = (sync_run_id: string) => api(getSyncReceipt, { params: { sync_run_id } });
  t.match(await discovered(api, source_id), { status: 'succeeded' });
  await enableAll(api, source_id, { sync_mode: 'full_refresh', write_mode: 'overwrite' });

  const run = await synced(api, source_id);
  const answer = await receiptOf(run.run_id);
  const { sha256, etag, receipt } = ok(answer);
  t.match(receipt, {
    ...{ format: 'weir.sync-receipt/1', run_id: run.run_id, source_id, source_name: 'shop', status: 'succeeded' },
    ...{ verdict: 'clean', attempts: 1, failure: null, spec_fingerprint: /^sha256:[0-9a-f]{64}$/ },
    ...{ rows_read: 2, rows_written: 2, rows_with_errors: 0, rows_quarantined: 0, requested_by: 'admin@demo' },
    versions: {
      plugins: [{ id: 'datasets' }, { id: 'sources' }],
      connector: { pattern_id: 'files', image: String, image_digest: null },
    },
    streams: [{ name: 'orders', dataset_id: platform.bronze('shop__orders'), status: 'succeeded', rows_written: 2 }],
  });
  t.equal(createHash('sha256').update(canonicalJson(receipt)).digest('hex'), sha256, 'the digest is of what was sent');
  t.equal(answer.headers.get('etag'), `"${etag}"`);
  t.strictSame(ok(await receiptOf(run.workflow_id)), { sha256, etag, receipt }, 'by either id, and it never changes');

  const without = "document #- '{versions,connector,image_digest}'";
  await platform.peek(`update sources.receipt set document = ${without} where run_id = $1`, [run.run_id]);
  const old = ok(await receiptOf(run.run_id));
  t.notOk('image_digest' in (old.receipt.versions.connector ?? {}), 'a receipt of an earlier release stays as it was');
  t.equal(createHash('sha256').update(canonicalJson(old.receipt)).digest('hex'), old.sha256, 'and so does its digest');

  await writeFile(join(data, 'orders.csv'), '\n1,a\n');
  const failed = await synced(api, source_id);
  t.equal(failed.status, 'failed');
  t.match(ok(await receiptOf(failed.run_id)).receipt, {
    ...{ status: 'failed', verdict: null, failure: { code: failed.failure?.code } },
    streams: [{ status: 'failed', failure: { code: failed.failure?.code } }],
    spec_fingerprint: receipt.spec_fingerprint,
  });

  const idle = await platform.idle('demo');
  const { run_id } = ok(await idle(startSync, { params: { source_id }, query: { queue: true } }));
  t.equal(refusal(await receiptOf(run_id)), '409 run_not_ended');
  t.match(ok(await api(cancelSync, { params: { sync_run_id: run_id } })), { outcome: 'cancelled' });
  t.match(ok(await receiptOf(run_id)).receipt, {
    ...{ status: 'cancelled', attempts: 0, spec_fingerprint: null, streams: [], rows_read: 0 },
  });

  t.equal(refusal(await receiptOf(ABSENT)), '404 not_found');
  const other = await platform.as('other');
  t.equal(refusal(await other(getSyncReceipt, { params: { sync_run_id: run.run_id } })), '404 not_found');
});
