import {
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBValue,
} from '@duckdb/node-api';

const MICROS_PER_MS = 1000n;
/** The milliseconds since 1970 that a JavaScript date can hold, either way. */
const MAX_DATE_MS = 8_640_000_000_000_000n;

/** A time in microseconds since 1970 as `YYYY-MM-DDTHH:MM:SS[.ffffff]`; undefined outside of a date's range. */
export function isoTime(micros: bigint): string | undefined {
  const rest = ((micros % MICROS_PER_MS) + MICROS_PER_MS) % MICROS_PER_MS;
  const ms = (micros - rest) / MICROS_PER_MS;
  if (ms > MAX_DATE_MS || ms < -MAX_DATE_MS) return undefined;
  const text = new Date(Number(ms)).toISOString().slice(0, -1);
  if (rest !== 0n) return text + String(rest).padStart(3, '0');
  return text.replace(/\.000$/, '');
}

/**
 * A value as JSON can carry it without loss: 64-bit integers and decimals as decimal strings, times as ISO 8601 (`Z`
 * for those with a zone), blobs as base64, NaN and infinities as strings, nested values as arrays and objects, a
 * map as the list of its entries.
 */
export function wireValue(value: DuckDBValue): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (value instanceof DuckDBTimestampValue) return isoTime(value.micros) ?? value.toString();
  if (value instanceof DuckDBTimestampTZValue) {
    const text = isoTime(value.micros);
    return text === undefined ? value.toString() : `${text}Z`;
  }
  if (value instanceof DuckDBDateValue && !value.isFinite) return value.days > 0 ? 'infinity' : '-infinity';
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes).toString('base64');
  if (value instanceof DuckDBListValue) return value.items.map(wireValue);
  if (value instanceof DuckDBMapValue) {
    return value.entries.map(({ key, value: member }) => ({ key: wireValue(key), value: wireValue(member) }));
  }
  if (value instanceof DuckDBStructValue) {
    return Object.fromEntries(Object.entries(value.entries).map(([name, member]) => [name, wireValue(member)]));
  }
  return value.toString();
}
