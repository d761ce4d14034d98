import { LakehouseError } from '../error/error.ts';
import {
  assertDistinctNames,
  assignFieldIds,
  type Column,
  type ColumnType,
  columnType,
  decimalShape,
  type Field,
  type FieldType,
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

/** Whether fields are not the very ones that they were. */
function differ(before: readonly Field[], after: readonly Field[]): boolean {
  return after.length !== before.length || after.some((field, index) => field !== before[index]);
}

/** What a type becomes so that it holds a wanted one as well; undefined when it cannot. */
function widened(has: FieldType, wanted: ColumnType, grow: Grow): FieldType | undefined {
  if (promotes(wanted, columnType(has))) return has;
  if (typeof has === 'string') return typeof wanted === 'string' && promotes(has, wanted) ? wanted : undefined;
  if (typeof wanted === 'string') return undefined;
  if (has.type === 'struct') {
    const inner = 'struct' in wanted ? grow(has.fields, wanted.struct) : undefined;
    if (!inner || inner.faults.length > 0) return undefined;
    return differ(has.fields, inner.fields) ? { ...has, fields: inner.fields } : has;
  }
  if (has.type === 'list') {
    const element = 'list' in wanted ? widened(has.element, wanted.list, grow) : undefined;
    if (element === undefined) return undefined;
    return element === has.element ? has : { ...has, element };
  }
  if (!('map' in wanted) || !promotes(wanted.map.key, columnType(has.key))) return undefined;
  const value = widened(has.value, wanted.map.value, grow);
  if (value === undefined) return undefined;
  return value === has.value ? has : { ...has, value };
}

/** Fields that hold wanted columns as well, and the names of those that they cannot hold. */
type Grow = (fields: readonly Field[], columns: readonly Column[]) => { fields: readonly Field[]; faults: string[] };

/** What grows levels of fields; ids of new fields come after `lastColumnId`. */
function grower(lastColumnId: number): Grow {
  let last = lastColumnId;
  const grow: Grow = (fields, columns) => {
    assertDistinctNames(columns.map((column) => column.name));
    const wanted = new Map(columns.map((column) => [column.name, column]));
    const folded = new Set(fields.map((field) => field.name.toLowerCase()));
    const faults: string[] = [];
    const kept = fields.map((field): Field => {
      const column = wanted.get(field.name);
      wanted.delete(field.name);
      const type = column ? widened(field.type, column.type, grow) : field.type;
      if (type === undefined) faults.push(field.name);
      return type === undefined || type === field.type ? field : { ...field, type };
    });
    const added = [...wanted.values()];
    faults.push(...added.filter((column) => folded.has(column.name.toLowerCase())).map((column) => column.name));
    const fresh = faults.length ? [] : assignFieldIds(added, last);
    last = Math.max(last, maxFieldId(fresh));
    return { fields: [...kept, ...fresh], faults };
  };
  return grow;
}

/**
 * The schema that holds everything the current one holds and the wanted columns as well: new columns are added as
 * nullable ones at the end, `int` grows to `long`, `float` to `double`, a decimal in precision; so in nested fields. A
 * column that is no longer wanted stays. Every other difference is `schema_incompatible` and names the columns. A
 * wanted type that is narrower than the table's keeps the table's. `lastColumnId` is the table's, as ids are never
 * given twice.
 */
export function evolveSchema(
  current: TableSchema,
  columns: readonly Column[],
  lastColumnId: number = maxFieldId(current.fields),
): Evolution {
  const { fields, faults } = grower(lastColumnId)(current.fields, columns);
  if (faults.length) {
    throw new LakehouseError('schema_incompatible', 'A column changed in a way that the table cannot follow', {
      columns: faults,
    });
  }
  const changed = differ(current.fields, fields);
  if (!changed) return { schema: current, changed };
  return { schema: { ...current, 'schema-id': current['schema-id'] + 1, fields }, changed };
}

/** The names of the wanted columns that `evolveSchema` refuses. */
export function unfitColumns(current: TableSchema, columns: readonly Column[]): string[] {
  return grower(maxFieldId(current.fields))(current.fields, columns).faults;
}

/** The fields of a schema that another one drops, renumbers, renames or narrows. */
export function lostFields(current: TableSchema, next: TableSchema): Field[] {
  const byId = new Map(next.fields.map((field) => [field.id, field]));
  return current.fields.filter((field) => {
    const kept = byId.get(field.id);
    return !kept || kept.name !== field.name || !promotes(columnType(field.type), columnType(kept.type));
  });
}

/** Refuses a schema that drops, renumbers, renames or narrows a field of the current one (`schema_conflict`). */
export function assertSuccessor(current: TableSchema, next: TableSchema): void {
  const lost = lostFields(current, next);
  if (lost.length) {
    throw new LakehouseError('schema_conflict', 'The table changed its schema meanwhile', {
      columns: lost.map((field) => field.name),
    });
  }
}
