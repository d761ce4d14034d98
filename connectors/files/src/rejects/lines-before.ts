import { bytesOf } from '../look-through.ts';
import type { ReadyFile } from '../ready-file.ts';
import { withHandle } from '../with-handle.ts';

const LF = 0x0a;
const CR = 0x0d;

/** How many lines of a file begin before a byte at which one begins: LF, CRLF and, in a CSV file, CR end a line. */
export async function linesBefore({ text, format, where }: ReadyFile, byte: number): Promise<number> {
  return withHandle(text.path, where(), async (handle) => {
    let lines = text.linesAbove ?? 0;
    let afterReturn = false;
    for await (const block of bytesOf(handle, 0, byte)) {
      for (const at of block) {
        if (at === LF && !afterReturn) lines += 1;
        afterReturn = at === CR && format === 'csv';
        if (afterReturn) lines += 1;
      }
    }
    return lines;
  });
}
