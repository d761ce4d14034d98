import { type Static, Type } from '@sinclair/typebox';
import { Closed, Nullable, OneOf } from '@weir/kernel/contract';

/** The operations that make a value comparable; a policy lists them in their order. */
export const NORMALISE_OPS = [
  'lower',
  'trim',
  'collapse_spaces',
  'strip_accents',
  'letters',
  'digits',
  'letters_and_digits',
  'strip_leading_zeros',
  'sort_words',
] as const;

/** The spellings of a date that a policy can read. */
export const DATE_FORMATS = ['YYYYMMDD', 'YYYY-MM-DD', 'DD/MM/YYYY', 'MM/DD/YYYY', 'DD.MM.YYYY'] as const;

const MAX_NORMALISED = 32;
const MAX_OPS = 10;
const MAX_BLOCKING_RULES = 16;
const MAX_BLOCKING_PARTS = 4;
const MAX_PART_CHARS = 32;
const MAX_COMPARISONS = 24;
const MAX_LEVELS = 6;
const MAX_KEYS = 8;
const MAX_PATTERN_CHARS = 128;
const MAX_WEIGHT = 100;
const MAX_SCORE = MAX_COMPARISONS * MAX_WEIGHT;
const MAX_EDITS = 32;
const MAX_DIFFERENCE = 1e15;
const MAX_DAYS = 36_525;

/** A property of the entity: in a dataset, the column of this name. */
const PropertyName = Type.String({ minLength: 1, maxLength: 255 });
const Weight = Type.Number({ minimum: -MAX_WEIGHT, maximum: MAX_WEIGHT });
const Score = Type.Number({ exclusiveMinimum: 0, maximum: MAX_SCORE });

const NormaliseOp = Type.Union([
  OneOf(NORMALISE_OPS),
  Closed({
    op: Type.Literal('replace'),
    pattern: Type.String({
      minLength: 1,
      maxLength: MAX_PATTERN_CHARS,
      pattern: '^[^\\u0000-\\u001f]+$',
      description: 'A regular expression of RE2',
    }),
    with: Type.String({
      maxLength: MAX_PATTERN_CHARS,
      pattern: '^[^\\\\\\u0000-\\u001f]*$',
      description: 'Text without references',
    }),
  }),
  Closed({ op: Type.Literal('date'), format: OneOf(DATE_FORMATS) }),
]);

const BlockingPart = Type.Union([
  PropertyName,
  Closed({
    property: PropertyName,
    op: OneOf(['prefix', 'suffix'] as const),
    length: Type.Integer({ minimum: 1, maximum: MAX_PART_CHARS }),
  }),
]);

const ComparisonLevel = Type.Union([
  Closed({ op: Type.Literal('exact'), weight: Weight }),
  Closed({
    op: Type.Literal('jaro_winkler'),
    threshold: Type.Number({ exclusiveMinimum: 0, maximum: 1, description: 'Least similarity' }),
    weight: Weight,
  }),
  Closed({
    op: Type.Literal('levenshtein'),
    threshold: Type.Integer({ minimum: 0, maximum: MAX_EDITS, description: 'Most edits' }),
    weight: Weight,
  }),
  Closed({
    op: Type.Literal('numeric'),
    threshold: Type.Number({ minimum: 0, maximum: MAX_DIFFERENCE, description: 'Most difference' }),
    weight: Weight,
  }),
  Closed({
    op: Type.Literal('date'),
    threshold: Type.Integer({ minimum: 0, maximum: MAX_DAYS, description: 'Most days between' }),
    weight: Weight,
  }),
]);

const CanonicalId = Type.Union([
  Closed({ strategy: OneOf(['source_key', 'smallest_key'] as const), property: PropertyName }),
  Closed({
    strategy: Type.Literal('uuid5'),
    namespace: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
    keys: Type.Array(PropertyName, { minItems: 1, maxItems: MAX_KEYS }),
  }),
]);

const ENTITY_RESOLUTION = `Says which records are of one entity. Values are normalised, and a text of which nothing is left counts as missing. Records that agree in all parts of a blocking rule are compared. Of each comparison the first level that fits gives its weight; where none fits, \`otherwise\` (0); where a value is missing, 0. Pairs whose weights add up to \`accept\` are of one entity, and so is all that they connect; pairs from \`review\` on are told apart for people to look at.`;

