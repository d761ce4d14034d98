import { Button, Checkbox, Group, Progress, ScrollArea, Stack, Text, TextInput, Title } from '@mantine/core';
import {
  type DiscoveredStreamView,
  type DiscoveryPhase,
  type DiscoveryStatusView,
  getDiscoveryStatus,
  readDiscoveryLogs,
} from '@weir/plugin-sources/contract';
import { type ReactNode, useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { bytesText, counted, durationText } from '../../parts/numbers.ts';
import { Region } from '../../parts/region.tsx';
import { useNow } from '../../parts/show-time.tsx';
import { SYNC_WORDS } from '../stream/mode-words.ts';
import { DiscoveryWarnings } from './discovery-warnings.tsx';
import type { NewSource } from './make-source.ts';

const LOOK_AGAIN_MS = 700;
/** More than this is filtered rather than scrolled. */
const MAX_SHOWN = 200;

const PHASES: Readonly<Record<DiscoveryPhase, string>> = {
  waiting: 'Waiting for a worker',
  preparing: 'Preparing the connector',
  pulling: 'Loading the connector',
  checking: 'Trying the configuration',
  describing: 'Looking at the source',
  ended: 'Ended',
};

interface DiscoveryResultProps {
  workflowId: string;
  isCreating: boolean;
  onCreate(found: Pick<NewSource, 'found' | 'chosen'>): void;
}

/** A discovery from its start to the streams that it found. */
export function DiscoveryResult({ workflowId, ...rest }: DiscoveryResultProps) {
  const query = useRead(
    getDiscoveryStatus,
    { params: { workflow_id: workflowId } },
    { again: (status) => (status?.is_terminal ? false : LOOK_AGAIN_MS) },
  );
  return (
    <Region query={query}>
      {(status) => {
        if (!status.is_terminal) return <OpenDiscovery status={status} />;
        if (status.failure !== null) return <DiscoveryFailure failure={status.failure} />;
        return (
          <Stack>
            <DiscoveryWarnings warnings={status.warnings} />
            <FoundStreams found={status.streams ?? []} {...rest} />
          </Stack>
        );
      }}
    </Region>
  );
}

interface DiscoveryProgressProps {
  status: Pick<DiscoveryStatusView, 'phase' | 'pull' | 'created_at' | 'worker'>;
  /** What the phases are called; as of a discovery unless given. */
  words?: Readonly<Record<DiscoveryPhase, string>>;
  /** What more is known of what it waits for. */
  children?: ReactNode;
}

/** The phase of a discovery, or of another run that has its phases, with its clock. */
export function DiscoveryProgress({ status, words = PHASES, children }: DiscoveryProgressProps) {
  const { phase, pull, created_at, worker } = status;
  const now = useNow(1_000);
  return (
    <Stack gap="xs" p="md" className="panel" role="status">
      <Group justify="space-between">
        <Text fw={560}>{words[phase]}</Text>
        <Text size="sm" c="dimmed">
          {durationText(Math.max(0, now.getTime() - Date.parse(created_at)))}
        </Text>
      </Group>
      <Progress value={100} animated aria-label={words[phase]} />
      {pull === null ? null : (
        <Text size="sm">
          {bytesText(pull.bytes)}
          {pull.total_bytes === null ? '' : ` of ${bytesText(pull.total_bytes)}`}
        </Text>
      )}
      {children}
      {phase === 'waiting' && worker !== null ? (
        <Text size="sm" c="dimmed">
          {worker.detail}
        </Text>
      ) : null}
    </Stack>
  );
}

/** A discovery that has not ended, with what it waits for. */
export function OpenDiscovery({ status }: { status: DiscoveryStatusView }) {
  return (
    <DiscoveryProgress status={status}>
      {status.waits_for === null ? null : <Text size="sm">{status.waits_for}</Text>}
      <NewestLine workflowId={status.workflow_id} />
    </DiscoveryProgress>
  );
}

/** What the connector said last, such as that it asks a server again. */
function NewestLine({ workflowId }: { workflowId: string }) {
  const asked = { params: { workflow_id: workflowId }, query: { order: '-seq' as const, limit: 1 } };
  const { data } = useRead(readDiscoveryLogs, asked, { again: () => LOOK_AGAIN_MS });
  const line = data?.items[0]?.message;
  if (line === undefined) return null;
  return (
    <Text size="sm" c="dimmed" lineClamp={2} data-testid="newest-line">
      {line}
    </Text>
  );
}

/** Why a discovery failed, in the words of the connector. */
export function DiscoveryFailure({
  failure,
  title = 'Discovery failed',
}: {
  failure: NonNullable<DiscoveryStatusView['failure']>;
  title?: string;
}) {
  return <FailureNote failure={failure} title={title} />;
}

const labelOf = ({ namespace, name }: DiscoveredStreamView) => (namespace === null ? name : `${namespace}.${name}`);

function FoundStreams({
  found,
  isCreating,
  onCreate,
}: { found: readonly DiscoveredStreamView[] } & Omit<DiscoveryResultProps, 'workflowId'>) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(found.length === 1 ? found.map(({ name }) => name) : []),
  );
  const [word, setWord] = useState('');
  const fitting = found.filter((stream) => labelOf(stream).toLowerCase().includes(word.toLowerCase()));
  const isAll = fitting.length > 0 && fitting.every(({ name }) => chosen.has(name));
  const choose = (names: string[], on: boolean) =>
    setChosen((before) => {
      const after = new Set(before);
      for (const name of names) on ? after.add(name) : after.delete(name);
      return after;
    });
  if (found.length === 0) return <Text>The connection works and has no streams.</Text>;
  return (
    <Stack p="md" className="panel">
      <Title order={2}>{counted(found.length, 'stream')} found</Title>
      <Text size="sm" c="dimmed">
        Choose what to sync. The others stay known, and can be switched on at any time.
      </Text>
      <Group justify="space-between">
        <TextInput
          aria-label="Filter streams"
          placeholder="Filter by name  /"
          data-filter
          value={word}
          onChange={(event) => setWord(event.currentTarget.value)}
        />
        <Checkbox
          label="All that fit"
          checked={isAll}
          onChange={(event) =>
            choose(
              fitting.map(({ name }) => name),
              event.currentTarget.checked,
            )
          }
        />
      </Group>
      <ScrollArea.Autosize mah={360} viewportProps={{ tabIndex: 0, 'aria-label': 'Streams' }}>
        <Stack gap={6} p={2}>
          {fitting.slice(0, MAX_SHOWN).map((stream) => (
            <Checkbox
              key={labelOf(stream)}
              label={labelOf(stream)}
              description={`${counted(Object.keys((stream.schema.properties as object | undefined) ?? {}).length, 'field')} · ${stream.supported_sync_modes.map((mode) => SYNC_WORDS[mode].label.toLowerCase()).join(', ')}`}
              checked={chosen.has(stream.name)}
              onChange={(event) => choose([stream.name], event.currentTarget.checked)}
            />
          ))}
        </Stack>
      </ScrollArea.Autosize>
      {fitting.length > MAX_SHOWN ? (
        <Text size="sm" c="dimmed">
          {counted(fitting.length - MAX_SHOWN, 'more stream')}: filter to see them.
        </Text>
      ) : null}
      <Group>
        <Button loading={isCreating} onClick={() => onCreate({ found, chosen })}>
          {chosen.size === 0 ? 'Create source' : `Create source and enable ${counted(chosen.size, 'stream')}`}
        </Button>
      </Group>
    </Stack>
  );
}
