import { Group, SegmentedControl, Select } from '@mantine/core';
import { getDataset } from '@weir/plugin-datasets/contract';
import { useRead } from '../api/queries.ts';
import { counted } from '../parts/numbers.ts';

const DIRECTIONS = [
  ['both', 'Both ways'],
  ['upstream', 'Before'],
  ['downstream', 'After'],
] as const;
const DEPTHS = ['1', '2', '3', '5', '10'] as const;

export interface LineageChoice {
  depth?: string | undefined;
  direction?: string | undefined;
  column?: string | undefined;
}

interface LineageControlsProps {
  /** The table in the middle. */
  datasetId: string;
  choice: LineageChoice;
  choose(change: LineageChoice): void;
}

/** How far, which way, and of which column. */
export function LineageControls({ datasetId, choice, choose }: LineageControlsProps) {
  const dataset = useRead(getDataset, { params: { dataset_id: datasetId } });
  const columns = dataset.data?.schema.columns.map(({ name }) => name) ?? [];
  return (
    <Group gap="sm">
      <SegmentedControl
        size="xs"
        aria-label="Which way"
        data={DIRECTIONS.map(([value, label]) => ({ value, label }))}
        value={choice.direction ?? 'both'}
        onChange={(value) => choose({ direction: value === 'both' ? undefined : value })}
      />
      <SegmentedControl
        size="xs"
        aria-label="How far"
        data={DEPTHS.map((value) => ({ value, label: counted(Number(value), 'step') }))}
        value={choice.depth ?? '3'}
        onChange={(value) => choose({ depth: value === '3' ? undefined : value })}
      />
      <Select
        size="xs"
        aria-label="Follow a column"
        placeholder="Follow a column"
        data={columns}
        value={choice.column ?? null}
        onChange={(value) => choose({ column: value ?? undefined })}
        searchable
        clearable
        limit={100}
      />
    </Group>
  );
}
