import { pointerSegments } from '@weir/json-schemas';
import {
  type Compatibility,
  type OUTCOMES,
  POLICIES,
  type SchemaChangeView,
  type VerdictView,
} from '../contract/shapes.ts';
import { type Containment, contain, type Outcome, type Policy, sideOf } from './containment/judge.ts';
import type { Side } from './containment/state.ts';
import { jsonValue } from './infer.ts';
import { lintSchema, type SchemaFault } from './schema/lint.ts';
import type { Node } from './schema/places.ts';
import { schemaValidator, type ValueFault } from './schema/validator.ts';

/** A version that a schema is compared with. */
export interface Earlier {
  version: number;
  schema: unknown;
}

/** Work with a schema of a tenant. It may take long, so it is done in a thread that can be stopped. */
export type Task =
  | { kind: 'lint'; schema: unknown }
  | { kind: 'check'; schema: unknown; instances: readonly unknown[]; most: number }
  | {
      kind: 'table';
      schema: unknown;
      columns: readonly { name: string; type: string }[];
      values: readonly (readonly unknown[])[];
    }
  | {
      kind: 'judge';
      schema: unknown;
      earlier: readonly Earlier[];
      compatibility: Compatibility;
      policy: Policy;
    };

/** `unusable` in place of the answer: the schema itself is at fault. */
export interface Done {
  unusable?: SchemaFault[];
  check?: { faults: (ValueFault & { index: number })[]; truncated: boolean; invalid: number };
  table?: { rows: number; invalid: number; columns: ColumnFault[] };
  judged?: { verdict: VerdictView; changes: SchemaChangeView[] };
}

/** Rows of a table that break one rule at one column. */
export interface ColumnFault {
  column: string;
  keyword: string;
  count: number;
  example: unknown;
  message: string;
}

/** Faults that are shown of one document. */
const MAX_OF_INSTANCE = 50;
const MAX_CHANGES = 100;

/** Does the work. Pure. */
export function doTask(task: Task): Done {
  const unusable = lintSchema(task.schema);
  if (unusable.length > 0) return { unusable };
  try {
    if (task.kind === 'check') return { check: check(task) };
    if (task.kind === 'table') return { table: checkTable(task) };
    if (task.kind === 'judge') return { judged: judge(task) };
    schemaValidator(task.schema as Node).accepts('', null);
    return {};
  } catch (error) {
    // A schema that its dialect allows and that cannot be compiled, such as one with a number that is too large.
    if (!(error instanceof Error)) throw error;
    return { unusable: [{ pointer: '', code: 'schema_invalid', message: 'cannot be compiled' }] };
  }
}

function check({ schema, instances, most }: Extract<Task, { kind: 'check' }>): NonNullable<Done['check']> {
  const validator = schemaValidator(schema as Node);
  const faults: (ValueFault & { index: number })[] = [];
  let [invalid, truncated] = [0, false];
  for (const [index, instance] of instances.entries()) {
    const found = validator.faults(instance);
    if (found.length > 0) invalid += 1;
    const shown = found.slice(0, Math.min(MAX_OF_INSTANCE, most - faults.length));
    if (shown.length < found.length) truncated = true;
    faults.push(...shown.map((fault) => ({ index, ...fault })));
  }
  return { faults, truncated, invalid };
}

const MAX_COLUMN_FAULTS = 200;
const MAX_EXAMPLE_CHARS = 200;

/** Counts the faults of rows by column and rule; NULL is an absent member. */
function checkTable({ schema, columns, values }: Extract<Task, { kind: 'table' }>): NonNullable<Done['table']> {
  const validator = schemaValidator(schema as Node);
  const found = new Map<string, ColumnFault>();
  const rows = values[0]?.length ?? 0;
  let invalid = 0;
  for (let at = 0; at < rows; at += 1) {
    const cells = columns.flatMap(({ name, type }, column) => {
      const value = values[column]?.[at] ?? null;
      return value === null ? [] : [[name, jsonValue(type, value)] as const];
    });
    const row = Object.fromEntries(cells);
    const faults = validator.faults(row);
    if (faults.length > 0) invalid += 1;
    for (const { pointer, keyword, message, member } of faults) {
      const column = pointerSegments(pointer)[0] ?? member ?? '';
      const key = `${column} ${keyword}`;
      const known = found.get(key);
      if (known !== undefined) known.count += 1;
      else if (found.size < MAX_COLUMN_FAULTS)
        found.set(key, { column, keyword, count: 1, example: shortened(row[column]), message });
    }
  }
  return { rows, invalid, columns: [...found.values()] };
}

