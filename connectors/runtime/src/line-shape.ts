import type { StreamKey } from './stream-key.ts';

/**
 * What all RECORD lines of one stream and one serialiser have in common: the bytes up to the opening brace of
 * `data`, and the bytes around the digits of `emitted_at` at the end. Only lines that have both take the fast way.
 */
export type LineShape = {
  readonly key: StreamKey;
  readonly prefix: Buffer;
  readonly beforeDigits: Buffer;
  readonly tail: Buffer;
};

/** How far into a line, from either side, a shape is looked for. */
const SHAPE_REACH_BYTES = 4096;
const HEAD =
  /^\s*\{\s*"type"\s*:\s*"RECORD"\s*,\s*"record"\s*:\s*\{\s*(?:"namespace"\s*:\s*(?<before>null|"[^"\\]*")\s*,\s*)?"stream"\s*:\s*"[^"\\]*"\s*,\s*(?:"namespace"\s*:\s*(?<after>null|"[^"\\]*")\s*,\s*)?"data"\s*:\s*\{/;
const TAIL =
  /(?<lead>\}\s*,\s*"emitted_at"\s*:\s*)\d+(?<rest>(?:\s*,\s*"namespace"\s*:\s*(?<namespace>null|"[^"\\]*"))?(?:\s*,\s*"meta"\s*:\s*\{\s*"file"\s*:\s*"[^"\\]*"\s*\})?\s*\}\s*\})$/;

/**
 * Learns the shape of a RECORD line that was read the slow way, or gives undefined when its serialisation is not
 * one of the usual ones. A shape that names no namespace is trusted only if no other configured stream has the
 * same name (`unambiguous`): another key order could hide a namespace between the two ends.
 */
export function learnShape(
  line: { bytes: Buffer; start: number; end: number },
  key: StreamKey,
  unambiguous: boolean,
): LineShape | undefined {
  const { bytes, start, end } = line;
  // latin1 keeps one character a byte, so the matched text is exactly the matched bytes.
  const head = HEAD.exec(bytes.toString('latin1', start, Math.min(end, start + SHAPE_REACH_BYTES)));
  const tail = TAIL.exec(bytes.toString('latin1', Math.max(start, end - SHAPE_REACH_BYTES), end));
  if (head === null || tail === null) return undefined;
  const named = head.groups?.before ?? head.groups?.after ?? tail.groups?.namespace;
  if (named === undefined && !unambiguous) return undefined;
  return {
    key,
    prefix: Buffer.from(head[0], 'latin1'),
    beforeDigits: Buffer.from(tail.groups?.lead ?? '', 'latin1'),
    tail: Buffer.from(tail.groups?.rest ?? '', 'latin1'),
  };
}

/** Whether the line has the shape. Compares both ends from the back: the names that differ stand there. */
export function hasShape(shape: LineShape, bytes: Buffer, start: number, end: number): boolean {
  const { prefix, tail, beforeDigits } = shape;
  if (end - start < prefix.length + tail.length + beforeDigits.length) return false;
  for (let i = prefix.length - 1; i >= 0; i -= 1) if (bytes[start + i] !== prefix[i]) return false;
  let at = end - tail.length;
  for (let i = tail.length - 1; i >= 0; i -= 1) if (bytes[at + i] !== tail[i]) return false;
  const digitsEnd = at;
  while (at > start && isDigit(bytes[at - 1])) at -= 1;
  if (at === digitsEnd) return false;
  // The closing brace before the comma is the data's own, so it may not lie inside the prefix.
  at -= beforeDigits.length;
  if (at < start + prefix.length) return false;
  for (let i = beforeDigits.length - 1; i >= 0; i -= 1) if (bytes[at + i] !== beforeDigits[i]) return false;
  return true;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}
