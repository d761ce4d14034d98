import { type Static, Type } from '@sinclair/typebox';
import { Closed, Nullable, OneOf } from '@weir/kernel/contract';
import { Check, Fault, Validation } from '@weir/plugin-transforms/contract';

/** 256 KiB: more is refused before it is read. */
export const MAX_AI_BYTES = 262_144;
/** Neither NUL nor half of a surrogate pair. */
const STORABLE = '^[^\\u0000\\ud800-\\udfff]*$';

export const text = (maxLength: number, description: string) =>
  Type.String({ maxLength, pattern: STORABLE, description });
export const DatasetId = Type.String({
  minLength: 1,
  maxLength: 602,
  pattern: STORABLE,
  description: 'Such as bronze.demo.shop__orders',
});
export const Dialect = OneOf(['duckdb'], { default: 'duckdb' });

const name = Type.String({ minLength: 1, maxLength: 255, pattern: STORABLE });
export const GivenColumns = Type.Array(
  Closed({
    name,
    type: Type.Optional(text(200, 'A word of SQL, of the table format or of JSON Schema')),
  }),
  { minItems: 1, maxItems: 2_000, description: 'Columns, in place of a dataset' },
);
export const GivenSchema = Type.Record(Type.String(), Type.Unknown(), {
  description: 'A JSON Schema of an object; its properties are the fields',
});
export const EntityTypeCode = text(64, 'An entity type of the ontology');
export const FullId = text(512, 'A schema of a library, such as core:Commerce:Order');
export const DatasetIds = Type.Array(DatasetId, { maxItems: 10, uniqueItems: true });

/** A field of a schema. */
export const Field = Type.Object({
  name: Type.String(),
  type: Nullable(Type.String()),
  nullable: Type.Boolean(),
  primary_key: Type.Boolean(),
  description: Nullable(Type.String()),
});
export type FieldView = Static<typeof Field>;

export const VERDICTS = ['pass', 'warn', 'fail'] as const;
export type VerdictWord = (typeof VERDICTS)[number];

const place = {
  line: Type.Optional(Type.Integer()),
  column: Type.Optional(Type.Integer({ description: 'Line and column count from 1, columns in characters' })),
};

/** What the review of a statement found. */
export const Review = Type.Object({
  verdict: OneOf(VERDICTS, { description: 'fail: it cannot run, or does not do what it says' }),
  findings: Type.Array(
    Type.Object({
      rule_id: Type.String(),
      severity: OneOf(['error', 'warning', 'note']),
      message: Type.String(),
      name: Type.Optional(Type.String()),
      ...place,
    }),
  ),
});
export type ReviewView = Static<typeof Review>;

/** A statement, as a proposal has it. */
export const Artifact = Type.Object({
  kind: OneOf(['sql', 'pattern']),
  sql: Type.String(),
  pattern_id: Nullable(Type.String()),
  params: Nullable(Type.Record(Type.String(), Type.Unknown())),
});
export type ArtifactView = Static<typeof Artifact>;

export const OutputColumns = Validation.properties.columns;
export const Lineage = Validation.properties.lineage;
export const Tests = Type.Array(Check, { description: 'Checks that the transform should have' });
export const Faults = Type.Array(Fault);
export type FaultView = Static<typeof Fault>;
