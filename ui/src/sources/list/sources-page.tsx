import { Anchor, Button, Group, Select, Table, Text, TextInput } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import {
  createSource,
  listSources,
  SCHEDULED,
  SOURCE_STATUSES,
  type SourceStatus,
  type SourceView,
} from '@weir/plugin-sources/contract';
import { useReadPages } from '../../api/read-pages.ts';
import { useLetter } from '../../keys/keys.ts';
import { counted, countText } from '../../parts/numbers.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Region } from '../../parts/region.tsx';
import { ShowTime } from '../../parts/show-time.tsx';
import { SourceWord } from '../../parts/status-word.tsx';
import { useMay } from '../../session/person.ts';
import type { Pages } from '../../table/more-button.tsx';
import { type ListColumn, SortedTable } from '../../table/sorted-table.tsx';
import { DropZone } from '../load/drop-zone.tsx';
import { useHandedFiles } from '../load/handed-files.ts';
import { LastResult } from './last-result.tsx';

const PAGE = 500;
const STATUSES = SOURCE_STATUSES.filter((status) => status !== 'retired');

type Schedule = (typeof SCHEDULED)[number];

/** The sources of the tenant: the last result of each, its age and why. */
export function SourcesPage() {
  const search = useSearch({ from: '/sources' });
  const navigate = useNavigate({ from: '/sources' });
  const canCreate = useMay(createSource);
  const { hand } = useHandedFiles();
  const status = STATUSES.find((one) => one === search.status);
  const schedule = SCHEDULED.find((one) => one === search.schedule);
  const pages = useReadPages(listSources, { query: listInput(status, schedule) }, { keep: true });
  const filter = (change: { q?: string; status?: string; schedule?: string }) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  useLetter('n', canCreate ? () => void navigate({ to: '/sources/new' }) : undefined);
  const newSource = <Button renderRoot={(props) => <Link to="/sources/new" {...props} />}>New source</Button>;
  return (
    <>
      <PageHead title="Sources">
        {canCreate ? (
          <>
            <Button variant="default" renderRoot={(props) => <Link to="/sources/load" {...props} />}>
              Load files
            </Button>
            {newSource}
          </>
        ) : null}
      </PageHead>
      <Filters name={search.q ?? ''} status={status} schedule={schedule} filter={filter} />
      <Region
        query={pages}
        empty={([first]) =>
          first === undefined || first.items.length > 0 || status !== undefined || schedule !== undefined
            ? undefined
            : {
                words: 'No source yet. Load files of this machine, or read from a database, an HTTP API or a folder.',
                ...(canCreate ? { action: newSource, before: <DropZone onFiles={hand} /> } : {}),
              }
        }
      >
        {(all) => (
          <SourceTable
            sources={all.flatMap(({ items }) => items).filter(({ name }) => name.includes(search.q ?? ''))}
            pages={pages}
          />
        )}
      </Region>
    </>
  );
}

interface FiltersProps {
  name: string;
  status: SourceStatus | undefined;
  schedule: Schedule | undefined;
  filter(change: { q?: string; status?: string; schedule?: string }): void;
}

/** Which sources the page lists. */
function Filters({ name, status, schedule, filter }: FiltersProps) {
  return (
    <Group mb="sm" gap="xs">
      <TextInput
        aria-label="Filter by name"
        placeholder="Filter by name  /"
        data-filter
        size="sm"
        value={name}
        onChange={(event) => filter({ q: event.currentTarget.value })}
      />
      <Select
        aria-label="Status"
        placeholder="Any status"
        size="sm"
        w={150}
        clearable
        clearButtonProps={{ 'aria-label': 'Any status' }}
        data={STATUSES}
        value={status ?? null}
        onChange={(value) => filter({ status: value ?? '' })}
      />
      <Select
        aria-label="Schedule"
        placeholder="Any schedule"
        size="sm"
        w={150}
        clearable
        clearButtonProps={{ 'aria-label': 'Any schedule' }}
        data={SCHEDULED}
        value={schedule ?? null}
        onChange={(value) => filter({ schedule: value ?? '' })}
      />
    </Group>
  );
}

function listInput(status: SourceStatus | undefined, schedule: Schedule | undefined) {
  const filtered = status === undefined || status === 'retired' ? {} : { status };
  return { limit: PAGE, order: 'name', ...filtered, ...(schedule === undefined ? {} : { schedule }) };
}

const COLUMNS: readonly ListColumn<SourceView>[] = [
  { name: 'name', label: 'Name', value: ({ name }) => name },
  { name: 'status', label: 'Status', value: ({ status }) => status },
  { name: 'streams', label: 'Streams', value: ({ streams_enabled: enabled }) => enabled },
  { name: 'last', label: 'Last sync', value: ({ last_run: run }) => run?.ended_at ?? run?.created_at ?? null },
  {
    name: 'next',
    label: 'Next sync',
    value: ({ schedule }) => (schedule === null || schedule.paused ? null : schedule.next_run_at),
  },
];

function SourceTable({ sources, pages }: { sources: SourceView[]; pages: Pages }) {
  const { sort } = useSearch({ from: '/sources' });
  const navigate = useNavigate({ from: '/sources' });
  return (
    <SortedTable
      label="Sources"
      minWidth={760}
      spacing="sm"
      columns={COLUMNS}
      sort={sort}
      setSort={(next) => void navigate({ search: (before) => ({ ...before, sort: next }), replace: true })}
      rows={sources}
      keyOf={(source) => source.source_id}
      pages={pages}
      foot={sources.length === 0 ? 'No source fits the filter.' : counted(sources.length, 'source')}
    >
      {(source) => (
        <>
          <Table.Td>
            <Anchor
              fw={560}
              data-row
              renderRoot={(props) => (
                <Link to="/sources/$sourceId" params={{ sourceId: source.source_id }} {...props} />
              )}
            >
              {source.name}
            </Anchor>
            <Text size="sm" c="dimmed">
              {source.pattern_id} {source.pattern_version}
            </Text>
          </Table.Td>
          <Table.Td>
            <SourceWord status={source.status} />
          </Table.Td>
          <Table.Td>
            {countText(source.streams_enabled)} of {countText(source.streams)}
          </Table.Td>
          <Table.Td>
            <LastResult run={source.last_run} />
          </Table.Td>
          <Table.Td>
            <NextSync schedule={source.schedule} />
          </Table.Td>
        </>
      )}
    </SortedTable>
  );
}

function NextSync({ schedule }: { schedule: SourceView['schedule'] }) {
  if (schedule === null)
    return (
      <Text size="sm" c="dimmed">
        No schedule
      </Text>
    );
  if (schedule.paused || schedule.next_run_at === null) return <Text size="sm">Paused</Text>;
  return <ShowTime at={schedule.next_run_at} size="sm" />;
}
