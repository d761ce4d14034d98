import { Group, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Output } from '@weir/kernel/contract';
import { getDatasetSchema, listSchemaVersions } from '@weir/plugin-datasets/contract';
import type { Dataset } from '../api/dataset-shapes.ts';
import { useRead } from '../api/queries.ts';
import { useReadPages } from '../api/read-pages.ts';
import { counted } from '../parts/numbers.ts';
import { Region } from '../parts/region.tsx';
import { ShowTime } from '../parts/show-time.tsx';
import { LongTable } from '../table/long-table.tsx';
import { MoreButton } from '../table/more-button.tsx';
import { ChangeTable } from './snapshots/change-table.tsx';

type Field = Output<typeof getDatasetSchema>['fields'][number];
const INDENT_REM = 1.25;
/** Versions that are read at once. */
const VERSIONS = 10;

/** The columns of a table, now or as they were, and how they came to be. */
export function SchemaTab({ dataset: { dataset_id } }: { dataset: Dataset }) {
  const search = useSearch({ from: '/datasets/$datasetId' });
  const navigate = useNavigate({ from: '/datasets/$datasetId' });
  const params = { dataset_id };
  const schema = useRead(getDatasetSchema, {
    params,
    query: search.snapshot === undefined ? {} : { snapshot_id: search.snapshot },
  });
  const versions = useReadPages(listSchemaVersions, { params, query: { limit: VERSIONS } });
  const word = (search.columns ?? '').toLowerCase();
  return (
    <Stack gap="lg">
      <Stack gap="sm">
        <TextInput
          aria-label="Find columns"
          placeholder="Columns  /"
          data-filter
          size="sm"
          maw={240}
          value={search.columns ?? ''}
          onChange={({ currentTarget: { value } }) =>
            void navigate({ search: (before) => ({ ...before, columns: value }), replace: true })
          }
        />
        <Region query={schema}>
          {({ fields }) => (
            <FieldTable fields={fields} shown={fields.filter(({ name }) => name.toLowerCase().includes(word))} />
          )}
        </Region>
      </Stack>
      <section aria-labelledby="versions">
        <Title order={2} id="versions" mb="sm">
          Versions
        </Title>
        <Region query={versions}>
          {(all) => (
            <Stack gap="sm">
              {all
                .flatMap(({ items }) => items)
                .map((version) => (
                  <Stack key={version.schema_id} gap="xs" p="md" className="panel">
                    <Group justify="space-between">
                      <Text fw={560}>
                        Version {version.schema_id}
                        {version.is_current ? ', in use' : ''}
                      </Text>
                      {version.since === null ? null : <ShowTime at={version.since} size="sm" c="dimmed" />}
                    </Group>
                    {version.changes.length === 0 ? (
                      <Text size="sm" c="dimmed">
                        {counted(version.fields_count, 'column')}, the first version that is known.
                      </Text>
                    ) : (
                      <ChangeTable changes={version.changes} />
                    )}
                  </Stack>
                ))}
              <Group>
                <MoreButton pages={versions} words="Show older versions" />
              </Group>
            </Stack>
          )}
        </Region>
      </section>
    </Stack>
  );
}

function FieldTable({ fields, shown }: { fields: readonly Field[]; shown: readonly Field[] }) {
  const parents = new Map(fields.map(({ id, parent_id }) => [id, parent_id]));
  const depth = (field: Field): number => {
    let steps = 0;
    for (let at = field.parent_id; at !== null && at !== undefined; at = parents.get(at) ?? null) steps++;
    return steps;
  };
  return (
    <LongTable
      label="Columns"
      minWidth={480}
      spacing={6}
      head={
        <>
          <Table.Th>Column</Table.Th>
          <Table.Th>Type</Table.Th>
          <Table.Th>NULL</Table.Th>
          <Table.Th ta="right">Field id</Table.Th>
        </>
      }
      rows={shown}
      keyOf={(field) => field.id}
      foot={shown.length === 0 ? 'No column fits the filter.' : counted(shown.length, 'column')}
    >
      {(field) => (
        <>
          <Table.Td fw={560} style={{ paddingLeft: `${0.75 + depth(field) * INDENT_REM}rem` }}>
            {field.name}
          </Table.Td>
          <Table.Td ff="monospace">{field.type}</Table.Td>
          <Table.Td>{field.required ? 'never' : 'allowed'}</Table.Td>
          <Table.Td ta="right">{field.id}</Table.Td>
        </>
      )}
    </LongTable>
  );
}
