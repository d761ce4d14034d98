import { LakehouseError } from './error.ts';
import {
  assertDistinctNames,
  assignFieldIds,
  type Column,
  type ColumnType,
  columnType,
  decimalShape,
  type Field,
  maxFieldId,
  type TableSchema,
} from './types.ts';

/** A schema that holds the wanted columns, and whether it differs from the one that was asked. */
export type Evolution = { readonly schema: TableSchema; readonly changed: boolean };

/** Whether every value of one type is also a value of the other, by the promotion rules of the specification. */
export function promotes(from: ColumnType, to: ColumnType): boolean {
  if (from === to || JSON.stringify(from) === JSON.stringify(to)) return true;
  if (from === 'int') return to === 'long';
  if (from === 'float') return to === 'double';
  const [narrow, wide] = [decimalShape(from as string), decimalShape(to as string)];
  return !!narrow && !!wide && narrow.scale === wide.scale && narrow.precision <= wide.precision;
}

/**
 * The schema that holds everything the current one holds and the wanted columns as well: new columns are added as
 * nullable ones at the end, `int` grows to `long`, `float` to `double`, a decimal in precision. A column that is no
 * longer wanted stays. Every other difference is `schema_incompatible` and names the columns. A wanted type that is
 * narrower than the table's keeps the table's. `lastColumnId` is the table's, as ids are never given twice.
 */
export function evolveSchema(
  current: TableSchema,
  columns: readonly Column[],
  lastColumnId: number = maxFieldId(current.fields),
): Evolution {
  assertDistinctNames(columns.map((column) => column.name));
  const wanted = new Map(columns.map((column) => [column.name, column]));
  const folded = new Set(current.fields.map((field) => field.name.toLowerCase()));
  const faults: string[] = [];
  const fields = current.fields.map((field): Field => {
    const column = wanted.get(field.name);
    wanted.delete(field.name);
    const has = columnType(field.type);
    if (!column || promotes(column.type, has)) return field;
    if (typeof column.type === 'string' && promotes(has, column.type)) return { ...field, type: column.type };
    faults.push(field.name);
    return field;
  });
  const added = [...wanted.values()];
  faults.push(...added.filter((column) => folded.has(column.name.toLowerCase())).map((column) => column.name));
  if (faults.length) {
    throw new LakehouseError('schema_incompatible', 'A column changed in a way that the table cannot follow', {
      columns: faults,
    });
  }
  const changed = added.length > 0 || fields.some((field, index) => field !== current.fields[index]);
  if (!changed) return { schema: current, changed };
  const next = { ...current, 'schema-id': current['schema-id'] + 1 };
  return { schema: { ...next, fields: [...fields, ...assignFieldIds(added, lastColumnId)] }, changed };
}

/** Refuses a schema that drops, renumbers, renames or narrows a field of the current one (`schema_conflict`). */
export function assertSuccessor(current: TableSchema, next: TableSchema): void {
  const byId = new Map(next.fields.map((field) => [field.id, field]));
  const lost = current.fields.filter((field) => {
    const kept = byId.get(field.id);
    return !kept || kept.name !== field.name || !promotes(columnType(field.type), columnType(kept.type));
  });
  if (lost.length) {
    throw new LakehouseError('schema_conflict', 'The table changed its schema meanwhile', {
      columns: lost.map((field) => field.name),
    });
  }
}
