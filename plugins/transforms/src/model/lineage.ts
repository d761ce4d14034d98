import { type ColumnLineage, placeOf, type Unresolved } from '@weir/sql';
import type { LineageColumnView } from '../contract/artifacts.ts';

/** Columns of the result with theirs of the inputs, in order. Pure. */
export function lineageOf(
  sql: string,
  columns: readonly { name: string }[],
  lineage: ColumnLineage,
): LineageColumnView[] {
  const isAligned = lineage.columns.length === columns.length && lineage.columns.every(({ spread }) => !spread);
  return columns.map(({ name }, at) => {
    const traced = isAligned ? lineage.columns[at] : undefined;
    const named = (sources: readonly { table: string; column: string }[] = []) =>
      sources.map(({ table, column }) => ({ dataset_id: table, column }));
    const unresolved = (traced ?? lineage).unresolved.map((one) => placed(sql, one));
    const isComplete = traced !== undefined && unresolved.length === 0;
    return {
      column: name,
      sources: named(traced?.sources),
      influences: named(traced?.influences),
      complete: isComplete,
      ...(isComplete ? {} : { unresolved }),
    };
  });
}

/** The name is left out: it is a word of the statement, which the place finds. */
function placed(sql: string, { reason, offset }: Unresolved) {
  return { reason, ...(offset === undefined ? {} : placeOf(sql, offset)) };
}
