import { LakehouseError } from '../error/error.ts';
import { partitionSpec } from '../partition/partition-type.ts';
import { promotes } from '../schema/evolve-schema.ts';
import {
  allFields,
  assertDistinctNames,
  assignFieldIds,
  type Column,
  type Field,
  type FieldType,
  innerFields,
  maxFieldId,
  type PrimitiveType,
  type TableSchema,
  withInnerFields,
} from '../schema/types.ts';
import type { TableMetadata } from './metadata.ts';
import { currentSchema } from './metadata.ts';

/** A place among the fields of a level. */
export type FieldPlace = 'first' | { readonly after: number } | { readonly before: number };

/**
 * One change of a table's schema; fields are named by their ids, so nested ones too. What is added may be NULL, and
 * stands last. `parent` is a struct, or the list or map whose elements or values are structs.
 */
export type SchemaChange =
  | { readonly change: 'add'; readonly column: Column; readonly parent?: number; readonly doc?: string }
  | { readonly change: 'rename'; readonly id: number; readonly name: string }
  | { readonly change: 'drop'; readonly id: number }
  | { readonly change: 'reorder'; readonly id: number; readonly to: FieldPlace }
  | { readonly change: 'widen'; readonly id: number; readonly type: PrimitiveType }
  | { readonly change: 'optional'; readonly id: number }
  | { readonly change: 'doc'; readonly id: number; readonly doc: string | undefined };

/** A schema in the making. */
type Draft = { readonly fields: readonly Field[]; readonly lastColumnId: number };
/** Rebuilds the fields of one struct, or of the table (`owner` undefined). */
type Level = (siblings: readonly Field[], owner: number | undefined) => readonly Field[];

function refused(message: string, field?: Field): LakehouseError {
  return new LakehouseError('schema_incompatible', message, { columns: field ? [field.name] : [] });
}

// Map keys tell one entry from another, so nothing inside of them changes.
function rebuild(fields: readonly Field[], level: Level, owner?: number): readonly Field[] {
  const inType = (type: FieldType, id: number): FieldType => {
    if (typeof type === 'string') return type;
    if (type.type === 'struct') return { ...type, fields: rebuild(type.fields, level, id) };
    const inner = innerFields(type).map((one) =>
      one.name === 'key' && type.type === 'map' ? one : { ...one, type: inType(one.type, one.id) },
    );
    return withInnerFields(type, inner);
  };
  return level(fields, owner).map((field) => ({ ...field, type: inType(field.type, field.id) }));
}

function find(fields: readonly Field[], id: number): Field {
  const found = allFields(fields).find((field) => field.id === id);
  if (!found) throw refused('The table has no such field');
  return found;
}

/** The draft with the level of a field rebuilt; a field that has no siblings, as an element, is refused. */
function atLevelOf(
  draft: Draft,
  id: number,
  edit: (siblings: readonly Field[], at: number) => readonly Field[],
): Draft {
  const field = find(draft.fields, id);
  let done = false;
  const fields = rebuild(draft.fields, (siblings) => {
    const at = siblings.findIndex((one) => one.id === id);
    if (at < 0 || done) return siblings;
    done = true;
    return edit(siblings, at);
  });
  if (!done) throw refused('Elements, keys and values of lists and maps do not change so', field);
  return { ...draft, fields };
}

const editOne = (draft: Draft, id: number, edit: (field: Field) => Field): Draft =>
  atLevelOf(draft, id, (siblings, at) => siblings.with(at, edit(siblings[at]!)));

/** The struct that fields are added to under an id: its own, or that of a list's elements or a map's values. */
function structOwner(fields: readonly Field[], id: number): number {
  const field = find(fields, id);
  const inner = typeof field.type !== 'string' && field.type.type !== 'struct' ? innerFields(field.type).at(-1) : field;
  if (typeof inner!.type === 'string' || inner!.type.type !== 'struct') throw refused('A field holds no fields', field);
  return inner!.id;
}

function add(draft: Draft, { column, parent, doc }: Extract<SchemaChange, { change: 'add' }>): Draft {
  const [made] = assignFieldIds([column], draft.lastColumnId);
  const field: Field = doc === undefined ? made! : { ...made!, doc };
  const owner = parent === undefined ? undefined : structOwner(draft.fields, parent);
  const fields = rebuild(draft.fields, (siblings, of) => (of === owner ? [...siblings, field] : siblings));
  if (fields.length === draft.fields.length && maxFieldId(fields) < field.id) throw refused('Map keys do not change');
  return { fields, lastColumnId: maxFieldId([field]) };
}

