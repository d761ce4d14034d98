import { headerDialect, headerIn, MAX_HEADER_BYTES } from './csv-header.ts';
import { utf8MarkBytes } from './encoding-sniffer.ts';
import type { Delimiter } from './source-file.ts';

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;

/** Where in a field a byte stands. One space may come before the quote that opens a field, as DuckDB reads it. */
type At = 'start' | 'space' | 'bare' | 'quoted' | 'closed';
/** Which line breaks have ended rows. */
type Breaks = { readonly lf: boolean; readonly cr: boolean; readonly crlf: boolean };
type Evener = { readonly push: (block: Buffer) => Buffer; readonly end: () => void; readonly breaks: Breaks };

/**
 * A CSV text in UTF-8, without a mark, in which every row ends with LF: DuckDB reads one kind of line break in a file.
 * CRLF, LF and a CR alone end a row; within quoted fields they stand as they are. Holds one block, and at first as much
 * as a header line may have.
 */
export async function* evenBreaks(
  source: AsyncIterable<Buffer>,
  declared: Delimiter | undefined,
): AsyncGenerator<Buffer> {
  for await (const [block] of evened(source, declared)) yield block;
}

/** What ends the rows of a CSV text in UTF-8: LF alone, another line break alone, or several. */
export async function rowBreaks(
  source: AsyncIterable<Buffer>,
  declared: Delimiter | undefined,
): Promise<'lf' | 'other' | 'mixed'> {
  let found: 'lf' | 'other' = 'lf';
  for await (const [, { lf, cr, crlf }] of evened(source, declared)) {
    if (Number(lf) + Number(cr) + Number(crlf) > 1) return 'mixed';
    found = cr || crlf ? 'other' : 'lf';
  }
  return found;
}

async function* evened(
  source: AsyncIterable<Buffer>,
  declared: Delimiter | undefined,
): AsyncGenerator<[Buffer, Breaks]> {
  let head: Buffer = Buffer.alloc(0);
  let evener: Evener | undefined;
  const begin = function* (): Generator<[Buffer, Breaks], Evener> {
    const { line } = headerIn(head.toString('latin1', 0, MAX_HEADER_BYTES));
    const begun = breakEvener(headerDialect(line, declared).delimiter);
    // The mark is no part of the first field, which may begin with a quote.
    const from = utf8MarkBytes(head);
    yield [begun.push(head.subarray(from)), begun.breaks];
    return begun;
  };
  for await (const block of source) {
    if (evener === undefined) {
      head = head.length === 0 ? block : Buffer.concat([head, block]);
      if (head.length < MAX_HEADER_BYTES) continue;
      evener = yield* begin();
    } else yield [evener.push(block), evener.breaks];
  }
  evener ??= yield* begin();
  evener.end();
  yield [Buffer.alloc(0), evener.breaks];
}

/** Takes a text block by block, cut anywhere, and gives each back with LF for the line breaks that end rows. */
function breakEvener(delimiter: string): Evener {
  const split = delimiter.charCodeAt(0);
  const seen = { lf: false, cr: false, crlf: false };
  let at: At = 'start';
  let afterReturn = false;
  /** Notes the break before a byte whose kind the byte decides; whether the byte is the second half of it. */
  const endsReturn = (byte: number): boolean => {
    afterReturn = false;
    seen[byte === LF ? 'crlf' : 'cr'] = true;
    return byte === LF;
  };
  return {
    push(block) {
      const even = Buffer.allocUnsafe(block.length);
      let length = 0;
      for (let index = 0; index < block.length; index += 1) {
        const byte = block[index] ?? 0;
        if (afterReturn && endsReturn(byte)) continue;
        const ends = at !== 'quoted' && (byte === LF || byte === CR);
        if (ends && byte === CR) afterReturn = true;
        else if (ends) seen.lf = true;
        even[length] = ends ? LF : byte;
        length += 1;
        at = ends ? 'start' : next(at, byte, split);
      }
      return even.subarray(0, length);
    },
    end() {
      seen.cr ||= afterReturn;
    },
    breaks: seen,
  };
}

function next(at: At, byte: number, split: number): At {
  if (at === 'quoted') return byte === QUOTE ? 'closed' : 'quoted';
  if (byte === split) return 'start';
  // A second quote is a quote of the field's text; what else is behind a closing one is not CSV, and DuckDB says so.
  if (at === 'closed') return byte === QUOTE ? 'quoted' : 'closed';
  if (at === 'bare') return 'bare';
  if (byte === QUOTE) return 'quoted';
  return at === 'start' && byte === SPACE ? 'space' : 'bare';
}
