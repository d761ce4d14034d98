import { Anchor, Group, NativeSelect, Stack, Table, Text, Title } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import {
  differEntityTypeVersions,
  type EntityTypeVersionView,
  type EntityTypeView,
  listEntityTypeVersions,
} from '@weir/plugin-ontology/contract';
import { useRead } from '../../api/queries.ts';
import { useReadPages } from '../../api/read-pages.ts';
import { counted } from '../../parts/numbers.ts';
import { Region } from '../../parts/region.tsx';
import { ShowTime } from '../../parts/show-time.tsx';
import { LongTable } from '../../table/long-table.tsx';
import { Changes, VerdictWord } from '../changes.tsx';
import '../ontology.css';

const PAGE = 50;

/** The versions of a type, newest first, and what differs between two of them. */
export function VersionsTab({ type: { code, latest_version: newest } }: { type: EntityTypeView }) {
  const query = { limit: PAGE, order: '-version' as const, include: 'retired' as const };
  const pages = useReadPages(listEntityTypeVersions, { params: { code }, query });
  const search = useSearch({ from: '/ontology/types/$code' });
  return (
    <Stack gap="lg">
      <Region query={pages}>
        {(all) => {
          const versions = all.flatMap(({ items }) => items);
          return (
            <LongTable
              label="Versions"
              minWidth={720}
              head={
                <>
                  <Table.Th w={100}>Version</Table.Th>
                  <Table.Th w={150}>Readers</Table.Th>
                  <Table.Th>What changed</Table.Th>
                  <Table.Th w={130}>Made</Table.Th>
                  <Table.Th w="22%">By</Table.Th>
                </>
              }
              rows={versions}
              keyOf={({ version }) => version}
              pages={pages}
              moreWords="Show older versions"
              foot={counted(versions.length, 'version')}
              rowProps={({ version }) => ({ 'data-chosen': search.version === String(version) })}
            >
              {(row) => <Cells code={code} row={row} />}
            </LongTable>
          );
        }}
      </Region>
      {newest < 2 ? null : <Difference code={code} newest={newest} />}
    </Stack>
  );
}

function Cells({ code, row }: { code: string; row: EntityTypeVersionView }) {
  const { version, verdict, changes, note, created_at: at, created_by: by } = row;
  return (
    <>
      <Table.Td>
        <Anchor
          inherit
          fw={560}
          data-row
          renderRoot={(props) => (
            <Link
              to="/ontology/types/$code"
              params={{ code }}
              search={{ tab: 'properties', version: String(version) }}
              {...props}
            />
          )}
        >
          {version}
        </Anchor>
      </Table.Td>
      <Table.Td>
        {verdict === null ? <span className="type-code">the first</span> : <VerdictWord verdict={verdict} />}
      </Table.Td>
      <Table.Td className="type-name">{note ?? (verdict === null ? '' : counted(changes.length, 'change'))}</Table.Td>
      <Table.Td>
        <ShowTime at={at} size="sm" />
      </Table.Td>
      <Table.Td className="type-name">{by}</Table.Td>
    </>
  );
}

/** What another version changes; the address says which two. */
function Difference({ code, newest }: { code: string; newest: number }) {
  const search = useSearch({ from: '/ontology/types/$code' });
  const navigate = useNavigate({ from: '/ontology/types/$code' });
  const to = Math.min(Number(search.version ?? newest), newest);
  const from = Number(search.against ?? Math.max(1, to - 1));
  const choose = (change: { version?: string; against?: string }) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const data = Array.from({ length: newest }, (_, at) => String(newest - at)).map((value) => ({
    value,
    label: `version ${value}`,
  }));
  return (
    <Stack gap="sm" component="section" aria-labelledby="difference">
      <Title order={2} id="difference">
        What differs
      </Title>
      <Group gap="sm" align="flex-end">
        <NativeSelect
          label="From"
          size="sm"
          data={data}
          value={String(from)}
          onChange={({ currentTarget: { value } }) => choose({ against: value })}
        />
        <NativeSelect
          label="To"
          size="sm"
          data={data}
          value={String(to)}
          onChange={({ currentTarget: { value } }) => choose({ version: value, against: String(from) })}
        />
      </Group>
      {from === to ? <Text size="sm">Choose two versions.</Text> : <Compared code={code} from={from} to={to} />}
    </Stack>
  );
}

function Compared({ code, from, to }: { code: string; from: number; to: number }) {
  const input = { params: { code, version: from }, query: { to, include: 'retired' as const } };
  const query = useRead(differEntityTypeVersions, input, { keep: true });
  return (
    <Region query={query}>
      {({ verdict, changes }) => (
        <Changes verdict={verdict} changes={changes} between={`from version ${from} to ${to}`} />
      )}
    </Region>
  );
}
