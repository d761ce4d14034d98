import type { Value } from '../template/value.ts';
import { put } from './row.ts';

/** The rows of a CSV text with a header line, quoted as in RFC 4180; every field is text, a missing one null. */
export function parseCsv(text: string, delimiter: string): Value[] {
  const rows = rowsOf(text.replace(/^\ufeff/, ''), delimiter);
  const [header = [], ...body] = rows;
  return body.map((row) => {
    const record = {};
    header.forEach((name, index) => {
      put(record, name, row[index] ?? null);
    });
    return record;
  });
}

function rowsOf(text: string, delimiter: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let field = '';
  let quoted = false;
  const endField = () => {
    row.push(field);
    field = '';
  };
  const endRow = () => {
    endField();
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  };
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at] as string;
    if (quoted) {
      if (letter !== '"') field += letter;
      else if (text[at + 1] === '"') {
        field += '"';
        at += 1;
      } else quoted = false;
    } else if (letter === '"' && field === '') quoted = true;
    else if (letter === delimiter) endField();
    else if (letter === '\n' || letter === '\r') {
      if (letter === '\r' && text[at + 1] === '\n') at += 1;
      endRow();
    } else field += letter;
  }
  if (quoted) throw new SyntaxError('a quote is not closed');
  if (field !== '' || row.length > 0) endRow();
  return rows;
}
