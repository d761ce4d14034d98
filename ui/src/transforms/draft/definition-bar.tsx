import { Group, Stack, Text } from '@mantine/core';
import type { TransformView } from '@weir/plugin-transforms/contract';
import type { ReactNode } from 'react';
import { DraftState } from './draft-state.tsx';

interface DefinitionBarProps {
  transform: TransformView;
  /** What is typed and not saved, by name. */
  unsaved: readonly string[];
  /** What there is to do. */
  children: ReactNode;
}

/** Above a definition: what is in force, what is a draft, what is not saved, and what there is to do. */
export function DefinitionBar({ transform, unsaved, children }: DefinitionBarProps) {
  return (
    <Group justify="space-between" align="flex-start" gap="sm" className="panel" px="md" py="sm">
      <Stack gap={2} flex="1 1 260px">
        <DraftState transform={transform} />
        <Text size="sm" c="dimmed" role="status">
          {unsaved.length === 0 ? 'As saved' : `Not saved: ${unsaved.join(', ')}`}
        </Text>
      </Stack>
      {children}
    </Group>
  );
}
