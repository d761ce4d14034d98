import { Anchor, Stack, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { listRunsOfTransform, type TransformRunView } from '@weir/plugin-transforms/contract';
import { useReadPages } from '../api/read-pages.ts';
import { counted, countText, durationText, tookMs, tookText } from '../parts/numbers.ts';
import { Region } from '../parts/region.tsx';
import { ShowTime } from '../parts/show-time.tsx';
import { RunWord } from '../parts/status-word.tsx';
import { reasonText } from '../runs/run-reason.ts';
import { percentiles } from '../runs/time/percentiles.ts';
import { RunBars } from '../runs/time/run-bars.tsx';
import { LongTable } from '../table/long-table.tsx';
import type { Pages } from '../table/more-button.tsx';

const PAGE = 50;

/** The runs of a transform: how each ended, why it ran, and what it made. */
export function RunsTab({ transformId }: { transformId: string }) {
  const params = { transform_id: transformId };
  const pages = useReadPages(listRunsOfTransform, { params, query: { limit: PAGE } });
  return (
    <Region
      query={pages}
      empty={([first]) => (first?.items.length === 0 ? { words: 'This transform never ran.' } : undefined)}
    >
      {(all) => (
        <Stack>
          <Times runs={all[0]?.items ?? []} />
          <RunTable runs={all.flatMap(({ items }) => items)} pages={pages} />
        </Stack>
      )}
    </Region>
  );
}

/** How long the newest runs took, and what they wrote. */
function Times({ runs }: { runs: readonly TransformRunView[] }) {
  const bars = runs.toReversed().flatMap((run) => {
    const ms = tookMs(run);
    return ms === undefined
      ? []
      : [{ id: run.run_id, status: run.status, ms, rows: run.rows === null ? null : Number(run.rows) }];
  });
  const times = percentiles(
    bars.filter(({ status }) => status === 'succeeded' || status === 'failed').map(({ ms }) => ms),
  );
  return (
    <>
      {times === undefined ? null : (
        <Text size="sm">
          p50 {durationText(times.p50)} · p95 {durationText(times.p95)}, of the newest {counted(bars.length, 'run')}
        </Text>
      )}
      <RunBars
        runs={bars}
        link={({ id }, words, content) => (
          <Link to="/runs/$runId" params={{ runId: id }} aria-label={words} title={words}>
            {content}
          </Link>
        )}
      />
    </>
  );
}

function RunTable({ runs, pages }: { runs: readonly TransformRunView[]; pages: Pages }) {
  return (
    <LongTable
      label="Runs"
      minWidth={820}
      head={
        <>
          <Table.Th w={190}>Run</Table.Th>
          <Table.Th w={120}>Result</Table.Th>
          <Table.Th>Why it ran</Table.Th>
          <Table.Th ta="right">Rows</Table.Th>
          <Table.Th ta="right">Time</Table.Th>
          <Table.Th>Snapshot</Table.Th>
        </>
      }
      rows={runs}
      keyOf={(run) => run.run_id}
      pages={pages}
      moreWords="Show older runs"
      foot={counted(runs.length, 'run')}
    >
      {(run) => <RunRow run={run} />}
    </LongTable>
  );
}

function RunRow({ run }: { run: TransformRunView }) {
  const snapshot = run.output_snapshot_id;
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
        <Text size="sm">{reasonText(run)}</Text>
        {run.failure === null ? null : (
          <Text size="sm" c="var(--mantine-color-error)" lineClamp={2}>
            {run.failure.detail}
          </Text>
        )}
      </Table.Td>
      <Table.Td ta="right">{run.rows === null ? '–' : countText(Number(run.rows))}</Table.Td>
      <Table.Td ta="right">{tookText(run)}</Table.Td>
      <Table.Td>
        {snapshot === null ? (
          '–'
        ) : (
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link to="/datasets/$datasetId" params={{ datasetId: run.output }} search={{ snapshot }} {...props} />
            )}
          >
            <span className="mono-id">{snapshot}</span>
          </Anchor>
        )}
      </Table.Td>
    </>
  );
}
