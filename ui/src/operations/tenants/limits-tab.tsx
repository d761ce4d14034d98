import { Stack, Text } from '@mantine/core';
import { getLimits } from '@weir/plugin-platform/contract';
import { useRead } from '../../api/queries.ts';
import { Region } from '../../parts/region.tsx';
import { LimitFacts } from './limit-facts.tsx';

/** What the chosen tenant may use, and what it uses. */
export function LimitsTab() {
  const query = useRead(getLimits);
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        A platform admin sets them. They hold from the next run on; runs that are open continue.
      </Text>
      <Region query={query}>{(limits) => <LimitFacts limits={limits} />}</Region>
    </Stack>
  );
}
