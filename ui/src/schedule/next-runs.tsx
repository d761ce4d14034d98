import { Group, Table, Text, Title } from '@mantine/core';
import type { TimesPreviewView } from '@weir/plugin-schedules/contract';
import { TriangleAlert } from 'lucide-react';
import { ShowTime } from '../parts/show-time.tsx';
import { WideBox } from '../parts/wide-box.tsx';

interface NextRunsProps {
  times: Pick<TimesPreviewView, 'next_runs' | 'clock_changes' | 'timezone' | 'jitter_seconds'>;
  /** What is said where no run is to come. */
  none: string;
}

/** The next five times by both clocks, and the days on which clocks change. */
export function NextRuns({ times, none }: NextRunsProps) {
  const { next_runs: next, clock_changes: changes, timezone, jitter_seconds: jitter } = times;
  return (
    <div>
      <Title order={2} mb="xs">
        Next runs
      </Title>
      {next.length === 0 ? (
        <Text c="dimmed">{none}</Text>
      ) : (
        <WideBox label="Next runs">
          <Table verticalSpacing={8}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Your clock</Table.Th>
                <Table.Th>Clocks of {timezone}</Table.Th>
                <Table.Th>From now</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {next.map(({ at, local }) => (
                <Table.Tr key={at}>
                  <Table.Td>
                    <ShowTime at={at} how="clock" />
                  </Table.Td>
                  <Table.Td ff="monospace">{local.slice(0, 16).replace('T', ' ')}</Table.Td>
                  <Table.Td>
                    <ShowTime at={at} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </WideBox>
      )}
      {jitter > 0 && next.length > 0 ? (
        <Text size="sm" c="dimmed" mt={4}>
          Each up to {jitter} seconds later.
        </Text>
      ) : null}
      {changes.map(({ at, note }) => (
        <Group key={at} gap="xs" mt="xs" wrap="nowrap" align="flex-start">
          <TriangleAlert size={16} color="var(--weir-warn)" aria-hidden style={{ flexShrink: 0, marginTop: 2 }} />
          <Text size="sm">{note}</Text>
        </Group>
      ))}
    </div>
  );
}
