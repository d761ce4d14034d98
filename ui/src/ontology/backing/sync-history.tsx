import { Anchor, Button, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type BackingDatasetView, listSyncRuns, type SyncRunItemView } from '@weir/plugin-ontology/contract';
import { useReadPages } from '../../api/read-pages.ts';
import { counted, countText, durationText } from '../../parts/numbers.ts';
import { Region } from '../../parts/region.tsx';
import { ShowTime } from '../../parts/show-time.tsx';
import { RunWord } from '../../parts/status-word.tsx';
import { LongTable } from '../../table/long-table.tsx';
import { modeWords } from '../sync/sync-words.tsx';
import '../ontology.css';

const PAGE = 50;

/** The syncs of a backing dataset, newest first; each leads to its run. */
export function SyncHistory({ backing: { backing_dataset_id } }: { backing: BackingDatasetView }) {
  const pages = useReadPages(listSyncRuns, { params: { backing_dataset_id }, query: { limit: PAGE } });
  return (
    <Region
      query={pages}
      empty={([first]) =>
        first?.items.length === 0
          ? {
              words: 'It was not synced yet. “Sync now” reads every row of the table.',
              action: (
                <Button
                  variant="default"
                  renderRoot={(props) => (
                    <Link
                      to="/ontology/backing/$backingId"
                      params={{ backingId: backing_dataset_id }}
                      search={{ tab: 'health' }}
                      {...props}
                    />
                  )}
                >
                  See what a sync needs
                </Button>
              ),
            }
          : undefined
      }
    >
      {(all) => {
        const runs = all.flatMap(({ items }) => items);
        return (
          <LongTable
            label="Syncs"
            minWidth={760}
            head={
              <>
                <Table.Th w={150}>When</Table.Th>
                <Table.Th w={140}>Result</Table.Th>
                <Table.Th>What it read</Table.Th>
                <Table.Th w={110} ta="right">
                  Rows
                </Table.Th>
                <Table.Th w={100}>Took</Table.Th>
                <Table.Th w="18%">By</Table.Th>
              </>
            }
            rows={runs}
            keyOf={({ run_id: id }) => id}
            pages={pages}
            moreWords="Show older syncs"
            foot={counted(runs.length, 'sync')}
          >
            {(run) => <Cells run={run} />}
          </LongTable>
        );
      }}
    </Region>
  );
}

function Cells({ run }: { run: SyncRunItemView }) {
  const { run_id: runId, status, rows_synced: rows, created_at: at, started_at: start, ended_at: end, failure } = run;
  const took = start === null || end === null ? undefined : Date.parse(end) - Date.parse(start);
  return (
    <>
      <Table.Td>
        <Anchor
          inherit
          fw={560}
          data-row
          renderRoot={(props) => <Link to="/runs/$runId" params={{ runId }} {...props} />}
        >
          <ShowTime at={at} within />
        </Anchor>
      </Table.Td>
      <Table.Td>
        <RunWord status={status} />
      </Table.Td>
      <Table.Td>
        <Text size="sm">{modeWords(run)}</Text>
        {failure === null ? null : (
          <Text size="xs" c="dimmed" lineClamp={2}>
            {failure.detail}
          </Text>
        )}
      </Table.Td>
      <Table.Td ta="right">{countText(rows)}</Table.Td>
      <Table.Td>{took === undefined ? '–' : durationText(Math.max(0, took))}</Table.Td>
      <Table.Td className="type-name">{run.requested_by}</Table.Td>
    </>
  );
}
