import { gunzipSync } from 'node:zlib';
import { parseExact } from '@weir/connector-sdk';
import { fault } from '../fault.ts';
import { type Part, partIn, textIn } from '../manifest/part.ts';
import type { Dictionary, Value } from '../template/value.ts';
import { parseCsv } from './parse-csv.ts';
import { parseXml } from './parse-xml.ts';

/** The largest body of one answer, also after it is unpacked. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** Makes values of a body; each is searched for records by itself. */
export type Decode = (body: Buffer) => Value[];

/** The decoder of a component; JSON without one. `answer_invalid` with its place for a body that it cannot read. */
export function decoderOf(part: Part | undefined, config: Dictionary, fallbackAt: string): Decode {
  const at = part?.at ?? fallbackAt;
  const decode = reading(part, config, at);
  return (body) => {
    try {
      return decode(body);
    } catch (cause) {
      if (cause instanceof SyntaxError || cause instanceof TypeError) throw fault('answer_invalid', { at, cause });
      throw cause;
    }
  };
}

function reading(part: Part | undefined, config: Dictionary, at: string): Decode {
  switch (part?.type) {
    case 'JsonlDecoder':
      return (body) => linesOf(body).map((line) => parseExact(line) as Value);
    case 'IterableDecoder':
      return (body) => linesOf(body).map((record) => ({ record }));
    case 'CsvDecoder': {
      const encoding = textIn(part, 'encoding', config) ?? 'utf-8';
      const delimiter = (textIn(part, 'delimiter', config) ?? ',').replace('\\t', '\t');
      return (body) => parseCsv(new TextDecoder(encoding, { fatal: true }).decode(body), delimiter);
    }
    case 'XmlDecoder':
      return (body) => (body.length === 0 ? [] : [parseXml(utf8(body))]);
    case 'GzipDecoder': {
      const inner = partIn(part, 'decoder');
      const decode = decoderOf(inner, config, at);
      return (body) => decode(unpacked(body, at));
    }
    default:
      // A body without anything in it is an answer without records, as 204 is.
      return (body) => (body.length === 0 ? [] : [parseExact(utf8(body)) as Value]);
  }
}

const utf8 = (body: Buffer) => new TextDecoder('utf-8', { fatal: true }).decode(body);
const linesOf = (body: Buffer) =>
  utf8(body)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '');

/** The first two bytes of everything that gzip made. */
const isPacked = (body: Buffer) => body[0] === 0x1f && body[1] === 0x8b;

function unpacked(body: Buffer, at: string): Buffer {
  if (!isPacked(body)) return body;
  try {
    return gunzipSync(body, { maxOutputLength: MAX_BODY_BYTES });
  } catch (cause) {
    const isLarge = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw fault(isLarge ? 'answer_too_large' : 'answer_invalid', { at, cause });
  }
}
