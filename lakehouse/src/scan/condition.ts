import type { Field, FieldType } from '../schema/types.ts';
import { conditionText } from './condition-text.ts';

/** How a column may be compared. NULL fits only `is_null`; NaN fits only `ne` and `not_null`. */
export const CONDITION_OPS = [
  'eq',
  'ne',
  'lt',
  'le',
  'gt',
  'ge',
  'contains',
  'starts_with',
  'is_null',
  'not_null',
] as const;
export type ConditionOp = (typeof CONDITION_OPS)[number];

/** One comparison of a top-level column with a constant; rows must fit all conditions of a read. */
export type Condition = {
  readonly field: Field;
  readonly op: ConditionOp;
  /** The constant as `conditionText` spells it; undefined for the two that compare with nothing. */
  readonly text: string | undefined;
};

/** Why text is no condition: the column's type has no such comparison, or no such value. */
export type ConditionFault = 'operator' | 'value';

const COMPARING: ReadonlySet<ConditionOp> = new Set(['eq', 'ne', 'lt', 'le', 'gt', 'ge']);

/** Whether values of a type have an order that this library can ask for. */
export function isOrdered(type: FieldType): boolean {
  return typeof type === 'string' && type !== 'binary';
}

/** The condition that compares a column with a value written as text, or why there is none. */
export function parseCondition(field: Field, op: ConditionOp, value: string | undefined): Condition | ConditionFault {
  const { type } = field;
  if (op === 'is_null' || op === 'not_null') {
    return value === undefined ? { field, op, text: undefined } : 'value';
  }
  const fits = COMPARING.has(op)
    ? isOrdered(type) && (type !== 'boolean' || op === 'eq' || op === 'ne')
    : type === 'string';
  if (!fits || typeof type !== 'string') return 'operator';
  const text = value === undefined ? undefined : conditionText(type, value);
  return text === undefined ? 'value' : { field, op, text };
}
