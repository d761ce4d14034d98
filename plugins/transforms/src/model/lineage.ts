import type { PinnedInput } from '@weir/plugin-datasets/contract';
import type { LineageColumnView } from '@weir/plugin-lineage/contract';
import { type ColumnLineage, placeOf, type Unresolved } from '@weir/sql';
import type { ReadColumnView } from '../contract/artifacts.ts';

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

/** The columns of the inputs that the result depends on, in the order of the tables. Pure. */
export function readsOf(
  lineage: readonly LineageColumnView[],
  inputs: readonly Pick<PinnedInput, 'datasetId' | 'columns'>[],
): ReadColumnView[] {
  const used = new Set(lineage.flatMap(({ sources, influences }) => [...sources, ...influences].map(keyOf)));
  return inputs.flatMap(({ datasetId, columns }) =>
    columns
      .map(({ name, type }) => ({ dataset_id: datasetId, column: name, type }))
      .filter((column) => used.has(keyOf(column))),
  );
}

/** Statements write names in any case. */
const keyOf = ({ dataset_id, column }: { dataset_id: string; column: string }): string =>
  `${dataset_id}.${column}`.toLowerCase();

/** The name is left out: it is a word of the statement, which the place finds. */
function placed(sql: string, { reason, offset }: Unresolved) {
  return { reason, ...(offset === undefined ? {} : placeOf(sql, offset)) };
}
