import { SegmentedControl, Stack, Text } from '@mantine/core';
import type { PipelinePublish } from '@weir/plugin-pipelines/contract';
import { PUBLISHED } from '../runs/run-steps.tsx';

interface PublishChoiceProps {
  value: PipelinePublish;
  /** Undefined for people who may only look. */
  change: ((value: PipelinePublish) => void) | undefined;
}

/** How the tables of a run change. */
export function PublishChoice({ value, change }: PublishChoiceProps) {
  return (
    <Stack gap={4} align="flex-start">
      {change === undefined ? null : (
        <SegmentedControl
          size="xs"
          aria-label="How tables change"
          data={[
            { value: 'together', label: 'Together' },
            { value: 'each', label: 'One by one' },
          ]}
          value={value}
          onChange={(next) => change(next === 'each' ? 'each' : 'together')}
        />
      )}
      <Text size="sm" c="dimmed">
        {PUBLISHED[value]}
      </Text>
    </Stack>
  );
}
