import { Table } from '@mantine/core';
import type { SchemaChange } from '@weir/plugin-datasets/contract';
import { ArrowUpDown, Minus, Pencil, Plus } from 'lucide-react';
import { type Tone, ToneWord } from '../../parts/status-word.tsx';

const WORDS: Readonly<Record<SchemaChange['change'], [typeof Plus, Tone, string]>> = {
  added: [Plus, 'good', 'Added'],
  removed: [Minus, 'bad', 'Removed'],
  renamed: [Pencil, 'warn', 'Renamed'],
  type_changed: [Pencil, 'warn', 'Type'],
  nullability_changed: [Pencil, 'warn', 'NULL'],
  moved: [ArrowUpDown, 'quiet', 'Moved'],
};

/** What differs between two schemas, field by field. */
export function ChangeTable({ changes }: { changes: readonly SchemaChange[] }) {
  return (
    <Table verticalSpacing={4} withRowBorders={false} style={{ overflowWrap: 'anywhere' }}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={120}>Change</Table.Th>
          <Table.Th>Column</Table.Th>
          <Table.Th>Before</Table.Th>
          <Table.Th>After</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {changes.map(({ change, field_id: id, path, from, to }) => {
          const [icon, tone, word] = WORDS[change];
          return (
            <Table.Tr key={`${change} ${id}`}>
              <Table.Td>
                <ToneWord icon={icon} tone={tone} word={word} />
              </Table.Td>
              <Table.Td fw={560}>{path}</Table.Td>
              <Table.Td ff="monospace">{from ?? '–'}</Table.Td>
              <Table.Td ff="monospace">{to ?? '–'}</Table.Td>
            </Table.Tr>
          );
        })}
      </Table.Tbody>
    </Table>
  );
}
