import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import {
  CreateBucketCommand,
  GetObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import type { S3Options } from '../store/store-options.ts';

/** A bucket of an object store as its operator's tools treat it: made, copied to a folder, and filled from one. */
export interface BucketCopies {
  /** How many objects lie in the folder afterwards. */
  copyTo(folder: string): Promise<number>;
  fillFrom(folder: string): Promise<void>;
  close(): void;
}

/** Makes a bucket that is not there yet. */
export async function newBucket({ endpoint = '', ...credentials }: S3Options, Bucket: string): Promise<BucketCopies> {
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
  await client.send(new CreateBucketCommand({ Bucket }));
  return {
    async copyTo(folder) {
      let count = 0;
      for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket })) {
        for (const { Key = '' } of Contents) {
          const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
          await mkdir(dirname(join(folder, Key)), { recursive: true });
          await writeFile(join(folder, Key), (await Body?.transformToByteArray()) ?? '');
          count += 1;
        }
      }
      return count;
    },
    async fillFrom(folder) {
      for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const file = join(entry.parentPath, entry.name);
        await client.send(new PutObjectCommand({ Bucket, Key: relative(folder, file), Body: await readFile(file) }));
      }
    },
    close: () => client.destroy(),
  };
}
