import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { makeBucket } from '../store/make-bucket.ts';
import { s3Caller } from '../store/s3-caller.ts';
import { openStore } from '../store/store.ts';
import type { S3Options, Store } from '../store/store-options.ts';

/** The object store of the test run. */
export function testS3(): S3Options {
  const { WEIR_TEST_S3_ENDPOINT, WEIR_TEST_S3_ACCESS_KEY_ID, WEIR_TEST_S3_SECRET_ACCESS_KEY } = process.env;
  if (!WEIR_TEST_S3_ENDPOINT) throw new Error('WEIR_TEST_S3_ENDPOINT is not set; npm test starts an object store');
  return {
    endpoint: WEIR_TEST_S3_ENDPOINT,
    accessKeyId: WEIR_TEST_S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: WEIR_TEST_S3_SECRET_ACCESS_KEY ?? '',
  };
}

/** A warehouse in the object store of a test run. */
export type TestBucket = {
  readonly s3: S3Options;
  readonly warehouse: string;
  readonly scratch: string;
  /** Another store over the same bucket, by another way to it or with another cache. */
  open(more?: { s3?: Partial<S3Options>; cacheBytes?: number }): Store;
  close(): Promise<void>;
};

const BUCKET = 'weir-tests';

/** A warehouse in a prefix of its own of the bucket that all tests share, in the object store of the test run or another. */
export async function testBucket(s3: S3Options = testS3()): Promise<TestBucket> {
  await makeBucket(s3, BUCKET);
  // A store makes its first volume with its first object, which takes longer than the check of a warehouse waits.
  const caller = s3Caller(s3);
  const first = { Bucket: BUCKET, Key: `first-${randomUUID()}` };
  await caller.call((client, signal) =>
    client.send(new PutObjectCommand(Object.assign({ Body: 'first' }, first)), signal),
  );
  await caller.call((client, signal) => client.send(new DeleteObjectCommand(first), signal));
  caller.close();
  const [warehouse, scratch] = [`s3://${BUCKET}/${randomUUID()}/ware house`, await mkdtemp(join(tmpdir(), 'weir-s3-'))];
  const opened: Store[] = [];
  return {
    s3,
    warehouse,
    scratch,
    open({ s3: other = {}, ...more } = {}) {
      const store = openStore({ warehouse, scratch, s3: { ...s3, ...other }, ...more });
      opened.push(store);
      return store;
    },
    async close() {
      for (const store of opened) await store.close();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}
