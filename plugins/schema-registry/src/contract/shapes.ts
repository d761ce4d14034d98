import { type Static, Type } from '@sinclair/typebox';
import { Nullable, OneOf } from '@weir/kernel/contract';

export const DIALECTS = ['draft-04', 'draft-06', 'draft-07', '2019-09', '2020-12'] as const;
export const COMPATIBILITIES = [
  'NONE',
  'BACKWARD',
  'FORWARD',
  'FULL',
  'BACKWARD_TRANSITIVE',
  'FORWARD_TRANSITIVE',
  'FULL_TRANSITIVE',
] as const;
export type Compatibility = (typeof COMPATIBILITIES)[number];
export const POLICIES = ['optional_friendly', 'strict'] as const;
export const OUTCOMES = ['compatible', 'breaking', 'undetermined'] as const;
export const STATUSES = ['draft', 'active', 'deprecated'] as const;
export type SchemaStatus = (typeof STATUSES)[number];

export const MAX_INSTANCES = 1_000;
export const MAX_BULK = 200;
export const BULK_BYTES = 16 * 1024 * 1024;

/** Of a subject; one segment of a path. */
export const Subject = Type.String({
  pattern: '^[A-Za-z][A-Za-z0-9._-]{0,127}$',
  description: 'A letter, then letters, digits, ., _ and -; at most 128',
});
export const Version = Type.Integer({ minimum: 1, description: 'Version of the subject' });
/** A schema as it is given. */
export const GivenSchema = Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Boolean()], {
  description: 'A JSON Schema; `$schema` names its dialect, 2020-12 without it. References stay within the document',
});
/** A schema as it is shown. */
export const ShownSchema = Type.Unknown({ description: 'The JSON Schema as it was given' });
export const CompatibilityMode = OneOf(COMPATIBILITIES, {
  description:
    'BACKWARD: new readers read old documents; FORWARD: old readers read new ones; FULL: both; with _TRANSITIVE all versions are compared, not the newest alone',
});
export const PolicyName = OneOf(POLICIES, {
  description:
    'optional_friendly: an optional member more or less is fine on open objects; strict: an undeclared member may hold anything',
});
export const Outcome = OneOf(OUTCOMES, { description: 'undetermined counts as breaking' });

/** A rule that documents of one version break. */
export const SchemaChange = Type.Object({
  pointer: Type.String({ description: 'JSON pointer of the rule' }),
  in: OneOf(['new', 'old'], { description: 'The schema that has the rule' }),
  rule: Type.String({ description: 'Keyword of the rule' }),
  change: Type.String(),
  breaks: OneOf(['readers', 'writers'], {
    description: 'readers: of the new version, by old documents; writers: by the new version, for old readers',
  }),
  version: Nullable(Type.Integer({ description: 'The version that was compared' })),
  counter_example: Nullable(
    Type.Object({
      value: Type.Unknown({ description: 'A document' }),
      accepted_by: OneOf(['new', 'old']),
      refused_by: OneOf(['new', 'old']),
    }),
  ),
});
export type SchemaChangeView = Static<typeof SchemaChange>;

/** What a comparison found. */
export const Verdict = Type.Object({
  outcome: Outcome,
  compatibility: CompatibilityMode,
  policy: PolicyName,
  compared_with: Type.Array(Type.Integer(), { description: 'Versions' }),
  other_policy: Nullable(
    Type.Object({ policy: PolicyName, outcome: Outcome }, { description: 'What the other policy says' }),
  ),
});
export type VerdictView = Static<typeof Verdict>;

/** One thing that is wrong with a schema or with documents. */
export const CheckFault = Type.Object({
  index: Nullable(Type.Integer({ description: 'Of the document; null for the schema' })),
  pointer: Type.String(),
  keyword: Type.String(),
  message: Type.String(),
});
export type CheckFaultView = Static<typeof CheckFault>;
