import { Group, Table, Text } from '@mantine/core';
import { useReadPages } from '../api/read-pages.ts';
import { counted } from '../parts/numbers.ts';
import { Region } from '../parts/region.tsx';
import { LongTable } from '../table/long-table.tsx';
import { ActionButton } from './action-button.tsx';
import { type BlockOf, endpointOf, type ShownPage } from './page-endpoint.ts';
import { Value } from './value.tsx';

/** The start of a plugin has looked that the answer lists items. */
const itemsOf = (answer: Record<string, unknown>): unknown[] => answer.items as unknown[];

const COLUMN_PX = 170;

/** Rows of an endpoint that lists, with what can be done to each. */
export function ListBlock({ page, block }: { page: ShownPage; block: BlockOf<'list'> }) {
  const { title, columns, empty = 'Nothing here yet.', actions = [] } = block;
  const pages = useReadPages(endpointOf(page, block.read));
  return (
    <Region
      query={pages}
      empty={([first]) => (first !== undefined && itemsOf(first).length === 0 ? { words: empty } : undefined)}
    >
      {(all) => {
        const rows = all.flatMap(itemsOf);
        return (
          <LongTable
            label={`Rows of ${title}`}
            minWidth={columns.length * COLUMN_PX}
            head={
              <>
                {columns.map((column) => (
                  <Table.Th key={column.name} ta={column.as === 'number' ? 'right' : 'left'}>
                    {column.title}
                  </Table.Th>
                ))}
                {actions.length === 0 ? null : <Table.Th>Actions</Table.Th>}
              </>
            }
            rows={rows}
            keyOf={(row) => JSON.stringify(row)}
            pages={pages}
            foot={counted(rows.length, 'row')}
          >
            {(row) => (
              <>
                {columns.map((column) => (
                  <Table.Td key={column.name} ta={column.as === 'number' ? 'right' : 'left'}>
                    <Text size="sm" component="span">
                      <Value of={row} column={column} />
                    </Text>
                  </Table.Td>
                ))}
                {actions.length === 0 ? null : (
                  <Table.Td>
                    <Group gap="xs">
                      {actions.map((action) => (
                        <ActionButton key={action.operation} page={page} action={action} row={row} />
                      ))}
                    </Group>
                  </Table.Td>
                )}
              </>
            )}
          </LongTable>
        );
      }}
    </Region>
  );
}
