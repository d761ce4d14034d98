import { divideNames } from '@weir/plugin-datasets/contract';
import type { StreamFields } from './entity.ts';

type KeySettings = Pick<StreamFields, 'writeMode' | 'primaryKey' | 'sourceDefinedPrimaryKey'>;

/** The names of the columns by which a stream merges its rows; undefined for one that does not. */
export function keyOf({ writeMode, primaryKey, sourceDefinedPrimaryKey }: KeySettings): readonly string[] | undefined {
  if (writeMode !== 'merge' && writeMode !== 'soft_delete') return undefined;
  return (primaryKey ?? sourceDefinedPrimaryKey ?? []).flatMap(([column = '']) => column);
}

/** The fields that have to be columns of the table: by them rows are merged, or files divided. */
export function neededColumns(row: KeySettings & Pick<StreamFields, 'partitionBy'>): string[] {
  return [...(keyOf(row) ?? []), ...(row.partitionBy ?? []).map(({ column }) => column)];
}

/** The fields of a stream that a new table has no columns for; their values are kept in `_extra`. */
export function extraFields(row: KeySettings & Pick<StreamFields, 'partitionBy' | 'jsonSchema'>): string[] {
  const { properties } = row.jsonSchema;
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  return [...divideNames(names, { needed: neededColumns(row) }).refused];
}
