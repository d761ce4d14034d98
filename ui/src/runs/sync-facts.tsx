import { Anchor, Table, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { getSyncRun, type StreamRunView } from '@weir/plugin-sources/contract';
import { useRead } from '../api/queries.ts';
import { countText } from '../parts/numbers.ts';
import { Region } from '../parts/region.tsx';
import { RunWord } from '../parts/status-word.tsx';
import { LongTable } from '../table/long-table.tsx';

const isFailed = ({ status }: StreamRunView) => status === 'failed';

/** The streams of a sync, those that failed first. */
export function SyncFacts({ runId }: { runId: string }) {
  const query = useRead(getSyncRun, { params: { workflow_id: runId } });
  return (
    <section aria-labelledby="streams">
      <Title order={2} id="streams" mb="sm">
        Streams
      </Title>
      <Region
        query={query}
        empty={({ streams }) => (streams.length === 0 ? { words: 'No stream had begun.' } : undefined)}
      >
        {({ streams }) => (
          <LongTable
            label="Table of streams"
            minWidth={560}
            spacing={6}
            head={
              <>
                <Table.Th>Stream</Table.Th>
                <Table.Th>Result</Table.Th>
                <Table.Th ta="right">Rows committed</Table.Th>
                <Table.Th>Table</Table.Th>
              </>
            }
            rows={[...streams.filter(isFailed), ...streams.filter((one) => !isFailed(one))]}
            keyOf={(stream) => stream.stream_id}
          >
            {(stream) => <StreamRow stream={stream} />}
          </LongTable>
        )}
      </Region>
    </section>
  );
}

function StreamRow({ stream }: { stream: StreamRunView }) {
  return (
    <>
      <Table.Td>
        <Text size="sm" fw={560}>
          {stream.name}
        </Text>
        {stream.failure === null ? null : (
          <Text size="sm" c="var(--mantine-color-error)">
            {stream.failure.detail}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <RunWord status={stream.status} />
      </Table.Td>
      <Table.Td ta="right">{countText(stream.rows_written)}</Table.Td>
      <Table.Td>
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link
              to="/datasets/$datasetId"
              params={{ datasetId: stream.dataset_id }}
              search={stream.snapshot_id === null ? {} : { snapshot: stream.snapshot_id }}
              {...props}
            />
          )}
        >
          <span className="mono-id">{stream.dataset_id}</span>
        </Anchor>
      </Table.Td>
    </>
  );
}
