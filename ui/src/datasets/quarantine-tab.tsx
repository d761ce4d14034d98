import { Button, Chip, Code, Group, Stack, Table, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Output } from '@weir/kernel/contract';
import { listQuarantine } from '@weir/plugin-datasets/contract';
import { getReplay, startReplay } from '@weir/plugin-sources/contract';
import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { useChange, useRead } from '../api/queries.ts';
import { useReadPages } from '../api/read-pages.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { counted, countText } from '../parts/numbers.ts';
import { Region } from '../parts/region.tsx';
import { RunWord } from '../parts/status-word.tsx';
import { useMay } from '../session/person.ts';
import { LongTable } from '../table/long-table.tsx';
import type { Pages } from '../table/more-button.tsx';

type Quarantine = Output<typeof listQuarantine>;
const PAGE = 50;
const LIVE_MS = 1_000;

/** The lines that were no rows, why, and another attempt at them. */
export function QuarantineTab({ datasetId }: { datasetId: string }) {
  const { reason } = useSearch({ from: '/datasets/$datasetId' });
  const mayReplay = useMay(startReplay);
  const pages = useReadPages(
    listQuarantine,
    {
      params: { dataset_id: datasetId },
      query: { limit: PAGE, ...(reason === undefined ? {} : { reason }) },
    },
    { keep: true },
  );
  return (
    <Region
      query={pages}
      empty={([first]) =>
        first?.items.length === 0 && first.reasons.length === 0
          ? {
              words:
                first.quarantine_dataset_id === null
                  ? 'No line was ever rejected on its way into this table.'
                  : 'The quarantine is empty.',
            }
          : undefined
      }
    >
      {(all) => (
        <Stack gap="sm">
          <Group justify="space-between">
            <Reasons reasons={all[0]?.reasons ?? []} chosen={reason} />
            {mayReplay ? <Replay datasetId={datasetId} reason={reason} /> : null}
          </Group>
          <RejectedLines lines={all.flatMap(({ items }) => items)} pages={pages} />
        </Stack>
      )}
    </Region>
  );
}

function Reasons({ reasons, chosen }: { reasons: Quarantine['reasons']; chosen: string | undefined }) {
  const navigate = useNavigate({ from: '/datasets/$datasetId' });
  const choose = (reason: string) =>
    void navigate({
      search: (before) => ({ ...before, reason: reason === chosen ? '' : reason }),
      replace: true,
    });
  return (
    <Group gap="xs" role="group" aria-label="Reasons">
      {reasons.map(({ reason, lines }) => (
        <Chip key={reason} size="sm" checked={reason === chosen} onChange={() => choose(reason)}>
          {reason.replaceAll('_', ' ')} · {countText(lines)}
        </Chip>
      ))}
    </Group>
  );
}

/** Tries the lines again with the settings that the stream has now. */
function Replay({ datasetId, reason }: { datasetId: string; reason: string | undefined }) {
  const [runId, setRunId] = useState<string>();
  const start = useChange(startReplay);
  const replay = useRead(
    getReplay,
    { params: { replay_run_id: runId ?? '' } },
    { enabled: runId !== undefined, again: (answer) => (answer?.is_terminal === true ? false : LIVE_MS) },
  );
  const begin = () =>
    start.mutate(
      { body: { dataset_id: datasetId, ...(reason === undefined ? {} : { reasons: [reason] }) } },
      { onSuccess: ({ run_id }) => setRunId(run_id) },
    );
  const outcome = replay.data?.outcome ?? null;
  return (
    <Stack gap="xs" align="flex-end">
      <Button
        size="sm"
        variant="default"
        leftSection={<RotateCcw size={14} aria-hidden />}
        loading={start.isPending || (runId !== undefined && replay.data?.is_terminal === false)}
        onClick={begin}
      >
        {reason === undefined ? 'Try all lines again' : 'Try these lines again'}
      </Button>
      {start.error === null ? null : <FaultNote error={start.error} />}
      {replay.data === undefined ? null : (
        <Group gap="xs" role="status">
          <RunWord status={replay.data.status} />
          <Text size="sm">
            {outcome === null
              ? (replay.data.failure?.detail ?? '')
              : `${counted(outcome.rows, 'line')} became rows, ${countText(outcome.rejected)} stay`}
          </Text>
        </Group>
      )}
    </Stack>
  );
}

function RejectedLines({ lines, pages }: { lines: Quarantine['items']; pages: Pages }) {
  return (
    <LongTable
      label="Rejected lines"
      minWidth={640}
      spacing={6}
      head={
        <>
          <Table.Th>Line</Table.Th>
          <Table.Th>Reason</Table.Th>
          <Table.Th>Stream</Table.Th>
          <Table.Th ta="right">Position</Table.Th>
        </>
      }
      rows={lines}
      keyOf={(_, i) => i}
      pages={pages}
    >
      {(line) => (
        <>
          <Table.Td maw={420}>
            <Code block className="cell-text">
              {line.line ?? `not text: ${line.line_base64}`}
            </Code>
            {line.source === null ? null : (
              <Text size="xs" c="dimmed">
                {line.source.file}, line {line.source.line}
              </Text>
            )}
            {line.truncated ? (
              <Text size="xs" c="dimmed">
                Its beginning only.
              </Text>
            ) : null}
          </Table.Td>
          <Table.Td>{line.reason.replaceAll('_', ' ')}</Table.Td>
          <Table.Td>{line.stream}</Table.Td>
          <Table.Td ta="right">{line.position ?? '–'}</Table.Td>
        </>
      )}
    </LongTable>
  );
}
