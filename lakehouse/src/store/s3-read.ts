import { type FileHandle, open } from 'node:fs/promises';
import { GetObjectCommand, type GetObjectCommandOutput } from '@aws-sdk/client-s3';
import { LakehouseError } from '../error/error.ts';
import type { ByteRange } from './fileio.ts';
import { isPastEnd, isTaken, type S3Caller, s3Error } from './s3-caller.ts';

/** A download is made of ranges of this size, a few at once: memory and the time of a request stay bounded. */
const RANGE_BYTES = 8 * 1024 ** 2;
const RANGES_AT_ONCE = 3;

type Target = { readonly Bucket: string; readonly Key: string; readonly IfMatch?: string };
type Answer = { readonly bytes: Buffer; readonly etag: string | undefined; readonly size: number };

async function answerOf(output: GetObjectCommandOutput): Promise<Answer> {
  const bytes = Buffer.from((await output.Body?.transformToByteArray()) ?? []);
  // An answer that broke off is made again; the error has no status, so it counts as transient.
  if (bytes.length !== output.ContentLength) throw new Error('the answer is shorter than it says');
  const size = Number(/\/(\d+)$/.exec(output.ContentRange ?? '')?.[1] ?? bytes.length);
  return { bytes, etag: output.ETag, size };
}

/** An object's bytes, or those of a range; past the end there are none. Rejects with the store's error. */
async function get({ call }: S3Caller, target: Target, range?: ByteRange): Promise<Answer> {
  const Range = range && `bytes=${range.offset}-${range.offset + range.length - 1}`;
  const command = (): GetObjectCommand => new GetObjectCommand({ ...target, ...(Range && { Range }) });
  try {
    return await call(async (client, options) => answerOf(await client.send(command(), options)), 'transfer');
  } catch (error) {
    if (range && isPastEnd(error)) return { bytes: Buffer.alloc(0), etag: undefined, size: 0 };
    throw error;
  }
}

/** Reads an object or a range of it; `file_missing` when there is none. */
export async function readObject(caller: S3Caller, target: Target, range?: ByteRange): Promise<Buffer> {
  try {
    // A range of nothing cannot be asked for, but whether the object is there can.
    if (range?.length === 0) return (await get(caller, target, { ...range, length: 1 })).bytes.subarray(0, 0);
    return (await get(caller, target, range)).bytes;
  } catch (error) {
    throw s3Error(error);
  }
}

async function fillRanges(caller: S3Caller, target: Target, { file, size }: { file: FileHandle; size: number }) {
  let next = RANGE_BYTES;
  const fetcher = async (): Promise<void> => {
    while (next < size) {
      const range = { offset: next, length: Math.min(RANGE_BYTES, size - next) };
      next += RANGE_BYTES;
      const { bytes } = await get(caller, target, range);
      if (bytes.length !== range.length) throw new LakehouseError('store_unavailable', 'A table file came in short');
      await file.write(bytes, 0, bytes.length, range.offset);
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: RANGES_AT_ONCE }, fetcher));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

/** Writes an object's bytes to a new local file, all of one version of it; resolves with their number. */
export async function downloadObject(caller: S3Caller, target: Target, path: string): Promise<number> {
  try {
    const first = await get(caller, target, { offset: 0, length: RANGE_BYTES });
    const file = await open(path, 'wx');
    try {
      await file.write(first.bytes);
      const same = first.etag === undefined ? target : { ...target, IfMatch: first.etag };
      await fillRanges(caller, same, { file, size: first.size });
      return first.size;
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') {
      throw new LakehouseError('disk_full', 'The folder of local copies has no space left', { cause: error });
    }
    // Files never change; one that did while it was read is of no use, whoever did it.
    if (isTaken(error)) throw new LakehouseError('store_unavailable', 'A table file was replaced', { cause: error });
    throw s3Error(error);
  }
}
