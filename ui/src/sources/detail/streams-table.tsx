// biome-ignore-all lint/a11y/useFocusableInteractive: heads of columns do nothing
// biome-ignore-all lint/a11y/useSemanticElements: a table element cannot leave out the rows that are not in sight
import { Checkbox, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { bulkStreams, MAX_BULK_STREAMS, type SourceView, type StreamView } from '@weir/plugin-sources/contract';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { ask, newIdempotencyKey } from '../../api/ask.ts';
import { useConnection } from '../../api/connection.ts';
import { readAgain } from '../../api/queries.ts';
import { FaultNote } from '../../parts/fault-note.tsx';
import { counted, countText } from '../../parts/numbers.ts';
import { Region } from '../../parts/region.tsx';
import { useMay } from '../../session/person.ts';
import { BulkBar, type StreamChange } from './bulk-bar.tsx';
import { DiscoverAgain } from './discover-again.tsx';
import { useAllStreams } from './use-all-streams.ts';

const ROW_PX = 48;
const MAX_VIEW_PX = 560;
const COLUMNS = ['Select', 'On', 'Stream', 'Sync mode', 'Write mode', 'Cursor', 'Table'];

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
const labelOf = ({ namespace, name }: StreamView) => (namespace === null ? name : `${namespace}.${name}`);

function Streams({ streams, sourceId, mayChange }: { streams: StreamView[]; sourceId: string; mayChange: boolean }) {
  const { q = '', show } = useSearch({ from: '/sources/$sourceId' });
  const navigate = useNavigate({ from: '/sources/$sourceId' });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const { change, ...bulk } = useBulkChange(sourceId, () => setChosen(new Set()));
  const onlyAttention = show === 'attention';
  const fitting = useMemo(() => streamsThatFit(streams, { q, onlyAttention }), [streams, q, onlyAttention]);
  const isAll = fitting.length > 0 && fitting.every(({ stream_id }) => chosen.has(stream_id));
  const search = (change: { q?: string; show?: string }) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const choose = (ids: readonly string[], on: boolean) =>
    setChosen((before) => new Set(on ? [...before, ...ids] : [...before].filter((id) => !ids.includes(id))));
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Group gap="sm">
          <TextInput
            aria-label="Filter streams"
            placeholder="Filter by name  /"
            data-filter
            value={q}
            onChange={(event) => search({ q: event.currentTarget.value })}
          />
          {mayChange ? (
            <Checkbox
              label="Select all that fit"
              checked={isAll}
              onChange={(event) => choose(fitting.map(idOf), event.currentTarget.checked)}
            />
          ) : null}
          <AttentionSwitch
            streams={streams}
            isOn={onlyAttention}
            onChange={(on) => search({ show: on ? 'attention' : '' })}
          />
        </Group>
        <Text size="sm" c="dimmed" role="status">
          {counted(fitting.length, 'stream')}
        </Text>
      </Group>
      {bulk.error === null ? null : <FaultNote error={bulk.error} placeOf={bulk.placeOf(streams)} />}
      {chosen.size === 0 ? null : (
        <BulkBar
          count={chosen.size}
          isPending={bulk.isPending}
          onChange={(settings) => change(chosen, settings)}
          onClear={() => setChosen(new Set())}
        />
      )}
      <Grid
        streams={fitting}
        chosen={chosen}
        mayChange={mayChange}
        isPending={bulk.isPending}
        choose={choose}
        toggle={({ stream_id, enabled }) => change([stream_id], { enabled: !enabled })}
      />
    </Stack>
  );
}

function streamsThatFit(streams: StreamView[], { q, onlyAttention }: { q: string; onlyAttention: boolean }) {
  const word = q.toLowerCase();
  return streams.filter((one) => labelOf(one).toLowerCase().includes(word) && (!onlyAttention || one.needs_attention));
}

