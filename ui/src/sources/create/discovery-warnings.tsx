import { Alert, List, Text } from '@mantine/core';
import type { DiscoveryWarningView } from '@weir/plugin-sources/contract';
import { TriangleAlert } from 'lucide-react';
import { counted } from '../../parts/numbers.ts';

const MAX_NAMED = 20;

/** Streams that a discovery could not describe, each with its reason. */
export function DiscoveryWarnings({ warnings }: { warnings: readonly DiscoveryWarningView[] }) {
  if (warnings.length === 0) return null;
  return (
    <Alert role="note" color="yellow" variant="outline" className="panel" icon={<TriangleAlert aria-hidden />}>
      <Text size="sm" fw={560} mb={4}>
        {counted(warnings.length, 'stream')} could not be described
      </Text>
      <List size="sm">
        {warnings.slice(0, MAX_NAMED).map(({ namespace, name, code, detail, hint }) => (
          <List.Item key={`${namespace} ${name} ${code}`}>
            <strong>{namespace === null ? name : `${namespace}.${name}`}</strong>: {detail}
            {hint === null ? null : (
              <Text size="sm" c="dimmed">
                {hint}
              </Text>
            )}
          </List.Item>
        ))}
        {warnings.length > MAX_NAMED ? <List.Item>and {warnings.length - MAX_NAMED} more</List.Item> : null}
      </List>
    </Alert>
  );
}
