import { Anchor, Button, Group, Select, Stack, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type EntityTypeItemView, listEntityTypes } from '@weir/plugin-ontology/contract';
import { given } from '../../api/given.ts';
import { useReadPages } from '../../api/read-pages.ts';
import { counted, countText } from '../../parts/numbers.ts';
import { Region } from '../../parts/region.tsx';
import { ShowTime } from '../../parts/show-time.tsx';
import { LongTable } from '../../table/long-table.tsx';
import { STATUS_WORDS, TypeStatusWord } from '../status-word.tsx';
import '../ontology.css';

const PAGE = 200;
const TYPING_MS = 250;
const STATUSES = Object.entries(STATUS_WORDS).map(([value, label]) => ({ value, label }));

/** Entity types by code, name and status. */
export function ListTab({ mayCreate }: { mayCreate: boolean }) {
  const search = useSearch({ from: '/ontology' });
  const navigate = useNavigate({ from: '/ontology' });
  const [word] = useDebouncedValue((search.q ?? '').trim(), TYPING_MS);
  const query = given({ limit: PAGE, order: 'code' as const, q: word, status: search.status });
  const pages = useReadPages(listEntityTypes, { query }, { keep: true });
  const isFiltered = word !== '' || search.status !== undefined;
  const filter = (change: { q?: string; status?: string }) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <TextInput
          aria-label="Filter by code or name"
          placeholder="Filter  /"
          data-filter
          size="sm"
          value={search.q ?? ''}
          onChange={({ currentTarget: { value } }) => filter({ q: value })}
        />
        <Select
          aria-label="Status"
          placeholder="All but retired"
          size="sm"
          clearable
          data={STATUSES}
          value={search.status ?? null}
          onChange={(value) => filter({ status: value ?? '' })}
        />
      </Group>
      <Region
        query={pages}
        empty={([first]) =>
          first?.items.length === 0 && !isFiltered
            ? {
                words:
                  'No entity type yet. Begin with one thing of your business, such as a customer: what it is called, which properties it has, and which of them identify it.',
                docs: '/docs',
                action: mayCreate ? (
                  <Button renderRoot={(props) => <Link to="/ontology/create" {...props} />}>
                    Create an entity type
                  </Button>
                ) : undefined,
              }
            : undefined
        }
      >
        {(all) => {
          const types = all.flatMap(({ items }) => items);
          return (
            <LongTable
              label="Entity types"
              minWidth={820}
              head={
                <>
                  <Table.Th w="30%">Entity type</Table.Th>
                  <Table.Th w={140}>Status</Table.Th>
                  <Table.Th w={90} ta="right">
                    Version
                  </Table.Th>
                  <Table.Th w={110} ta="right">
                    Properties
                  </Table.Th>
                  <Table.Th>Leads to</Table.Th>
                  <Table.Th w={150}>Changed</Table.Th>
                </>
              }
              rows={types}
              keyOf={({ code }) => code}
              pages={pages}
              foot={types.length === 0 ? 'No entity type fits the filter.' : counted(types.length, 'entity type')}
            >
              {(type) => <Cells type={type} />}
            </LongTable>
          );
        }}
      </Region>
    </Stack>
  );
}

function Cells({ type }: { type: EntityTypeItemView }) {
  const { code, name, description, status, version, properties_count: count, relationships, updated_at: at } = type;
  const targets = [...new Set(relationships.map((one) => one.target_type))];
  return (
    <>
      <Table.Td className="type-name">
        <Anchor
          inherit
          fw={560}
          data-row
          renderRoot={(props) => <Link to="/ontology/types/$code" params={{ code }} {...props} />}
        >
          {name}
        </Anchor>{' '}
        {name === code ? null : <span className="mono-id type-code">{code}</span>}
        {description === null ? null : (
          <Text size="xs" c="dimmed" lineClamp={1}>
            {description}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <TypeStatusWord status={status} />
      </Table.Td>
      <Table.Td ta="right">{version}</Table.Td>
      <Table.Td ta="right">{countText(count)}</Table.Td>
      <Table.Td className="type-name">
        {targets.length === 0 ? <span className="type-code">–</span> : targets.join(', ')}
      </Table.Td>
      <Table.Td>
        <ShowTime at={at} size="sm" />
      </Table.Td>
    </>
  );
}
