import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { SourceView } from '@weir/plugin-sources/contract';
import { listTransformSchedules } from '@weir/plugin-transforms/contract';
import { useRead } from '../api/queries.ts';
import { ShowTime } from '../parts/show-time.tsx';

const MAX_SHOWN = 6;
const MAX_SCHEDULES = 500;

/** What schedules start next, of sources and transforms. Nothing without a schedule. */
export function NextStarts({ sources }: { sources: readonly SourceView[] }) {
  const { data } = useRead(listTransformSchedules, { query: { limit: MAX_SCHEDULES } });
  const ofSources = sources.flatMap(({ source_id: id, name, schedule }) =>
    schedule === null || schedule.paused || schedule.next_run_at === null
      ? []
      : [{ id, name, at: schedule.next_run_at, isSource: true }],
  );
  const ofTransforms = (data?.items ?? []).flatMap(({ transform_id: id, transform_name: name, paused, next_runs }) => {
    const at = next_runs[0]?.at;
    return paused || at === undefined ? [] : [{ id, name, at, isSource: false }];
  });
  const starts = [...ofSources, ...ofTransforms].sort((one, other) => one.at.localeCompare(other.at));
  if (starts.length === 0) return null;
  return (
    <section aria-labelledby="next">
      <Title order={2} id="next" mb="sm">
        Next starts
      </Title>
      <Stack gap={0} className="panel rows">
        {starts.slice(0, MAX_SHOWN).map(({ id, name, at, isSource }) => (
          <Group key={id} justify="space-between" px="md" py="xs" gap="xs">
            <Group gap="sm">
              <Anchor
                fw={560}
                renderRoot={(props) =>
                  isSource ? (
                    <Link to="/sources/$sourceId" params={{ sourceId: id }} search={{ tab: 'schedule' }} {...props} />
                  ) : (
                    <Link
                      to="/transforms/$transformId"
                      params={{ transformId: id }}
                      search={{ tab: 'schedule' }}
                      {...props}
                    />
                  )
                }
              >
                {name}
              </Anchor>
              <Text size="sm" c="dimmed">
                {isSource ? 'Sync' : 'Transform'}
              </Text>
            </Group>
            <ShowTime at={at} size="sm" />
          </Group>
        ))}
      </Stack>
    </section>
  );
}
