import { Anchor, Grid, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Output } from '@weir/kernel/contract';
import { type getTransformDetail, listRunsOfTransform } from '@weir/plugin-transforms/contract';
import { useRead } from '../../api/queries.ts';
import { SqlEditor } from '../../editor/sql-editor.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { FaultNote } from '../../parts/fault-note.tsx';
import { Region } from '../../parts/region.tsx';
import { RunLink } from '../../runs/run-link.tsx';
import { DraftState } from '../draft/draft-state.tsx';
import { LastRuns } from './last-runs.tsx';
import { OverviewFacts } from './overview-facts.tsx';
import { ReadinessList } from './readiness-list.tsx';
import { useFixes } from './use-fixes.ts';

type Detail = Output<typeof getTransformDetail>;

/** Runs beside the statement. */
const NEWEST = 8;

/** What a transform does and how it goes: its facts, what keeps it from running, its statement and its newest runs. */
export function Overview({ detail }: { detail: Detail }) {
  const { fixOf, error } = useFixes(detail);
  const params = { transform_id: detail.transform_id };
  const runs = useRead(listRunsOfTransform, { params, query: { limit: NEWEST } });
  const last = detail.last_run;
  return (
    <Stack gap="md">
      {last === null || last.failure === null ? null : (
        <FailureNote failure={last.failure} title="The last run failed">
          <RunLink runId={last.run_id} />
        </FailureNote>
      )}
      {detail.draft === null || detail.version === null ? null : <DraftNote detail={detail} />}
      <OverviewFacts detail={detail} runs={runs.data?.items ?? []} />
      {error === null ? null : <FaultNote error={error} />}
      <ReadinessList readiness={detail.readiness} fixOf={fixOf} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <section aria-labelledby="statement">
            <Title order={2} id="statement" mb="sm">
              Statement
            </Title>
            <SqlEditor
              label="Statement"
              value={detail.sql}
              onChange={() => undefined}
              names={{}}
              columns={[]}
              isReadOnly
            />
          </section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <div>
            <Title order={2} mb="sm">
              Newest runs
            </Title>
            <Region
              query={runs}
              empty={({ items }) => (items.length === 0 ? { words: 'This transform never ran.' } : undefined)}
            >
              {({ items }) => <LastRuns runs={items} />}
            </Region>
          </div>
        </Grid.Col>
      </Grid>
    </Stack>
  );
}

function DraftNote({ detail }: { detail: Detail }) {
  return (
    <Group gap="sm" className="panel" px="md" py="sm">
      <div style={{ flex: '1 1 260px' }}>
        <DraftState transform={detail} />
      </div>
      <Anchor
        size="sm"
        renderRoot={(props) => (
          <Link
            to="/transforms/$transformId"
            params={{ transformId: detail.transform_id }}
            search={{ tab: 'definition' }}
            {...props}
          />
        )}
      >
        <Text span size="sm">
          See the draft
        </Text>
      </Anchor>
    </Group>
  );
}
