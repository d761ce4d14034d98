import { Badge, Group, Text } from '@mantine/core';
import type { EntityTypeView } from '@weir/plugin-ontology/contract';
import type { HTMLAttributes } from 'react';
import { ColumnSelect } from './column-select.tsx';
import { RowActions, removing } from './fill-row.tsx';
import type { Column, Lead } from './mapping.ts';

interface LeadRowProps {
  relationship: EntityTypeView['relationships'][number];
  columns: readonly Column[];
  lead: Lead | undefined;
  change(lead: Lead | undefined): void;
  picked: string | undefined;
  fault: string | undefined;
  dropped(put: (column: string) => void): Pick<HTMLAttributes<HTMLElement>, 'onDragOver' | 'onDrop'>;
}

/** Which columns hold the key of the other end of a relationship. */
export function LeadRow({ relationship, columns, lead, change, picked, fault, dropped }: LeadRowProps) {
  const { code, name, target_type, target_key: key, cardinality, required } = relationship;
  const parts = key.map((_, at) => lead?.columns[at] ?? '');
  const put = (column: string, at: number) => {
    const next = parts.map((before, place) => (place === at ? column : before));
    change(next.every((one) => one === '') ? undefined : { columns: next, isDoubtful: false });
  };
  const putNext = (column: string) => put(column, Math.max(0, parts.indexOf('')));
  return (
    <li
      className="board-property"
      data-end={`relationship ${code}`}
      data-doubtful={lead?.isDoubtful === true}
      data-unmapped={lead === undefined}
      onKeyDown={removing(() => change(undefined))}
      {...dropped(putNext)}
    >
      <div>
        <Text size="sm" fw={560} className="type-name">
          {name}
        </Text>
        <Group gap={6}>
          {required ? (
            <Badge size="sm" variant="default">
              required
            </Badge>
          ) : null}
          <span className="board-type">
            leads to {cardinality} {target_type}
          </span>
        </Group>
      </div>
      <div>
        {key.map((part, at) => (
          <ColumnSelect
            key={part}
            label={`Column with ${part} of ${name}`}
            columns={columns}
            value={parts[at] ?? ''}
            choose={(column) => put(column, at)}
          />
        ))}
        {fault === undefined ? null : (
          <Text size="xs" c="error" role="alert">
            {fault}
          </Text>
        )}
      </div>
      <RowActions
        name={name}
        picked={picked}
        put={putNext}
        isDoubtful={lead?.isDoubtful === true}
        accept={() => lead && change({ ...lead, isDoubtful: false })}
        remove={lead === undefined ? undefined : () => change(undefined)}
      />
    </li>
  );
}
