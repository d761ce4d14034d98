import { Anchor, Button, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { listDatasets } from '@weir/plugin-datasets/contract';
import { listRuns, type RunView } from '@weir/plugin-runs/contract';
import { createSource, listSources, type SourceView } from '@weir/plugin-sources/contract';
import { AlarmClock, CheckCircle2, Clock, FileWarning, type LucideIcon, ShieldX, Wrench, XCircle } from 'lucide-react';
import { useRead } from '../api/queries.ts';
import { countText } from '../parts/numbers.ts';
import { PageHead } from '../parts/page-head.tsx';
import { Empty, Region } from '../parts/region.tsx';
import { ShowTime, useNow } from '../parts/show-time.tsx';
import { RunWord, type Tone, ToneWord } from '../parts/status-word.tsx';
import { kindWord } from '../runs/run-kinds.ts';
import { RunSubject } from '../runs/run-subject.tsx';
import { shownRun } from '../runs/shown-run.ts';
import { useMay } from '../session/person.ts';
import { DropZone } from '../sources/load/drop-zone.tsx';
import { useHandedFiles } from '../sources/load/handed-files.ts';
import { attention, type Listed, type Notice } from './attention.ts';
import { FreshTables } from './fresh-tables.tsx';
import { LoadedByDay } from './loaded-by-day.tsx';
import { NextStarts } from './next-starts.tsx';
import { NextStepLine } from './next-step-line.tsx';

/** The newest runs that the page looks at; it says so. */
const MAX_RUNS = 200;
const MAX_SOURCES = 500;
const MAX_BLOCKED = 20;
const MAX_RECENT = 8;

const WORDS: Readonly<Record<Notice['kind'], [LucideIcon, Tone, string]>> = {
  failed_again: [XCircle, 'bad', 'Failed again'],
  check: [ShieldX, 'bad', 'A check kept the result back'],
  failed: [XCircle, 'bad', 'Failed'],
  late: [AlarmClock, 'warn', 'Late'],
  waiting: [Clock, 'warn', 'Waiting for a worker'],
  rejected: [FileWarning, 'warn', 'Lines in quarantine'],
  blocked: [Wrench, 'warn', 'Maintenance makes no progress'],
  recovered: [CheckCircle2, 'good', 'Recovered'],
};

/** What is late, failed again, blocked or recovered, how much came and how fresh it is, what is next, and the newest runs. */
export function HomePage() {
  const runs = useRead(listRuns, { query: { limit: MAX_RUNS } });
  const sources = useRead(listSources, { query: { limit: MAX_SOURCES } });
  const blocked = useRead(listDatasets, { query: { health: 'blocked', limit: MAX_BLOCKED } });
  const canCreate = useMay(createSource);
  return (
    <>
      <PageHead title="Home">
        {canCreate ? (
          <Button variant="default" renderRoot={(props) => <Link to="/sources/load" {...props} />}>
            Load files
          </Button>
        ) : null}
      </PageHead>
      <Region query={sources}>
        {({ items }) =>
          items.length === 0 ? (
            <FirstSource canCreate={canCreate} />
          ) : (
            <Region query={runs}>
              {({ items: listed, next_page_token }) => (
                <NewestRuns
                  runs={listed.map(shownRun)}
                  sources={items}
                  tables={blocked.data?.items ?? []}
                  isCut={next_page_token !== null}
                />
              )}
            </Region>
          )
        }
      </Region>
    </>
  );
}

interface NewestRunsProps {
  runs: readonly RunView[];
  sources: readonly SourceView[];
  tables: readonly Listed[];
  /** Whether there are older runs than these. */
  isCut: boolean;
}

function NewestRuns({ runs, sources, tables, isCut }: NewestRunsProps) {
  const now = useNow();
  return (
    <Stack gap="xl">
      <Stack gap="sm">
        <Notices notices={attention(runs, { sources, tables }, now)} />
        <NextStepLine sources={sources} />
      </Stack>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
        <LoadedByDay />
        <FreshTables />
      </SimpleGrid>
      <NextStarts sources={sources} />
      <section aria-labelledby="recent">
        <Title order={2} id="recent" mb="sm">
          Newest runs
        </Title>
        <Stack gap={0} className="panel rows">
          {runs.slice(0, MAX_RECENT).map((run) => (
            <RecentRun key={run.run_id} run={run} />
          ))}
          {runs.length === 0 ? <Text p="md">No run yet. Open a source and sync it.</Text> : null}
        </Stack>
        {isCut ? (
          <Text size="sm" c="dimmed" mt="xs">
            This page looks at the newest {countText(MAX_RUNS)} runs.
          </Text>
        ) : null}
      </section>
    </Stack>
  );
}

/** What there is to do where nothing is yet. */
function FirstSource({ canCreate }: { canCreate: boolean }) {
  const { hand } = useHandedFiles();
  if (!canCreate) return <Empty words="There are no sources yet." />;
  return (
    <Empty
      before={<DropZone onFiles={hand} />}
      words="Or connect a database, an HTTP API or a folder, and read it again and again."
      action={
        <Button variant="default" renderRoot={(props) => <Link to="/sources/new" {...props} />}>
          Connect a source
        </Button>
      }
    />
  );
}

function RecentRun({ run: { status, kind, subject, run_id, ended_at, created_at } }: { run: RunView }) {
  return (
    <Group justify="space-between" px="md" py="xs" gap="xs">
      <Group gap="sm">
        <div className="run-state">
          <RunWord status={status} />
        </div>
        <SubjectLink kind={subject.kind} id={subject.id} name={subject.name} run={run_id} />
        <Text size="sm" c="dimmed">
          {kindWord(kind)}
        </Text>
      </Group>
      <Group gap="md">
        {kind === 'source-sync' && status === 'succeeded' ? (
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link
                to="/sources/$sourceId"
                params={{ sourceId: subject.id }}
                search={{ tab: 'history', run: run_id, show: 'receipt' }}
                {...props}
              />
            )}
          >
            Receipt
          </Anchor>
        ) : null}
        <ShowTime at={ended_at ?? created_at} size="sm" c="dimmed" />
      </Group>
    </Group>
  );
}

