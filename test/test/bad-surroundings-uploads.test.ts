import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Fault, startFlakyProxy, testBucket } from '@weir/lakehouse/testing';
import t from 'tap';
import { lineSource, platformOfLines } from '../crash/line-source.ts';
import { below } from '../crash/process-tree.ts';
import { readRows } from '../crash/read-rows.ts';
import { findObjectStore, startObjectStore } from '../object-store.ts';

const HANG_LIMIT_MS = 600_000;
t.setTimeout(HANG_LIMIT_MS);

const SCHEMA = { type: 'object', properties: { id: { type: 'integer' }, s: { type: 'string' } } };
/** One file of so much is sent in several parts. */
const ROWS = 60;
const NOISE_BYTES = 300_000;
const LATER_PART = /[?&]partNumber=[2-9]/;
const SYNC = /\/sync\/child\./;

t.test('kill -9 in the middle of an upload in parts', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-uploads-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const binary = await findObjectStore();
  let store = await startObjectStore({ binary, folder });
  t.teardown(() => store.stop());
  const { endpoint, accessKeyId, secretAccessKey } = store;
  const bucket = await testBucket({ endpoint, accessKeyId, secretAccessKey });
  t.teardown(bucket.close);
  const proxy = await startFlakyProxy(endpoint);
  t.teardown(proxy.close);
  const platform = await platformOfLines(t, async () => ({
    ...{ WEIR_WAREHOUSE: bucket.warehouse, OBJECT_STORE_ENDPOINT_URL: proxy.url, WEIR_SYNC_COMMIT_SECONDS: '60' },
    ...{ OBJECT_STORE_ACCESS_KEY_ID: accessKeyId, OBJECT_STORE_SECRET_ACCESS_KEY: secretAccessKey },
  }));
  const reader = { 's3.endpoint': endpoint, 's3.region': 'us-east-1' };
  const keys = { 's3.access-key-id': accessKeyId, 's3.secret-access-key': secretAccessKey };

  /** Resolves when the first part after the first is on its way; what becomes of it and of those after it is said. */
  const laterPart = (fault: Fault | undefined) =>
    new Promise<void>((resolve) => {
      proxy.choose(({ path }) => {
        if (!LATER_PART.test(path)) return undefined;
        resolve();
        return fault;
      });
    });
  const sync = async (name: string, fault: Fault | undefined, kill: () => Promise<void>) => {
    const steps = [{ from: 0, count: ROWS, noise: NOISE_BYTES }, { state: 1 }];
    const source = await lineSource(platform, name, { schema: SCHEMA, steps });
    const isUploading = laterPart(fault);
    const { run_id } = await source.start();
    await isUploading;
    await kill();
    proxy.choose(() => undefined);
    const run = await source.ended(run_id);
    t.match(run, { status: 'succeeded', verdict: 'clean', rows_written: ROWS }, name);
    const location = await source.location();
    const properties = { ...reader, ...keys };
    const rows = await readRows<[number]>({ locations: [location], fields: ['id'], properties });
    const ids = (rows[location] ?? []).flat().sort((a, b) => a - b);
    t.strictSame(
      ids,
      Array.from({ length: ROWS }, (_, at) => at),
      `${name}: every row once`,
    );
    return run;
  };

  const run = await sync('of_the_sync', 'cut', async () => {
    const children = await below(platform.workerPid, SYNC);
    t.not(children.length, 0);
    for (const pid of children) process.kill(pid, 'SIGKILL');
  });
  t.match(run, { attempt: 2 }, 'another attempt sends the file anew');
  await sync('of_the_store', undefined, async () => {
    await store.stop('SIGKILL');
    store = await startObjectStore({ binary, folder, port: store.port });
  });
});
