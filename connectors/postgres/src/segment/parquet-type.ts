import { type StoredType, storedType } from '@weir/parquet';
import type { ColumnKind } from '../column-kind.ts';

/** The type of a column of a kind in a segment: that of the table's own type of that kind, texts and JSON as strings. */
export function parquetType(kind: ColumnKind): StoredType {
  const type = storedType(kind === 'text' || kind === 'json' ? 'string' : kind);
  if (type === undefined) throw new Error('a kind of column has no form in a segment');
  return type;
}
