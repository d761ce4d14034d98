import { type Static, type TSchema, Type } from '@sinclair/typebox';

const closed = { additionalProperties: false } as const;
const text = (description: string, maxLength = 2_000) => Type.String({ minLength: 1, maxLength, description });
const words = <const T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], description });

const Id = Type.String({ pattern: '^[a-z][a-z0-9-]{0,62}$' });
const Category = Type.String({ pattern: '^[a-z][a-z0-9-]{0,62}$' });
/** A JSON Schema of an object without other members. */
const Parameters = Type.Record(Type.String(), Type.Unknown());
/** Names a parameter. */
const POINTER = '^/[A-Za-z0-9_]{1,100}$';
const fromParameter = (value: TSchema) => Type.Union([Type.String({ pattern: POINTER }), value]);

const check = {
  name: Type.String({ minLength: 1, maxLength: 1_000, description: 'A template; what it prints becomes a word' }),
  severity: Type.Optional(
    Type.Union([Type.String({ pattern: POINTER }), words(['fail', 'warn'], 'warn publishes and records')]),
  ),
};
/** A check of the table. A value that begins with a slash is that of the parameter. */
const PatternCheck = Type.Union([
  Type.Object(
    {
      ...check,
      kind: words(['not_null', 'unique'], 'What holds of `columns`'),
      columns: Type.Union([Type.String({ pattern: POINTER }), Type.Array(Type.String(), { minItems: 1 })]),
    },
    closed,
  ),
  Type.Object(
    {
      ...check,
      kind: words(['sql'], 'A SELECT of the wrong rows'),
      each: Type.Optional(
        Type.String({ pattern: POINTER, description: 'One check for each `item` of this parameter' }),
      ),
      sql: Type.String({ minLength: 1, maxLength: 10_000, description: 'A template' }),
    },
    closed,
  ),
]);
export type PatternCheck = Static<typeof PatternCheck>;

export const MATERIALIZATIONS = ['full', 'append', 'merge', 'partition_overwrite'] as const;
export const LAYERS = ['silver', 'gold'] as const;

/** What `pattern.json` or `pattern.yaml` of a transform package says. */
export const PatternDocument = Type.Object(
  {
    id: Id,
    title: text('Name for people', 200),
    category: Category,
    description: text('What the table holds, in a sentence or two'),
    parameters: Parameters,
    template: Type.Optional(Type.String({ pattern: '^[a-z0-9-]{1,60}\\.sql$' })),
    layer: words(LAYERS, 'Where its table usually lies'),
    materialization: Type.Optional(fromParameter(words(MATERIALIZATIONS, 'How rows are written'))),
    key: Type.Optional(fromParameter(Type.Array(Type.String(), { minItems: 1 }))),
    partition_by: Type.Optional(fromParameter(Type.Array(Type.String(), { minItems: 1 }))),
    incremental: Type.Optional(Type.String({ pattern: POINTER })),
    checks: Type.Optional(Type.Array(PatternCheck, { maxItems: 50 })),
  },
  closed,
);
export type PatternDocument = Static<typeof PatternDocument>;

export const SQL_TYPES = [
  ...['boolean', 'int', 'long', 'float', 'double', 'decimal', 'date', 'time', 'timestamp', 'timestamptz'],
  ...['string', 'uuid', 'binary'],
] as const;
export type SqlType = (typeof SQL_TYPES)[number];

/** What `sql-transforms.json` or `sql-transforms.yaml` of a transform package says. */
export const SqlTransformsDocument = Type.Object(
  {
    sql_transforms: Type.Array(
      Type.Object(
        {
          id: Id,
          title: text('Name for people', 200),
          category: Category,
          description: text('What becomes of the column'),
          types: Type.Array(words(SQL_TYPES, 'A type of columns that it takes'), { minItems: 1, uniqueItems: true }),
          parameters: Type.Optional(Parameters),
          expression: text('A template of one SQL expression over {{ column | ident }}', 10_000),
        },
        closed,
      ),
      { minItems: 1, maxItems: 500 },
    ),
  },
  closed,
);
export type SqlTransformDocument = Static<typeof SqlTransformsDocument>['sql_transforms'][number];
