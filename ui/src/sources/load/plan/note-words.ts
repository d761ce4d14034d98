import type { LookNoteView } from '@weir/plugin-sources/contract';
import { counted, countText } from '../../../parts/numbers.ts';

/** What values are, one and several. */
const KINDS: Readonly<Record<string, readonly [one: string, several: string]>> = {
  number: ['a number', 'numbers'],
  boolean: ['true or false', 'true or false'],
  date: ['a date', 'dates'],
  timestamp: ['a date and time', 'dates and times'],
  timestamptz: ['a date and time with a zone', 'dates and times with a zone'],
  time: ['a time of day', 'times of day'],
};

const REASONS: Readonly<Record<string, string>> = {
  row_too_wide: 'more fields than the header',
  row_too_short: 'fewer fields than the header',
  quote_unclosed: 'a quote that is never closed',
  text_after_quote: 'text behind a closing quote',
  line_too_large: 'more bytes than a row may have',
  invalid_utf8: 'bytes that are no UTF-8',
  malformed_json: 'no JSON',
  truncated: 'a document that is cut short',
  not_object: 'JSON that is no object',
  too_deep: 'JSON that is nested too deeply',
  lone_surrogate: 'half of a character',
};

/** A note in words: what is there, and what comes of it. */
export function noteWords({ kind, column, reason, mostly, fits, count }: LookNoteView): {
  what: string;
  outcome: string;
} {
  const [one, several] = KINDS[mostly ?? ''] ?? ['of one kind', 'of one kind'];
  switch (kind) {
    case 'kept_as_text':
      return count === 0
        ? {
            what: `Column ${column} stays text`,
            outcome: `The ${countText(fits ?? 0)} values that were looked at are ${several}, but others or longer ones are not.`,
          }
        : {
            what: `Column ${column} stays text: ${counted(count, 'value')} of ${countText((fits ?? 0) + count)} ${count === 1 ? 'is' : 'are'} not ${one}`,
            outcome: 'Give the column a type below, and what does not fit becomes NULL in a row that is marked.',
          };
    case 'value_misfit':
      return {
        what: `Column ${column}: ${counted(count, 'value')} ${count === 1 ? 'does' : 'do'} not fit its type`,
        outcome: `${count === 1 ? 'It becomes' : 'They become'} NULL, and the ${count === 1 ? 'row is' : 'rows are'} marked.`,
      };
    case 'order_open':
      return {
        what: `Column ${column} stays text: its days may be read as day and month or as month and day`,
        outcome: 'Say below which comes first.',
      };
    case 'line_rejected':
      return {
        what: `${counted(count, 'line')} with ${REASONS[reason ?? ''] ?? String(reason).replaceAll('_', ' ')}`,
        outcome: `${count === 1 ? 'It goes' : 'They go'} to quarantine, where ${count === 1 ? 'it' : 'they'} can be seen and tried again.`,
      };
    case 'header_like_row':
      return {
        what: 'The line that names the columns looks like a row',
        outcome: 'Say below that the file has no header, if it is one.',
      };
    case 'file_fails':
      return { what: 'A file cannot be read to its end', outcome: 'Its rows will not be loaded as it is.' };
    default:
      return { what: kind.replaceAll('_', ' '), outcome: '' };
  }
}

/** Lines and values that a note is about. */
export function placeWords({ places, count }: LookNoteView, hasSeveralFiles: boolean): string[] {
  const words = places.map(({ file, line, text }) => {
    const where = [
      ...(hasSeveralFiles || line === null ? [file] : []),
      ...(line === null ? [] : [`line ${countText(line)}`]),
    ];
    return text === '' ? where.join(', ') : `${where.join(', ')}: ${text}`;
  });
  return count > places.length ? [...words, `and ${countText(count - places.length)} more`] : words;
}

const DELIMITERS: Readonly<Record<string, string>> = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'bar' };
const FORMATS: Readonly<Record<string, string>> = { csv: 'CSV', json: 'JSON', jsonl: 'JSON lines', parquet: 'Parquet' };

export const delimiterWord = (sign: string): string => DELIMITERS[sign] ?? sign;
export const formatWord = (format: string): string => FORMATS[format] ?? format;

/** The types that a person may choose, in the words of the connector. */
export const TYPE_CHOICES: readonly { value: string; label: string }[] = [
  { value: 'text', label: 'text' },
  { value: 'integer', label: 'whole number' },
  { value: 'number', label: 'number' },
  { value: 'boolean', label: 'true or false' },
  { value: 'date', label: 'date' },
  { value: 'timestamp', label: 'date and time' },
];
export const ORDER_CHOICES: readonly { value: string; label: string }[] = [
  { value: 'day_first', label: 'date, day first' },
  { value: 'month_first', label: 'date, month first' },
];