const shortened = (value: unknown): unknown =>
  JSON.stringify(value ?? null).length <= MAX_EXAMPLE_CHARS ? (value ?? null) : null;

const READERS = /^(BACKWARD|FULL)/;
const WRITERS = /^(FORWARD|FULL)/;

function judge({ schema, earlier, compatibility, policy }: Extract<Task, { kind: 'judge' }>) {
  const asked = compatibility === 'NONE' ? [] : earlier;
  const compared = compatibility.endsWith('_TRANSITIVE') ? asked : asked.slice(-1);
  const next = sideOf(schema as Node);
  const other = POLICIES.find((one) => one !== policy) as Policy;
  const changes: SchemaChangeView[] = [];
  const outcomes: Record<Policy, Outcome> = { optional_friendly: 'compatible', strict: 'compatible' };
  for (const { version, schema: old } of compared) {
    const before = sideOf(old as Node);
    for (const direction of directions(compatibility, before, next)) {
      const found = contain(direction.a, direction.b, policy);
      outcomes[policy] = worse(outcomes[policy], found.outcome);
      outcomes[other] = worse(outcomes[other], contain(direction.a, direction.b, other).outcome);
      changes.push(...changesOf(found, direction.breaks, version));
    }
  }
  const verdict: VerdictView = {
    outcome: outcomes[policy],
    compatibility,
    policy,
    compared_with: compared.map(({ version }) => version),
    other_policy: compared.length === 0 ? null : { policy: other, outcome: outcomes[other] },
  };
  return { verdict, changes: changes.slice(0, MAX_CHANGES) };
}

interface Direction {
  a: Side;
  b: Side;
  breaks: SchemaChangeView['breaks'];
}

function directions(compatibility: Compatibility, old: Side, next: Side): Direction[] {
  return [
    ...(READERS.test(compatibility) ? [{ a: old, b: next, breaks: 'readers' as const }] : []),
    ...(WRITERS.test(compatibility) ? [{ a: next, b: old, breaks: 'writers' as const }] : []),
  ];
}

const worse = (one: Outcome, other: Outcome): Outcome => (RANKS.indexOf(one) > RANKS.indexOf(other) ? one : other);
const RANKS: readonly Outcome[] = ['compatible', 'undetermined', 'breaking'] satisfies (typeof OUTCOMES)[number][];

function changesOf({ breaks: found }: Containment, breaks: Direction['breaks'], version: number): SchemaChangeView[] {
  const refusing = breaks === 'readers' ? 'new' : 'old';
  const accepting = breaks === 'readers' ? 'old' : 'new';
  return found.map(({ rule, pointer, counterExample }) => ({
    pointer,
    in: refusing,
    rule,
    breaks,
    version,
    change: changeText(rule, refusing),
    counter_example:
      counterExample === undefined
        ? null
        : { value: counterExample.value, accepted_by: accepting, refused_by: refusing },
  }));
}

/** What a rule asks that the other schema does not, by its keyword. */
const DEMANDS: Readonly<Record<string, string>> = {
  type: 'takes fewer types',
  enum: 'takes fewer of the listed values',
  const: 'takes one value alone',
  minimum: 'has a higher minimum',
  exclusiveMinimum: 'has a higher minimum',
  maximum: 'has a lower maximum',
  exclusiveMaximum: 'has a lower maximum',
  multipleOf: 'takes other multiples',
  minLength: 'asks for longer texts',
  maxLength: 'asks for shorter texts',
  pattern: 'has another pattern',
  format: 'has another format',
  required: 'requires a member that may be absent',
  minProperties: 'asks for more members',
  maxProperties: 'takes fewer members',
  dependentRequired: 'requires a member beside another one',
  dependencies: 'asks for something beside a member',
  propertyNames: 'takes fewer names of members',
  minItems: 'asks for more items',
  maxItems: 'takes fewer items',
  uniqueItems: 'refuses equal items',
  contains: 'asks for an item of a kind',
  anyOf: 'takes fewer alternatives',
  oneOf: 'takes fewer alternatives, or one that overlaps with another',
  not: 'refuses values that the other one takes',
  if: 'sets another condition',
  false: 'refuses a value that the other one takes',
  additionalProperties: 'refuses members that it does not declare',
  unevaluatedProperties: 'refuses members that it does not declare',
  unevaluatedItems: 'refuses items that it does not declare',
  too_many_steps: 'is too large to be compared',
};

/** What a rule changes, in a sentence. */
function changeText(rule: string, side: 'new' | 'old'): string {
  return `The ${side} version ${DEMANDS[rule] ?? `has another \`${rule}\``}.`;
}
