import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_SEGMENT_BYTES, MAX_UNACKNOWLEDGED_SEGMENTS } from '@weir/connector-sdk';

const LOOK_EVERY_MS = 1_000;
/** Beside those that wait to be taken there may be the one that is being written. */
const MAX_FILES = MAX_UNACKNOWLEDGED_SEGMENTS + 1;
const MAX_BYTES = MAX_FILES * MAX_SEGMENT_BYTES;

/**
 * Watches a folder that a connector writes to, and tells once when it holds more than a connector that keeps to the offer
 * ever does: what it never announces would fill the disk unseen. Gives what ends the watch.
 */
export function watchSegments(path: string, onExceeded: () => void): () => void {
  let busy = false;
  const timer = setInterval(async () => {
    if (busy) return;
    busy = true;
    if (await isExceeded(path)) {
      clearInterval(timer);
      onExceeded();
    }
    busy = false;
  }, LOOK_EVERY_MS);
  return () => clearInterval(timer);
}

async function isExceeded(path: string): Promise<boolean> {
  const names = await readdir(path).catch(() => []);
  if (names.length > MAX_FILES) return true;
  const facts = await Promise.all(names.map((name) => lstat(join(path, name)).catch(() => undefined)));
  // A folder within would hide what lies in it.
  if (facts.some((fact) => fact?.isDirectory())) return true;
  return facts.reduce((sum, fact) => sum + (fact?.size ?? 0), 0) > MAX_BYTES;
}
