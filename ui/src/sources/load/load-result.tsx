import { Anchor, Button, Group, Stack, Table, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import {
  type DiscoveryWarningView,
  getDiscoveryStatus,
  getSource,
  getSyncStatus,
  type StreamRunView,
  type SyncRunDetailView,
  type UploadView,
} from '@weir/plugin-sources/contract';
import { useRead } from '../../api/queries.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { FaultNote } from '../../parts/fault-note.tsx';
import { counted, countText } from '../../parts/numbers.ts';
import { Region } from '../../parts/region.tsx';
import { WideBox } from '../../parts/wide-box.tsx';
import { FilesList } from './files-list.tsx';
import { LoadedRows } from './loaded-rows.tsx';
import { accountOfFiles, accountOfRecords } from './plan/load-account.ts';
import type { PlannedStream, Tables, UnsentFile } from './plan/load-plan.ts';
import type { StartLoad } from './use-start-load.ts';

const LOOK_AGAIN_MS = 500;

interface LoadResultProps {
  upload: UploadView;
  sourceId: string;
  runId: string | undefined;
  looked: string | undefined;
  tables: Tables;
  streams: readonly PlannedStream[] | undefined;
  unsent: readonly UnsentFile[];
  load: Pick<StartLoad, 'start'>;
  again(): void;
}

/** A load from its start to its account: every file and every record that was given. */
export function LoadResult(props: LoadResultProps) {
  const { sourceId, runId, again } = props;
  const source = useRead(getSource, { params: { source_id: sourceId } });
  return (
    <Stack>
      {runId === undefined ? <NotStarted {...props} /> : <Running {...props} runId={runId} />}
      <Group>
        {source.data === undefined ? null : (
          <Button renderRoot={(more) => <Link to="/sources/$sourceId" params={{ sourceId }} {...more} />}>
            Open source {source.data.name}
          </Button>
        )}
        <Button variant="default" onClick={again}>
          Load more files
        </Button>
      </Group>
    </Stack>
  );
}

/** A source whose rows are about to be loaded, or were never asked for. */
function NotStarted({ sourceId, load: { start } }: LoadResultProps) {
  if (start.error !== null) return <FaultNote error={start.error} retry={() => start.mutate(sourceId)} />;
  if (!start.isIdle) return <Text role="status">The source is created. The load starts.</Text>;
  return (
    <Stack p="md" className="panel" align="flex-start">
      <Text>The source is created. Its rows are not loaded yet.</Text>
      <Button onClick={() => start.mutate(sourceId)}>Load the rows</Button>
    </Stack>
  );
}

function Running({ runId, sourceId, looked, ...rest }: LoadResultProps & { runId: string }) {
  const status = useRead(
    getSyncStatus,
    { params: { source_id: sourceId }, query: { run_id: runId } },
    { again: (found) => (found?.run?.is_terminal ? false : LOOK_AGAIN_MS) },
  );
  const discovery = useRead(
    getDiscoveryStatus,
    { params: { workflow_id: looked ?? '' } },
    { enabled: looked !== undefined },
  );
  return (
    <Region query={status}>
      {({ run }) =>
        run === null ? (
          <Text>The run is not there.</Text>
        ) : !run.is_terminal ? (
          <Text role="status" p="md" className="panel">
            Loading the rows: {counted(run.rows_written, 'row')} committed
          </Text>
        ) : (
          <Account {...rest} run={run} warnings={discovery.data?.warnings ?? []} />
        )
      }
    </Region>
  );
}

interface AccountProps extends Pick<LoadResultProps, 'upload' | 'tables' | 'unsent' | 'streams'> {
  run: SyncRunDetailView;
  warnings: readonly DiscoveryWarningView[];
}

/** What was given, and what became of it. */
function Account({ run, warnings, upload, tables, unsent, streams }: AccountProps) {
  const sent = upload.files.map(({ name }) => name);
  const names = run.streams.map(({ name }) => name);
  const files = accountOfFiles({ files: sent, unsent }, { tables, names, warnings, streams }, run.streams);
  const loaded = run.streams.filter(({ commits, status }) => status === 'succeeded' || commits > 0);
  return (
    <Stack>
      {run.failure === null ? null : <FailureNote failure={run.failure} title="Not everything was loaded" />}
      <FilesList files={files} bytes={new Map(upload.files.map(({ name, bytes }) => [name, bytes]))} />
      <Records streams={run.streams} runId={run.run_id} />
      <LoadedRows streams={loaded} />
    </Stack>
  );
}

const COLUMNS = ['Records', 'Rows', 'of them marked', 'In quarantine', 'Merged away', 'Left out of the read'] as const;

/** Records = rows + quarantine + merged away + left out, for each table. */
function Records({ streams, runId }: { streams: readonly StreamRunView[]; runId: string }) {
  return (
    <section aria-labelledby="records">
      <Title order={2} id="records" mb="xs" size="md">
        What became of the records
      </Title>
      <WideBox label="Records by table">
        <Table verticalSpacing={6} w="auto">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Table</Table.Th>
              {COLUMNS.map((column) => (
                <Table.Th key={column} ta="right">
                  {column}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {streams.map((stream) => (
              <RecordsOf key={stream.stream_id} stream={stream} />
            ))}
          </Table.Tbody>
        </Table>
      </WideBox>
      <Text size="sm" mt={4}>
        <Anchor renderRoot={(props) => <Link to="/runs/$runId" params={{ runId }} {...props} />}>Open the run</Anchor>
      </Text>
    </section>
  );
}

function RecordsOf({ stream }: { stream: StreamRunView }) {
  const { records, rows, quarantine, merged, leftOut } = accountOfRecords(stream);
  const { dataset_id: datasetId, rows_with_errors: marked } = stream;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        <Anchor renderRoot={(props) => <Link to="/datasets/$datasetId" params={{ datasetId }} {...props} />}>
          {stream.name}
        </Anchor>
      </Table.Th>
      <Figure count={records} />
      <Figure count={rows} />
      <Figure count={marked} />
      <Table.Td ta="right">
        {quarantine === 0 ? (
          '0'
        ) : (
          <Anchor
            aria-label={`${counted(quarantine, 'line')} of ${stream.name} in quarantine`}
            renderRoot={(props) => (
              <Link to="/datasets/$datasetId" params={{ datasetId }} search={{ tab: 'quarantine' }} {...props} />
            )}
          >
            {countText(quarantine)}
          </Anchor>
        )}
      </Table.Td>
      <Figure count={merged} />
      <Figure count={leftOut} />
    </Table.Tr>
  );
}

const Figure = ({ count }: { count: number }) => <Table.Td ta="right">{countText(count)}</Table.Td>;
