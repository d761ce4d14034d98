import type { RejectReason } from './reject-reason.ts';

/** One record of a CSV text: a row, or what cannot be one. */
export type CsvRecord = {
  /** Where it begins in the text, and the number of its first line, from 1. */
  readonly byte: number;
  readonly line: number;
  /** Its bytes without the line break; of one longer than `MAX_HELD_BYTES` the first ones. */
  readonly bytes: Buffer;
  readonly length: number;
  /** How many fields it has; empty ones behind the last column do not count. */
  readonly fields: number;
  /** Why it is no row, whatever its width. */
  readonly reason: RejectReason | undefined;
  /** Whether the text ends before its line break. */
  readonly isOpen: boolean;
};

export type CsvScanner = {
  /** The records that end in a block; blocks follow each other. */
  readonly push: (block: Buffer) => CsvRecord[];
  /** The record behind the last line break, if there is one. */
  readonly end: () => CsvRecord | undefined;
};

/** The longest row that DuckDB reads. */
const MAX_ROW_BYTES = 2_000_000;
/** What is held of a record: as much as the longest line of the protocol. */
export const MAX_HELD_BYTES: number = 64 * 1024 * 1024;

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;

/** Where in a field the scanner is. One space may stand before an opening quote, and spaces behind a closing one, as in DuckDB. */
const [START, SPACED, BARE, QUOTED, CLOSED, BEHIND] = [0, 1, 2, 3, 4, 5];

/**
 * Divides a CSV text into records by RFC 4180 as DuckDB reads it: LF, CRLF and CR end a record, within quotes they do
 * not. Text behind a closing quote spoils its record alone; a quote that is never closed takes the rest of the text.
 */
export function csvScanner(
  dialect: { delimiter: string; fields: number },
  from: { byte: number; line: number },
): CsvScanner {
  const split = dialect.delimiter.charCodeAt(0);
  const { fields: width } = dialect;
  let at = START;
  let afterReturn = false;
  let position = from.byte;
  let line = from.line;
  let begin = { byte: from.byte, line: from.line };
  let held: Buffer[] = [];
  let heldBytes = 0;
  let fields = 1;
  let filled = 1;
  let isSpoiled = false;

  const hold = (part: Buffer) => {
    if (heldBytes < MAX_HELD_BYTES) held.push(part.subarray(0, MAX_HELD_BYTES - heldBytes));
    heldBytes += part.length;
  };
  const take = (isOpen: boolean): CsvRecord => {
    const bytes = held.length === 1 ? (held[0] ?? Buffer.alloc(0)) : Buffer.concat(held);
    const reason = isOpen && at === QUOTED ? 'quote_unclosed' : isSpoiled ? 'text_after_quote' : undefined;
    const tooLong = heldBytes > MAX_ROW_BYTES ? 'line_too_large' : undefined;
    return {
      ...begin,
      bytes,
      length: heldBytes,
      fields: fields > width ? Math.max(width, filled) : fields,
      reason: reason ?? tooLong,
      isOpen,
    };
  };
  const reset = (byte: number) => {
    begin = { byte, line };
    held = [];
    heldBytes = 0;
    fields = 1;
    filled = 1;
    isSpoiled = false;
    at = START;
  };
  /** The state behind a byte that ends no record. */
  const step = (byte: number): number => {
    if (at === QUOTED) return byte === QUOTE ? CLOSED : QUOTED;
    if (byte === split) {
      fields += 1;
      return START;
    }
    filled = fields;
    if (at === BARE) return BARE;
    if (at === CLOSED || at === BEHIND) {
      if (byte === QUOTE) return QUOTED;
      if (byte === SPACE) return BEHIND;
      isSpoiled = true;
      return BARE;
    }
    if (byte === QUOTE) return QUOTED;
    return at === START && byte === SPACE ? SPACED : BARE;
  };
  return {
    push(block) {
      const records: CsvRecord[] = [];
      let start = 0;
      for (let index = 0; index < block.length; index += 1) {
        const byte = block[index] ?? 0;
        if (afterReturn) {
          afterReturn = false;
          if (byte === LF) {
            // The second half of a line break; outside quotes it belongs to no record.
            if (at !== QUOTED) {
              start = index + 1;
              begin = { byte: position + start, line };
            }
            continue;
          }
        }
        if (byte !== LF && byte !== CR) {
          at = step(byte);
          continue;
        }
        afterReturn = byte === CR;
        line += 1;
        if (at === QUOTED) continue;
        hold(block.subarray(start, index));
        records.push(take(false));
        start = index + 1;
        reset(position + start);
      }
      hold(block.subarray(start));
      position += block.length;
      return records;
    },
    end: () => (heldBytes > 0 ? take(true) : undefined),
  };
}