function Notices({ notices }: { notices: Notice[] }) {
  if (notices.length === 0) return <Text c="dimmed">Nothing is late and nothing has failed.</Text>;
  return (
    <section aria-labelledby="attention">
      <Title order={2} id="attention" mb="sm">
        Worth a look
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {notices.map((notice) => {
          const [icon, tone, word] = WORDS[notice.kind];
          return (
            <Stack key={`${notice.kind} ${notice.runId ?? notice.subjectId}`} gap="xs" p="md" className="panel">
              <Group justify="space-between">
                <ToneWord icon={icon} tone={tone} word={word} />
                <ShowTime at={notice.at} size="sm" c="dimmed" />
              </Group>
              <SubjectLink
                kind={notice.subjectKind}
                id={notice.subjectId}
                name={notice.name}
                {...(notice.runId === undefined ? {} : { run: notice.runId })}
              />
              {notice.why === undefined ? null : <Text size="sm">{notice.why}</Text>}
              {notice.runId === undefined ? null : <NoticeLink kind={notice.kind} runId={notice.runId} />}
            </Stack>
          );
        })}
      </SimpleGrid>
    </section>
  );
}

const LINK_WORDS: Partial<Record<Notice['kind'], string>> = {
  check: 'See the rows that break it',
  rejected: 'See which lines, and try them again',
};

/** The run that a notice is of: why, which rows, and what helps. */
function NoticeLink({ kind, runId }: { kind: Notice['kind']; runId: string }) {
  return (
    <Anchor size="sm" renderRoot={(props) => <Link to="/runs/$runId" params={{ runId }} {...props} />}>
      {LINK_WORDS[kind] ?? 'Open the run'}
    </Anchor>
  );
}

/** A link to what a run is about, where there is a page for it. */
function SubjectLink({ kind, id, name, run }: { kind: string; id: string; name: string | null; run?: string }) {
  if (name === null) return <Text c="dimmed">A connection that was tested</Text>;
  if (kind !== 'source')
    return (
      <Text fw={560}>
        <RunSubject subject={{ kind, id, name }} />
      </Text>
    );
  const search = run === undefined ? { tab: 'schedule' } : { tab: 'history', run };
  return (
    <Anchor
      fw={560}
      renderRoot={(props) => <Link to="/sources/$sourceId" params={{ sourceId: id }} search={search} {...props} />}
    >
      {name}
    </Anchor>
  );
}
