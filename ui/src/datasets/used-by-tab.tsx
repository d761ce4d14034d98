import { Anchor, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { listArtifacts, listTransforms, type TransformView } from '@weir/plugin-transforms/contract';
import type { Dataset } from '../api/dataset-shapes.ts';
import { useRead } from '../api/queries.ts';
import { Region } from '../parts/region.tsx';

const MAX_LOOKED_AT = 500;

/** The transforms that write a table and those that read it, as they were hydrated. */
export function UsedByTab({ dataset: { dataset_id } }: { dataset: Dataset }) {
  const transforms = useRead(listTransforms, { query: { limit: MAX_LOOKED_AT } });
  const artifacts = useRead(listArtifacts, { query: { limit: MAX_LOOKED_AT } });
  return (
    <Region query={transforms}>
      {({ items }) => (
        <Region query={artifacts}>
          {(made) => {
            const reading = new Set(
              made.items.filter(({ inputs }) => inputs.includes(dataset_id)).map(({ artifact_id }) => artifact_id),
            );
            return (
              <Stack gap="lg">
                <Named
                  title="Written by"
                  none="No transform writes this table."
                  transforms={items.filter(({ output }) => output === dataset_id)}
                />
                <Named
                  title="Read by"
                  none="No hydrated transform reads this table."
                  transforms={items.filter(({ artifact_id: id }) => id !== null && reading.has(id))}
                />
              </Stack>
            );
          }}
        </Region>
      )}
    </Region>
  );
}

function Named({ title, none, transforms }: { title: string; none: string; transforms: readonly TransformView[] }) {
  return (
    <section>
      <Title order={2} mb="xs">
        {title}
      </Title>
      {transforms.length === 0 ? <Text c="dimmed">{none}</Text> : null}
      <Stack gap={4}>
        {transforms.map(({ transform_id, name, output }) => (
          <Text key={transform_id}>
            <Anchor
              fw={560}
              underline="always"
              data-row
              renderRoot={(props) => (
                <Link to="/transforms/$transformId" params={{ transformId: transform_id }} {...props} />
              )}
            >
              {name}
            </Anchor>{' '}
            into <span className="mono-id">{output}</span>
          </Text>
        ))}
      </Stack>
    </section>
  );
}
