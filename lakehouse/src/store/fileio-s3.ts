import { rm } from 'node:fs/promises';
import { DeleteObjectCommand, HeadObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { createFileCache } from './file-cache.ts';
import { type ListedFile, toLocation } from './fileio.ts';
import { isMissing, type S3Caller, s3Caller, s3Error } from './s3-caller.ts';
import { createObject, createObjectFrom } from './s3-create.ts';
import { placesBelow, type S3Place } from './s3-place.ts';
import { downloadObject, readObject } from './s3-read.ts';
import type { S3Options, Store } from './store-options.ts';

/** Copies on this machine take no more than this, unless told. */
const DEFAULT_CACHE_BYTES = 4 * 1024 ** 3;

async function* listObjects({ call }: S3Caller, { bucket, key }: S3Place): AsyncIterable<ListedFile> {
  let token: string | undefined;
  do {
    const page = new ListObjectsV2Command({
      Bucket: bucket,
      Prefix: `${key}/`,
      ...(token !== undefined && { ContinuationToken: token }),
    });
    const answer = await call((client, options) => client.send(page, options)).catch((error) => {
      throw s3Error(error);
    });
    for (const object of answer.Contents ?? []) {
      // Some programs mark a folder by an empty object whose name ends in a slash.
      if (object.Key === undefined || object.Key.endsWith('/')) continue;
      const modifiedAt = object.LastModified ?? new Date();
      yield { location: `s3://${bucket}/${object.Key}`, sizeBytes: Number(object.Size ?? 0), modifiedAt };
    }
    token = answer.IsTruncated ? answer.NextContinuationToken : undefined;
  } while (token !== undefined);
}

async function objectExists({ call }: S3Caller, target: { Bucket: string; Key: string }): Promise<boolean> {
  try {
    await call((client, options) => client.send(new HeadObjectCommand(target), options));
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw s3Error(error);
  }
}

/** Files below a prefix of a bucket of an S3 store; `scratch` takes the local copies. */
export function s3FileIO(options: { root: S3Place; scratch: string; s3: S3Options; cacheBytes?: number }): Store {
  const caller = s3Caller(options.s3);
  const inside = placesBelow(options.root);
  const target = (location: string) => {
    const { bucket, key } = inside(location);
    return { Bucket: bucket, Key: key };
  };
  const cache = createFileCache({
    scratch: options.scratch,
    maxBytes: options.cacheBytes ?? DEFAULT_CACHE_BYTES,
    download: (location, path) => downloadObject(caller, target(location), path),
  });
  const canonical = (location: string): string => {
    inside(location);
    return toLocation(location);
  };
  return {
    read: async (location, range) => readObject(caller, target(location), range),
    write: async (location, bytes) => createObject(caller, inside(location), bytes),
    exists: async (location) => objectExists(caller, target(location)),
    async remove(location) {
      const command = new DeleteObjectCommand(target(location));
      cache.forget(toLocation(location));
      await caller
        .call((client, sent) => client.send(command, sent))
        .catch((error) => {
          if (!isMissing(error)) throw s3Error(error);
        });
    },
    async *list(folder) {
      yield* listObjects(caller, inside(folder));
    },
    draftPath(location) {
      inside(location);
      return undefined;
    },
    async upload(path, location) {
      await createObjectFrom(caller, inside(location), path);
      await rm(path, { force: true });
    },
    materialize: async (location) => cache.open(canonical(location)),
    async close() {
      caller.close();
      await cache.close();
    },
  };
}
