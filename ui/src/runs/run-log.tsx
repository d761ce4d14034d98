// biome-ignore-all lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
import { Button, Code, Group, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import { fillPath, fullPath } from '@weir/kernel/contract';
import { LOG_TEXT, RUN_LOG_LEVELS, type RunLogLevel, type RunLogLineView } from '@weir/plugin-platform/contract';
import { downloadLog } from '@weir/plugin-runs/contract';
import { use, useEffect, useRef, useState } from 'react';
import type { Connection } from '../api/ask.ts';
import { useConnection } from '../api/connection.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { counted, countText } from '../parts/numbers.ts';
import { ZoneContext } from '../parts/zone-context.ts';
import { LogLevels } from './log-levels.tsx';
import { type LogFilter, type LogState, useRunLog } from './use-run-log.ts';

const LINE_PX = 22;
const VIEW_PX = 520;
const TYPING_MS = 300;
const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 } as const;

/** What the address says of a log. */
export interface LogSearch {
  level?: string | undefined;
  search?: string | undefined;
  /** The number of a line that a link leads to. */
  line?: string | undefined;
}

interface RunLogProps {
  runId: string;
  search: LogSearch;
  change(next: { level?: string; search?: string; line?: string }): void;
}

/** The log of one run of any kind: searched by the server, held in part, followed to its end. */
export function RunLog({ runId, search, change }: RunLogProps) {
  const level = RUN_LOG_LEVELS.find((one) => one === search.level);
  const [word] = useDebouncedValue(search.search ?? '', TYPING_MS);
  const asked = Number(search.line ?? Number.NaN);
  // A line that is chosen while the log is shown is here already.
  const [around, setAround] = useState(Number.isSafeInteger(asked) ? asked : undefined);
  const [follows, setFollows] = useState(around === undefined);
  const filter: LogFilter = { ...(level === undefined ? {} : { level }), ...(word === '' ? {} : { search: word }) };
  const log = useRunLog({ runId, filter, around });
  const follow = (on: boolean) => {
    setFollows(on);
    if (!on || around === undefined) return;
    setAround(undefined);
    change({ line: '' });
  };
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
        <Switch label="Follow" checked={follows} onChange={(event) => follow(event.currentTarget.checked)} />
        <Download runId={runId} filter={filter} />
      </Group>
      {log.error === undefined ? null : <FaultNote error={log.error} retry={log.again} />}
      {log.levels ? (
        <LogLevels levels={log.levels} chosen={level} choose={(next) => change({ level: next ?? '' })} />
      ) : null}
      <Lines
        lines={log.lines}
        follows={follows}
        stopFollowing={() => setFollows(false)}
        here={Number.isSafeInteger(asked) ? asked : undefined}
        choose={(seq) => change({ line: String(seq) })}
      />
      <LogStatus log={log} around={around} />
    </Stack>
  );
}

function LogStatus({ log, around }: { log: LogState; around: number | undefined }) {
  const rest = log.expired
    ? 'The log was kept as long as it is to be, and is gone.'
    : around !== undefined
      ? `Read around line ${around}; follow to see the newest.`
      : log.ended
        ? 'The run has ended.'
        : 'Following.';
  return (
    <Text size="sm" c="dimmed" role="status">
      {counted(log.lines.length, 'line')}
      {log.dropped > 0 ? `; ${countText(log.dropped)} earlier ones are in the download` : ''}. {rest}
    </Text>
  );
}

interface LinesProps {
  lines: readonly RunLogLineView[];
  follows: boolean;
  stopFollowing(): void;
  /** The line that the address names. */
  here: number | undefined;
  choose(seq: number): void;
}

function Lines({ lines, follows, stopFollowing, here, choose }: LinesProps) {
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
  const at = here === undefined ? -1 : lines.findIndex(({ seq }) => seq === here);
  const shown = useRef<number>(undefined);
  useEffect(() => {
    if (follows || at < 0 || shown.current === here) return;
    shown.current = here;
    rows.scrollToIndex(at, { align: 'center' });
  }, [follows, at, here, rows]);
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
                isHere={line.seq === here}
                choose={() => {
                  shown.current = line.seq;
                  stopFollowing();
                  choose(line.seq);
                }}
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

interface LineProps {
  line: RunLogLineView;
  isOpen: boolean;
  isHere: boolean;
  toggle(): void;
  choose(): void;
}

function Line({ line, isOpen, isHere, toggle, choose }: LineProps) {
  const at = new Date(line.at).toLocaleTimeString('en-GB', { ...CLOCK, timeZone: use(ZoneContext) });
  const hasMore = Object.keys(line.fields).length > 0 || line.message.length > 120;
  return (
    <>
      <div className="log-line" data-level={line.level} data-here={isHere}>
        <button
          type="button"
          className="log-open"
          aria-current={isHere ? 'location' : undefined}
          aria-label={`${at}, link to line ${line.seq}`}
          onClick={choose}
        >
          {at}
        </button>
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
