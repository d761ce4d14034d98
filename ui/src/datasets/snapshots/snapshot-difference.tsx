import { Group, Stack, Text, Title } from '@mantine/core';
import { getDatasetSchema, schemaChanges } from '@weir/plugin-datasets/contract';
import type { Snapshot } from '../../api/dataset-shapes.ts';
import { useRead } from '../../api/queries.ts';
import { FactList } from '../../parts/fact-list.tsx';
import { bytesText, countText } from '../../parts/numbers.ts';
import { Region } from '../../parts/region.tsx';
import { ShowTime } from '../../parts/show-time.tsx';
import { ChangeTable } from './change-table.tsx';

interface SnapshotDifferenceProps {
  datasetId: string;
  newer: Snapshot;
  older: Snapshot;
}

/** Two snapshots side by side: rows, size and columns. */
export function SnapshotDifference({ datasetId, newer, older }: SnapshotDifferenceProps) {
  const params = { dataset_id: datasetId };
  const before = useRead(getDatasetSchema, { params, query: { snapshot_id: older.snapshot_id_exact } });
  const after = useRead(getDatasetSchema, { params, query: { snapshot_id: newer.snapshot_id_exact } });
  return (
    <Stack gap="sm" p="md" className="panel" component="section" aria-labelledby="difference">
      <Group gap="sm">
        <Title order={2} id="difference">
          Difference
        </Title>
        <Text size="sm" c="dimmed">
          from <ShowTime at={older.committed_at} inherit /> to <ShowTime at={newer.committed_at} inherit />
        </Text>
      </Group>
      <FactList
        facts={[
          ['Rows', delta(older.total_records, newer.total_records, countText)],
          ['Size', delta(older.total_bytes, newer.total_bytes, bytesText)],
          ['Data files', delta(older.total_data_files, newer.total_data_files, countText)],
        ]}
      />
      <Region query={before} lines={1}>
        {(was) => (
          <Region query={after} lines={1}>
            {(is) => <Changes changes={schemaChanges(was.fields, is.fields)} />}
          </Region>
        )}
      </Region>
    </Stack>
  );
}

function Changes({ changes }: { changes: ReturnType<typeof schemaChanges> }) {
  if (changes.length === 0) return <Text size="sm">Both have the same columns.</Text>;
  return <ChangeTable changes={changes} />;
}

/** `10 → 12 (+2)`; a dash where one of them is not known. */
function delta(from: string | number | null, to: string | number | null, words: (value: number) => string): string {
  if (from === null || to === null) return '–';
  const [before, after] = [Number(from), Number(to)];
  const change = after - before;
  const sign = change < 0 ? '−' : '+';
  return `${words(before)} → ${words(after)} (${sign}${words(Math.abs(change))})`;
}
