import { Code, Group, Stack, Text, Title } from '@mantine/core';
import { getStreamState, type StreamView } from '@weir/plugin-sources/contract';
import { useRead } from '../../api/queries.ts';
import { CopyText } from '../../parts/copy-text.tsx';
import { Region } from '../../parts/region.tsx';

/** From where the next sync of a stream reads on, as its connector wrote it. */
export function StoredState({ stream: { source_id, stream_id } }: { stream: StreamView }) {
  const query = useRead(getStreamState, { params: { source_id, stream_id } });
  return (
    <section aria-labelledby="stored-state">
      <Title order={3} size="sm" mb="xs" id="stored-state">
        State
      </Title>
      <Region query={query} lines={1}>
        {({ state }) =>
          state === null ? (
            <Text size="sm">No state yet: the next sync reads everything that the source has.</Text>
          ) : (
            <Stack gap="xs">
              <Group justify="space-between" wrap="nowrap">
                <Text size="sm" c="dimmed">
                  Stored with the rows of the last commit. The next sync reads on from here.
                </Text>
                <CopyText text={state} what="the state" />
              </Group>
              <Code
                block
                tabIndex={0}
                aria-label="State as JSON"
                className="cell-text"
                mah={240}
                style={{ overflow: 'auto' }}
              >
                {laidOut(state)}
              </Code>
            </Stack>
          )
        }
      </Region>
    </section>
  );
}

/** JSON over several lines, where that changes no digit of it. */
function laidOut(text: string): string {
  const value: unknown = JSON.parse(text);
  return JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text;
}