function widen(draft: Draft, id: number, to: PrimitiveType): Draft {
  const field = find(draft.fields, id);
  const { type } = field;
  if (typeof type !== 'string' || !promotes(type, to)) throw refused('A field cannot take this type', field);
  const isInner = (one: Field): boolean => one.id === id;
  const inType = (owner: FieldType): FieldType => {
    if (typeof owner === 'string') return owner;
    const inner = innerFields(owner).map((one) =>
      owner.type === 'map' && one.name === 'key' && owner['key-id'] === one.id
        ? one
        : { ...one, type: isInner(one) ? to : inType(one.type) },
    );
    return withInnerFields(owner, inner);
  };
  const fields = draft.fields.map((one) => ({ ...one, type: isInner(one) ? to : inType(one.type) }));
  if (find(fields, id).type !== to) throw refused('Map keys do not change', field);
  return { ...draft, fields };
}

function reorder(draft: Draft, id: number, to: FieldPlace): Draft {
  return atLevelOf(draft, id, (siblings, at) => {
    const others = siblings.toSpliced(at, 1);
    if (to === 'first') return [siblings[at]!, ...others];
    const beside = 'after' in to ? to.after : to.before;
    const place = others.findIndex((one) => one.id === beside);
    if (place < 0) throw refused('A field moves among the fields of its own level only', siblings[at]);
    return others.toSpliced('after' in to ? place + 1 : place, 0, siblings[at]!);
  });
}

function apply(draft: Draft, change: SchemaChange): Draft {
  switch (change.change) {
    case 'add':
      return add(draft, change);
    case 'rename':
      return editOne(draft, change.id, (field) => ({ ...field, name: change.name }));
    case 'drop':
      return atLevelOf(draft, change.id, (siblings, at) => {
        if (siblings.length === 1) throw refused('The last field of a level stays', siblings[at]);
        return siblings.toSpliced(at, 1);
      });
    case 'reorder':
      return reorder(draft, change.id, change.to);
    case 'widen':
      return widen(draft, change.id, change.type);
    case 'optional':
      return editOne(draft, change.id, (field) => ({ ...field, required: false }));
    case 'doc':
      return editOne(draft, change.id, ({ doc: _doc, ...field }) =>
        change.doc === undefined ? field : { ...field, doc: change.doc },
      );
  }
}

/** Ids that the table cannot do without: of columns that identify rows, or that the default spec divides by. */
function neededIds(metadata: TableMetadata): Set<number> {
  const spec = partitionSpec(metadata).fields.filter((field) => field.transform !== 'void');
  const orders = metadata['sort-orders'] as readonly {
    'order-id': number;
    fields: readonly { 'source-id': number }[];
  }[];
  const order = orders.find((one) => one['order-id'] === metadata['default-sort-order-id']);
  return new Set([
    ...(currentSchema(metadata)['identifier-field-ids'] ?? []),
    ...[...spec, ...(order?.fields ?? [])].map((field) => field['source-id']),
  ]);
}

function assertSound(metadata: TableMetadata, before: TableSchema, fields: readonly Field[]): void {
  rebuild(fields, (siblings) => {
    assertDistinctNames(siblings.map((field) => field.name));
    return siblings;
  });
  const left = new Map(allFields(fields).map((field) => [field.id, field]));
  const identifiers = new Set(before['identifier-field-ids']);
  for (const id of neededIds(metadata)) {
    const lost = allFields(before.fields).find((field) => field.id === id);
    if (!left.has(id)) throw refused('A column that the table is divided, sorted or identified by stays', lost);
    if (identifiers.has(id) && lost?.required && !left.get(id)!.required) {
      throw refused('A column that identifies rows stays required', lost);
    }
  }
  const old = new Set(before.fields.map((field) => field.name));
  const taken = new Set(partitionSpec(metadata).fields.map((field) => field.name));
  const clash = fields.find((field) => !old.has(field.name) && taken.has(field.name));
  if (clash) throw refused('A column has the name of a partition', clash);
}

/**
 * The schema after these changes, in their order, and the last field id that was then given out: ids are never given
 * twice. `schema_incompatible` names the column that cannot change so, `column_duplicate` a name that is taken.
 */
export function applySchemaChanges(
  metadata: TableMetadata,
  changes: readonly SchemaChange[],
): { readonly schema: TableSchema; readonly lastColumnId: number } {
  const before = currentSchema(metadata);
  const start: Draft = { fields: before.fields, lastColumnId: metadata['last-column-id'] };
  const { fields, lastColumnId } = changes.reduce(apply, start);
  assertSound(metadata, before, fields);
  return { schema: { ...before, fields }, lastColumnId };
}
