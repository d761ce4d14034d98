import { SOURCE_REASONS, type SourceReason } from '../stage/stage-types.ts';
import type { ScannedValue } from './scan-json.ts';

/** Where in a file of the source a rejected line is. */
export type SourcePlace = {
  readonly file: string;
  /** The number of the line, from 1. */
  readonly line: number;
  /** Where it begins in the file's content, where that is known, and how many bytes it has. */
  readonly byte?: number;
  readonly bytes?: number;
};

/** A line of a file that the source itself says is no row. */
export type SourceReject = { readonly reason: SourceReason; readonly raw: Buffer; readonly place: SourcePlace };

const MAX_FILE_CHARS = 4096;
const QUOTE = 0x22;
const REASONS: ReadonlySet<string> = new Set(SOURCE_REASONS);

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/**
 * What a record says that is none: its data is a text with a character for each byte of the line, and beside it stands why
 * it is no row and where it is. Undefined for every other record.
 */
export function sourceReject(
  bytes: Buffer,
  data: ScannedValue,
  said: ScannedValue | undefined,
): SourceReject | undefined {
  if (said === undefined || bytes[data.start] !== QUOTE) return undefined;
  const found = JSON.parse(bytes.toString('utf8', said.start, said.end)) as Record<string, unknown> | null;
  const { reason, file, line, byte, bytes: length } = found ?? {};
  if (typeof reason !== 'string' || !REASONS.has(reason) || typeof file !== 'string' || !isCount(line))
    return undefined;
  const place = { ...(isCount(byte) ? { byte } : {}), ...(isCount(length) ? { bytes: length } : {}) };
  const text = JSON.parse(bytes.toString('utf8', data.start, data.end)) as string;
  return {
    reason: reason as SourceReason,
    raw: Buffer.from(text, 'latin1'),
    place: { file: file.slice(0, MAX_FILE_CHARS), line, ...place },
  };
}
