import { Alert, Button, Checkbox, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { bulkStreams, type SourceView, type StreamView } from '@weir/plugin-sources/contract';
import { TriangleAlert } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { FaultNote } from '../../parts/fault-note.tsx';
import { counted, countText } from '../../parts/numbers.ts';
import { Region } from '../../parts/region.tsx';
import { useMay } from '../../session/person.ts';
import { needsCursor } from '../stream/legal.ts';
import { BulkBar } from './bulk-bar.tsx';
import { DiscoverAgain } from './discover-again.tsx';
import { labelOf, StreamGrid } from './stream-grid.tsx';
import { useAllStreams } from './use-all-streams.ts';
import { useBulkChange } from './use-bulk-change.ts';

/** Read once a stream is opened. */
const StreamPanel = lazy(() =>
  import('../stream/stream-panel.tsx').then((module) => ({ default: module.StreamPanel })),
);

/** The streams of a source, changed one by one or many at once. */
export function StreamsTable({ source }: { source: SourceView }) {
  const query = useAllStreams(source.source_id);
  const mayChange = useMay(bulkStreams);
  return (
    <Stack gap="sm">
      {mayChange ? <DiscoverAgain source={source} /> : null}
      <Region
        query={query}
        empty={(streams) =>
          streams.length === 0 ? { words: 'No stream is known. Discover the source to find its streams.' } : undefined
        }
      >
        {(streams) => <Streams streams={streams} sourceId={source.source_id} mayChange={mayChange} />}
      </Region>
    </Stack>
  );
}

const idOf = ({ stream_id }: StreamView) => stream_id;

/** Which streams are shown: those that need something, or all. */
const SHOWN: Readonly<Record<string, (stream: StreamView) => boolean>> = {
  attention: ({ needs_attention }) => needs_attention,
  cursor: needsCursor,
};

interface StreamSearch {
  q?: string | undefined;
  show?: string | undefined;
  stream?: string | undefined;
}

function Streams({ streams, sourceId, mayChange }: { streams: StreamView[]; sourceId: string; mayChange: boolean }) {
  const { q = '', show = '', stream: opened } = useSearch({ from: '/sources/$sourceId' });
  const navigate = useNavigate({ from: '/sources/$sourceId' });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const { change, ...bulk } = useBulkChange(sourceId, () => setChosen(new Set()));
  const fitting = useMemo(() => streamsThatFit(streams, { q, show }), [streams, q, show]);
  const isAll = fitting.length > 0 && fitting.every(({ stream_id }) => chosen.has(stream_id));
  const search = (next: StreamSearch, replace = true) =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace });
  const choose = (ids: readonly string[], on: boolean) =>
    setChosen((before) => new Set(on ? [...before, ...ids] : [...before].filter((id) => !ids.includes(id))));
  return (
    <Stack gap="sm">
      <NeedCursor
        streams={streams}
        isShown={show === 'cursor'}
        onShow={(on) => search({ show: on ? 'cursor' : undefined })}
      />
      <Filters streams={streams} fitting={fitting.length} search={search}>
        {mayChange ? (
          <Checkbox
            label="Select all that fit"
            checked={isAll}
            onChange={(event) => choose(fitting.map(idOf), event.currentTarget.checked)}
          />
        ) : null}
      </Filters>
      {bulk.error === null ? null : <FaultNote error={bulk.error} placeOf={bulk.placeOf} />}
      {chosen.size === 0 ? null : (
        <BulkBar
          streams={streams.filter(({ stream_id }) => chosen.has(stream_id))}
          isPending={bulk.isPending}
          onChange={change}
          onClear={() => setChosen(new Set())}
        />
      )}
      <StreamGrid
        streams={fitting}
        chosen={chosen}
        mayChange={mayChange}
        isPending={bulk.isPending}
        choose={choose}
        toggle={(stream) => change([{ stream, patch: { enabled: !stream.enabled } }])}
        open={({ stream_id }) => search({ stream: stream_id }, false)}
      />
      <Suspense fallback={null}>
        {opened === undefined ? null : (
          <StreamPanel
            key={opened}
            stream={streams.find(({ stream_id }) => stream_id === opened)}
            onClose={() => search({ stream: undefined })}
          />
        )}
      </Suspense>
    </Stack>
  );
}

interface FiltersProps {
  streams: readonly StreamView[];
  /** How many are shown. */
  fitting: number;
  search(next: StreamSearch): void;
  children: ReactNode;
}

/** What of the streams is shown. */
function Filters({ streams, fitting, search, children }: FiltersProps) {
  const { q = '', show = '' } = useSearch({ from: '/sources/$sourceId' });
  return (
    <Group justify="space-between" gap="xs">
      <Group gap="sm">
        <TextInput
          aria-label="Filter streams"
          placeholder="Filter by name  /"
          data-filter
          value={q}
          onChange={(event) => search({ q: event.currentTarget.value })}
        />
        {children}
        <AttentionSwitch
          streams={streams}
          isOn={show === 'attention'}
          onChange={(on) => search({ show: on ? 'attention' : undefined })}
        />
      </Group>
      <Text size="sm" c="dimmed" role="status">
        {counted(fitting, 'stream')}
      </Text>
    </Group>
  );
}

function streamsThatFit(streams: StreamView[], { q, show }: { q: string; show: string }) {
  const word = q.toLowerCase();
  const isShown = SHOWN[show] ?? (() => true);
  return streams.filter((one) => labelOf(one).toLowerCase().includes(word) && isShown(one));
}

interface NeedCursorProps {
  streams: readonly StreamView[];
  isShown: boolean;
  onShow(on: boolean): void;
}

/** Says how many incremental streams lack a cursor, and shows only these. */
function NeedCursor({ streams, isShown, onShow }: NeedCursorProps) {
  const count = useMemo(() => streams.filter(needsCursor).length, [streams]);
  if (count === 0 && !isShown) return null;
  return (
    <Alert role="note" color="yellow" variant="outline" className="panel" icon={<TriangleAlert aria-hidden />}>
      <Group gap="sm">
        <Text size="sm">
          {count === 0
            ? 'Every incremental stream has a cursor.'
            : `${counted(count, 'incremental stream')} ${count === 1 ? 'needs' : 'need'} a cursor before a sync can start.`}
        </Text>
        <Button size="compact-sm" variant="default" onClick={() => onShow(!isShown)}>
          {isShown ? 'Show all streams' : count === 1 ? 'Show it' : 'Show them'}
        </Button>
      </Group>
    </Alert>
  );
}

interface AttentionSwitchProps {
  streams: readonly StreamView[];
  isOn: boolean;
  onChange(on: boolean): void;
}

/** Shows only the streams that need attention, where there are any. */
function AttentionSwitch({ streams, isOn, onChange }: AttentionSwitchProps) {
  const count = streams.filter(({ needs_attention }) => needs_attention).length;
  if (count === 0 && !isOn) return null;
  return (
    <Switch
      label={`${countText(count)} need attention`}
      checked={isOn}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
