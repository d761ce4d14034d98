import { Anchor, Button, Group, SegmentedControl, Select, Table, Text } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { RUN_STATUSES } from '@weir/kernel/contract';
import { type ListedRunView, listRuns } from '@weir/plugin-runs/contract';
import { useMemo } from 'react';
import { useReadPages } from '../api/read-pages.ts';
import { counted, countText, tookText } from '../parts/numbers.ts';
import { PageHead } from '../parts/page-head.tsx';
import { Region } from '../parts/region.tsx';
import { ShowTime } from '../parts/show-time.tsx';
import { RunWord } from '../parts/status-word.tsx';
import { LongTable } from '../table/long-table.tsx';
import type { Pages } from '../table/more-button.tsx';
import { KIND_WORDS, kindWord } from './run-kinds.ts';
import { RunSubject } from './run-subject.tsx';
import { shownRun } from './shown-run.ts';

const PAGE = 100;
const HOUR_MS = 3_600_000;
const SINCE = [
  { value: 'all', label: 'Any time', hours: 0 },
  { value: '1h', label: '1 hour', hours: 1 },
  { value: '24h', label: '24 hours', hours: 24 },
  { value: '7d', label: '7 days', hours: 168 },
];

/** A start of a transform shows as the transform that it runs. */
const KINDS = Object.entries(KIND_WORDS)
  .filter(([value]) => value !== 'materialization')
  .map(([value, label]) => ({ value, label }));

interface RunFilter {
  status?: string;
  kind?: string;
  since?: string;
  subject?: string;
}

/** The runs of every kind. Each filter is in the address. */
export function RunsPage() {
  const search = useSearch({ from: '/runs' });
  const navigate = useNavigate({ from: '/runs' });
  const { status } = search;
  const since = SINCE.find(({ value }) => value === search.since) ?? SINCE[0];
  const hours = since?.hours ?? 0;
  // To the hour, so that the list is not another one at each look.
  const from = useMemo(
    () =>
      hours === 0 ? undefined : new Date(Math.floor(Date.now() / 60_000) * 60_000 - hours * HOUR_MS).toISOString(),
    [hours],
  );
  const query = {
    limit: PAGE,
    ...(status === undefined ? {} : { status }),
    ...(search.kind === undefined ? {} : { kind: search.kind }),
    ...(search.subject === undefined ? {} : { subject_id: search.subject }),
    ...(from === undefined ? {} : { from }),
  };
  const pages = useReadPages(listRuns, { query }, { keep: true });
  const isFiltered = Object.keys(query).length > 1;
  const filter = (change: RunFilter) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  return (
    <>
      <PageHead title="Runs" />
      <Filters
        status={status}
        since={since?.value ?? 'all'}
        kind={search.kind}
        subject={search.subject}
        filter={filter}
      />
      <Region
        query={pages}
        empty={([first]) =>
          first?.items.length === 0 && !isFiltered
            ? { words: 'No run yet. A sync of a source or a run of a transform shows here.' }
            : undefined
        }
      >
        {(all) => <RunTable runs={all.flatMap(({ items }) => items.map(shownRun))} pages={pages} />}
      </Region>
    </>
  );
}

interface FiltersProps {
  status: string | undefined;
  since: string;
  kind: string | undefined;
  subject: string | undefined;
  filter(change: RunFilter): void;
}

function Filters({ status, since, kind, subject, filter }: FiltersProps) {
  return (
    <Group mb="sm" gap="xs">
      <SegmentedControl
        size="xs"
        aria-label="Which runs"
        data={[
          { value: '', label: 'All' },
          { value: 'failed', label: 'Failed only' },
        ]}
        value={status === 'failed' ? 'failed' : ''}
        onChange={(value) => filter({ status: value })}
      />
      <Select
        aria-label="Status"
        placeholder="Any status"
        size="xs"
        w={140}
        clearable
        clearButtonProps={{ 'aria-label': 'Any status' }}
        data={RUN_STATUSES}
        value={status ?? null}
        onChange={(value) => filter({ status: value ?? '' })}
      />
      <Select
        aria-label="Kind"
        placeholder="Any kind"
        size="xs"
        w={200}
        clearable
        clearButtonProps={{ 'aria-label': 'Any kind' }}
        data={KINDS}
        value={kind ?? null}
        onChange={(value) => filter({ kind: value ?? '' })}
      />
      <Select
        aria-label="Begun within"
        size="xs"
        w={120}
        allowDeselect={false}
        data={SINCE.map(({ value, label }) => ({ value, label }))}
        value={since}
        onChange={(value) => filter({ since: value ?? '' })}
      />
      {subject === undefined ? null : (
        <Button size="compact-sm" variant="default" onClick={() => filter({ subject: '' })}>
          Of one subject: show all
        </Button>
      )}
    </Group>
  );
}

function RunTable({ runs, pages }: { runs: readonly ListedRunView[]; pages: Pages }) {
  return (
    <LongTable
      label="Runs"
      minWidth={860}
      head={
        <>
          <Table.Th w={190}>Run</Table.Th>
          <Table.Th w={120}>Result</Table.Th>
          <Table.Th>Of</Table.Th>
          <Table.Th>Why it failed</Table.Th>
          <Table.Th ta="right" w={90}>
            Time
          </Table.Th>
          <Table.Th w={150}>By</Table.Th>
        </>
      }
      rows={runs}
      keyOf={(run) => run.run_id}
      pages={pages}
      moreWords="Show older runs"
      foot={runs.length === 0 ? 'No run fits the filter.' : counted(runs.length, 'run')}
    >
      {(run) => <RunRow run={run} />}
    </LongTable>
  );
}

function RunRow({ run }: { run: ListedRunView }) {
  return (
    <>
      <Table.Td>
        <Anchor data-row renderRoot={(props) => <Link to="/runs/$runId" params={{ runId: run.run_id }} {...props} />}>
          <ShowTime at={run.created_at} how="clock" within size="sm" className="one-line" />
        </Anchor>
      </Table.Td>
      <Table.Td>
        <RunWord status={run.status} />
      </Table.Td>
      <Table.Td>
        <Text size="sm" fw={560} component="div">
          <RunSubject subject={run.subject} />
          {run.subject.kind === 'transform' && run.parts_total > 1 ? ` and ${countText(run.parts_total - 1)} more` : ''}
        </Text>
        <Text size="xs" c="dimmed">
          {kindWord(run.kind)}
          {run.parts_total > 1 ? `, ${partsText(run)}` : ''}
        </Text>
      </Table.Td>
      <Table.Td>
        {run.failure === null ? null : (
          <Text size="sm" c="var(--mantine-color-error)" lineClamp={2}>
            {run.failure.detail}
          </Text>
        )}
      </Table.Td>
      <Table.Td ta="right">{tookText(run)}</Table.Td>
      <Table.Td>
        <Text size="sm" className="ellipsis" maw={150} title={run.requested_by}>
          {run.requested_by}
        </Text>
      </Table.Td>
    </>
  );
}

/** How far the parts of a run are, such as `2 of 10 parts succeeded`, of those that the list shows. */
function partsText({ parts, parts_total: total }: ListedRunView): string {
  if (total > parts.length) return `${countText(total)} parts`;
  const good = parts.filter(({ status }) => status === 'succeeded' || status === 'skipped').length;
  return `${countText(good)} of ${countText(total)} parts succeeded`;
}
