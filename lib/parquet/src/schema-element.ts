import { CONVERTED, REPETITION } from './format.ts';
import type { StoredType } from './stored-type.ts';
import type { Thrift } from './write-thrift.ts';

/** A column without columns below it; every column may be NULL. */
export type NamedType = { readonly name: string; readonly type: StoredType; readonly fieldId?: number };

const optional = (value: number | undefined): Thrift | undefined => (value === undefined ? undefined : { i32: value });

/** The schema element of a column. */
export function leafElement({ name, type, fieldId }: NamedType): Thrift {
  const { physical, length, converted, scale, precision, logical } = type;
  return {
    struct: [
      [1, { i32: physical }],
      [2, optional(length)],
      [3, { i32: REPETITION.optional }],
      [4, name],
      [6, optional(converted)],
      [7, optional(scale)],
      [8, optional(precision)],
      [9, optional(fieldId)],
      [10, logical],
    ],
  };
}

export type NamedGroup = {
  readonly name: string;
  /** How many elements are directly below it. */
  readonly children: number;
  /** Absent for the root. */
  readonly repetition?: number;
  readonly isList?: boolean;
  readonly fieldId?: number;
};

/** The schema element of what has others below it. */
export function groupElement({ name, children, repetition, isList = false, fieldId }: NamedGroup): Thrift {
  const list: Thrift = { struct: [[3, { struct: [] }]] };
  return {
    struct: [
      [3, optional(repetition)],
      [4, name],
      [5, { i32: children }],
      [6, isList ? { i32: CONVERTED.list } : undefined],
      [9, optional(fieldId)],
      [10, isList ? list : undefined],
    ],
  };
}

/** The schema of a file of columns without columns below them. */
export function flatSchema(columns: readonly NamedType[]): Thrift[] {
  return [groupElement({ name: 'schema', children: columns.length }), ...columns.map(leafElement)];
}
