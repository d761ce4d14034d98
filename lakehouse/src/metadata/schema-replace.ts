import { LakehouseError } from '../error/error.ts';
import { type Evolution, evolveSchema, promotes, unfitColumns } from '../schema/evolve-schema.ts';
import { allFields, type Column, type Field, type FieldType, type TableSchema } from '../schema/types.ts';
import { currentSchema, type TableMetadata } from './metadata.ts';

/** Fields by which a spec or a sort order tells files or rows apart: foreign readers need them while it is listed. */
function boundIds({ 'partition-specs': specs, 'sort-orders': orders }: TableMetadata): Set<number> {
  const sorts = orders as readonly { readonly fields?: readonly { readonly 'source-id'?: number }[] }[];
  const fields = [...specs, ...sorts].flatMap((one) => one.fields ?? []);
  return new Set(fields.flatMap((field) => field['source-id'] ?? []));
}

/**
 * The schema of a table whose rows are all written anew, and the wanted columns that it still cannot hold as wanted. A column
 * that only grows keeps its id; one of another type gets a new id, as ids are never given twice. A column that divides or
 * sorts the table keeps its type. Columns that are not wanted stay, unless `others` is `drop`.
 */
export function replacementSchema(
  metadata: TableMetadata,
  columns: readonly Column[],
  { others = 'keep' }: { readonly others?: 'keep' | 'drop' } = {},
): Evolution & { readonly kept: readonly string[] } {
  const current = currentSchema(metadata);
  const bound = boundIds(metadata);
  const isBound = (field: Field): boolean => allFields([field]).some(({ id }) => bound.has(id));
  const wanted = new Map(columns.map((column) => [column.name.toLowerCase(), column.name]));
  const unfit = new Set(unfitColumns(current, columns).map((name) => name.toLowerCase()));
  const fields = current.fields.filter((field) => {
    const name = field.name.toLowerCase();
    if (isBound(field)) return true;
    return unfit.has(name) ? false : wanted.has(name) || others === 'keep';
  });
  const bare = { ...current, fields };
  const kept = unfitColumns(bare, columns);
  const fitting = columns.filter(({ name }) => !kept.includes(name));
  const { schema, changed } = evolveSchema(bare, fitting, metadata['last-column-id']);
  if (!changed && fields.length === current.fields.length) return { schema: current, changed: false, kept };
  const ids = new Set(schema.fields.map(({ id }) => id));
  const { 'identifier-field-ids': keys, ...rest } = schema;
  const left = keys?.filter((id) => ids.has(id)) ?? [];
  const id = Math.max(...metadata.schemas.map((one) => one['schema-id'])) + 1;
  const next = { ...rest, 'schema-id': id, ...(left.length > 0 ? { 'identifier-field-ids': left } : {}) };
  return { schema: next, changed: true, kept };
}

/** Whether what is written under the second type can be read as a field that was of the first. */
function follows(from: FieldType, to: FieldType): boolean {
  if (typeof from === 'string' || typeof to === 'string') {
    return typeof from === 'string' && typeof to === 'string' && promotes(from, to);
  }
  return from.type === to.type;
}

/** Refuses a schema that gives an id of the table another name or type, or one that the table gave before (`schema_conflict`). */
export function assertReplacement(metadata: TableMetadata, next: TableSchema): void {
  const known = new Map(allFields(currentSchema(metadata).fields).map((field) => [field.id, field]));
  const bound = boundIds(metadata);
  const ids = new Set<number>();
  const wrong = allFields(next.fields).filter((field) => {
    const before = known.get(field.id);
    const doubled = ids.size === ids.add(field.id).size;
    if (before === undefined) return doubled || field.id <= metadata['last-column-id'];
    return doubled || before.name !== field.name || !follows(before.type, field.type);
  });
  const lost = [...bound].flatMap((id) => (ids.has(id) ? [] : (known.get(id) ?? [])));
  if (wrong.length + lost.length === 0) return;
  throw new LakehouseError('schema_conflict', 'The table changed its schema meanwhile', {
    columns: [...wrong, ...lost].map(({ name }) => name),
  });
}
