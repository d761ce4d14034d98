import { type Fault, startFlakyProxy, testBucket } from '@weir/lakehouse/testing';
import t from 'tap';
import { lineSource, platformOfLines } from '../crash/line-source.ts';
import { below } from '../crash/process-tree.ts';
import { readerProperties } from '../crash/read-rows.ts';
import { findObjectStore, startObjectStore } from '../object-store.ts';
import { until } from '../until.ts';

const SCHEMA = { type: 'object', properties: { id: { type: 'integer' }, s: { type: 'string' } } };
const range = (to: number) => Array.from({ length: to }, (_, at) => at);
const BATCHES = range(5).flatMap((at) => [{ from: at * 100, count: 100 }, { state: at }]);
const WHOLE = { status: 'succeeded', verdict: 'clean' };
/** One file of so much is sent in several parts. */
const NOISE = { count: 60, noise: 300_000 };
const LATER_PART = /[?&]partNumber=[2-9]/;
const SYNC = /\/sync\/child\./;

const folder = t.testdir();
const binary = await findObjectStore();
let store = await startObjectStore({ binary, folder });
t.teardown(() => store.stop());
const { endpoint, accessKeyId, secretAccessKey } = store;
const bucket = await testBucket({ endpoint, accessKeyId, secretAccessKey });
t.teardown(bucket.close);
const reader = readerProperties(bucket.s3);
const proxy = await startFlakyProxy(endpoint);
t.teardown(proxy.close);
const platform = await platformOfLines(t, async () => ({
  ...{ WEIR_WAREHOUSE: bucket.warehouse, OBJECT_STORE_ENDPOINT_URL: proxy.url, WEIR_SYNC_COMMIT_SECONDS: '60' },
  ...{ OBJECT_STORE_ACCESS_KEY_ID: accessKeyId, OBJECT_STORE_SECRET_ACCESS_KEY: secretAccessKey },
}));

t.test('a store that is away for a while holds each row once', async (t) => {
  const source = await lineSource(platform, 'away', { schema: SCHEMA, steps: BATCHES });
  proxy.choose(() => 'refuse');
  const before = proxy.seen.length;
  const { run_id } = await source.start();
  await until('requests in vain', async () => (proxy.seen.length > before + 2 ? true : undefined));
  proxy.choose(() => undefined);
  t.match(await source.ended(run_id), { ...WHOLE, rows_written: 500 });
  t.strictSame(await source.ids(reader), range(500));
});

/** A sync, and a moment of it: a part of its file is on its way, and more are to come. They meet the fault meanwhile. */
async function uploading(name: string, fault: Fault | undefined) {
  const steps = [{ from: 0, ...NOISE }, { state: 1 }];
  const source = await lineSource(platform, name, { schema: SCHEMA, steps });
  const isUploading = new Promise<void>((resolve) => {
    proxy.choose(({ path }) => {
      if (!LATER_PART.test(path)) return undefined;
      resolve();
      return fault;
    });
  });
  const { run_id } = await source.start();
  await isUploading;
  return { source, run_id };
}

t.test('kill -9 of a sync in the middle of an upload in parts: another attempt sends the file anew', async (t) => {
  const { source, run_id } = await uploading('killed', 'cut');
  const children = below(platform.workerPid, SYNC);
  t.equal(children.length, 1);
  for (const pid of children) process.kill(pid, 'SIGKILL');
  proxy.choose(() => undefined);
  t.match(await source.ended(run_id), { ...WHOLE, rows_written: NOISE.count, attempt: 2 });
  t.strictSame(await source.ids(reader), range(NOISE.count));
});

t.test('kill -9 of the store in the middle of an upload in parts: the file is there, once', async (t) => {
  const { source, run_id } = await uploading('bereft', undefined);
  await store.stop('SIGKILL');
  store = await startObjectStore({ binary, folder, port: store.port });
  t.match(await source.ended(run_id), { ...WHOLE, rows_written: NOISE.count });
  t.strictSame(await source.ids(reader), range(NOISE.count));
});