/** Changes streams in as many requests as it takes, then reads them once; a refusal ends them and is shown. */
function useBulkChange(sourceId: string, onDone: () => void) {
  const connection = useConnection();
  const queries = useQueryClient();
  /** The streams of the last request: its faults name them by their place in it. */
  const asked = useRef<readonly string[]>([]);
  const send = async ({ ids, settings }: { ids: readonly string[]; settings: StreamChange }) => {
    const streams = ids.map((stream_id) => ({ stream_id, ...settings }));
    for (let at = 0; at < streams.length; at += MAX_BULK_STREAMS) {
      const body = { streams: streams.slice(at, at + MAX_BULK_STREAMS) };
      asked.current = body.streams.map(({ stream_id }) => stream_id);
      const headers = { 'idempotency-key': newIdempotencyKey() };
      await ask(connection, bulkStreams, { params: { source_id: sourceId }, body }, { headers });
    }
  };
  const { mutate, error, isPending } = useMutation<void, Error, Parameters<typeof send>[0]>({
    mutationFn: send,
    onSuccess: onDone,
    // Also after a refusal: what was sent before it is changed.
    onSettled: () => readAgain(queries, 'sources'),
  });
  const change = (ids: Iterable<string>, settings: StreamChange) => mutate({ ids: [...ids], settings });
  const placeOf = (known: readonly StreamView[]) => (pointer: string) => {
    const [, , at, ...rest] = pointer.split('/');
    const stream = known.find(({ stream_id }) => stream_id === asked.current[Number(at)]);
    return stream && [`Stream ${labelOf(stream)}`, ...rest.map((part) => part.replaceAll('_', ' '))].join(', ');
  };
  return { change, error, isPending, placeOf };
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

interface GridProps {
  streams: readonly StreamView[];
  chosen: ReadonlySet<string>;
  mayChange: boolean;
  isPending: boolean;
  choose(ids: readonly string[], on: boolean): void;
  toggle(stream: StreamView): void;
}

/** Rows that are in sight only: five thousand streams are some twenty elements. */
function Grid({ streams, chosen, ...row }: GridProps) {
  const view = useRef<HTMLDivElement>(null);
  const last = useRef(0);
  const rows = useVirtualizer({
    count: streams.length,
    getScrollElement: () => view.current,
    estimateSize: () => ROW_PX,
    getItemKey: (i) => streams[i]?.stream_id ?? i,
    overscan: 6,
  });
  /** With Shift, all from the row that was chosen last. */
  const chooseRow = (i: number, { on, isRange }: { on: boolean; isRange: boolean }) => {
    const [from, to] = isRange ? [Math.min(last.current, i), Math.max(last.current, i)] : [i, i];
    last.current = i;
    row.choose(
      streams.slice(from, to + 1).map(({ stream_id }) => stream_id),
      on,
    );
  };
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = Number((event.target as HTMLElement).closest<HTMLElement>('[data-index]')?.dataset.index ?? -1);
    if (step === undefined || at < 0) return;
    event.preventDefault();
    const next = Math.min(streams.length - 1, Math.max(0, at + step));
    rows.scrollToIndex(next);
    requestAnimationFrame(() => view.current?.querySelector<HTMLElement>(`[data-index="${next}"]`)?.focus());
  };
  return (
    <div
      ref={view}
      className="panel"
      style={{ height: Math.min(MAX_VIEW_PX, (streams.length + 1) * ROW_PX), overflow: 'auto' }}
    >
      <div role="table" aria-label="Streams" aria-rowcount={streams.length + 1} onKeyDown={move}>
        <div role="row" className="grid-head" aria-rowindex={1}>
          {COLUMNS.map((name) => (
            <span role="columnheader" key={name}>
              {name === 'Select' ? <span className="unseen">Select</span> : name}
            </span>
          ))}
        </div>
        <div role="rowgroup" style={{ height: rows.getTotalSize(), position: 'relative' }}>
          {rows.getVirtualItems().map(({ index, start, key }) => {
            const stream = streams[index];
            if (stream === undefined) return null;
            return (
              <StreamRow
                key={key}
                index={index}
                top={start}
                stream={stream}
                isChosen={chosen.has(stream.stream_id)}
                chooseRow={chooseRow}
                {...row}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

interface StreamRowProps extends Pick<GridProps, 'mayChange' | 'isPending' | 'toggle'> {
  stream: StreamView;
  index: number;
  top: number;
  isChosen: boolean;
  chooseRow(i: number, how: { on: boolean; isRange: boolean }): void;
}

function StreamRow({ stream, index, top, isChosen, mayChange, isPending, chooseRow, toggle }: StreamRowProps) {
  const label = labelOf(stream);
  const press = (event: KeyboardEvent) => {
    if (!mayChange || event.target !== event.currentTarget) return;
    if (event.key === 'x') chooseRow(index, { on: !isChosen, isRange: event.shiftKey });
    if (event.key === ' ') {
      event.preventDefault();
      toggle(stream);
    }
  };
  return (
    <div
      role="row"
      tabIndex={0}
      data-row
      data-index={index}
      data-chosen={isChosen}
      aria-rowindex={index + 2}
      className="grid-row"
      style={{ position: 'absolute', top: 0, width: '100%', transform: `translateY(${top}px)` }}
      onKeyDown={press}
    >
      <span role="cell">
        {mayChange ? (
          <Checkbox
            aria-label={`Select ${label}`}
            checked={isChosen}
            tabIndex={-1}
            onClick={(event) => chooseRow(index, { on: !isChosen, isRange: event.shiftKey })}
            onChange={() => undefined}
          />
        ) : null}
      </span>
      <span role="cell">
        {mayChange ? (
          <Switch
            aria-label={`Sync ${label}`}
            checked={stream.enabled}
            disabled={isPending}
            onChange={() => toggle(stream)}
          />
        ) : (
          <Text size="sm">{stream.enabled ? 'On' : 'Off'}</Text>
        )}
      </span>
      <StreamFacts stream={stream} />
    </div>
  );
}

/** What is known of a stream, for reading. */
function StreamFacts({ stream }: { stream: StreamView }) {
  const label = labelOf(stream);
  return (
    <>
      <span role="cell" className="ellipsis" title={label}>
        {label}
        {stream.needs_attention ? (
          <Text size="sm" c="var(--weir-warn)" className="ellipsis">
            {stream.attention.map(({ code }) => code.replaceAll('_', ' ')).join(', ')}
          </Text>
        ) : null}
      </span>
      <span role="cell">{stream.sync_mode.replace('_', ' ')}</span>
      <span role="cell">{stream.write_mode.replace('_', ' ')}</span>
      <span role="cell" className="ellipsis">
        {stream.cursor_field?.join('.') ?? '–'}
      </span>
      <Text
        role="cell"
        component="span"
        ff="monospace"
        size="sm"
        className="ellipsis"
        title={stream.destination.dataset_id}
      >
        {stream.destination.dataset_id}
      </Text>
    </>
  );
}
