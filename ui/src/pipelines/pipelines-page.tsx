import { Anchor, Button, Group, Table, Text, TextInput } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { createPipeline, listPipelines, PIPELINE_STATUSES, type PipelineView } from '@weir/plugin-pipelines/contract';
import { useReadPages } from '../api/read-pages.ts';
import { useLetter } from '../keys/keys.ts';
import { counted } from '../parts/numbers.ts';
import { PageHead } from '../parts/page-head.tsx';
import { Region } from '../parts/region.tsx';
import { ShowTime } from '../parts/show-time.tsx';
import { RunWord } from '../parts/status-word.tsx';
import { useMay } from '../session/person.ts';
import type { Pages } from '../table/more-button.tsx';
import { type ListColumn, SortedTable } from '../table/sorted-table.tsx';
import { PipelineWord } from './pipeline-word.tsx';

const PAGE = 200;
const PURPOSE =
  'No pipeline yet. A pipeline runs several transforms in the order in which they read each other, and their tables change together or not at all.';

/** The pipelines of the tenant: how far each is, how its last run went and when it runs next. */
export function PipelinesPage() {
  const { q = '' } = useSearch({ from: '/pipelines' });
  const navigate = useNavigate({ from: '/pipelines' });
  const canCreate = useMay(createPipeline);
  const pages = useReadPages(listPipelines, { query: { limit: PAGE, order: 'name' } });
  useLetter('n', canCreate ? () => void navigate({ to: '/pipelines/new' }) : undefined);
  const create = canCreate ? (
    <Button renderRoot={(props) => <Link to="/pipelines/new" {...props} />}>New pipeline</Button>
  ) : undefined;
  return (
    <>
      <PageHead title="Pipelines">{create}</PageHead>
      <Region
        query={pages}
        empty={([first]) => (first?.items.length === 0 ? { words: PURPOSE, action: create } : undefined)}
      >
        {(all) => (
          <>
            <TextInput
              aria-label="Filter by name"
              placeholder="Filter  /"
              data-filter
              size="sm"
              w={220}
              value={q}
              onChange={(event) => {
                const value = event.currentTarget.value;
                void navigate({ search: (before) => ({ ...before, q: value }), replace: true });
              }}
            />
            <PipelineTable
              pipelines={all
                .flatMap(({ items }) => items)
                .filter(({ name }) => name.toLowerCase().includes(q.toLowerCase()))}
              pages={pages}
            />
          </>
        )}
      </Region>
    </>
  );
}

const COLUMNS: readonly ListColumn<PipelineView>[] = [
  { name: 'name', label: 'Name', value: ({ name }) => name },
  { name: 'state', label: 'State', value: ({ status }) => PIPELINE_STATUSES.indexOf(status) },
  { name: 'steps', label: 'Steps', ta: 'right', value: ({ steps }) => steps.length },
  { name: 'last', label: 'Last run', value: ({ last_run: run }) => run?.ended_at ?? run?.created_at ?? null },
  {
    name: 'next',
    label: 'Next run',
    value: ({ schedule }) => (schedule === null || schedule.paused ? null : schedule.next_run_at),
  },
];

function PipelineTable({ pipelines, pages }: { pipelines: readonly PipelineView[]; pages: Pages }) {
  const { sort } = useSearch({ from: '/pipelines' });
  const navigate = useNavigate({ from: '/pipelines' });
  return (
    <SortedTable
      label="Pipelines"
      minWidth={760}
      columns={COLUMNS}
      sort={sort}
      setSort={(next) => void navigate({ search: (before) => ({ ...before, sort: next }), replace: true })}
      rows={pipelines}
      keyOf={({ pipeline_id: id }) => id}
      pages={pages}
      foot={pipelines.length === 0 ? 'No pipeline fits the filter.' : counted(pipelines.length, 'pipeline')}
    >
      {(pipeline) => <PipelineRow pipeline={pipeline} />}
    </SortedTable>
  );
}

function PipelineRow({ pipeline }: { pipeline: PipelineView }) {
  const { pipeline_id, name, description, status, draft_state: draft, steps, last_run: run, schedule } = pipeline;
  const next = schedule === null || schedule.paused ? null : schedule.next_run_at;
  const isChanged = (status === 'activated' || status === 'paused') && draft !== 'same_as_active';
  return (
    <>
      <Table.Td>
        <Anchor
          fw={560}
          data-row
          renderRoot={(props) => <Link to="/pipelines/$pipelineId" params={{ pipelineId: pipeline_id }} {...props} />}
        >
          {name}
        </Anchor>
        {description === null ? null : (
          <Text size="xs" c="dimmed" lineClamp={1}>
            {description}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <PipelineWord status={status} />
        {isChanged ? (
          <Text size="xs" c="dimmed">
            has changes that are not active
          </Text>
        ) : null}
      </Table.Td>
      <Table.Td ta="right">{steps.length}</Table.Td>
      <Table.Td>
        {run === null ? (
          <Text size="sm" c="dimmed">
            Never ran
          </Text>
        ) : (
          <Group gap="xs" wrap="nowrap">
            <RunWord status={run.status} />
            <ShowTime at={run.ended_at ?? run.created_at} size="sm" c="dimmed" />
          </Group>
        )}
      </Table.Td>
      <Table.Td>{next === null ? '–' : <ShowTime at={next} size="sm" />}</Table.Td>
    </>
  );
}
