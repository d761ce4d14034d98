import { Anchor, Button, Group, Progress, SimpleGrid, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Output } from '@weir/kernel/contract';
import type { getSyncStatus, SourceView, SyncPhase, SyncRunDetailView } from '@weir/plugin-sources/contract';
import type { ReactNode } from 'react';
import { FailureNote } from '../../parts/failure-note.tsx';
import { bytesText, counted, countText, durationText } from '../../parts/numbers.ts';
import { Region } from '../../parts/region.tsx';
import { agoText, ShowTime, useNow } from '../../parts/show-time.tsx';
import { RunWord } from '../../parts/status-word.tsx';
import { ReadWords } from '../../runs/sync/left-out-list.tsx';
import { ReceiptLink, StreamRuns } from '../../runs/sync/sync-facts.tsx';
import { CorrectLink } from '../configuration/correct-link.tsx';

const PHASES: Readonly<Record<SyncPhase, string>> = {
  waiting: 'Waiting for a worker',
  preparing: 'Preparing the connector',
  pulling: 'Loading the connector',
  reading: 'Reading',
  committing: 'Committing',
  ended: 'Ended',
};

/** The newest sync, counted in committed rows while it runs. */
export function LiveSync({
  query,
  source,
}: {
  query: UseQueryResult<Output<typeof getSyncStatus>>;
  source: SourceView;
}) {
  return (
    <Region
      query={query}
      empty={({ run }) =>
        run === null
          ? {
              words: `Never synced. A sync reads ${counted(source.streams_enabled, 'enabled stream')} into tables.`,
            }
          : undefined
      }
    >
      {({ run }) => (run === null ? null : <RunFacts run={run} sourceId={source.source_id} />)}
    </Region>
  );
}

/** One sync with its streams. */
export function RunFacts({ run, sourceId }: { run: SyncRunDetailView; sourceId: string }) {
  const now = useNow(1_000);
  const until = run.ended_at === null ? now.getTime() : Date.parse(run.ended_at);
  const ms = Math.max(0, until - Date.parse(run.started_at ?? run.created_at));
  return (
    <Stack>
      <Stack gap="sm" p="md" className="panel">
        <Group justify="space-between">
          <Group gap="sm" role="status">
            <RunWord status={run.status} />
            {run.is_terminal ? null : <Text size="sm">{PHASES[run.phase]}</Text>}
            {run.attempt > 1 ? (
              <Text size="sm" c="dimmed">
                Attempt {run.attempt}
              </Text>
            ) : null}
          </Group>
          <Group gap="xs">
            {run.is_terminal ? <ReceiptLink sourceId={sourceId} runId={run.run_id} /> : null}
            <LogLink sourceId={sourceId} runId={run.run_id} />
          </Group>
        </Group>
        {run.is_terminal ? null : <Progress value={100} animated size="sm" aria-label="The sync is running" />}
        <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }}>
          <Figure label="Rows committed" value={countText(run.rows_written)} />
          <Figure label="Rows read" value={countText(run.rows_read)} />
          <Figure label="Read, as JSON" value={bytesText(run.bytes_read)} />
          <Figure label="Rows a second" value={ms === 0 ? '–' : countText(Math.round((run.rows_read * 1_000) / ms))} />
          <Figure label="Time" value={durationText(ms)} />
          <Figure
            label={run.ended_at === null ? 'Started' : 'Ended'}
            value={<ShowTime at={run.ended_at ?? run.created_at} />}
          />
        </SimpleGrid>
        {run.is_terminal || run.worker === null ? null : (
          <Text size="sm" c="dimmed">
            {run.worker.detail}
            {run.worker.last_seen_at === null
              ? ''
              : ` Worker last seen ${agoText(new Date(run.worker.last_seen_at), now)}.`}
          </Text>
        )}
        {run.rows_rejected > 0 ? <Text size="sm">{countText(run.rows_rejected)} lines are in quarantine.</Text> : null}
        <ReadWords run={run} />
      </Stack>
      {run.failure === null ? null : (
        <FailureNote failure={run.failure} title="The sync failed">
          <CorrectLink sourceId={sourceId} failure={run.failure} />
        </FailureNote>
      )}
      <StreamRuns streams={run.streams} sourceId={sourceId} />
    </Stack>
  );
}

export function LogLink({ sourceId, runId }: { sourceId: string; runId: string }) {
  return (
    <Button
      size="xs"
      variant="default"
      renderRoot={(props) => (
        <Link
          to="/sources/$sourceId"
          params={{ sourceId }}
          search={{ tab: 'history', run: runId, show: 'log' }}
          {...props}
        />
      )}
    >
      Log
    </Button>
  );
}

function Figure({ label, value }: { label: string; value: ReactNode }) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fw={620} size="lg" component="div">
        {value}
      </Text>
    </div>
  );
}

export function BackLink({ sourceId }: { sourceId: string }) {
  return (
    <Anchor
      renderRoot={(props) => (
        <Link to="/sources/$sourceId" params={{ sourceId }} search={{ tab: 'history' }} {...props} />
      )}
    >
      All syncs
    </Anchor>
  );
}
