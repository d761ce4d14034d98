import { constants, type FileHandle, mkdir, open, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { LoggedRun } from '../log-line.ts';
import type { Segment } from './segment.ts';

const compress = promisify(gzip);
const uncompress = promisify(gunzip);

/** Smaller ones gain nothing. */
const LEAST_COMPRESSED_BYTES = 4 * 1024;
/** A damaged file unpacks to no more than this. */
const MAX_PLAIN_BYTES = 64 * 1024 * 1024;
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const OWNER_ONLY = 0o700;
const OWNER_FILE = 0o600;

/** The folder of a run below the root: named by ids alone, and nothing else is let into a path. */
export function runFolder(root: string, { tenantId, runId }: LoggedRun): string {
  if (!ID.test(tenantId) || !ID.test(runId)) throw new Error('a run is named by two UUIDs');
  return join(root, tenantId, runId);
}

const plainFile = (folder: string, firstSeq: number) => join(folder, `${firstSeq}.jsonl`);
const packedFile = (folder: string, firstSeq: number) => `${plainFile(folder, firstSeq)}.gz`;

/** Opens the file of a segment for writing; a link in its place is not followed. */
export async function openSegment(folder: string, firstSeq: number): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: OWNER_ONLY });
  const { O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  return open(plainFile(folder, firstSeq), O_CREAT | O_WRONLY | O_NOFOLLOW, OWNER_FILE);
}

/** Replaces a file that will not grow any more by its compressed form; a reader finds one of the two at any time. */
export async function packSegment(folder: string, { firstSeq, bytes }: Segment): Promise<void> {
  if (bytes < LEAST_COMPRESSED_BYTES) return;
  const plain = plainFile(folder, firstSeq);
  const packed = packedFile(folder, firstSeq);
  const draft = `${packed}.part`;
  const whole = await readFile(plain);
  await writeFile(draft, await compress(whole.subarray(0, bytes)), { mode: OWNER_FILE });
  await rename(draft, packed);
  await unlink(plain);
}

/** The lines of a segment as text, as far as its index tells of them; undefined when the file is gone or damaged. */
export async function readSegment(folder: string, { firstSeq, bytes }: Segment): Promise<string | undefined> {
  const read = async (path: string): Promise<Buffer | undefined> => {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined);
    try {
      return await file?.readFile();
    } finally {
      await file?.close();
    }
  };
  const plain = await read(plainFile(folder, firstSeq));
  const whole = plain ?? (await unpacked(await read(packedFile(folder, firstSeq))));
  return whole === undefined || whole.length < bytes ? undefined : whole.toString('utf8', 0, bytes);
}

function unpacked(packed: Buffer | undefined): Promise<Buffer | undefined> {
  if (packed === undefined) return Promise.resolve(undefined);
  return uncompress(packed, { maxOutputLength: MAX_PLAIN_BYTES }).catch(() => undefined);
}

export async function removeRun(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}
