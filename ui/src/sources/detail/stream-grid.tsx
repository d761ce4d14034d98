// biome-ignore-all lint/a11y/useFocusableInteractive: heads of columns do nothing
// biome-ignore-all lint/a11y/useSemanticElements: a table element cannot leave out the rows that are not in sight
import { Checkbox, Switch, Text } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { StreamView } from '@weir/plugin-sources/contract';
import { type KeyboardEvent, type MouseEvent, useRef } from 'react';
import { attentionWords, SYNC_WORDS, WRITE_WORDS } from '../stream/mode-words.ts';
import { pathText } from '../stream/schema-fields.ts';

const ROW_PX = 48;
const MAX_VIEW_PX = 560;
const COLUMNS = ['Select', 'On', 'Stream', 'Sync mode', 'Write mode', 'Cursor', 'Key', 'Table'];

/** A stream as people call it. */
export const labelOf = ({ namespace, name }: Pick<StreamView, 'namespace' | 'name'>) =>
  namespace === null ? name : `${namespace}.${name}`;

interface GridProps {
  streams: readonly StreamView[];
  chosen: ReadonlySet<string>;
  mayChange: boolean;
  isPending: boolean;
  choose(ids: readonly string[], on: boolean): void;
  toggle(stream: StreamView): void;
  open(stream: StreamView): void;
}

/** Rows that are in sight only: five thousand streams are some twenty elements. */
export function StreamGrid({ streams, chosen, ...row }: GridProps) {
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

interface StreamRowProps extends Pick<GridProps, 'mayChange' | 'isPending' | 'toggle' | 'open'> {
  stream: StreamView;
  index: number;
  top: number;
  isChosen: boolean;
  chooseRow(i: number, how: { on: boolean; isRange: boolean }): void;
}

function StreamRow({ stream, index, top, isChosen, mayChange, isPending, chooseRow, ...act }: StreamRowProps) {
  const label = labelOf(stream);
  const press = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    if (event.key === 'Enter') act.open(stream);
    if (!mayChange) return;
    if (event.key === 'x') chooseRow(index, { on: !isChosen, isRange: event.shiftKey });
    if (event.key === ' ') {
      event.preventDefault();
      act.toggle(stream);
    }
  };
  /** A click on a control of the row is for that alone. */
  const click = ({ target, currentTarget }: MouseEvent<HTMLElement>) => {
    const control = (target as HTMLElement).closest('label, input, button, a');
    if (control === null || !currentTarget.contains(control)) act.open(stream);
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
      onClick={click}
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
            onChange={() => act.toggle(stream)}
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
  const cursor = cursorText(stream);
  const key = (stream.primary_key ?? stream.source_defined_primary_key)?.map(pathText).join(', ') ?? '–';
  return (
    <>
      <span role="cell" className="ellipsis" title={label}>
        {label}
        {stream.needs_attention ? (
          <Text size="sm" c="var(--weir-warn)" className="ellipsis">
            {stream.attention.map(({ pointer, code }) => attentionWords(pointer, code)).join(', ')}
          </Text>
        ) : null}
      </span>
      <span role="cell">{SYNC_WORDS[stream.sync_mode].label}</span>
      <span role="cell" className="ellipsis" title={WRITE_WORDS[stream.write_mode].label}>
        {WRITE_WORDS[stream.write_mode].label}
      </span>
      <span role="cell" className="ellipsis" title={cursor}>
        {cursor}
      </span>
      <span role="cell" className="ellipsis" title={key}>
        {key}
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

/** What shows which rows of an incremental stream are new. */
function cursorText({ sync_mode, source_defined_cursor, cursor_field, default_cursor_field }: StreamView): string {
  if (sync_mode !== 'incremental') return '–';
  if (source_defined_cursor) return 'by the source';
  const path = cursor_field ?? default_cursor_field;
  return path === null ? 'missing' : pathText(path);
}
