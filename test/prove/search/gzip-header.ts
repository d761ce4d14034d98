const FIXED_BYTES = 10;
const EXTRA = 0x04;
const NAME = 0x08;
const COMMENT = 0x10;
const HEADER_CRC = 0x02;
const FLAGS_AT = 3;

/** A header that is longer is taken for none. */
export const MAX_HEADER_BYTES = 70_000;

/** How long the header of a gzip member is (RFC 1952, 2.3); undefined when bytes of it are still to come. */
export function gzipHeaderLength(bytes: Buffer): number | undefined {
  if (bytes.length < FIXED_BYTES) return undefined;
  const flags = bytes[FLAGS_AT] ?? 0;
  let at = FIXED_BYTES;
  if (flags & EXTRA) {
    if (bytes.length < at + 2) return undefined;
    at += 2 + bytes.readUInt16LE(at);
  }
  for (const text of [NAME, COMMENT]) {
    if (!(flags & text)) continue;
    const end = bytes.indexOf(0, at);
    if (end === -1) return undefined;
    at = end + 1;
  }
  if (flags & HEADER_CRC) at += 2;
  return bytes.length < at ? undefined : at;
}
