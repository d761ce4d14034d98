import { headerDialect, headerIn, MAX_HEADER_BYTES } from '../csv-header.ts';
import { utf8MarkBytes } from '../encoding-sniffer.ts';
import type { CsvWriting, Delimiter } from '../source-file.ts';

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const NO_SIGN = -1;

/** Whether a CSV file is written otherwise than a header line and RFC 4180 say. */
export function isOwnDialect(writing: CsvWriting): boolean {
  const { header, skip_lines = 0 } = writing;
  return header === false || skip_lines > 0 || signs(writing).some((sign) => sign !== QUOTE);
}

/** The bytes of the quote and of the sign before a quote that is text; -1 where there is none. */
export function signs({ quote = '"', ...own }: CsvWriting): readonly [number, number] {
  if (quote === 'none') return [NO_SIGN, NO_SIGN];
  return [quote.charCodeAt(0), (own.escape ?? quote).charCodeAt(0)];
}

type Above = { readonly bytes: number; readonly lines: number };

/** The lines of a text, read as Latin-1, that stand above its header: those to skip, and blank ones behind them. */
function linesAbove(head: string, skip: number): Above {
  const ends = /\r\n|\r|\n/g;
  let above: Above = { bytes: 0, lines: 0 };
  while (skip > 0) {
    const found = ends.exec(head);
    const isBlank = found !== null && head.slice(above.bytes, found.index).trim() === '';
    if (above.lines >= skip && !isBlank) break;
    above = { bytes: found === null ? head.length : ends.lastIndex, lines: above.lines + 1 };
    if (found === null) break;
  }
  return above;
}

/** A CSV text in UTF-8 without the lines above its header, whose number is given to `onAbove`, in the quotes of RFC 4180. */
export async function* standardQuotes(
  source: AsyncIterable<Buffer>,
  writing: CsvWriting,
  onAbove: (lines: number) => void = () => undefined,
): AsyncGenerator<Buffer> {
  const text = headed(source, (head) => {
    const from = utf8MarkBytes(head);
    const unmarked = head.subarray(from);
    const { bytes, lines } = linesAbove(unmarked.toString('latin1'), writing.skip_lines ?? 0);
    onAbove(lines);
    return unmarked.subarray(bytes);
  });
  const [quote, marker] = signs(writing);
  if (quote === QUOTE && marker === QUOTE) return yield* text;
  let step = requoter({ quote, marker, split: 0 });
  const own = headed(text, (head) => {
    step = requoter({ quote, marker, split: splitOf(head, writing) });
    return head;
  });
  for await (const block of own) yield step(block);
  yield step(undefined);
}

/** The delimiter of a text that is quoted in its own way, as a byte. */
function splitOf(head: Buffer, { quote, delimiter }: CsvWriting): number {
  const text = head.toString('latin1', 0, MAX_HEADER_BYTES);
  const sign = quote ?? '"';
  const plain = sign === '"' ? text : text.replaceAll('"', ' ').replaceAll(sign, '"');
  return headerDialect(headerIn(plain).line, delimiter).delimiter.charCodeAt(0);
}

/** A CSV text behind a header line that counts its columns: those of its first row, or of that of another text. */
export async function* withHeader(
  source: AsyncIterable<Buffer>,
  declared: Delimiter | undefined,
  first?: string,
): AsyncGenerator<Buffer> {
  yield* headed(source, (head) =>
    head.length === 0 ? head : Buffer.concat([countedHeader(first ?? head.toString('latin1'), declared), head]),
  );
}

/** The bytes above the rows of a text, skipped lines and a header, and the rows behind them as they are read. */
export async function openingOf(
  head: Buffer,
  writing: CsvWriting,
): Promise<{ readonly bytes: number; readonly first: string }> {
  const text = head.toString('latin1');
  const { bytes: skipped } = linesAbove(text, writing.skip_lines ?? 0);
  const bytes = writing.header === false ? skipped : skipped + headerIn(text.slice(skipped)).bytes;
  const blocks = async function* () {
    yield head;
  };
  const first = Buffer.concat(await Array.fromAsync(standardQuotes(blocks(), writing))).toString('latin1');
  return { bytes, first };
}

function countedHeader(head: string, declared: Delimiter | undefined): Buffer {
  const { delimiter, fields } = headerDialect(headerIn(head.slice(0, MAX_HEADER_BYTES)).line, declared);
  return Buffer.from(`${Array.from({ length: fields }, (_, at) => `column_${at + 1}`).join(delimiter)}\n`);
}

/** A text whose beginning, as much as a header may have, is changed. */
async function* headed(source: AsyncIterable<Buffer>, change: (head: Buffer) => Buffer): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const block of source) {
    if (head === undefined) yield block;
    else {
      head = head.length === 0 ? block : Buffer.concat([head, block]);
      if (head.length < MAX_HEADER_BYTES) continue;
      yield change(head);
      head = undefined;
    }
  }
  if (head !== undefined) yield change(head);
}

/** Where in a field a byte stands: a `bare` field has no quotes, a `wrapped` one gets some, as it begins with one of RFC 4180. */
type At = 'start' | 'space' | 'bare' | 'wrapped' | 'quoted' | 'escaped' | 'closed';

/** `marker` stands before a quote that is text. */
type Signs = { readonly quote: number; readonly marker: number; readonly split: number };

/** Writes fields that stand in one quote in another, block by block, cut anywhere; undefined ends the text. */
function requoter({ quote, marker, split }: Signs): (block: Buffer | undefined) => Buffer {
  let at: At = 'start';
  const out: number[] = [];
  const text = (byte: number) => (byte === QUOTE ? out.push(QUOTE, QUOTE) : out.push(byte));
  const ends = (byte: number) => byte === LF || byte === CR || byte === split;
  const end = (byte: number) => {
    if (at === 'wrapped') out.push(QUOTE);
    at = 'start';
    out.push(byte);
  };
  const quoted = (byte: number) => {
    if (byte === marker && marker !== quote) at = 'escaped';
    else if (byte === quote) at = 'closed';
    else text(byte);
  };
  const close = (byte: number) => {
    // A doubled quote is one of the text; anything else ends the field.
    if (byte === quote && marker === quote) {
      at = 'quoted';
      text(byte);
      return;
    }
    out.push(QUOTE);
    at = 'bare';
    step(byte);
  };
  const step = (byte: number): void => {
    if (at === 'quoted') quoted(byte);
    else if (at === 'closed') close(byte);
    else if (at === 'escaped') {
      if (byte !== quote && byte !== marker) text(marker);
      at = 'quoted';
      text(byte);
    } else if (ends(byte)) end(byte);
    else if (at === 'bare') out.push(byte);
    else if (at === 'wrapped') text(byte);
    else begin(byte);
  };
  const begin = (byte: number) => {
    if (byte === quote) {
      at = 'quoted';
      out.push(QUOTE);
    } else if (byte === QUOTE) {
      // A space before it is within the new quotes, as it is text.
      if (at === 'space') out.pop();
      out.push(QUOTE);
      if (at === 'space') out.push(SPACE);
      at = 'wrapped';
      text(byte);
    } else {
      at = at === 'start' && byte === SPACE ? 'space' : 'bare';
      out.push(byte);
    }
  };
  return (block) => {
    for (const byte of block ?? []) step(byte);
    if (block === undefined && (at === 'closed' || at === 'wrapped')) out.push(QUOTE);
    // A space is held back: a quote behind it changes what stands before it.
    const kept = at === 'space' && block !== undefined ? 1 : 0;
    const given = Buffer.from(out.slice(0, out.length - kept));
    out.splice(0, out.length - kept);
    return given;
  };
}
