import { Anchor, Stack, Table, Text, TextInput } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Output } from '@weir/kernel/contract';
import type { getTransformDetail } from '@weir/plugin-transforms/contract';
import { counted } from '../parts/numbers.ts';
import { LongTable } from '../table/long-table.tsx';
import './lineage.css';

type Detail = Output<typeof getTransformDetail>;
type Artifact = NonNullable<Detail['artifact']>;
type Place = Artifact['lineage'][number]['sources'][number];

/** Where the values of each column come from, and what decides on the rows. */
export function LineageTab({ artifact }: { artifact: Detail['artifact'] }) {
  const { column: word = '' } = useSearch({ from: '/transforms/$transformId' });
  const navigate = useNavigate({ from: '/transforms/$transformId' });
  if (artifact === null)
    return (
      <Text c="dimmed" className="panel" p="lg">
        Hydrate the transform to see where its columns come from.
      </Text>
    );
  const shown = artifact.lineage.filter(({ column, sources }) =>
    [column, ...sources.map((one) => `${one.dataset_id}.${one.column}`)].join(' ').includes(word),
  );
  return (
    <Stack gap="sm">
      <TextInput
        aria-label="Find a column"
        placeholder="Find a column, here or in an input  /"
        data-filter
        size="sm"
        maw={340}
        value={word}
        onChange={({ currentTarget: { value } }) =>
          void navigate({ search: (before) => ({ ...before, column: value }), replace: true })
        }
      />
      <LongTable
        label="Columns and where they come from"
        minWidth={640}
        spacing={6}
        head={
          <>
            <Table.Th>Column</Table.Th>
            <Table.Th>Type</Table.Th>
            <Table.Th>Computed from</Table.Th>
            <Table.Th>Rows decided by</Table.Th>
          </>
        }
        rows={shown}
        keyOf={({ column }) => column}
        foot={shown.length === 0 ? 'No column fits the filter.' : counted(shown.length, 'column')}
      >
        {({ column, sources, influences, complete }) => (
          <>
            <Table.Td fw={560}>{column}</Table.Td>
            <Table.Td ff="monospace">{typeOf(artifact, column)}</Table.Td>
            <Table.Td>
              <Places places={sources} none="a constant" />
              {complete ? null : (
                <Text size="xs" c="var(--weir-warn)">
                  More columns may be involved.
                </Text>
              )}
            </Table.Td>
            <Table.Td>
              <Places places={influences} none="nothing" />
            </Table.Td>
          </>
        )}
      </LongTable>
    </Stack>
  );
}

function typeOf({ columns }: Artifact, name: string): string {
  const type = columns.find((one) => one.name === name)?.type;
  return typeof type === 'string' ? type : JSON.stringify(type);
}

function Places({ places, none }: { places: readonly Place[]; none: string }) {
  if (places.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {none}
      </Text>
    );
  return (
    <Stack gap={2}>
      {places.map(({ dataset_id, column }) => (
        <Text key={`${dataset_id} ${column}`} size="sm">
          <Anchor
            inherit
            underline="always"
            renderRoot={(props) => (
              <Link
                to="/datasets/$datasetId"
                params={{ datasetId: dataset_id }}
                search={{ tab: 'schema', columns: column }}
                {...props}
              />
            )}
          >
            {dataset_id}
          </Anchor>
          .{column}
        </Text>
      ))}
    </Stack>
  );
}
