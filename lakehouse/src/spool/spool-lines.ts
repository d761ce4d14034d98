import { open } from 'node:fs/promises';

/** Bytes read at a time. */
const BLOCK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * The lines of a file, block by block, without their line breaks; each batch is only valid until the next one is asked
 * for. Lines of nothing but white space are left out, as DuckDB leaves them out. A line longer than `maxBytes` comes as
 * its first `maxBytes` bytes and one more.
 */
export async function* spoolLines(path: string, maxBytes: number): AsyncGenerator<Buffer[]> {
  const file = await open(path, 'r');
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  let rest: Buffer[] = [];
  let held = 0;
  const hold = (piece: Buffer): void => {
    const room = maxBytes + 1 - held;
    if (room <= 0 || piece.length === 0) return;
    rest.push(Buffer.from(piece.subarray(0, room)));
    held += Math.min(piece.length, room);
  };
  const whole = (piece: Buffer): Buffer => {
    if (held === 0) return piece.subarray(0, maxBytes + 1);
    hold(piece);
    const line = Buffer.concat(rest);
    rest = [];
    held = 0;
    return line;
  };
  try {
    for (;;) {
      const { bytesRead } = await file.read(block, 0, BLOCK_BYTES);
      if (bytesRead === 0) break;
      const bytes = block.subarray(0, bytesRead);
      const lines: Buffer[] = [];
      let at = 0;
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, at)) {
        lines.push(whole(bytes.subarray(at, end)));
        at = end + 1;
      }
      hold(bytes.subarray(at));
      yield lines.filter(hasText);
    }
    const last = whole(Buffer.alloc(0));
    if (hasText(last)) yield [last];
  } finally {
    await file.close();
  }
}

function hasText(line: Buffer): boolean {
  return line.some((byte) => byte !== 0x20 && (byte < 0x09 || byte > 0x0d));
}

/** The first line of a file that is more than white space, or as much of it as a block holds. */
export async function firstLine(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const block = Buffer.alloc(BLOCK_BYTES);
    const { bytesRead } = await file.read(block, 0, BLOCK_BYTES, 0);
    for (let start = 0; ; ) {
      const end = block.subarray(0, bytesRead).indexOf(NEWLINE, start);
      const line = block.subarray(start, end < 0 ? bytesRead : end);
      if (end < 0 || hasText(line)) return line;
      start = end + 1;
    }
  } finally {
    await file.close();
  }
}

/** Bytes of the longest line of a file, as far as `maxBytes`. */
export async function longestLine(path: string, maxBytes: number): Promise<number> {
  let longest = 0;
  for await (const lines of spoolLines(path, maxBytes)) {
    for (const line of lines) longest = Math.max(longest, line.length);
  }
  return longest;
}
