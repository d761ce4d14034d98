import { DELIMITERS, type Delimiter } from './source-file.ts';

/** How much of a file is searched for the end of its header line. */
export const MAX_HEADER_BYTES = 1024 * 1024;
const HEADER = /^(?:"(?:[^"]|"")*"|[^"\r\n])*/;

/** The header line that a CSV file begins with, both as bytes in Latin-1, and how many bytes it takes with its line break. */
export function headerIn(head: string): { readonly line: string; readonly bytes: number } {
  const line = HEADER.exec(head)?.[0] ?? '';
  const end = /^\r?\n|^\r/.exec(head.slice(line.length))?.[0] ?? '';
  return { line, bytes: line.length + end.length };
}

/** How a CSV file is written: RFC 4180 with one of four delimiters, UTF-8, a header line. */
export type CsvDialect = { readonly delimiter: string; readonly fields: number };

/**
 * The dialect of a file. Unless it is declared, the delimiter is the one that the header line has most of outside
 * quotes: the header, not the rows, so that a broken row is reported as such and not taken for another dialect.
 */
export function headerDialect(line: string, declared: Delimiter | undefined): CsvDialect {
  const bare = line.replaceAll(/"(?:[^"]|"")*"/g, '');
  const count = (delimiter: string) => bare.split(delimiter).length;
  const delimiter = declared ?? DELIMITERS.reduce((best, next) => (count(next) > count(best) ? next : best));
  return { delimiter, fields: count(delimiter) };
}
