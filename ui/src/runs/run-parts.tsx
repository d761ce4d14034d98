import { Anchor, Group, Stack, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { listRuns } from '@weir/plugin-runs/contract';
import { useRead } from '../api/queries.ts';
import { Region } from '../parts/region.tsx';
import { ShowTime } from '../parts/show-time.tsx';
import { RunWord } from '../parts/status-word.tsx';
import { kindWord } from './run-kinds.ts';

const MAX_PARTS = 100;

/** The runs that do the work of another one. */
export function RunParts({ runId }: { runId: string }) {
  const query = useRead(listRuns, { query: { limit: MAX_PARTS, parent_run_id: runId } });
  return (
    <section aria-labelledby="parts">
      <Title order={2} id="parts" mb="sm">
        Runs that do the work
      </Title>
      <Region query={query} empty={({ items }) => (items.length === 0 ? { words: 'None has begun.' } : undefined)}>
        {({ items }) => (
          <Stack gap={0} className="panel">
            {items.map(({ run_id, kind, subject, status, created_at }) => (
              <Group key={run_id} px="md" py="xs" gap="sm">
                <RunWord status={status} />
                <Anchor
                  data-row
                  renderRoot={(props) => <Link to="/runs/$runId" params={{ runId: run_id }} {...props} />}
                >
                  {kindWord(kind)} {subject.name}
                </Anchor>
                <ShowTime at={created_at} size="sm" c="dimmed" />
              </Group>
            ))}
          </Stack>
        )}
      </Region>
    </section>
  );
}
