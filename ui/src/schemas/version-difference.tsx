import { Code, Group, NativeSelect, Stack, Table, Text, Title } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { differSchemaVersions, type SchemaVersionView } from '@weir/plugin-schema-registry/contract';
import { useRead } from '../api/queries.ts';
import { counted } from '../parts/numbers.ts';
import { Region } from '../parts/region.tsx';
import { LongTable } from '../table/long-table.tsx';
import { Verdict } from './verdict.tsx';

const EDIT_WORDS = { added: 'added', removed: 'removed', changed: 'changed' } as const;

/** What differs between two versions, and what that breaks; the address holds which. */
export function VersionDifference({ subject, versions }: { subject: string; versions: readonly SchemaVersionView[] }) {
  const search = useSearch({ from: '/schemas/subjects/$subject' });
  const numbers = versions.map(({ version }) => String(version));
  const [newest = '', second = newest] = numbers;
  const to = numbers.find((one) => one === search.version) ?? newest;
  const from = numbers.find((one) => one === search.against) ?? numbers[numbers.indexOf(to) + 1] ?? second;
  const navigate = useNavigate({ from: '/schemas/subjects/$subject' });
  const choose = (change: { version?: string; against?: string }) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  if (numbers.length < 2) return null;
  const options = numbers.map((value) => ({ value, label: `version ${value}` }));
  return (
    <Stack gap="sm" component="section" aria-labelledby="difference">
      <Title order={2} id="difference">
        What changed
      </Title>
      <Group gap="sm" align="flex-end">
        <NativeSelect
          label="From"
          size="sm"
          data={options}
          value={from}
          onChange={({ currentTarget: { value } }) => choose({ against: value })}
        />
        <NativeSelect
          label="To"
          size="sm"
          data={options}
          value={to}
          onChange={({ currentTarget: { value } }) => choose({ version: value })}
        />
      </Group>
      {from === to ? (
        <Text size="sm">Choose two versions.</Text>
      ) : (
        <Difference subject={subject} from={Number(from)} to={Number(to)} />
      )}
    </Stack>
  );
}

function Difference({ subject, from, to }: { subject: string; from: number; to: number }) {
  const query = useRead(differSchemaVersions, { params: { subject, version: from }, query: { to } }, { keep: true });
  return (
    <Region query={query}>
      {({ edits, verdict, changes }) => (
        <Stack gap="sm">
          <Verdict verdict={verdict} changes={changes} />
          <LongTable
            label="Edits of the text"
            minWidth={360}
            spacing={6}
            head={
              <>
                <Table.Th>Place in the schema</Table.Th>
                <Table.Th w={130}>Edit</Table.Th>
              </>
            }
            rows={edits}
            keyOf={({ pointer, edit }) => `${pointer} ${edit}`}
            foot={edits.length === 0 ? 'The texts say the same.' : counted(edits.length, 'edit')}
          >
            {({ pointer, edit }) => (
              <>
                <Table.Td className="schema-name">
                  <Code>{pointer === '' ? 'the whole schema' : pointer}</Code>
                </Table.Td>
                <Table.Td>{EDIT_WORDS[edit]}</Table.Td>
              </>
            )}
          </LongTable>
        </Stack>
      )}
    </Region>
  );
}
