import { open } from 'node:fs/promises';
import { losesDigits } from './scan-json.ts';

const BLOCK_BYTES = 1024 * 1024;
/** So many digits and points in a row are needed for a number to lose digits in a double. */
const RUN = 16;
/** The most bytes on either side of a run that are looked at to see the number it is in. */
const AROUND = 400;

const IN_RUN = Uint8Array.from({ length: 256 }, (_, byte) => (byte === 0x2e || (byte >= 0x30 && byte <= 0x39) ? 1 : 0));

// The start of the next run at or behind a place, or -1. Only every sixteenth byte is looked at where there is no run.
function nextRun(bytes: Buffer, from: number, to: number): number {
  for (let at = from + RUN - 1; at < to; ) {
    if (IN_RUN[bytes[at]!] === 0) {
      at += RUN;
      continue;
    }
    let [start, end] = [at, at + 1];
    while (start > from && IN_RUN[bytes[start - 1]!] === 1) start--;
    while (end < to && IN_RUN[bytes[end]!] === 1) end++;
    if (end - start >= RUN) return start;
    at = end + RUN;
  }
  return -1;
}

// Inside of a text it may look like a number too; that costs time and changes nothing.
function isLossyNumber(bytes: Buffer, run: number): boolean {
  const before = bytes.toString('latin1', Math.max(0, run - 2), run);
  if (!/[:,[\s]-?$/.test(before)) return false;
  const [token = ''] = /^[0-9.]+(?:[eE][+-]?\d+)?/.exec(bytes.toString('latin1', run, run + AROUND)) ?? [];
  return /[.eE]/.test(token) && (token.length >= AROUND || losesDigits(token));
}

// Whether a run that starts before `to` is in such a number.
function hasLossyNumber(bytes: Buffer, filled: number, to: number): boolean {
  for (let at = nextRun(bytes, 0, filled); at >= 0 && at < to; at = nextRun(bytes, at, filled)) {
    if (isLossyNumber(bytes, at)) return true;
    while (at < filled && IN_RUN[bytes[at]!] === 1) at++;
  }
  return false;
}

/**
 * Whether whole lines of JSON may have a number with a fraction or an exponent and more digits than a double holds. DuckDB
 * reads such numbers as doubles and does not tell; integers of any size it reads as they are spelt. A number that is
 * too close to zero for a double and short is not found.
 */
export function hasLongNumber(lines: Uint8Array): boolean {
  const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength);
  return hasLossyNumber(bytes, bytes.length, bytes.length);
}

/** The same for the lines of a file. */
export async function hasLongNumbers(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  const buffer = Buffer.allocUnsafe(BLOCK_BYTES + 2 * AROUND);
  try {
    for (let kept = 0; ; ) {
      const { bytesRead } = await file.read(buffer, kept, BLOCK_BYTES);
      const filled = kept + bytesRead;
      // A run at the end of a block is looked at again with what follows it.
      if (hasLossyNumber(buffer, filled, bytesRead === 0 ? filled : Math.max(0, filled - AROUND))) return true;
      if (bytesRead === 0) return false;
      kept = Math.min(filled, 2 * AROUND);
      buffer.copy(buffer, 0, filled - kept, filled);
    }
  } finally {
    await file.close();
  }
}
