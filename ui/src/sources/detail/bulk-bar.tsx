import { Button, Group, Select, Text } from '@mantine/core';
import { type BulkStreamBody, SYNC_MODES, WRITE_MODES } from '@weir/plugin-sources/contract';
import { counted } from '../../parts/numbers.ts';

/** What changes of each of several streams. */
export type StreamChange = Pick<BulkStreamBody, 'enabled' | 'sync_mode' | 'write_mode'>;

interface BulkBarProps {
  count: number;
  isPending: boolean;
  onChange(change: StreamChange): void;
  onClear(): void;
}

const named = (modes: readonly string[]) => modes.map((value) => ({ value, label: value.replace('_', ' ') }));

/** Changes all chosen streams alike. */
export function BulkBar({ count, isPending, onChange, onClear }: BulkBarProps) {
  return (
    <Group className="panel" p="sm" gap="sm" role="toolbar" aria-label="Chosen streams">
      <Text size="sm" fw={560}>
        {counted(count, 'stream')} chosen
      </Text>
      <Button size="xs" loading={isPending} onClick={() => onChange({ enabled: true })}>
        Enable
      </Button>
      <Button size="xs" variant="default" loading={isPending} onClick={() => onChange({ enabled: false })}>
        Disable
      </Button>
      <Select
        aria-label="Sync mode of all"
        placeholder="Sync mode"
        size="xs"
        w={140}
        data={named(SYNC_MODES)}
        value={null}
        onChange={(mode) => change('sync_mode', mode, SYNC_MODES, onChange)}
      />
      <Select
        aria-label="Write mode of all"
        placeholder="Write mode"
        size="xs"
        w={140}
        data={named(WRITE_MODES)}
        value={null}
        onChange={(mode) => change('write_mode', mode, WRITE_MODES, onChange)}
      />
      <Button size="xs" variant="subtle" onClick={onClear}>
        Choose none
      </Button>
    </Group>
  );
}

function change<K extends 'sync_mode' | 'write_mode'>(
  key: K,
  mode: string | null,
  modes: readonly NonNullable<StreamChange[K]>[],
  onChange: (change: StreamChange) => void,
): void {
  const known = modes.find((one) => one === mode);
  if (known !== undefined) onChange({ [key]: known });
}
