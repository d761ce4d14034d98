import { LakehouseError } from '../error/error.ts';
import { type CopyStats, leaves } from '../manifest/stats.ts';
import type { TableSchema } from '../schema/types.ts';

/** What other readers of the format cannot hold, by the type of a column, and how that is said. */
const BEYOND: Readonly<Record<string, { readonly found: RegExp; readonly to: string }>> = {
  ...Object.fromEntries(
    ['date', 'timestamp', 'timestamptz'].map((type) => [
      type,
      { found: /infinity|\(BC\)|^\d{5,}-/, to: 'the years 1 to 9999' },
    ]),
  ),
  time: { found: /^24:/, to: 'a day, which ends before 24:00:00' },
};

/**
 * Throws `value_invalid` with the column for infinities, years outside of 1 to 9999 and the end of a day as a time, by the
 * least and the greatest value of what was written: the engine has these, and readers such as PyIceberg fail on the file.
 */
export function assertTimes(written: readonly CopyStats[], schema: TableSchema): void {
  const columns = leaves(schema);
  for (const { key, value } of written.flatMap((one) => one.column_statistics)) {
    const type = String(columns.get(key)?.type);
    const beyond = BEYOND[type];
    const ends = value.filter((one) => one.key === 'min' || one.key === 'max').map((one) => one.value ?? '');
    if (beyond === undefined || !ends.some((text) => beyond.found.test(text))) continue;
    // Paths are quoted steps; the first is the column.
    const name = /^"((?:[^"]|"")+)"/.exec(key)?.[1]?.replaceAll('""', '"');
    const fault = { code: 'value_invalid' as const, types: { from: type.toUpperCase(), to: beyond.to } };
    throw new LakehouseError('statement_invalid', 'The statement is invalid', {
      fault: { ...fault, ...(name === undefined ? {} : { name }) },
    });
  }
}
