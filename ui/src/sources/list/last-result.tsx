import { Group, Stack, Text } from '@mantine/core';
import type { SyncRunView } from '@weir/plugin-sources/contract';
import { counted } from '../../parts/numbers.ts';
import { ShowTime } from '../../parts/show-time.tsx';
import { RunWord } from '../../parts/status-word.tsx';

/** The last sync: how it ended, when, and why it failed. */
export function LastResult({ run }: { run: SyncRunView | null }) {
  if (run === null)
    return (
      <Text size="sm" c="dimmed">
        Never synced
      </Text>
    );
  return (
    <Stack gap={2}>
      <Group gap="xs">
        <RunWord status={run.status} />
        <ShowTime at={run.ended_at ?? run.created_at} size="sm" c="dimmed" />
      </Group>
      {run.failure === null ? (
        <Text size="sm" c="dimmed">
          {counted(run.rows_written, 'row')} committed
        </Text>
      ) : (
        <Text size="sm" c="var(--mantine-color-error)" maw={360}>
          {run.failure.detail}
        </Text>
      )}
    </Stack>
  );
}
