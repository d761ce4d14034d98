import { Anchor, Stack, Table, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { isReserved, previewDataset } from '@weir/plugin-datasets/contract';
import type { StreamRunView } from '@weir/plugin-sources/contract';
import { useRead } from '../../api/queries.ts';
import { counted } from '../../parts/numbers.ts';
import { Region } from '../../parts/region.tsx';
import { WideBox } from '../../parts/wide-box.tsx';

const MAX_TABLES = 3;
const ROWS = 10;

/** The first rows of the tables that a sync has written. */
export function LoadedRows({ streams }: { streams: readonly StreamRunView[] }) {
  const others = streams.length - MAX_TABLES;
  return (
    <Stack>
      {streams.slice(0, MAX_TABLES).map(({ dataset_id, rows_written }) => (
        <TableRows key={dataset_id} datasetId={dataset_id} rows={rows_written} />
      ))}
      {others > 0 ? <Text size="sm">{counted(others, 'more table')} of this source.</Text> : null}
    </Stack>
  );
}

function TableRows({ datasetId, rows }: { datasetId: string; rows: number }) {
  const query = useRead(previewDataset, { params: { dataset_id: datasetId }, query: { limit: ROWS } });
  return (
    <section aria-label={datasetId}>
      <Title order={2} mb={4} size="md" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
        <Anchor inherit renderRoot={(props) => <Link to="/datasets/$datasetId" params={{ datasetId }} {...props} />}>
          {datasetId}
        </Anchor>
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {counted(rows, 'row')} loaded{rows > ROWS ? `, the first ${ROWS} of them:` : ':'}
      </Text>
      <Region query={query}>
        {({ columns, rows: values }) => {
          const shown = columns.flatMap((column, at) => (isReserved(column.name) ? [] : [{ ...column, at }]));
          return (
            <WideBox label={`Rows of ${datasetId}`}>
              <Table verticalSpacing={6} w="auto">
                <Table.Thead>
                  <Table.Tr>
                    {shown.map(({ name, type }) => (
                      <Table.Th key={name} ta={isNumber(type) ? 'right' : 'left'}>
                        {name}
                        <Text size="xs" c="dimmed" fw={400}>
                          {type}
                        </Text>
                      </Table.Th>
                    ))}
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {values.map((row, line) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity of their own
                    <Table.Tr key={line}>
                      {shown.map(({ name, type, at }) => (
                        <Table.Td key={name} ta={isNumber(type) ? 'right' : 'left'} maw={280} className="ellipsis">
                          <Cell value={row[at]} />
                        </Table.Td>
                      ))}
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </WideBox>
          );
        }}
      </Region>
    </section>
  );
}

const isNumber = (type: string): boolean => /^(int|long|float|double|decimal)/.test(type);

/** NULL is told apart from an empty text. */
function Cell({ value }: { value: unknown }) {
  if (value === null || value === undefined) {
    return (
      <Text span size="sm" c="dimmed" fs="italic">
        NULL
      </Text>
    );
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