/** Document of an identity policy of kind `entity_resolution`. */
export const EntityResolutionDocument = Closed(
  {
    entity_type: Type.String({ minLength: 1, maxLength: 63, pattern: '^[A-Za-z][A-Za-z0-9_-]*$' }),
    normalise: Type.Array(
      Closed({ property: PropertyName, ops: Type.Array(NormaliseOp, { minItems: 1, maxItems: MAX_OPS }) }),
      { maxItems: MAX_NORMALISED },
    ),
    blocking: Type.Array(Type.Array(BlockingPart, { minItems: 1, maxItems: MAX_BLOCKING_PARTS }), {
      minItems: 1,
      maxItems: MAX_BLOCKING_RULES,
    }),
    comparisons: Type.Array(
      Closed({
        property: PropertyName,
        levels: Type.Array(ComparisonLevel, { minItems: 1, maxItems: MAX_LEVELS }),
        otherwise: Type.Optional(Weight),
      }),
      { minItems: 1, maxItems: MAX_COMPARISONS },
    ),
    accept: Score,
    review: Score,
    canonical_id: CanonicalId,
  },
  { description: ENTITY_RESOLUTION },
);
export type EntityResolutionDocumentBody = Static<typeof EntityResolutionDocument>;

/** Rows of the sample of a dry run, unless told and at most. */
export const DEFAULT_DRY_RUN_ROWS = 10_000;
export const MAX_DRY_RUN_ROWS = 50_000;
/** Pairs that a dry run shows. */
export const MAX_SHOWN_PAIRS = 20;
/** What stands for any value that a record has. */
export const MASK = '•••';

/** What a dry run of the kind looks at: the first rows of a dataset. */
export const EntitySample = Closed({
  dataset_id: Type.String({ maxLength: 255 }),
  rows: Type.Optional(Type.Integer({ minimum: 2, maximum: MAX_DRY_RUN_ROWS, default: DEFAULT_DRY_RUN_ROWS })),
});
export type EntitySampleBody = Static<typeof EntitySample>;

const Count = (description?: string) => Type.Integer({ minimum: 0, ...(description && { description }) });
const Masked = Nullable(Type.Literal(MASK, { description: 'The same for every value; null where there is none' }));

/**
 * A pair as a dry run shows it: which level each comparison met, and nothing that depends on the letters of a value. The
 * mask is the same for all, so that neither a length nor a repetition can be told from it; no key and no place is shown.
 */
const MaskedPair = Type.Object({
  score: Type.Number(),
  verdict: OneOf(['accept', 'review'] as const),
  comparisons: Type.Array(
    Type.Object({
      property: Type.String(),
      left: Masked,
      right: Masked,
      level: Nullable(Count('The place of the level in the policy; null where none fits or a value is missing')),
      weight: Type.Number(),
    }),
  ),
});
export type MaskedPairView = Static<typeof MaskedPair>;

/** What a dry run of the kind answers: what the policy would make of the sample. */
export const EntityDryRun = Type.Object({
  kind: Type.Literal('entity_resolution'),
  dataset_id: Type.String(),
  snapshot_id: Nullable(Type.String()),
  sample: Type.Object({
    rows: Count(),
    complete: Type.Boolean({ description: 'Whether these are all rows of the dataset' }),
  }),
  blocking: Type.Array(
    Type.Object({ candidates: Count('Pairs that the rule brings together; a pair may come by several rules') }),
  ),
  pairs: Type.Object({ accepted: Count(), review: Count() }),
  clusters: Type.Object({
    total: Count('Entities that the records are of'),
    sizes: Type.Array(Type.Object({ size: Type.Integer({ minimum: 1 }), clusters: Count() })),
  }),
  collisions: Type.Object({
    shared_ids: Count('Canonical ids that more than one entity would have'),
    contested: Count('Entities whose records bring several source keys'),
    without_id: Count('Entities of which no record has a key'),
  }),
  moved: Nullable(
    Type.Object({
      records: Count('Records whose canonical id is another one under the version in force'),
    }),
  ),
  examples: Type.Array(MaskedPair, { maxItems: MAX_SHOWN_PAIRS }),
});
export type EntityDryRunView = Static<typeof EntityDryRun>;
