import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { Column } from './mapping.ts';

/** The choice of SQL in place of a column; names of columns have another first character. */
export const SQL_CHOICE = 'sql';
const OF_COLUMN = '.';
/** Beyond as many columns a list is filled when it gets the focus: a wide table and type have a million choices. */
const MANY = 60;

interface ColumnSelectProps {
  label: string;
  columns: readonly Column[];
  value: string;
  isSql?: boolean;
  canBeSql?: boolean;
  /** A name of a column, `SQL_CHOICE`, or '' for no column. */
  choose(value: string): void;
}

/** A list of the columns of the table. */
export function ColumnSelect({ label, columns, value, isSql = false, canBeSql = false, choose }: ColumnSelectProps) {
  const [hasFocus, setFocus] = useState(false);
  const offered = columns.length <= MANY || hasFocus ? columns : columns.filter(({ name }) => name === value);
  const isGone = value !== '' && !isSql && !columns.some(({ name }) => name === value);
  return (
    <NativeSelect
      aria-label={label}
      size="xs"
      data={[
        { value: '', label: 'no column' },
        ...(isGone ? [{ value: OF_COLUMN + value, label: `${value}, not in the table` }] : []),
        ...offered.map(({ name }) => ({ value: OF_COLUMN + name, label: name })),
        ...(canBeSql ? [{ value: SQL_CHOICE, label: 'SQL' }] : []),
      ]}
      value={isSql ? SQL_CHOICE : value === '' ? '' : OF_COLUMN + value}
      onFocus={() => setFocus(true)}
      onChange={({ currentTarget: { value: next } }) => choose(next.startsWith(OF_COLUMN) ? next.slice(1) : next)}
    />
  );
}
