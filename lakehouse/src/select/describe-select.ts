import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import { LakehouseError } from '../error/error.ts';
import { assertDistinctNames, type Column, type ColumnType } from '../schema/types.ts';

/** The column that holds every value of a type without inner types; absent: the type is refused (ADR 37). */
const SIMPLE: Readonly<Partial<Record<DuckDBTypeId, ColumnType>>> = {
  [DuckDBTypeId.BOOLEAN]: 'boolean',
  [DuckDBTypeId.TINYINT]: 'int',
  [DuckDBTypeId.SMALLINT]: 'int',
  [DuckDBTypeId.INTEGER]: 'int',
  [DuckDBTypeId.UTINYINT]: 'int',
  [DuckDBTypeId.USMALLINT]: 'int',
  [DuckDBTypeId.UINTEGER]: 'long',
  [DuckDBTypeId.BIGINT]: 'long',
  [DuckDBTypeId.UBIGINT]: 'decimal(20, 0)',
  [DuckDBTypeId.HUGEINT]: 'decimal(38, 0)',
  [DuckDBTypeId.FLOAT]: 'float',
  [DuckDBTypeId.DOUBLE]: 'double',
  [DuckDBTypeId.DATE]: 'date',
  [DuckDBTypeId.TIME]: 'time',
  [DuckDBTypeId.TIMESTAMP]: 'timestamp',
  [DuckDBTypeId.TIMESTAMP_S]: 'timestamp',
  [DuckDBTypeId.TIMESTAMP_MS]: 'timestamp',
  [DuckDBTypeId.TIMESTAMP_TZ]: 'timestamptz',
  [DuckDBTypeId.VARCHAR]: 'string',
  [DuckDBTypeId.ENUM]: 'string',
  [DuckDBTypeId.UUID]: 'uuid',
  [DuckDBTypeId.BLOB]: 'binary',
  [DuckDBTypeId.SQLNULL]: 'string',
};

/** The table column for a type of a result, or undefined when the format has none that holds every value. */
export function columnTypeOf(type: DuckDBType): ColumnType | undefined {
  switch (type.typeId) {
    case DuckDBTypeId.DECIMAL:
      return `decimal(${type.width}, ${type.scale})`;
    case DuckDBTypeId.LIST:
    case DuckDBTypeId.ARRAY: {
      const list = columnTypeOf(type.valueType);
      return list && { list };
    }
    case DuckDBTypeId.MAP: {
      const [key, value] = [columnTypeOf(type.keyType), columnTypeOf(type.valueType)];
      return key && value && { map: { key, value } };
    }
    case DuckDBTypeId.STRUCT: {
      const struct: Column[] = [];
      for (const [at, name] of type.entryNames.entries()) {
        const inner = type.entryTypes[at];
        const found = inner && columnTypeOf(inner);
        if (found === undefined) return undefined;
        struct.push({ name, type: found });
      }
      return { struct };
    }
    default:
      return SIMPLE[type.typeId];
  }
}

/** The columns of a result. `unsupported_type` names those of no table type, unless texts will do; `column_duplicate` equal names. */
export function resultColumns(
  names: readonly string[],
  types: readonly DuckDBType[],
  others: 'refused' | 'as texts' = 'refused',
): Column[] {
  assertDistinctNames(names);
  const refused: string[] = [];
  const columns = names.flatMap((name, at): Column[] => {
    const type = (types[at] && columnTypeOf(types[at])) ?? (others === 'as texts' ? 'string' : undefined);
    if (type === undefined) refused.push(name);
    return type === undefined ? [] : [{ name, type }];
  });
  if (refused.length === 0) return columns;
  throw new LakehouseError('unsupported_type', 'Columns have types that no table can hold; cast them', {
    columns: refused,
  });
}
