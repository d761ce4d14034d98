import { type Static, type TProperties, Type } from '@sinclair/typebox';
import { Closed, idOf, Nullable, OneOf } from '@weir/kernel/contract';
import { Code, MAX_KEY_PROPERTIES, MAX_PROPERTIES, MAX_RELATIONSHIPS, STORABLE } from '../documents.ts';

const MAX_EXPRESSION = 4_000;
const MAX_REJECTED_ROWS = 1_000_000_000;

const named = (code: typeof Code, description: string): typeof Code => ({ ...code, description });
const Column = Type.String({ minLength: 1, maxLength: 256, pattern: STORABLE, description: 'A column of the table' });
const Expression = Type.String({
  minLength: 1,
  maxLength: MAX_EXPRESSION,
  pattern: STORABLE,
  description: 'SQL over the columns of one row',
});

const PropertyMapping = Closed({
  column: Type.Optional(Column),
  expression: Type.Optional({ ...Expression, description: 'SQL over the columns of one row, instead of a column' }),
  property: named(Code, 'The property that it fills'),
});
const KeyMapping = Closed({ column: Column, property: named(Code, 'A property of the primary key') });

const relationshipFacts = {
  relationship: named(Code, 'Code of the relationship'),
  columns: Type.Array(Column, {
    minItems: 1,
    maxItems: MAX_KEY_PROPERTIES,
    description: 'The columns that hold the key of the other end, in the order of `target_key`',
  }),
  target_type: named(Code, 'The entity type at the other end'),
  target_key: Type.Array(Code, { minItems: 1, maxItems: MAX_KEY_PROPERTIES, uniqueItems: true }),
};
const Many = OneOf(['split', 'list'], {
  description: 'How one column holds several keys: split, with commas between them, or as a list',
});
const GivenRelationshipMapping = Closed({ ...relationshipFacts, many: Type.Optional(Nullable(Many)) });

/** Members that must be given. */
const requiredFacts = {
  dataset_id: Type.String({ minLength: 1, maxLength: 512, description: 'The table: `<namespace>.<scope>.<table>`' }),
  entity_type_code: named(Code, 'The entity type that it fills'),
  entity_type_version: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Exactly this version of it' }),
  property_mappings: Type.Array(PropertyMapping, { minItems: 1, maxItems: MAX_PROPERTIES }),
  primary_key_mapping: Type.Array(KeyMapping, { minItems: 1, maxItems: MAX_KEY_PROPERTIES }),
};

/** Members that have a default. */
const furtherFacts = {
  row_filter: Nullable({ ...Expression, description: 'SQL that says which rows become entities' }),
  delete_policy: Type.Union([OneOf(['mirror', 'never']), Closed({ column: Column })], {
    description: 'mirror: an entity goes with its row; never; or the column that says of a row that it is deleted',
  }),
  duplicate_keys: Type.Union([OneOf(['fail']), Closed({ last_by: Column })], {
    description: 'Two rows of one key: fail, or keep the one with the greatest value in this column',
  }),
  null_keys: OneOf(['fail', 'skip'], { description: 'A row without a key: fail, or leave it out' }),
  identity_policy: Nullable(
    Closed({
      policy_id: idOf('identity policy'),
      version: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    }),
  ),
  merge_mode: OneOf(['replace', 'owned_properties'], {
    description:
      'replace: an entity belongs to one backing dataset; owned_properties: each owns the properties that it maps',
  }),
};

/** Members that leave the fingerprint as it is. */
const runFacts = {
  max_rejected_rows: Type.Integer({
    minimum: 0,
    maximum: MAX_REJECTED_ROWS,
    description: 'How many rows the store may refuse before a run fails',
  }),
  sync: OneOf(['on_snapshot', 'manual'], { description: 'on_snapshot: a sync starts when the table has new data' }),
};

export const BackingName = Type.String({ minLength: 1, maxLength: 200, pattern: STORABLE, description: 'For people' });

const optional = <T extends TProperties>(members: T) => Type.Partial(Type.Object(members)).properties;

/** A backing dataset as a request gives it. */
export const backingMembers = {
  name: BackingName,
  ...requiredFacts,
  relationship_mappings: Type.Optional(Type.Array(GivenRelationshipMapping, { maxItems: MAX_RELATIONSHIPS })),
  ...optional(furtherFacts),
  ...optional(runFacts),
};
const GivenBacking = Closed(backingMembers);
export type GivenBackingBody = Static<typeof GivenBacking>;

/** All that a sync does, with every member: each of them is a part of the fingerprint. */
export const BackingSpec = Type.Object({
  ...requiredFacts,
  relationship_mappings: Type.Array(Type.Object({ ...relationshipFacts, many: Nullable(Many) })),
  ...furtherFacts,
});
export type BackingSpecView = Static<typeof BackingSpec>;

/** The document as it is kept and read. */
export const BackingDocument = Type.Object({ name: BackingName, ...BackingSpec.properties, ...runFacts });
export type BackingDocumentView = Static<typeof BackingDocument>;

/** Members that no backing dataset is without. */
export const REQUIRED_MEMBERS = ['name', ...Object.keys(requiredFacts)] as const;

/** The document with every member; what is left out has its default. */
export const wholeBacking = ({ name, max_rejected_rows, sync, ...given }: GivenBackingBody): BackingDocumentView => ({
  name,
  ...wholeSpec(given),
  max_rejected_rows: max_rejected_rows ?? 0,
  sync: sync ?? 'on_snapshot',
});

/** What a sync does, with every member; what is left out has its default. */
export const wholeSpec = ({
  relationship_mappings,
  ...given
}: Omit<GivenBackingBody, 'name' | 'max_rejected_rows' | 'sync'>): BackingSpecView => ({
  dataset_id: given.dataset_id,
  entity_type_code: given.entity_type_code,
  entity_type_version: given.entity_type_version,
  property_mappings: given.property_mappings,
  primary_key_mapping: given.primary_key_mapping,
  relationship_mappings: (relationship_mappings ?? []).map((one) => ({ ...one, many: one.many ?? null })),
  row_filter: given.row_filter ?? null,
  delete_policy: given.delete_policy ?? 'mirror',
  duplicate_keys: given.duplicate_keys ?? 'fail',
  null_keys: given.null_keys ?? 'fail',
  identity_policy: given.identity_policy ?? null,
  merge_mode: given.merge_mode ?? 'replace',
});

/** The part of a document that says what a sync does. */
export const specOf = ({ name: _, max_rejected_rows: __, sync: ___, ...spec }: BackingDocumentView): BackingSpecView =>
  spec;
