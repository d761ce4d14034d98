import { type Static, type TProperties, Type } from '@sinclair/typebox';
import { Closed, Nullable, OneOf } from '@weir/kernel/contract';

const CODE = '^[A-Za-z][A-Za-z0-9_]{0,63}$';
export const MAX_PROPERTIES = 2_000;
export const MAX_RELATIONSHIPS = 200;
export const MAX_KEY_PROPERTIES = 4;
const MAX_ENUM = 500;
const MAX_TEXT = 2_000;
/** Neither NUL nor half of a surrogate pair. */
export const STORABLE = '^[^\\u0000\\ud800-\\udfff]*$';

export const VALUE_TYPES = [
  ...(['string', 'text', 'uuid', 'uri', 'email', 'boolean', 'integer', 'long', 'double', 'decimal'] as const),
  ...(['date', 'timestamp', 'timestamptz', 'geometry', 'json', 'list'] as const),
] as const;
export type ValueType = (typeof VALUE_TYPES)[number];
export type ItemType = Exclude<ValueType, 'list'>;
const ITEM_TYPES = VALUE_TYPES.filter((type): type is ItemType => type !== 'list');
export const CARRIER_TYPES = ['string', 'boolean', 'number', 'object', 'array'] as const;
export type CarrierType = (typeof CARRIER_TYPES)[number];
export const TYPE_STATUSES = ['draft', 'active', 'deprecated', 'retired'] as const;
export type TypeStatus = (typeof TYPE_STATUSES)[number];

const code = (description: string) => Type.String({ pattern: CODE, description });
const text = (description: string, maxLength = MAX_TEXT) => Type.String({ maxLength, pattern: STORABLE, description });

export const Code = code('A letter, then letters, digits and _; at most 64; unique whatever its case');
export const TypeName = Type.String({ minLength: 1, maxLength: 200, pattern: STORABLE, description: 'For people' });
export const Description = text('What it means');
export const Icon = Type.String({ pattern: '^[a-z][a-z0-9-]{0,62}$', description: 'Name of a picture' });

const Bound = Type.Union([Type.Number(), Type.String({ maxLength: 64 })], {
  description: 'As the value travels: a number, or text for long, decimal and times',
});
export const Constraints = Closed({
  min: Type.Optional(Bound),
  max: Type.Optional(Bound),
  pattern: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'What texts must match (RE2)' })),
  max_length: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  precision: Type.Optional(Type.Integer({ minimum: 1, maximum: 38 })),
  scale: Type.Optional(Type.Integer({ minimum: 0, maximum: 38 })),
});
export type ConstraintsBody = Static<typeof Constraints>;

const EnumValue = Type.Union([Type.String({ maxLength: 200, pattern: STORABLE }), Type.Integer()]);
const PROPERTY_STATUSES = ['active', 'deprecated'] as const;

/** What a property says beyond its labels. */
const propertyFacts = {
  value_type: OneOf(VALUE_TYPES, {
    description: 'What the value means; of json, integers of more than 53 bits are refused: give them as text',
  }),
  carrier_type: OneOf(CARRIER_TYPES, { description: 'How the value travels in JSON; follows from value_type' }),
  item_type: Nullable(OneOf(ITEM_TYPES, { description: 'Of a list: what its items mean' })),
  required: Type.Boolean({ description: 'Every entity has a value' }),
  unique: Type.Boolean({ description: 'No two entities have the same value' }),
  indexed: Type.Boolean({ description: 'Entities are found by its value' }),
  enum: Nullable(Type.Array(EnumValue, { minItems: 1, maxItems: MAX_ENUM, uniqueItems: true })),
  constraints: Constraints,
  sensitive: Type.Boolean({ description: 'Shown to people who may read the entity, and to no assistant' }),
  status: OneOf(PROPERTY_STATUSES),
};
const labelFacts = { name: TypeName, description: Nullable(Description) };

/** A property as it is kept and read: every member is there. */
export const Property = Type.Object({
  code: Code,
  ...labelFacts,
  ...propertyFacts,
  unit: Nullable(text('Of the value, such as km/h', 40)),
});
export type PropertyDocument = Static<typeof Property>;

const relationshipFacts = {
  target_type: code('The entity type at the other end'),
  target_key: Type.Array(Code, {
    minItems: 1,
    maxItems: MAX_KEY_PROPERTIES,
    uniqueItems: true,
    description: 'The primary key of the target type',
  }),
  cardinality: OneOf(['one', 'many']),
  required: Type.Boolean({ description: 'Every entity has one' }),
  inverse_code: Nullable(code('What the relationship is called from the other end')),
  on_missing_target: OneOf(['allow', 'reject'], { description: 'What becomes of a link to an entity that is missing' }),
};

/** A relationship as it is kept and read. */
export const Relationship = Type.Object({ code: Code, ...labelFacts, ...relationshipFacts });
export type RelationshipDocument = Static<typeof Relationship>;

/** The schemas as members that may be left out. */
const optional = <T extends TProperties>(members: T) => Type.Partial(Type.Object(members)).properties;

const { value_type, ...furtherFacts } = propertyFacts;
const GivenProperty = Closed({
  code: Code,
  value_type,
  ...optional(labelFacts),
  ...optional(furtherFacts),
  unit: Type.Optional(Nullable(text('Of the value, such as km/h', 40))),
  renamed_from: Type.Optional(code('What the property was called in the version before')),
});
export type GivenPropertyBody = Static<typeof GivenProperty>;

const { target_type, target_key, cardinality, ...furtherEnds } = relationshipFacts;
const GivenRelationship = Closed({
  ...{ code: Code, target_type, target_key, cardinality },
  ...optional(labelFacts),
  ...optional(furtherEnds),
});

const PrimaryKey = Type.Array(Code, {
  minItems: 1,
  maxItems: MAX_KEY_PROPERTIES,
  uniqueItems: true,
  description: 'Properties whose values are together unique, in their order',
});

/** What a version says, as a request gives it. */
export const versionMembers = {
  properties: Type.Array(GivenProperty, { minItems: 1, maxItems: MAX_PROPERTIES }),
  primary_key: PrimaryKey,
  title_property: Type.Optional(Nullable(code('The property that names an entity for people'))),
  relationships: Type.Optional(Type.Array(GivenRelationship, { maxItems: MAX_RELATIONSHIPS })),
};
export const GivenVersion = Closed(versionMembers);
export type GivenVersionBody = Static<typeof GivenVersion>;

/** What a version says, with every member. */
export const VersionDocument = Type.Object({
  properties: Type.Array(Property),
  primary_key: Type.Array(Type.String()),
  title_property: Nullable(Type.String()),
  relationships: Type.Array(Relationship),
});
export type VersionDocumentView = Static<typeof VersionDocument>;
