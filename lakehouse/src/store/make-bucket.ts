import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { s3Caller } from './s3-caller.ts';
import type { S3Options } from './store-options.ts';

const THERE = ['BucketAlreadyExists', 'BucketAlreadyOwnedByYou'];

/** Makes a bucket unless it is there; answers whether it has. Rejects with the store's last error. */
export async function makeBucket(options: S3Options, bucket: string): Promise<boolean> {
  const caller = s3Caller(options);
  try {
    await caller.call((client, signal) => client.send(new CreateBucketCommand({ Bucket: bucket }), signal));
    return true;
  } catch (error) {
    if (THERE.includes((error as Error).name)) return false;
    throw error;
  } finally {
    caller.close();
  }
}
