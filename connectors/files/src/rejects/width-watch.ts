import type { CsvRecord } from './csv-records.ts';
import type { RejectReason } from './reject-reason.ts';

/** So many last rows of one other width are no footer: the columns of the file have changed for good. */
const CHANGED_ROWS = 1000;
/** Fewer rows of another width say nothing about the header. */
const MIN_OTHER_ROWS = 2;
/** Other widths that are counted. */
const MAX_WIDTHS = 100;
/** A line of one field is text: a title, a footer. */
const MIN_FIELDS = 2;

/**
 * Watches the widths of rows and says whether the header is that of the file: it is not when more rows have one other width
 * than fit, or when the last thousand have one other width.
 */
export function widthWatch(expected: number): {
  readonly note: (record: Pick<CsvRecord, 'fields' | 'line'>, reason?: RejectReason) => void;
  /** The line from which on the columns are others; undefined when the header is right. */
  readonly changedAt: () => number | undefined;
} {
  const others = new Map<number, { rows: number; line: number }>();
  let fitting = 0;
  let last = { fields: expected, rows: 0, line: 0 };
  return {
    note({ fields, line }, reason) {
      const isOther = reason === 'row_too_wide' || reason === 'row_too_short';
      if (reason === undefined) fitting += 1;
      if (last.fields === fields) last.rows += 1;
      else last = { fields, rows: 1, line };
      if (!isOther || fields < MIN_FIELDS) return;
      const other = others.get(fields);
      if (other !== undefined) other.rows += 1;
      else if (others.size < MAX_WIDTHS) others.set(fields, { rows: 1, line });
    },
    changedAt() {
      const isChanged = last.fields !== expected && last.fields >= MIN_FIELDS && last.rows >= CHANGED_ROWS;
      if (isChanged) return last.line;
      const most = [...others.values()].find(({ rows }) => rows >= MIN_OTHER_ROWS && rows > fitting);
      return most?.line;
    },
  };
}
