const HALF_BITS = 32n;
const LSN = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/;

/** A place in the log of the server as a number; undefined for a text that is none. */
export function parseLsn(text: string): bigint | undefined {
  const [, high, low] = LSN.exec(text) ?? [];
  if (high === undefined || low === undefined) return undefined;
  return (BigInt(`0x${high}`) << HALF_BITS) | BigInt(`0x${low}`);
}

/** A place in the log as Postgres writes it. */
export function formatLsn(lsn: bigint): string {
  const hex = (part: bigint) => part.toString(16).toUpperCase();
  return `${hex(lsn >> HALF_BITS)}/${hex(lsn & 0xffffffffn)}`;
}

/** The least of some places; undefined when there is none. */
export function leastLsn(places: readonly bigint[]): bigint | undefined {
  return places.reduce<bigint | undefined>(
    (least, one) => (least === undefined || one < least ? one : least),
    undefined,
  );
}
