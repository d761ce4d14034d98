import { randomUUID } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { LakehouseError } from '../error/error.ts';
import { isMissing, isTaken, isTransient, type S3Caller, type S3Request, s3Error } from './s3-caller.ts';

/** Files above this size go up in parts of it; each part is in memory while it is sent. */
export const PART_BYTES = 8 * 1024 ** 2;
const PARTS_AT_ONCE = 3;
/** By the protocol. */
const MAX_PARTS = 10_000;
/** Object metadata that tells which write made an object. */
const WRITE_ID = 'weir-write';

type ObjectPlace = { readonly bucket: string; readonly key: string };
type Target = { readonly Bucket: string; readonly Key: string };
type Draft = { readonly target: Target; readonly writeId: string };

const taken = (cause?: unknown): LakehouseError =>
  new LakehouseError('file_exists', 'A table file exists already', { cause });

/** The id of the write that made an object; '' when it was not made here, undefined when there is no object. */
async function writerOf({ call }: S3Caller, target: Target): Promise<string | undefined> {
  try {
    const head = await call((client, options) => client.send(new HeadObjectCommand(target), options));
    return head.Metadata?.[WRITE_ID] ?? '';
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * Makes a request that creates an object only where none is. When an answer was lost, "taken" may mean by this very
 * write, and silence may hide a success: then the object itself is asked who made it. If it is not there either, the
 * outcome stays open, as the request may still be on its way: `store_unavailable`.
 */
async function createOnce(caller: S3Caller, { target, writeId }: Draft, request: S3Request<unknown>): Promise<void> {
  let unsure = false;
  const watched: S3Request<unknown> = (client, options) =>
    request(client, options).catch((error: unknown) => {
      unsure ||= isTransient(error);
      throw error;
    });
  try {
    await caller.call(watched, 'transfer');
  } catch (error) {
    if (!unsure) throw isTaken(error) ? taken(error) : error;
    const writer = await writerOf(caller, target);
    if (writer === writeId) return;
    if (writer !== undefined) throw taken(error);
    throw new LakehouseError('store_unavailable', 'The object store does not answer', { cause: error });
  }
}

/** Creates an object of bytes; `file_exists` when there is one. */
export async function createObject(caller: S3Caller, place: ObjectPlace, bytes: Uint8Array): Promise<void> {
  const draft = { target: { Bucket: place.bucket, Key: place.key }, writeId: randomUUID() };
  const Metadata = { [WRITE_ID]: draft.writeId };
  const put = { ...draft.target, Metadata, Body: bytes, ContentLength: bytes.length, IfNoneMatch: '*' };
  await createOnce(caller, draft, (client, options) => client.send(new PutObjectCommand(put), options)).catch(
    (error) => {
      throw s3Error(error);
    },
  );
}

async function readPart(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const part = Buffer.allocUnsafe(length);
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await file.read(part, filled, length - filled, offset + filled);
    if (bytesRead === 0) throw new LakehouseError('file_missing', 'A local file became shorter while it was sent');
    filled += bytesRead;
  }
  return part;
}

type Upload = Target & { readonly UploadId: string };
type Part = { PartNumber: number; ETag: string | undefined };

/** Sends all parts, a few at once. The first failure ends the others' turns and is thrown. */
async function sendParts({ call }: S3Caller, upload: Upload, { file, size }: { file: FileHandle; size: number }) {
  const partBytes = Math.max(PART_BYTES, Math.ceil(size / MAX_PARTS));
  const parts: Part[] = [];
  let next = 0;
  let failed = false;
  const sender = async (): Promise<void> => {
    while (next * partBytes < size && !failed) {
      const [at, offset] = [next, next * partBytes];
      next += 1;
      const Body = await readPart(file, offset, Math.min(partBytes, size - offset));
      const part = { ...upload, PartNumber: at + 1, Body, ContentLength: Body.length };
      const { ETag } = await call((client, options) => client.send(new UploadPartCommand(part), options), 'transfer');
      parts[at] = { PartNumber: at + 1, ETag };
    }
  };
  const guarded = (): Promise<void> =>
    sender().catch((error) => {
      failed = true;
      throw error;
    });
  const outcomes = await Promise.allSettled(Array.from({ length: PARTS_AT_ONCE }, guarded));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return parts;
}

async function createInParts(caller: S3Caller, draft: Draft, content: { file: FileHandle; size: number }) {
  const { target, writeId } = draft;
  const begin = new CreateMultipartUploadCommand({ ...target, Metadata: { [WRITE_ID]: writeId } });
  const { UploadId = '' } = await caller.call((client, options) => client.send(begin, options));
  const upload = { ...target, UploadId };
  try {
    const Parts = await sendParts(caller, upload, content);
    // Not every store heeds the condition of a completion, so the place is looked at first too.
    if ((await writerOf(caller, target)) !== undefined) throw taken();
    const done = { ...upload, MultipartUpload: { Parts }, IfNoneMatch: '*' };
    await createOnce(caller, draft, (client, options) =>
      client.send(new CompleteMultipartUploadCommand(done), options),
    );
  } catch (error) {
    // What may yet be completed is not taken apart; a store forgets unfinished uploads by its own rule.
    if (s3Error(error).code !== 'store_unavailable') {
      const abort = new AbortMultipartUploadCommand(upload);
      await caller.call((client, options) => client.send(abort, options)).catch(() => undefined);
    }
    throw error;
  }
}

/** Creates an object of a local file's bytes, in bounded memory; `file_exists` when there is one. */
export async function createObjectFrom(caller: S3Caller, place: ObjectPlace, path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size <= PART_BYTES) return await createObject(caller, place, await readPart(file, 0, size));
    const target = { Bucket: place.bucket, Key: place.key };
    await createInParts(caller, { target, writeId: randomUUID() }, { file, size });
  } catch (error) {
    throw s3Error(error);
  } finally {
    await file.close();
  }
}
