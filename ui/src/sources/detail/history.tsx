import { Anchor, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import {
  getSyncRun,
  getSyncStats,
  listSyncHistory,
  type SourceView,
  type SyncRunView,
} from '@weir/plugin-sources/contract';
import { lazy, Suspense } from 'react';
import { useRead } from '../../api/queries.ts';
import { useReadPages } from '../../api/read-pages.ts';
import { bytesText, counted, countText, durationText, tookMs, tookText } from '../../parts/numbers.ts';
import { Later, Region } from '../../parts/region.tsx';
import { ShowTime } from '../../parts/show-time.tsx';
import { RunWord } from '../../parts/status-word.tsx';
import { RunLog } from '../../runs/run-log.tsx';
import { RunBars } from '../../runs/time/run-bars.tsx';
import { LongTable } from '../../table/long-table.tsx';
import type { Pages } from '../../table/more-button.tsx';
import { BackLink, LogLink, RunFacts } from './live-sync.tsx';

/** Read once it is asked for. */
const ReceiptPanel = lazy(() =>
  import('../receipt/receipt-panel.tsx').then((module) => ({ default: module.ReceiptPanel })),
);

const PAGE = 50;
const PERCENT = 100;

/** The syncs of a source, one of them, or its log: the address says which. */
export function SyncHistory({ source: { source_id: sourceId } }: { source: SourceView }) {
  const { run, show, level, search, line } = useSearch({ from: '/sources/$sourceId' });
  const navigate = useNavigate({ from: '/sources/$sourceId' });
  if (run === undefined) return <Runs sourceId={sourceId} />;
  return (
    <Stack>
      <BackLink sourceId={sourceId} />
      {show === 'log' ? (
        <RunLog
          runId={run}
          search={{ level, search, line }}
          change={(next) => void navigate({ search: (before) => ({ ...before, ...next }), replace: true })}
        />
      ) : (
        <OneRun sourceId={sourceId} runId={run} />
      )}
      <Suspense fallback={<Later />}>{show === 'receipt' ? <ReceiptPanel runId={run} /> : null}</Suspense>
    </Stack>
  );
}

function OneRun({ sourceId, runId }: { sourceId: string; runId: string }) {
  const query = useRead(getSyncRun, { params: { workflow_id: runId } });
  return <Region query={query}>{(run) => <RunFacts run={run} sourceId={sourceId} />}</Region>;
}

function Runs({ sourceId }: { sourceId: string }) {
  const params = { source_id: sourceId };
  const history = useReadPages(listSyncHistory, { params, query: { limit: PAGE } });
  const stats = useRead(getSyncStats, { params });
  return (
    <Region
      query={history}
      empty={([first]) => (first?.items.length === 0 ? { words: 'This source was never synced.' } : undefined)}
    >
      {(all) => (
        <Stack>
          {stats.data === undefined ? null : (
            <Text size="sm">
              {counted(stats.data.runs, 'sync')}
              {stats.data.success_rate === null
                ? ''
                : ` · ${Math.round(stats.data.success_rate * PERCENT)} % succeeded`}
              {stats.data.duration_seconds === null
                ? ''
                : ` · p50 ${durationText(stats.data.duration_seconds.p50 * 1_000)} · p95 ${durationText(stats.data.duration_seconds.p95 * 1_000)}`}
              {` · ${counted(stats.data.rows_written, 'row')} committed`}
            </Text>
          )}
          <Bars runs={all[0]?.items ?? []} sourceId={sourceId} />
          <RunTable runs={all.flatMap(({ items }) => items)} pages={history} sourceId={sourceId} />
        </Stack>
      )}
    </Region>
  );
}

/** Syncs that have ended, each a link. */
function Bars({ runs, sourceId }: { runs: readonly SyncRunView[]; sourceId: string }) {
  const bars = runs.toReversed().flatMap((run) => {
    const ms = tookMs(run);
    return ms === undefined ? [] : [{ id: run.run_id, status: run.status, ms, rows: run.rows_written }];
  });
  return (
    <RunBars
      runs={bars}
      link={({ id }, words, content) => (
        <Link
          to="/sources/$sourceId"
          params={{ sourceId }}
          search={{ tab: 'history', run: id }}
          aria-label={words}
          title={words}
        >
          {content}
        </Link>
      )}
    />
  );
}

function RunTable({ runs, pages, sourceId }: { runs: readonly SyncRunView[]; pages: Pages; sourceId: string }) {
  return (
    <LongTable
      label="Syncs"
      minWidth={720}
      spacing="sm"
      head={
        <>
          <Table.Th>Sync</Table.Th>
          <Table.Th>Result</Table.Th>
          <Table.Th ta="right">Time</Table.Th>
          <Table.Th ta="right">Rows committed</Table.Th>
          <Table.Th ta="right">Read, as JSON</Table.Th>
          <Table.Th>By</Table.Th>
          <Table.Th>
            <VisuallyHidden>Log</VisuallyHidden>
          </Table.Th>
        </>
      }
      rows={runs}
      keyOf={(run) => run.run_id}
      foot={counted(runs.length, 'sync')}
      pages={pages}
      moreWords="Show older syncs"
    >
      {(run) => (
        <>
          <Table.Td>
            <Anchor
              data-row
              renderRoot={(props) => (
                <Link
                  to="/sources/$sourceId"
                  params={{ sourceId }}
                  search={{ tab: 'history', run: run.run_id }}
                  {...props}
                />
              )}
            >
              <ShowTime at={run.created_at} how="clock" within />
            </Anchor>
          </Table.Td>
          <Table.Td>
            <RunWord status={run.status} />
            {run.failure === null ? null : <Text size="sm">{run.failure.code}</Text>}
          </Table.Td>
          <Table.Td ta="right">{tookText(run)}</Table.Td>
          <Table.Td ta="right">{countText(run.rows_written)}</Table.Td>
          <Table.Td ta="right">{bytesText(run.bytes_read)}</Table.Td>
          <Table.Td>{run.requested_by}</Table.Td>
          <Table.Td>
            <LogLink sourceId={sourceId} runId={run.run_id} />
          </Table.Td>
        </>
      )}
    </LongTable>
  );
}
