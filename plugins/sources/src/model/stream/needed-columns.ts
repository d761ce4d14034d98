import { divideNames } from '@weir/plugin-datasets/contract';
import type { SourceRow } from '../source/entity.ts';
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

/** The pattern whose connector names the file of each row. */
const FILES_PATTERN = 'files';

/** Whether the rows of a stream name their files: its connector says that it reads files, or the stream was described by hand. */
export function isOfFiles(
  { patternId }: Pick<SourceRow, 'patternId'>,
  { discovered }: Pick<StreamFields, 'discovered'>,
): boolean {
  return discovered.is_file_based === true || patternId === FILES_PATTERN;
}

/** Which columns of the platform's own its table has. */
export const columnKind = ({ writeMode }: Pick<StreamFields, 'writeMode'>) =>
  writeMode === 'soft_delete' ? 'soft_delete' : 'plain';
