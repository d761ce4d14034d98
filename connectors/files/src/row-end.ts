import type { FileHandle } from 'node:fs/promises';
import { headerIn, MAX_HEADER_BYTES } from './csv-header.ts';
import { blocks } from './look-through.ts';

const NEWLINE = 0x0a;

/** The beginning of a file, as much as a header line may have. */
export async function headOf(handle: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_HEADER_BYTES), 0, MAX_HEADER_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

/** The header line of a CSV file, as bytes in Latin-1, and how many bytes it takes with its line break. */
export async function headerOf(handle: FileHandle): Promise<ReturnType<typeof headerIn>> {
  return headerIn((await headOf(handle)).toString('latin1'));
}

/**
 * Where the last whole row before `to` ends; a quoted line break ends none. `signs`: the quote, and what stands before one
 * that is text.
 */
export async function lastRowEnd(handle: FileHandle, to: number, signs?: readonly [number, number]): Promise<number> {
  const [quote, marker] = signs ?? [];
  let end = 0;
  let inside = false;
  let escaped = false;
  for await (const [block, at] of blocks(handle, 0, to)) {
    for (let index = 0; index < block.length; index += 1) {
      const byte = block[index];
      if (escaped) escaped = false;
      else if (inside && byte === marker && marker !== quote) escaped = true;
      else if (byte === quote) inside = !inside;
      else if (byte === NEWLINE && !inside) end = at + index + 1;
    }
  }
  return end;
}

/** Whether a row ends at a position: the byte before it is a line break. */
export async function endsRow(handle: FileHandle, position: number): Promise<boolean> {
  if (position === 0) return true;
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, position - 1);
  return bytesRead === 1 && buffer[0] === NEWLINE;
}

/**
 * Where the row behind a position begins, if a row ends there: its line break, or half of it, may come after it. Undefined
 * when none ends.
 */
export async function nextRow(handle: FileHandle, position: number): Promise<number | undefined> {
  if (position === 0) return 0;
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(3), 0, 3, position - 1);
  const around = buffer.toString('latin1', 0, bytesRead);
  const behind = /^(?:\r\n?|\n)/.exec(around.slice(1))?.[0];
  if (around.startsWith('\n')) return position;
  if (around.startsWith('\r')) return behind === '\n' ? position + 1 : position;
  return behind === undefined ? undefined : position + behind.length;
}
