import { Anchor, Button, Group, Stack, Tabs, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Output } from '@weir/kernel/contract';
import {
  cancelSync,
  getCredentials,
  getSource,
  getSyncStatus,
  type SourceView,
  type SyncRunDetailView,
  startSync,
} from '@weir/plugin-sources/contract';
import { Play, Square } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useChange, useRead } from '../../api/queries.ts';
import { useLetter } from '../../keys/keys.ts';
import { FaultNote } from '../../parts/fault-note.tsx';
import { countText } from '../../parts/numbers.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Empty, Later, Region } from '../../parts/region.tsx';
import { SourceWord } from '../../parts/status-word.tsx';
import { useMay } from '../../session/person.ts';
import { WhoChanged } from '../../session/who-changed.tsx';
import { SyncHistory } from './history.tsx';
import { LiveSync } from './live-sync.tsx';
import { SourceMenu } from './source-menu.tsx';
import { StreamsTable } from './streams-table.tsx';

const SourceCredentials = lazy(() =>
  import('../credentials/source-credentials.tsx').then((module) => ({ default: module.SourceCredentials })),
);
const SourceSchedule = lazy(() =>
  import('./source-schedule.tsx').then((module) => ({ default: module.SourceSchedule })),
);

const ConfigurationTab = lazy(() =>
  import('../configuration/configuration-tab.tsx').then((module) => ({ default: module.ConfigurationTab })),
);
const SourceReadiness = lazy(() =>
  import('./source-readiness.tsx').then((module) => ({ default: module.SourceReadiness })),
);

const TABS = ['sync', 'streams', 'history', 'schedule', 'configuration', 'credentials'] as const;
type SourceTab = (typeof TABS)[number];
const LIVE_MS = 1_000;

/** One source: its sync as it runs, its streams and its history. */
export function SourcePage() {
  const { sourceId } = useParams({ from: '/sources/$sourceId' });
  const source = useRead(getSource, { params: { source_id: sourceId } });
  return (
    <>
      {source.data === undefined ? <PageHead title="Source" /> : null}
      <Region query={source}>{(data) => <Source source={data} />}</Region>
    </>
  );
}

function Source({ source }: { source: SourceView }) {
  const params = { source_id: source.source_id };
  const search = useSearch({ from: '/sources/$sourceId' });
  const navigate = useNavigate({ from: '/sources/$sourceId' });
  const maySync = useMay(startSync);
  const status = useRead(getSyncStatus, { params }, { again: (answer) => (isOpen(answer?.run) ? LIVE_MS : false) });
  const start = useChange(startSync);
  const cancel = useChange(cancelSync);
  const run = status.data?.run ?? null;
  const tab = TABS.find((one) => one === search.tab) ?? 'sync';
  const show = (next: string | null) => void navigate({ search: { tab: next ?? 'sync' } });
  const why = whyNot(source);
  const sync = () => {
    show('sync');
    start.mutate({ params });
  };
  useLetter('r', maySync && why === undefined && !isOpen(run) ? sync : undefined);
  const fault = start.error ?? cancel.error;
  return (
    <>
      <PageHead title={source.name} beside={<SourceWord status={source.status} />}>
        {maySync ? (
          <SyncButton
            run={run}
            isStarting={start.isPending}
            cancel={cancel}
            sync={why === undefined ? sync : undefined}
          />
        ) : null}
        <SourceMenu source={source} />
      </PageHead>
      <Group mt={-8} mb="xs" gap="xs">
        <Text size="sm" c="dimmed">
          {source.pattern_id} {source.pattern_version} · {countText(source.streams_enabled)} of{' '}
          {countText(source.streams)} streams enabled
        </Text>
        <WhoChanged id={source.source_id} />
        {maySync && why !== undefined ? (
          <Text size="sm" id="why-not">
            {why}{' '}
            <Anchor component="button" type="button" onClick={() => show('streams')}>
              Go to streams
            </Anchor>
          </Text>
        ) : null}
      </Group>
      {fault === null ? null : <FaultNote error={fault} />}
      <SourceTabs tab={tab} show={show} source={source} status={status} />
    </>
  );
}

interface SyncButtonProps {
  run: SyncRunDetailView | null;
  isStarting: boolean;
  cancel: ReturnType<typeof useChange<typeof cancelSync>>;
  /** Absent while a sync cannot start. */
  sync: (() => void) | undefined;
}

/** Starts a sync, or cancels the one that runs. */
function SyncButton({ run, isStarting, cancel, sync }: SyncButtonProps) {
  if (run !== null && isOpen(run)) {
    return (
      <Button
        variant="default"
        leftSection={<Square size={14} aria-hidden />}
        loading={cancel.isPending}
        onClick={() => cancel.mutate({ params: { sync_run_id: run.run_id } })}
      >
        Cancel sync
      </Button>
    );
  }
  return (
    <Button
      leftSection={<Play size={14} aria-hidden />}
      disabled={sync === undefined}
      aria-describedby={sync === undefined ? 'why-not' : undefined}
      loading={isStarting}
      onClick={sync}
    >
      Sync now
    </Button>
  );
}

interface SourceTabsProps {
  tab: SourceTab;
  show(tab: string | null): void;
  source: SourceView;
  status: UseQueryResult<Output<typeof getSyncStatus>>;
}

function SourceTabs({ tab, show, source, status }: SourceTabsProps) {
  const mayKnow = useMay(getCredentials);
  return (
    <Tabs value={tab} onChange={show} keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="sync">Sync</Tabs.Tab>
        <Tabs.Tab value="streams">Streams</Tabs.Tab>
        <Tabs.Tab value="history">History</Tabs.Tab>
        <Tabs.Tab value="schedule">Schedule</Tabs.Tab>
        <Tabs.Tab value="configuration">Configuration</Tabs.Tab>
        {mayKnow ? <Tabs.Tab value="credentials">Credentials</Tabs.Tab> : null}
      </Tabs.List>
      <Tabs.Panel value="sync">
        <Stack>
          <LiveSync query={status} source={source} />
          <Suspense fallback={<Later />}>
            <SourceReadiness source={source} />
          </Suspense>
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="streams">
        <StreamsTable source={source} />
      </Tabs.Panel>
      <Tabs.Panel value="history">
        <SyncHistory source={source} />
      </Tabs.Panel>
      <Tabs.Panel value="schedule">
        <Suspense fallback={<Later />}>
          <SourceSchedule source={source} />
        </Suspense>
      </Tabs.Panel>
      <Tabs.Panel value="configuration">
        <Suspense fallback={<Later />}>
          <ConfigurationTab source={source} />
        </Suspense>
      </Tabs.Panel>
      <Tabs.Panel value="credentials">
        <Suspense fallback={<Later />}>
          {mayKnow ? (
            <SourceCredentials source={source} />
          ) : (
            <Empty words="Your role may not know anything of credentials. Ask an admin for the role pipeline editor." />
          )}
        </Suspense>
      </Tabs.Panel>
    </Tabs>
  );
}

const isOpen = (run: { is_terminal: boolean } | null | undefined): boolean =>
  run !== null && run !== undefined && !run.is_terminal;

/** Why a sync cannot start, where the source itself shows it; the API knows the rest. */
function whyNot({ status, streams, streams_enabled: enabled }: SourceView): string | undefined {
  if (status === 'discovering') return 'Its streams are being discovered.';
  if (streams === 0) return 'It has no streams yet.';
  if (enabled === 0) return 'None of its streams is enabled.';
  return undefined;
}
