import { Anchor, Stack, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { listPipelineRuns, type PipelineRunView, type RunCause } from '@weir/plugin-pipelines/contract';
import { useReadPages } from '../api/read-pages.ts';
import { counted, countText, tookMs, tookText } from '../parts/numbers.ts';
import { Region } from '../parts/region.tsx';
import { ShowTime } from '../parts/show-time.tsx';
import { RunWord } from '../parts/status-word.tsx';
import { RunBars } from '../runs/time/run-bars.tsx';
import { LongTable } from '../table/long-table.tsx';
import type { Pages } from '../table/more-button.tsx';

const PAGE = 50;
const CAUSES: Readonly<Record<RunCause, string>> = {
  manual: 'Started by hand',
  schedule: 'Schedule',
  workflow: 'Started as a workflow',
  resume: 'Resumed a run that did not end well',
  promotion: 'Published a rehearsal',
};

/** The runs and rehearsals of a pipeline. */
export function RunsTab({ pipelineId }: { pipelineId: string }) {
  const pages = useReadPages(listPipelineRuns, { params: { pipeline_id: pipelineId }, query: { limit: PAGE } });
  return (
    <Region
      query={pages}
      empty={([first]) => (first?.items.length === 0 ? { words: 'This pipeline never ran.' } : undefined)}
    >
      {(all) => (
        <Stack>
          <Bars runs={all[0]?.items ?? []} />
          <RunTable runs={all.flatMap(({ items }) => items)} pages={pages} />
        </Stack>
      )}
    </Region>
  );
}

function Bars({ runs }: { runs: readonly PipelineRunView[] }) {
  const bars = runs.toReversed().flatMap((run) => {
    const ms = tookMs(run);
    return ms === undefined ? [] : [{ id: run.run_id, status: run.status, ms, rows: null }];
  });
  return (
    <RunBars
      runs={bars}
      link={({ id }, words, content) => (
        <Link to="/runs/$runId" params={{ runId: id }} aria-label={words} title={words}>
          {content}
        </Link>
      )}
    />
  );
}

function RunTable({ runs, pages }: { runs: readonly PipelineRunView[]; pages: Pages }) {
  return (
    <LongTable
      label="Runs"
      minWidth={760}
      head={
        <>
          <Table.Th w={190}>Run</Table.Th>
          <Table.Th w={120}>Result</Table.Th>
          <Table.Th>Why</Table.Th>
          <Table.Th ta="right">Steps</Table.Th>
          <Table.Th>Tables</Table.Th>
          <Table.Th ta="right">Time</Table.Th>
        </>
      }
      rows={runs}
      keyOf={({ run_id: id }) => id}
      pages={pages}
      moreWords="Show older runs"
      foot={counted(runs.length, 'run')}
    >
      {(run) => <RunRow run={run} />}
    </LongTable>
  );
}

function RunRow({ run }: { run: PipelineRunView }) {
  const { run_id, publish, status, version, why, steps, published, outputs, failure, created_at } = run;
  const isRehearsal = publish === 'none';
  return (
    <>
      <Table.Td>
        <Anchor data-row renderRoot={(props) => <Link to="/runs/$runId" params={{ runId: run_id }} {...props} />}>
          <ShowTime at={created_at} how="clock" within size="sm" className="one-line" />
        </Anchor>
      </Table.Td>
      <Table.Td>
        <RunWord status={status} />
      </Table.Td>
      <Table.Td>
        <Text size="sm">{isRehearsal ? 'Rehearsal' : `${CAUSES[why.kind]}, version ${version}`}</Text>
        {failure === null ? null : (
          <Text size="sm" c="var(--mantine-color-error)" lineClamp={2}>
            {failure.detail}
          </Text>
        )}
      </Table.Td>
      <Table.Td ta="right">
        {countText(steps.succeeded + steps.skipped)} of {countText(steps.total)}
      </Table.Td>
      <Table.Td>{published ? `${counted(outputs.length, 'table')} changed` : 'as before'}</Table.Td>
      <Table.Td ta="right">{tookText(run)}</Table.Td>
    </>
  );
}
