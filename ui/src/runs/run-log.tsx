// biome-ignore-all lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
import { Button, Code, Group, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import { fillPath, fullPath } from '@weir/kernel/contract';
import { LOG_TEXT, RUN_LOG_LEVELS, type RunLogLevel, type RunLogLineView } from '@weir/plugin-platform/contract';
import { downloadLog } from '@weir/plugin-runs/contract';
import { useEffect, useRef, useState } from 'react';
import type { Connection } from '../api/ask.ts';
import { useConnection } from '../api/connection.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { countText } from '../parts/numbers.ts';
import { type LogFilter, useRunLog } from './use-run-log.ts';

const LINE_PX = 22;
const VIEW_PX = 520;
const TYPING_MS = 300;

/** What the address says of a log. */
export interface LogSearch {
  level?: string | undefined;
  search?: string | undefined;
}

interface RunLogProps {
  runId: string;
  search: LogSearch;
  change(next: { level?: string; search?: string }): void;
}

/** The log of one run of any kind: searched by the server, held in part, followed to its end. */
export function RunLog({ runId, search, change }: RunLogProps) {
  const level = RUN_LOG_LEVELS.find((one) => one === search.level);
  const [word] = useDebouncedValue(search.search ?? '', TYPING_MS);
  const [follows, setFollows] = useState(true);
  const filter: LogFilter = { ...(level === undefined ? {} : { level }), ...(word === '' ? {} : { search: word }) };
  const log = useRunLog({ runId, filter });
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <TextInput
          aria-label="Search the log"
          placeholder="Search  /"
          data-filter
          size="sm"
          value={search.search ?? ''}
          onChange={(event) => change({ search: event.currentTarget.value })}
        />
        <Select
          aria-label="Level"
          placeholder="Every level"
          size="sm"
          w={150}
          clearable
          clearButtonProps={{ 'aria-label': 'Every level' }}
          data={RUN_LOG_LEVELS}
          value={level ?? null}
          onChange={(value) => change({ level: value ?? '' })}
        />
        <Switch label="Follow" checked={follows} onChange={(event) => setFollows(event.currentTarget.checked)} />
        <Download runId={runId} filter={filter} />
      </Group>
      {log.error === undefined ? null : <FaultNote error={log.error} retry={log.again} />}
      <Lines lines={log.lines} follows={follows} stopFollowing={() => setFollows(false)} />
      <Text size="sm" c="dimmed" role="status">
        {countText(log.lines.length)} lines
        {log.dropped > 0 ? `; ${countText(log.dropped)} earlier ones are in the download` : ''}
        {log.expired
          ? '. The log was kept as long as it is to be, and is gone.'
          : log.ended
            ? '. The run has ended.'
            : '. Following.'}
      </Text>
    </Stack>
  );
}

interface LinesProps {
  lines: readonly RunLogLineView[];
  follows: boolean;
  stopFollowing(): void;
}

function Lines({ lines, follows, stopFollowing }: LinesProps) {
  const view = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<number>();
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => view.current,
    estimateSize: () => LINE_PX,
    getItemKey: (i) => lines[i]?.seq ?? i,
    overscan: 8,
  });
  useEffect(() => {
    if (follows && lines.length > 0) rows.scrollToIndex(lines.length - 1, { align: 'end' });
  }, [follows, lines.length, rows]);
  const isAtEnd = () => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = view.current ?? {};
    return scrollHeight - scrollTop - clientHeight < 2 * LINE_PX;
  };
  return (
    <div
      ref={view}
      className="panel log-lines"
      style={{ height: VIEW_PX }}
      tabIndex={0}
      role="log"
      aria-label="Log"
      aria-live="off"
      onWheel={() => follows && !isAtEnd() && stopFollowing()}
    >
      <div style={{ height: rows.getTotalSize(), position: 'relative' }}>
        {rows.getVirtualItems().map(({ index, start, key }) => {
          const line = lines[index];
          if (line === undefined) return null;
          return (
            <div
              key={key}
              data-index={index}
              ref={rows.measureElement}
              style={{ position: 'absolute', top: 0, width: '100%', transform: `translateY(${start}px)` }}
            >
              <Line
                line={line}
                isOpen={opened === line.seq}
                toggle={() => setOpened(opened === line.seq ? undefined : line.seq)}
              />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Line({ line, isOpen, toggle }: { line: RunLogLineView; isOpen: boolean; toggle(): void }) {
  const hasMore = Object.keys(line.fields).length > 0 || line.message.length > 120;
  return (
    <>
      <div className="log-line" data-level={line.level}>
        <span>{line.at.slice(11, 23)}</span>
        <span>{line.level}</span>
        <span className="ellipsis" title={line.stream ?? line.step}>
          {line.stream ?? line.step}
        </span>
        {hasMore ? (
          <button type="button" className="ellipsis log-open" aria-expanded={isOpen} onClick={toggle}>
            {line.message}
          </button>
        ) : (
          <span className="ellipsis">{line.message}</span>
        )}
      </div>
      {isOpen ? (
        <Code block mx="sm" my={4}>
          {[line.message, ...Object.entries(line.fields).map(([name, value]) => `${name}: ${value}`)].join('\n')}
        </Code>
      ) : null}
    </>
  );
}

/** The whole log as a file: fetched with the token, which no address may hold. */
function Download({ runId, filter }: { runId: string; filter: { level?: RunLogLevel; search?: string } }) {
  const connection = useConnection();
  const [fault, setFault] = useState<Error>();
  const [isPending, setPending] = useState(false);
  const download = () => {
    setPending(true);
    setFault(undefined);
    saveLog(connection, { runId, filter })
      .catch(setFault)
      .finally(() => setPending(false));
  };
  return (
    <>
      <Button size="sm" variant="default" loading={isPending} onClick={download}>
        Download
      </Button>
      {fault === undefined ? null : <FaultNote error={fault} retry={download} />}
    </>
  );
}

async function saveLog(
  { url, tenant, token }: Connection,
  { runId, filter }: { runId: string; filter: Record<string, string> },
): Promise<void> {
  const path = fillPath(fullPath(downloadLog), { id: runId });
  const answer = await fetch(new URL(`${path}?${new URLSearchParams(filter)}`, url), {
    headers: {
      accept: LOG_TEXT,
      authorization: `Bearer ${await token()}`,
      ...(tenant === undefined ? {} : { 'x-tenant-id': tenant }),
    },
  });
  if (!answer.ok) throw new Error('The log could not be downloaded.');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await answer.blob());
  link.download = `${runId}.log`;
  link.click();
  URL.revokeObjectURL(link.href);
}
