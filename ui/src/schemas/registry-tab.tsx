import { Anchor, Button, Group, Select, Stack, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { listSubjects, type SubjectView } from '@weir/plugin-schema-registry/contract';
import { given } from '../api/given.ts';
import { useReadPages } from '../api/read-pages.ts';
import { counted } from '../parts/numbers.ts';
import { Region } from '../parts/region.tsx';
import { ShowTime } from '../parts/show-time.tsx';
import { LongTable } from '../table/long-table.tsx';
import { StatusWord } from './status-word.tsx';

const PAGE = 200;
const TYPING_MS = 250;
const STATUSES = [
  { value: 'draft', label: 'Draft' },
  { value: 'active', label: 'In force' },
  { value: 'deprecated', label: 'Deprecated' },
];

/** The subjects of the tenant with their newest versions. */
export function RegistryTab({ mayRegister }: { mayRegister: boolean }) {
  const search = useSearch({ from: '/schemas' });
  const navigate = useNavigate({ from: '/schemas' });
  const [word] = useDebouncedValue(search.q ?? '', TYPING_MS);
  const query = given({ limit: PAGE, order: 'subject' as const, q: word, status: search.status });
  const pages = useReadPages(listSubjects, { query }, { keep: true });
  const isFiltered = word !== '' || search.status !== undefined;
  const filter = (change: { q?: string; status?: string }) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <TextInput
          aria-label="Filter by subject or title"
          placeholder="Filter  /"
          data-filter
          size="sm"
          value={search.q ?? ''}
          onChange={({ currentTarget: { value } }) => filter({ q: value })}
        />
        <Select
          aria-label="Status of the newest version"
          placeholder="Any status"
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
                words: 'No schema yet. Register one of yours, or begin with a published model or with a table.',
                docs: '/docs',
                action: mayRegister ? (
                  <Button renderRoot={(props) => <Link to="/schemas/register" {...props} />}>Register a schema</Button>
                ) : undefined,
              }
            : undefined
        }
      >
        {(all) => {
          const subjects = all.flatMap(({ items }) => items);
          return (
            <LongTable
              label="Subjects"
              minWidth={820}
              head={
                <>
                  <Table.Th>Subject</Table.Th>
                  <Table.Th w={90}>Version</Table.Th>
                  <Table.Th w={130}>Status</Table.Th>
                  <Table.Th>A new version must be</Table.Th>
                  <Table.Th w={150}>Changed</Table.Th>
                </>
              }
              rows={subjects}
              keyOf={({ subject }) => subject}
              pages={pages}
              foot={subjects.length === 0 ? 'No subject fits the filter.' : counted(subjects.length, 'subject')}
            >
              {(subject) => <SubjectCells view={subject} />}
            </LongTable>
          );
        }}
      </Region>
    </Stack>
  );
}

function SubjectCells({ view }: { view: SubjectView }) {
  const { subject, title, version, status, compatibility, policy, updated_at: at } = view;
  return (
    <>
      <Table.Td className="schema-name">
        <Anchor
          fw={560}
          data-row
          renderRoot={(props) => <Link to="/schemas/subjects/$subject" params={{ subject }} {...props} />}
        >
          {subject}
        </Anchor>
        {title === '' || title === subject ? null : (
          <Text size="xs" c="dimmed">
            {title}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{version}</Table.Td>
      <Table.Td>
        <StatusWord status={status} />
      </Table.Td>
      <Table.Td>
        <Text size="sm">{compatibility}</Text>
        {policy === 'strict' ? (
          <Text size="xs" c="dimmed">
            strict
          </Text>
        ) : null}
      </Table.Td>
      <Table.Td>
        <ShowTime at={at} size="sm" />
      </Table.Td>
    </>
  );
}
