import { Anchor, Button, Group, Stack, Tabs, Text } from '@mantine/core';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Output } from '@weir/kernel/contract';
import { cancelTransformRun, getTransformDetail, materializeTransform } from '@weir/plugin-transforms/contract';
import { Play, Square } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useChange, useRead } from '../api/queries.ts';
import { useLetter } from '../keys/keys.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Later, Region } from '../parts/region.tsx';
import { RunWord } from '../parts/status-word.tsx';
import { useMay } from '../session/person.ts';
import { WhoChanged } from '../session/who-changed.tsx';
import { useSave } from './draft/use-save.ts';
import { Overview } from './overview/overview.tsx';
import { RunsTab } from './runs-tab.tsx';
import { TransformMenu } from './transform-menu.tsx';

const ChecksTab = lazy(() => import('./checks/checks-tab.tsx').then((module) => ({ default: module.ChecksTab })));
const DefinitionTab = lazy(() =>
  import('./definition/definition-tab.tsx').then((module) => ({ default: module.DefinitionTab })),
);
const LineageTab = lazy(() => import('./lineage-tab.tsx').then((module) => ({ default: module.LineageTab })));
const TransformSchedule = lazy(() =>
  import('./transform-schedule.tsx').then((module) => ({ default: module.TransformSchedule })),
);
const VersionsTab = lazy(() =>
  import('./versions/versions-tab.tsx').then((module) => ({ default: module.VersionsTab })),
);

type Detail = Output<typeof getTransformDetail>;
const LIVE_MS = 1_000;
/** Id of the words that say why a run cannot be started. */
const WHY_NOT = 'why-not';
const TABS = [
  ['overview', 'Overview'],
  ['definition', 'Definition'],
  ['checks', 'Checks'],
  ['runs', 'Runs'],
  ['versions', 'Versions'],
  ['schedule', 'Schedule'],
  ['lineage', 'Lineage'],
] as const;

/** One transform: whether it can run, what it is, and how its runs went. */
export function TransformPage() {
  const { transformId } = useParams({ from: '/transforms/$transformId' });
  const query = useRead(
    getTransformDetail,
    { params: { transform_id: transformId } },
    { again: (answer) => (answer?.last_run?.is_terminal === false ? LIVE_MS : false) },
  );
  return (
    <>
      {query.data === undefined ? <PageHead title="Transform" /> : null}
      <Region query={query}>{(detail) => <Shown detail={detail} />}</Region>
    </>
  );
}

function Shown({ detail }: { detail: Detail }) {
  const search = useSearch({ from: '/transforms/$transformId' });
  const navigate = useNavigate({ from: '/transforms/$transformId' });
  const tab = TABS.find(([one]) => one === search.tab)?.[0] ?? 'overview';
  const mayRun = useMay(materializeTransform);
  const params = { transform_id: detail.transform_id };
  const saving = useSave(detail);
  const start = useChange(materializeTransform);
  const cancel = useChange(cancelTransformRun);
  const isOpen = detail.last_run?.is_terminal === false;
  const run = () => start.mutate({ params, body: {} });
  // A run that starts now would not have what is being saved.
  const isReady = detail.readiness.ready && !saving.isPending;
  useLetter('r', mayRun && isReady && !isOpen ? run : undefined);
  const fault = start.error ?? cancel.error;
  return (
    <Stack gap="md">
      <PageHead
        title={detail.name}
        beside={detail.last_run === null ? null : <RunWord status={detail.last_run.status} />}
      >
        {mayRun ? <RunButton detail={detail} isReady={isReady} start={start} cancel={cancel} run={run} /> : null}
        <TransformMenu transform={detail} />
      </PageHead>
      <Writes detail={detail} />
      {mayRun && !isOpen && !saving.isPending ? <WhyNot detail={detail} /> : null}
      {fault === null ? null : <FaultNote error={fault} />}
      <Tabs value={tab} onChange={(next) => void navigate({ search: { tab: next ?? 'overview' } })} keepMounted={false}>
        <Tabs.List mb="md">
          {TABS.map(([value, label]) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Suspense fallback={<Later />}>
          <Tabs.Panel value="overview">
            <Overview detail={detail} />
          </Tabs.Panel>
          <Tabs.Panel value="definition">
            <DefinitionTab detail={detail} saving={saving} />
          </Tabs.Panel>
          <Tabs.Panel value="checks">
            <ChecksTab detail={detail} saving={saving} />
          </Tabs.Panel>
          <Tabs.Panel value="runs">
            <RunsTab transformId={detail.transform_id} />
          </Tabs.Panel>
          <Tabs.Panel value="versions">
            <VersionsTab detail={detail} />
          </Tabs.Panel>
          <Tabs.Panel value="schedule">
            <TransformSchedule transform={detail} />
          </Tabs.Panel>
          <Tabs.Panel value="lineage">
            <LineageTab artifact={detail.artifact} />
          </Tabs.Panel>
        </Suspense>
      </Tabs>
    </Stack>
  );
}

interface RunButtonProps {
  detail: Detail;
  isReady: boolean;
  start: ReturnType<typeof useChange<typeof materializeTransform>>;
  cancel: ReturnType<typeof useChange<typeof cancelTransformRun>>;
  run(): void;
}

/** Starts a run, or cancels the one that is open. */
function RunButton({ detail, isReady, start, cancel, run }: RunButtonProps) {
  if (detail.last_run?.is_terminal === false)
    return (
      <Button
        variant="default"
        leftSection={<Square size={14} aria-hidden />}
        loading={cancel.isPending}
        onClick={() => cancel.mutate({ params: { run_id: detail.last_run?.run_id ?? '' } })}
      >
        Cancel run
      </Button>
    );
  return (
    <Button
      leftSection={<Play size={14} aria-hidden />}
      disabled={!isReady}
      aria-describedby={detail.readiness.ready ? undefined : WHY_NOT}
      loading={start.isPending}
      onClick={run}
    >
      Run now
    </Button>
  );
}

/** Why a run cannot be started, in the words of the checks that keep it. */
function WhyNot({ detail: { readiness } }: { detail: Detail }) {
  const keeping = readiness.checks.filter(({ blocks, status }) => blocks && status === 'fail');
  if (readiness.ready || keeping.length === 0) return null;
  // Without a version in force the other checks have nothing to look at.
  const first = keeping.filter(({ check }) => check === 'hydrated');
  return (
    <Text size="sm" id={WHY_NOT} c="var(--weir-warn)">
      It cannot run now. {(first.length === 0 ? keeping : first).map(({ detail: words }) => words).join(' ')}
    </Text>
  );
}

function Writes({ detail }: { detail: Detail }) {
  return (
    <Group gap="xs" mt={-20}>
      <Text size="sm" c="dimmed">
        writes
      </Text>
      <Anchor
        size="sm"
        renderRoot={(props) => <Link to="/datasets/$datasetId" params={{ datasetId: detail.output }} {...props} />}
      >
        <span className="mono-id">{detail.output}</span>
      </Anchor>
      {detail.description === null ? null : <Text size="sm">{detail.description}</Text>}
      <WhoChanged id={detail.transform_id} />
      {detail.archived ? <Text size="sm">Archived: it does not run, and keeps its history.</Text> : null}
    </Group>
  );
}
