import { Anchor, Code, Group, Stack, Text, Title } from '@mantine/core';
import type { Dataset } from '../api/dataset-shapes.ts';
import { CopyText } from '../parts/copy-text.tsx';
import { openLines } from './open-lines.ts';

/** How other engines read the same table, without a catalog. */
export function OpenElsewhere({ dataset, snapshot }: { dataset: Dataset; snapshot: string | undefined }) {
  return (
    <Stack gap="md">
      <Text size="sm">
        Each line opens the metadata file of the newest commit
        {snapshot === undefined ? '' : ', at the snapshot you view'}. What it reads stays the same until you take the
        line of a newer commit.{' '}
        <Anchor href="/docs" underline="always">
          The API
        </Anchor>{' '}
        names the file as <Code>metadata_location</Code>.
      </Text>
      {openLines(dataset.metadata_location, snapshot).map(([engine, line]) => (
        <section key={engine}>
          <Group justify="space-between" mb={4}>
            <Title order={2}>{engine}</Title>
            <CopyText text={line} what={`the lines for ${engine}`} size="compact-sm" />
          </Group>
          <Code block tabIndex={0} className="cell-text panel">
            {line}
          </Code>
        </section>
      ))}
    </Stack>
  );
}
