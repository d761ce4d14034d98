import { varintBytes } from './write-thrift.ts';

/** One level for so many values, of at most eight bits: a run (https://parquet.apache.org/docs/file-format/data-pages/encodings/#RLE). */
export function runOf(count: number, level: number): Buffer {
  return Buffer.concat([varintBytes(count << 1), Buffer.from([level])]);
}

/** What stands before the bits of a bit-packed run of so many eights of values. */
export const packedRunHead = (eights: number): Buffer => varintBytes((eights << 1) | 1);

/** A level of one bit for each value, the least first: the bits of `present`, as many bytes as they need. */
export function bitLevels(present: Buffer): Buffer {
  return Buffer.concat([packedRunHead(present.length), present]);
}

/** How many of so many values are NULL by their levels of one bit; undefined when these are in no form that we write. */
export function nullsOf(levels: Buffer, count: number): number | undefined {
  for (const [level, nulls] of [
    [1, 0],
    [0, count],
  ] as const) {
    if (levels.equals(runOf(count, level))) return nulls;
  }
  const bytes = Math.ceil(count / 8);
  const head = packedRunHead(bytes);
  if (levels.length !== head.length + bytes || !levels.subarray(0, head.length).equals(head)) return undefined;
  return count - ones(levels.subarray(head.length), count);
}

/** How many of the first `count` bits are set. */
function ones(bits: Buffer, count: number): number {
  let sum = 0;
  const whole = count >> 3;
  for (let at = 0; at < whole; at += 1) sum += ONES[bits[at] ?? 0] ?? 0;
  const rest = count & 7;
  return rest === 0 ? sum : sum + (ONES[(bits[whole] ?? 0) & ((1 << rest) - 1)] ?? 0);
}

const ONES = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);
