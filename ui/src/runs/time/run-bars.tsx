import { Group, Text } from '@mantine/core';
import type { RunStatus } from '@weir/kernel/contract';
import type { ReactNode } from 'react';
import { counted, durationText } from '../../parts/numbers.ts';
import '../runs.css';

/** A run that has ended, as far as its bars show it. */
export interface BarRun {
  id: string;
  status: RunStatus;
  ms: number;
  /** Null where none were written. */
  rows: number | null;
}

interface RunBarsProps {
  /** The oldest first. */
  runs: readonly BarRun[];
  /** The link to the page of a run; its words are said by screen readers. */
  link(run: BarRun, words: string, content: ReactNode): ReactNode;
}

/** How long runs took and how many rows they wrote, side by side, each a link; a table below says the same in words. */
export function RunBars({ runs, link }: RunBarsProps) {
  if (runs.length < 2) return null;
  const longest = Math.max(1, ...runs.map(({ ms }) => ms));
  const most = Math.max(1, ...runs.map(({ rows }) => rows ?? 0));
  return (
    <Group gap="xs" wrap="nowrap" align="flex-end">
      <div className="bar-names" aria-hidden>
        <Text size="xs" c="dimmed">
          Time
        </Text>
        <Text size="xs" c="dimmed">
          Rows
        </Text>
      </div>
      <ul className="run-bars scroll-x" aria-label="Time and rows of runs, oldest first">
        {runs.map((run) => (
          <li key={run.id}>
            {link(
              run,
              barWords(run),
              <>
                <span className="run-bar">
                  <span data-status={run.status} style={{ height: share(run.ms, longest) }} />
                </span>
                <span className="run-bar">
                  <span data-rows style={{ height: share(run.rows ?? 0, most) }} />
                </span>
              </>,
            )}
          </li>
        ))}
      </ul>
    </Group>
  );
}

const share = (value: number, most: number): string => `${Math.max(value === 0 ? 2 : 6, (100 * value) / most)}%`;

const barWords = ({ status, ms, rows }: BarRun): string =>
  `${status}, ${durationText(ms)}${rows === null ? '' : `, ${counted(rows, 'row')}`}`;
