import { Button, Group, Menu, Stack, Tabs, Text } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import {
  deletePipeline,
  getPipeline,
  listPipelineSchedules,
  type PipelineView,
  pipelineSchedules,
  putPipelineSchedule,
  readPipelineReadiness,
  runPipeline,
  type ValidationView,
} from '@weir/plugin-pipelines/contract';
import { MoreHorizontal, Play } from 'lucide-react';
import { useState } from 'react';
import { useChange, useRead } from '../api/queries.ts';
import { useLetter } from '../keys/keys.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FaultNote } from '../parts/fault-note.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Region } from '../parts/region.tsx';
import { RunLink } from '../runs/run-link.tsx';
import { SchedulePanel } from '../schedule/schedule-panel.tsx';
import { useScheduleActions } from '../schedule/use-schedule-actions.ts';
import { useMay } from '../session/person.ts';
import { WhoChanged } from '../session/who-changed.tsx';
import { PipelineWord } from './pipeline-word.tsx';
import { RunsTab } from './runs-tab.tsx';
import { StageBar } from './stage-bar.tsx';
import { StepsTab } from './steps-tab.tsx';
import { VersionsTab } from './versions-tab.tsx';

const LIVE_MS = 1_500;
const TABS = [
  ['steps', 'Steps'],
  ['runs', 'Runs'],
  ['versions', 'Versions'],
  ['schedule', 'Schedule'],
] as const;

/** One pipeline: its steps, how far they are, and how its runs went. */
export function PipelinePage() {
  const { pipelineId } = useParams({ from: '/pipelines/$pipelineId' });
  const query = useRead(
    getPipeline,
    { params: { pipeline_id: pipelineId } },
    { again: (answer) => (answer?.last_run?.is_terminal === false ? LIVE_MS : false) },
  );
  return (
    <>
      {query.data === undefined ? <PageHead title="Pipeline" /> : null}
      <Region query={query}>{(pipeline) => <Shown key={pipeline.pipeline_id} pipeline={pipeline} />}</Region>
    </>
  );
}

function Shown({ pipeline }: { pipeline: PipelineView }) {
  const { pipeline_id: pipelineId, name, status, description } = pipeline;
  const search = useSearch({ from: '/pipelines/$pipelineId' });
  const navigate = useNavigate({ from: '/pipelines/$pipelineId' });
  const tab = TABS.find(([one]) => one === search.tab)?.[0] ?? 'steps';
  const [found, setFound] = useState<ValidationView>();
  return (
    <Stack gap="md">
      <PageHead title={name} beside={<PipelineWord status={status} />}>
        <RunButton pipeline={pipeline} />
        <PipelineMenu pipeline={pipeline} />
      </PageHead>
      <Group gap="xs" mt={-20}>
        {description === null ? null : <Text size="sm">{description}</Text>}
        <WhoChanged id={pipelineId} />
      </Group>
      <StageBar pipeline={pipeline} found={found} setFound={setFound} />
      {status === 'activated' ? <WhyNot pipelineId={pipelineId} /> : null}
      <Tabs value={tab} onChange={(next) => void navigate({ search: { tab: next ?? 'steps' } })} keepMounted={false}>
        <Tabs.List mb="md">
          {TABS.map(([value, label]) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="steps">
          <StepsTab pipeline={pipeline} />
        </Tabs.Panel>
        <Tabs.Panel value="runs">
          <RunsTab pipelineId={pipelineId} />
        </Tabs.Panel>
        <Tabs.Panel value="versions">
          <VersionsTab pipeline={pipeline} />
        </Tabs.Panel>
        <Tabs.Panel value="schedule">
          <PipelineSchedule pipeline={pipeline} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

/** Starts a run of the active version and opens it. */
function RunButton({ pipeline: { pipeline_id, status, last_run: last } }: { pipeline: PipelineView }) {
  const navigate = useNavigate();
  const mayRun = useMay(runPipeline);
  const start = useChange(runPipeline);
  const isReady = mayRun && status === 'activated' && last?.is_terminal !== false;
  const run = () =>
    start.mutate(
      { params: { pipeline_id } },
      { onSuccess: ({ run_id }) => void navigate({ to: '/runs/$runId', params: { runId: run_id } }) },
    );
  useLetter('r', isReady ? run : undefined);
  if (!mayRun || status !== 'activated') return null;
  return (
    <>
      <Button leftSection={<Play size={14} aria-hidden />} disabled={!isReady} loading={start.isPending} onClick={run}>
        Run now
      </Button>
      {start.error === null ? null : <FaultNote error={start.error} />}
    </>
  );
}

/** What keeps a run from starting. */
function WhyNot({ pipelineId }: { pipelineId: string }) {
  const { data } = useRead(readPipelineReadiness, { params: { pipeline_id: pipelineId } });
  const keeping = data?.checks.filter(({ blocks, status }) => blocks && status === 'fail') ?? [];
  if (keeping.length === 0) return null;
  return (
    <Text size="sm" c="var(--weir-warn)">
      It cannot run now. {keeping.map(({ detail }) => detail).join(' ')}
    </Text>
  );
}

function PipelineMenu({ pipeline }: { pipeline: PipelineView }) {
  const mayDelete = useMay(deletePipeline);
  const [isDeleting, setDeleting] = useState(false);
  if (!mayDelete) return null;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" px="xs" aria-label="More actions">
            <MoreHorizontal size={16} aria-hidden />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item color="red" onClick={() => setDeleting(true)}>
            Delete…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isDeleting ? <DeleteDialog pipeline={pipeline} onClose={() => setDeleting(false)} /> : null}
    </>
  );
}

function DeleteDialog({ pipeline, onClose }: { pipeline: PipelineView; onClose(): void }) {
  const navigate = useNavigate();
  const remove = useChange(deletePipeline);
  return (
    <Dialog title={`Delete ${pipeline.name}?`} onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">Its steps, versions and schedule are deleted. Its transforms and tables stay.</Text>
        {remove.error === null ? null : <FaultNote error={remove.error} />}
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={onClose}>
            Keep it
          </Button>
          <Button
            color="red"
            loading={remove.isPending}
            onClick={() =>
              remove.mutate(
                { params: { pipeline_id: pipeline.pipeline_id }, headers: { 'if-match': `"${pipeline.etag}"` } },
                { onSuccess: () => void navigate({ to: '/pipelines' }) },
              )
            }
          >
            Delete pipeline
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** The schedule, found by the list: most have none, which a reading of one would refuse. */
function PipelineSchedule({ pipeline }: { pipeline: PipelineView }) {
  const params = { pipeline_id: pipeline.pipeline_id };
  const query = useRead(listPipelineSchedules, { query: params });
  const mayChange = useMay(putPipelineSchedule);
  const schedule = query.data?.items[0];
  const actions = useScheduleActions(pipelineSchedules, params, schedule?.etag);
  return (
    <Region query={query}>
      {({ items: [found] }) => (
        <SchedulePanel
          schedule={found}
          subject={`pipeline ${pipeline.name}`}
          actions={mayChange ? actions : undefined}
          runLink={(runId) => <RunLink runId={runId} />}
        />
      )}
    </Region>
  );
}
