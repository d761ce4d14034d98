import { NativeSelect, NumberInput, SimpleGrid, TextInput } from '@mantine/core';

export const MAX_NAME = 200;
const MAX_REJECTED_ROWS = 1_000_000_000;
const STARTS = [
  { value: 'on_snapshot', label: 'when the table has new data' },
  { value: 'manual', label: 'on request' },
];

/** What a backing dataset is called and how its syncs go, whatever they do. */
export interface Labels {
  name: string;
  sync: 'on_snapshot' | 'manual';
  max_rejected_rows: number;
}

export const labelsBody = ({ name, ...labels }: Labels): Labels => ({ name: name.trim(), ...labels });

interface LabelFieldsProps {
  labels: Labels;
  change(labels: Labels): void;
}

/** What it is called, when it is synced, and when a sync fails. */
export const LabelFields = ({ labels, change }: LabelFieldsProps) => (
  <SimpleGrid cols={{ base: 1, sm: 3 }}>
    <TextInput
      label="Name"
      required
      maxLength={MAX_NAME}
      value={labels.name}
      onChange={({ currentTarget: { value } }) => change({ ...labels, name: value })}
    />
    <NativeSelect
      label="A sync starts"
      data={STARTS}
      value={labels.sync}
      onChange={({ currentTarget: { value } }) =>
        change({ ...labels, sync: value === 'manual' ? 'manual' : 'on_snapshot' })
      }
    />
    <NumberInput
      label="Rows that may be left out"
      description="A sync fails when more rows become no entity"
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      min={0}
      max={MAX_REJECTED_ROWS}
      clampBehavior="strict"
      allowDecimal={false}
      allowNegative={false}
      value={labels.max_rejected_rows}
      onChange={(value) => change({ ...labels, max_rejected_rows: Number(value) })}
    />
  </SimpleGrid>
);
