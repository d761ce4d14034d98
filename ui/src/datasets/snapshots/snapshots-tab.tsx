import { Anchor, Checkbox, Group, Stack, Table, Text } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { listDatasetSnapshots } from '@weir/plugin-datasets/contract';
import type { Dataset, Snapshot } from '../../api/dataset-shapes.ts';
import { useReadPages } from '../../api/read-pages.ts';
import { bytesText, counted, countText } from '../../parts/numbers.ts';
import { Region } from '../../parts/region.tsx';
import { ShowTime } from '../../parts/show-time.tsx';
import { LongTable } from '../../table/long-table.tsx';
import type { Pages } from '../../table/more-button.tsx';
import { SnapshotDifference } from './snapshot-difference.tsx';

const PAGE = 50;

/** The history of a table: one moment to go back to, or two to compare. */
export function SnapshotsTab({ dataset }: { dataset: Dataset }) {
  const { dataset_id } = dataset;
  const { compare } = useSearch({ from: '/datasets/$datasetId' });
  const navigate = useNavigate({ from: '/datasets/$datasetId' });
  const pages = useReadPages(listDatasetSnapshots, { params: { dataset_id }, query: { limit: PAGE } });
  const chosen = compare === undefined ? [] : compare.split(',');
  const choose = (id: string) => {
    const next = chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen.slice(-1), id];
    void navigate({ search: (before) => ({ ...before, compare: next.join(',') }), replace: true });
  };
  return (
    <Region
      query={pages}
      empty={([first]) =>
        first?.items.length === 0 ? { words: 'No snapshot yet. The first commit makes one.' } : undefined
      }
    >
      {(all) => {
        const snapshots = all.flatMap(({ items }) => items);
        const two = snapshots.filter(({ snapshot_id_exact: id }) => chosen.includes(id));
        return (
          <Stack gap="sm">
            <Text size="sm" c="dimmed">
              {snapshots.length === 1
                ? 'One snapshot so far.'
                : 'View a snapshot to see rows and columns as they were, or select two to compare them.'}
            </Text>
            {two[0] !== undefined && two[1] !== undefined ? (
              <SnapshotDifference datasetId={dataset_id} newer={two[0]} older={two[1]} />
            ) : null}
            <Moments dataset={dataset} snapshots={snapshots} pages={pages} chosen={chosen} choose={choose} />
          </Stack>
        );
      }}
    </Region>
  );
}

interface MomentsProps {
  dataset: Dataset;
  snapshots: readonly Snapshot[];
  pages: Pages;
  chosen: readonly string[];
  choose(id: string): void;
}

function Moments({ dataset, snapshots, pages, chosen, choose }: MomentsProps) {
  return (
    <LongTable
      label="Snapshots"
      minWidth={860}
      spacing={6}
      head={
        <>
          <Table.Th>
            <span className="unseen">Compare</span>
          </Table.Th>
          <Table.Th>Committed</Table.Th>
          <Table.Th>Operation</Table.Th>
          <Table.Th ta="right">Added</Table.Th>
          <Table.Th ta="right">Removed</Table.Th>
          <Table.Th ta="right">Rows after</Table.Th>
          <Table.Th ta="right">Size after</Table.Th>
          <Table.Th>Snapshot</Table.Th>
          <Table.Th>Run</Table.Th>
        </>
      }
      rows={snapshots}
      keyOf={(one) => one.snapshot_id_exact}
      pages={pages}
      moreWords="Show older ones"
      rowProps={({ snapshot_id_exact: id }) => ({ className: 'moment', 'data-chosen': chosen.includes(id) })}
      foot={counted(snapshots.length, 'snapshot')}
    >
      {(one) => <Moment dataset={dataset} one={one} chosen={chosen} choose={choose} />}
    </LongTable>
  );
}

const digits = (text: string | null, sign = '') => (text === null ? '–' : `${sign}${countText(Number(text))}`);

function Moment({ dataset, one, chosen, choose }: Omit<MomentsProps, 'snapshots' | 'pages'> & { one: Snapshot }) {
  const id = one.snapshot_id_exact;
  return (
    <>
      <Table.Td>
        <Checkbox
          size="xs"
          aria-label={`Compare snapshot ${id}`}
          checked={chosen.includes(id)}
          onChange={() => choose(id)}
        />
      </Table.Td>
      <Table.Td>
        <ShowTime at={one.committed_at} size="sm" />
      </Table.Td>
      <Table.Td>{one.operation}</Table.Td>
      <Table.Td ta="right" c="var(--weir-good)">
        {digits(one.added_records, '+')}
      </Table.Td>
      <Table.Td ta="right" c={one.deleted_records === null ? 'dimmed' : 'var(--weir-bad)'}>
        {digits(one.deleted_records, '−')}
      </Table.Td>
      <Table.Td ta="right">{digits(one.total_records)}</Table.Td>
      <Table.Td ta="right">{one.total_bytes === null ? '–' : bytesText(Number(one.total_bytes))}</Table.Td>
      <Table.Td>
        <Group gap="xs" wrap="nowrap">
          <span className="mono-id">{id}</span>
          {id === dataset.snapshot_id ? (
            <Text size="xs" c="dimmed">
              newest
            </Text>
          ) : (
            <Anchor
              size="sm"
              data-row
              aria-label={`View snapshot ${id}`}
              renderRoot={(props) => (
                <Link
                  to="/datasets/$datasetId"
                  params={{ datasetId: dataset.dataset_id }}
                  search={{ tab: 'preview', snapshot: id }}
                  {...props}
                />
              )}
            >
              View
            </Anchor>
          )}
        </Group>
      </Table.Td>
      <Table.Td>
        {one.run_id === null ? (
          '–'
        ) : (
          <Anchor
            size="sm"
            aria-label={`Run of snapshot ${id}`}
            renderRoot={(props) => <Link to="/runs/$runId" params={{ runId: one.run_id ?? '' }} {...props} />}
          >
            Run
          </Anchor>
        )}
      </Table.Td>
    </>
  );
}
