import { Anchor, Button, Group, Stack, Table, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import {
  getSyncReceipt,
  getVerification,
  type ReceiptStreamView,
  type SyncReceiptView,
  verifySync,
} from '@weir/plugin-sources/contract';
import { useState } from 'react';
import { ProblemError } from '../../api/problem-error.ts';
import { useChange, useRead } from '../../api/queries.ts';
import { CopyText } from '../../parts/copy-text.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { FaultNote } from '../../parts/fault-note.tsx';
import { counted, countText } from '../../parts/numbers.ts';
import { Region } from '../../parts/region.tsx';
import { useMay } from '../../session/person.ts';
import { LongTable } from '../../table/long-table.tsx';
import { Verified } from './verified.tsx';

const LOOK_AGAIN_MS = 700;
const NOT_FOUND = 404;

/** What a sync says that it did, and whether the tables still say the same. */
export function ReceiptPanel({ runId }: { runId: string }) {
  const query = useRead(getSyncReceipt, { params: { sync_run_id: runId } });
  return (
    <section aria-labelledby="receipt">
      <Title order={2} id="receipt" mb="sm">
        Receipt
      </Title>
      <Region query={query}>
        {({ sha256, receipt }) => (
          <Stack>
            <Digest receipt={receipt} sha256={sha256} />
            <ReceiptStreams streams={receipt.streams} />
            <Verification runId={runId} />
          </Stack>
        )}
      </Region>
    </section>
  );
}

function Digest({ receipt, sha256 }: { receipt: SyncReceiptView; sha256: string }) {
  const { rows_read, rows_written, rows_quarantined, rows_deduplicated } = receipt;
  const beside = [
    [rows_quarantined, 'in quarantine'],
    [rows_deduplicated ?? 0, 'dropped for a later row of the same key'],
  ] as const;
  const said = beside.filter(([count]) => count > 0).map(([count, words]) => `, ${countText(count)} ${words}`);
  return (
    <Stack gap={4}>
      <Text size="sm">
        {counted(rows_read, 'row')} read, {countText(rows_written)} written{said.join('')}. The receipt was made when
        the sync ended and never changes.
      </Text>
      <Group gap="xs">
        <Text size="sm" c="dimmed" className="cell-text">
          Its digest is <span className="mono-id">{sha256}</span>
        </Text>
        <CopyText text={sha256} what="the digest" />
      </Group>
    </Stack>
  );
}

function ReceiptStreams({ streams }: { streams: readonly ReceiptStreamView[] }) {
  return (
    <LongTable
      label="Streams of the receipt"
      minWidth={720}
      spacing="sm"
      head={
        <>
          <Table.Th>Stream</Table.Th>
          <Table.Th ta="right">Rows read</Table.Th>
          <Table.Th ta="right">Rows written</Table.Th>
          <Table.Th ta="right">Commits</Table.Th>
          <Table.Th>Table</Table.Th>
          <Table.Th>Checksum of the rows</Table.Th>
        </>
      }
      rows={streams}
      keyOf={(stream) => stream.stream_id}
    >
      {({ name, rows_read, rows_written, commits, dataset_id, checksum }) => (
        <>
          <Table.Td>{name}</Table.Td>
          <Table.Td ta="right">{countText(rows_read)}</Table.Td>
          <Table.Td ta="right">{countText(rows_written)}</Table.Td>
          <Table.Td ta="right">{countText(commits)}</Table.Td>
          <Table.Td>
            <Anchor
              size="sm"
              ff="monospace"
              renderRoot={(props) => <Link to="/datasets/$datasetId" params={{ datasetId: dataset_id }} {...props} />}
            >
              {dataset_id}
            </Anchor>
          </Table.Td>
          <Table.Td>
            <Text size="sm" ff="monospace" className="ellipsis" maw={220} title={checksum ?? undefined}>
              {checksum ?? '–'}
            </Text>
          </Table.Td>
        </>
      )}
    </LongTable>
  );
}

/** Derives the figures again from the files of the tables, and compares. */
function Verification({ runId }: { runId: string }) {
  const mayRun = useMay(verifySync);
  const start = useChange(verifySync);
  const [asked, setAsked] = useState<string>();
  const params = { sync_run_id: runId };
  const query = useRead(
    getVerification,
    { params, ...(asked !== undefined && { query: { verification_run_id: asked } }) },
    { again: (answer) => (answer === undefined || answer.is_terminal ? false : LOOK_AGAIN_MS) },
  );
  const isNone = query.error instanceof ProblemError && query.error.problem.status === NOT_FOUND;
  const isOpen = query.data?.is_terminal === false;
  return (
    <Stack gap="sm" p="md" className="panel">
      <Group justify="space-between">
        <Text size="sm" flex={1} miw={200}>
          A verification counts the rows of this sync again from the files of the tables alone, and compares them with
          the receipt.
        </Text>
        {mayRun ? (
          <Button
            size="sm"
            variant="default"
            loading={start.isPending || isOpen}
            onClick={() => start.mutate({ params }, { onSuccess: ({ run_id }) => setAsked(run_id) })}
          >
            Verify
          </Button>
        ) : null}
      </Group>
      {start.error === null ? null : <FaultNote error={start.error} />}
      {isNone ? (
        <Text size="sm" c="dimmed">
          Never verified.
        </Text>
      ) : (
        <Region query={query} lines={1}>
          {({ outcome, failure, is_terminal }) => {
            if (failure !== null) return <FailureNote failure={failure} title="The verification failed" />;
            if (!is_terminal)
              return (
                <Text size="sm" role="status">
                  Counting…
                </Text>
              );
            return outcome === null ? null : <Verified outcome={outcome} />;
          }}
        </Region>
      )}
    </Stack>
  );
}
