import { Anchor, Button, Group, Stack, Table, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { getSyncRun, type StreamRunView } from '@weir/plugin-sources/contract';
import { useRead } from '../../api/queries.ts';
import { countText } from '../../parts/numbers.ts';
import { Region } from '../../parts/region.tsx';
import { RunWord } from '../../parts/status-word.tsx';
import { fieldSentences } from '../../sources/stream/mode-words.ts';
import { LongTable } from '../../table/long-table.tsx';
import { LeftOutList } from './left-out-list.tsx';

/** The streams of a sync, and the way to its receipt. */
export function SyncFacts({ runId }: { runId: string }) {
  const query = useRead(getSyncRun, { params: { workflow_id: runId } });
  return (
    <Region query={query}>
      {({ streams, source_id, is_terminal }) => (
        <Stack gap="md">
          {is_terminal ? (
            <Group>
              <ReceiptLink sourceId={source_id} runId={runId} />
            </Group>
          ) : null}
          <StreamRuns streams={streams} sourceId={source_id} />
        </Stack>
      )}
    </Region>
  );
}

/** Leads to what a sync says that it did, and to its verification. */
export function ReceiptLink({ sourceId, runId }: { sourceId: string; runId: string }) {
  return (
    <Button
      size="xs"
      variant="default"
      renderRoot={(props) => (
        <Link
          to="/sources/$sourceId"
          params={{ sourceId }}
          search={{ tab: 'history', run: runId, show: 'receipt' }}
          {...props}
        />
      )}
    >
      Receipt
    </Button>
  );
}

const isFailed = ({ status }: StreamRunView) => status === 'failed';

/** What a sync did for each stream: those that failed first, then those with the most rows. */
export function StreamRuns({ streams, sourceId }: { streams: readonly StreamRunView[]; sourceId: string }) {
  if (streams.length === 0) return null;
  const sorted = streams.toSorted(
    (one, other) => Number(isFailed(other)) - Number(isFailed(one)) || other.rows_read - one.rows_read,
  );
  return (
    <section aria-labelledby="stream-runs">
      <Title order={2} id="stream-runs" mb="sm">
        Streams
      </Title>
      <LongTable
        label="Streams of the sync"
        minWidth={760}
        spacing="sm"
        head={
          <>
            <Table.Th>Stream</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th ta="right">Read</Table.Th>
            <Table.Th ta="right">Committed</Table.Th>
            <Table.Th ta="right">Rejected</Table.Th>
            <Table.Th>Table</Table.Th>
            <Table.Th>Snapshot</Table.Th>
          </>
        }
        rows={sorted}
        keyOf={(stream) => stream.stream_id}
      >
        {(stream) => <StreamRow stream={stream} sourceId={sourceId} />}
      </LongTable>
    </section>
  );
}

/** Columns that came or that none holds, and where it is set what a sync does with them. */
function FieldWords({ stream, sourceId }: { stream: StreamRunView; sourceId: string }) {
  const sentences = fieldSentences(stream);
  if (sentences.length === 0) return null;
  const hasKept = stream.schema_changes.some(({ change }) => change === 'captured');
  return (
    <Text size="sm" component="div">
      {sentences.join(' ')}{' '}
      {hasKept ? (
        <Anchor
          inherit
          underline="always"
          renderRoot={(props) => (
            <Link
              to="/sources/$sourceId"
              params={{ sourceId }}
              search={{ tab: 'streams', stream: stream.stream_id }}
              {...props}
            />
          )}
        >
          Make columns of them
        </Anchor>
      ) : null}
    </Text>
  );
}

function StreamRow({ stream, sourceId }: { stream: StreamRunView; sourceId: string }) {
  const { dataset_id: datasetId, snapshot_id: snapshot, rows_rejected: rejected } = stream;
  return (
    <>
      <Table.Td>
        {stream.name}
        {stream.failure === null ? null : (
          <Text size="sm" c="var(--mantine-color-error)">
            {stream.failure.detail}
          </Text>
        )}
        <LeftOutList stream={stream} />
        <FieldWords stream={stream} sourceId={sourceId} />
      </Table.Td>
      <Table.Td>
        <RunWord status={stream.status} />
      </Table.Td>
      <Table.Td ta="right">{countText(stream.rows_read)}</Table.Td>
      <Table.Td ta="right">{countText(stream.rows_written)}</Table.Td>
      <Table.Td ta="right">
        {rejected === 0 ? (
          '0'
        ) : (
          <Anchor
            inherit
            underline="always"
            renderRoot={(props) => (
              <Link to="/datasets/$datasetId" params={{ datasetId }} search={{ tab: 'quarantine' }} {...props} />
            )}
          >
            {countText(rejected)}
          </Anchor>
        )}
      </Table.Td>
      <Table.Td>
        <Anchor
          size="sm"
          ff="monospace"
          renderRoot={(props) => <Link to="/datasets/$datasetId" params={{ datasetId }} {...props} />}
        >
          {datasetId}
        </Anchor>
      </Table.Td>
      <Table.Td>
        {snapshot === null ? (
          '–'
        ) : (
          <Anchor
            size="sm"
            ff="monospace"
            renderRoot={(props) => (
              <Link to="/datasets/$datasetId" params={{ datasetId }} search={{ snapshot }} {...props} />
            )}
          >
            {snapshot}
          </Anchor>
        )}
      </Table.Td>
    </>
  );
}
