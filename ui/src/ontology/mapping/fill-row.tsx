import { ActionIcon, Button, Group, Text, TextInput } from '@mantine/core';
import { Link2, X } from 'lucide-react';
import type { HTMLAttributes, KeyboardEvent, ReactNode } from 'react';
import { ColumnSelect, SQL_CHOICE } from './column-select.tsx';
import type { Column, Fill } from './mapping.ts';

const MAX_EXPRESSION = 4_000;
const ICON_PX = 14;

interface FillRowProps {
  code: string;
  name: string;
  beside: ReactNode;
  columns: readonly Column[];
  fill: Fill | undefined;
  canBeSql: boolean;
  change(fill: Fill | undefined): void;
  choose(column: string): void;
  picked: string | undefined;
  fault: string | undefined;
  drop: Pick<HTMLAttributes<HTMLElement>, 'onDragOver' | 'onDrop'>;
}

/** What fills one property: a column or SQL; a doubtful suggestion is accepted, changed or removed. */
export function FillRow({
  code,
  name,
  beside,
  fill,
  change,
  choose,
  picked,
  fault,
  drop,
  columns,
  canBeSql,
}: FillRowProps) {
  return (
    <li
      className="board-property"
      data-end={`property ${code}`}
      data-doubtful={fill?.isDoubtful === true}
      data-unmapped={fill === undefined}
      onKeyDown={removing(() => change(undefined))}
      {...drop}
    >
      <div>
        <Text size="sm" fw={560} className="type-name">
          {name}
        </Text>
        <Group gap={6}>{beside}</Group>
      </div>
      <div>
        <FilledBy name={name} columns={columns} fill={fill} canBeSql={canBeSql} change={change} choose={choose} />
        {fault === undefined ? null : (
          <Text size="xs" c="error" role="alert">
            {fault}
          </Text>
        )}
      </div>
      <RowActions
        name={name}
        picked={picked}
        put={choose}
        isDoubtful={fill?.isDoubtful === true}
        accept={() => fill && change({ ...fill, isDoubtful: false })}
        remove={fill === undefined ? undefined : () => change(undefined)}
      />
    </li>
  );
}

type FilledByProps = Pick<FillRowProps, 'name' | 'columns' | 'fill' | 'canBeSql' | 'change' | 'choose'>;

/** The list of columns, and the field of SQL where that is chosen. */
function FilledBy({ name, columns, fill, canBeSql, change, choose }: FilledByProps) {
  const { column = '', sql } = fill ?? {};
  const chosen = (value: string) => {
    if (value === '') change(undefined);
    else if (value === SQL_CHOICE) change({ column, sql: quoted(column), isDoubtful: false });
    else choose(value);
  };
  return (
    <>
      <ColumnSelect
        label={`Column of ${name}`}
        columns={columns}
        value={column}
        isSql={sql !== undefined}
        canBeSql={canBeSql}
        choose={chosen}
      />
      {sql === undefined ? null : (
        <TextInput
          size="xs"
          mt={4}
          aria-label={`SQL of ${name}`}
          className="mono-id"
          maxLength={MAX_EXPRESSION}
          value={sql}
          onChange={({ currentTarget: { value } }) => change({ column, sql: value, isDoubtful: false })}
        />
      )}
    </>
  );
}

const quoted = (column: string): string => `"${column.replaceAll('"', '""')}"`;

/** Backspace or Delete takes a link away; in a field they take letters. */
export const removing =
  (remove: () => void) =>
  (event: KeyboardEvent<HTMLElement>): void => {
    if ((event.target as HTMLElement).matches('input, textarea')) return;
    if (event.key === 'Backspace' || event.key === 'Delete') remove();
  };

interface RowActionsProps {
  name: string;
  picked: string | undefined;
  put(column: string): void;
  isDoubtful: boolean;
  accept(): void;
  remove: (() => void) | undefined;
}

/** What can be done with a place, and nothing that cannot. */
export function RowActions({ name, picked, put, isDoubtful, accept, remove }: RowActionsProps) {
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      {picked === undefined ? null : (
        <ActionIcon variant="light" aria-label={`Put ${picked} into ${name}`} onClick={() => put(picked)}>
          <Link2 size={ICON_PX} aria-hidden />
        </ActionIcon>
      )}
      {isDoubtful ? (
        <Button size="compact-xs" variant="default" aria-label={`Accept ${name}`} onClick={accept}>
          Accept
        </Button>
      ) : null}
      {remove === undefined ? null : (
        <ActionIcon variant="subtle" color="gray" aria-label={`Remove what fills ${name}`} onClick={remove}>
          <X size={ICON_PX} aria-hidden />
        </ActionIcon>
      )}
    </Group>
  );
}
