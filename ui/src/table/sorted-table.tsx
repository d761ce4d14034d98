import { Group, Table, UnstyledButton } from '@mantine/core';
import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react';
import { type ComponentProps, useMemo } from 'react';
import { nextSort, type SortColumn, type SortValue, sortRows } from '../grid/sort-rows.ts';
import { LongTable } from './long-table.tsx';

/** A column of a list. */
export interface ListColumn<R> {
  name: string;
  label: string;
  ta?: 'right';
  w?: number;
  /** Absent where rows cannot be ordered by it. */
  value?(row: R): SortValue;
}

interface SortedTableProps<R> extends Omit<ComponentProps<typeof LongTable<R>>, 'head'> {
  columns: readonly ListColumn<R>[];
  /** The column that rows are ordered by, as the address has it. */
  sort: string | undefined;
  setSort(sort: string | undefined): void;
}

/** A list whose heads order the rows that are here. */
export function SortedTable<R>({ columns, sort, setSort, rows, ...rest }: SortedTableProps<R>) {
  const sorted = useMemo(() => sortRows(rows, columns.flatMap(sortable), sort), [rows, columns, sort]);
  return (
    <LongTable
      {...rest}
      rows={sorted}
      head={columns.map(({ name, label, ta, w, value }) => (
        <Table.Th key={name} ta={ta} w={w} aria-sort={value && ariaSort(name, sort)}>
          {value === undefined ? (
            label
          ) : (
            <UnstyledButton fw="inherit" fz="inherit" onClick={() => setSort(nextSort(name, sort))}>
              <Group gap={4} wrap="nowrap" justify={ta === 'right' ? 'flex-end' : 'flex-start'}>
                {label}
                <SortMark name={name} sort={sort} />
              </Group>
            </UnstyledButton>
          )}
        </Table.Th>
      ))}
    />
  );
}

const sortable = <R,>({ name, value }: ListColumn<R>): SortColumn<R>[] =>
  value === undefined ? [] : [{ name, value }];

function ariaSort(name: string, sort: string | undefined): 'ascending' | 'descending' | 'none' {
  if (sort === name) return 'ascending';
  return sort === `-${name}` ? 'descending' : 'none';
}

function SortMark({ name, sort }: { name: string; sort: string | undefined }) {
  const isOn = sort === name || sort === `-${name}`;
  const Icon = sort === name ? ArrowUp : isOn ? ArrowDown : ArrowUpDown;
  return <Icon size={12} aria-hidden opacity={isOn ? 1 : 0.45} />;
}
