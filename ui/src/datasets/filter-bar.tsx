import { Button, CloseButton, Group, NativeSelect, Popover, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Filter } from 'lucide-react';
import { type FormEvent, useState } from 'react';

const OPS = [
  ['eq', 'is'],
  ['ne', 'is not'],
  ['gt', 'is more than'],
  ['ge', 'is at least'],
  ['lt', 'is less than'],
  ['le', 'is at most'],
  ['contains', 'contains'],
  ['starts_with', 'starts with'],
  ['is_null', 'is NULL'],
  ['not_null', 'is not NULL'],
] as const;
const ALONE = ['is_null', 'not_null'];

interface FilterBarProps {
  columns: readonly { name: string }[];
  filters: readonly string[];
  change(filters: string[]): void;
}

/** Conditions that rows must fit, each as the server takes it. */
export function FilterBar({ columns, filters, change }: FilterBarProps) {
  const [opened, { toggle, close }] = useDisclosure(false);
  return (
    <Group gap="xs">
      <Popover opened={opened} onChange={(open) => open || close()} trapFocus position="bottom-start" shadow="md">
        <Popover.Target>
          <Button size="sm" variant="default" leftSection={<Filter size={14} aria-hidden />} onClick={toggle}>
            Add a filter
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <FilterForm
            columns={columns}
            add={(filter) => {
              change([...filters.filter((one) => one !== filter), filter]);
              close();
            }}
          />
        </Popover.Dropdown>
      </Popover>
      {filters.map((filter) => (
        <Group key={filter} gap={2} className="panel filter-chip">
          {filter.replaceAll('\n', ' ')}
          <CloseButton
            size="xs"
            aria-label={`Remove the filter ${filter}`}
            onClick={() => change(filters.filter((one) => one !== filter))}
          />
        </Group>
      ))}
    </Group>
  );
}

function FilterForm({ columns, add }: { columns: readonly { name: string }[]; add(filter: string): void }) {
  const [column, setColumn] = useState(columns[0]?.name ?? '');
  const [op, setOp] = useState<string>('eq');
  const [value, setValue] = useState('');
  const isAlone = ALONE.includes(op);
  const send = (event: FormEvent) => {
    event.preventDefault();
    add(isAlone ? `${column}:${op}` : `${column}:${op}:${value.replaceAll('\n', ' ')}`);
  };
  return (
    <form onSubmit={send}>
      <Stack gap="xs">
        <NativeSelect
          label="Column"
          size="sm"
          data={columns.map(({ name }) => name)}
          value={column}
          onChange={(event) => setColumn(event.currentTarget.value)}
        />
        <NativeSelect
          label="Condition"
          size="sm"
          data={OPS.map(([id, label]) => ({ value: id, label }))}
          value={op}
          onChange={(event) => setOp(event.currentTarget.value)}
        />
        {isAlone ? null : (
          <TextInput
            label="Value"
            description="As the rows show it"
            size="sm"
            value={value}
            onChange={(event) => setValue(event.currentTarget.value)}
          />
        )}
        <Button type="submit" size="sm">
          Add
        </Button>
      </Stack>
    </form>
  );
}
