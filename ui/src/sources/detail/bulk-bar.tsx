import { Button, Group, Text } from '@mantine/core';
import type { StreamView } from '@weir/plugin-sources/contract';
import { lazy, Suspense, useState } from 'react';
import { counted } from '../../parts/numbers.ts';
import type { OneChange } from './use-bulk-change.ts';

/** Read once it is asked for. */
const BulkDialog = lazy(() => import('../stream/bulk-dialog.tsx').then((module) => ({ default: module.BulkDialog })));

interface BulkBarProps {
  streams: readonly StreamView[];
  isPending: boolean;
  onChange(changes: readonly OneChange[]): void;
  onClear(): void;
}

/** Changes all chosen streams, each as far as it allows. */
export function BulkBar({ streams, isPending, onChange, onClear }: BulkBarProps) {
  const [isAsked, setAsked] = useState(false);
  const enable = (enabled: boolean) => onChange(streams.map((stream) => ({ stream, patch: { enabled } })));
  return (
    <Group className="panel" p="sm" gap="sm" role="toolbar" aria-label="Chosen streams">
      <Text size="sm" fw={560}>
        {counted(streams.length, 'stream')} chosen
      </Text>
      <Button size="xs" loading={isPending} onClick={() => enable(true)}>
        Enable
      </Button>
      <Button size="xs" variant="default" loading={isPending} onClick={() => enable(false)}>
        Disable
      </Button>
      <Button size="xs" variant="default" onClick={() => setAsked(true)}>
        Set mode, cursor or key…
      </Button>
      <Button size="xs" variant="subtle" onClick={onClear}>
        Choose none
      </Button>
      <Suspense fallback={null}>
        {isAsked ? (
          <BulkDialog
            streams={streams}
            close={() => setAsked(false)}
            set={(changes) => {
              setAsked(false);
              onChange(changes);
            }}
          />
        ) : null}
      </Suspense>
    </Group>
  );
}
