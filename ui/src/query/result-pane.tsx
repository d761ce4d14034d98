import { Button, Code, Group, Loader, Stack, Tabs, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { ChartChoice } from '../grid/quick-chart.tsx';
import { FaultNote } from '../parts/fault-note.tsx';
import { counted, durationText } from '../parts/numbers.ts';
import { ShowTime, useNow } from '../parts/show-time.tsx';
import type { PastQuery } from './query-history.ts';
import type { useQueryRun } from './use-query-run.ts';

/** Read with the first rows. */
const ResultRows = lazy(() => import('./result-rows.tsx').then((module) => ({ default: module.ResultRows })));
const QuickChart = lazy(() => import('../grid/quick-chart.tsx').then((module) => ({ default: module.QuickChart })));

const TABS = [
  ['rows', 'Results'],
  ['chart', 'Chart'],
  ['history', 'History'],
] as const;

interface ResultPaneProps {
  query: ReturnType<typeof useQueryRun>;
  /** Puts the cursor at a place of the statement. */
  go?: ((line: number, column: number) => void) | undefined;
  past: readonly PastQuery[];
  limit: number;
  show: (typeof TABS)[number][0] | undefined;
  chart: ChartChoice;
  change(next: Record<string, string | undefined>): void;
  take(sql: string): void;
}

/** What came of the statement: rows, a chart of them, and what was run before in this tab. */
export function ResultPane({ query, go, past, limit, show, chart, change, take }: ResultPaneProps) {
  return (
    <Tabs value={show ?? 'rows'} onChange={(next) => change({ show: next ?? undefined })} keepMounted={false}>
      <Tabs.List mb="sm">
        {TABS.map(([value, label]) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="rows">
        <Outcome query={query} limit={limit} go={go} />
      </Tabs.Panel>
      <Tabs.Panel value="chart">
        {query.result === undefined || query.result.rows.length === 0 ? (
          <Text c="dimmed">Run a statement that has rows to draw them.</Text>
        ) : (
          <Suspense fallback={null}>
            <QuickChart columns={query.result.columns} rows={query.result.rows} choice={chart} choose={change} />
          </Suspense>
        )}
      </Tabs.Panel>
      <Tabs.Panel value="history">
        <Past past={past} take={take} />
      </Tabs.Panel>
    </Tabs>
  );
}

export function Outcome({ query, limit, go }: Pick<ResultPaneProps, 'query' | 'limit' | 'go'>) {
  if (query.isRunning && query.result === undefined) return <Running />;
  if (query.error !== undefined) return <FaultNote error={query.error} text={query.sql} go={go} />;
  if (query.result === undefined)
    return (
      <Text c="dimmed">
        The statement reads the tables on the left at one moment, and changes nothing. Its rows show here.
      </Text>
    );
  return (
    <Suspense fallback={null}>
      <ResultRows result={query.result} limit={limit} tookMs={query.tookMs} />
    </Suspense>
  );
}

/** That the statement runs, and since when. */
function Running() {
  const [began] = useState(() => Date.now());
  const now = useNow(1_000).getTime();
  return (
    <Group gap="sm">
      <Loader size="xs" aria-hidden />
      <Text size="sm" role="status">
        Running…
      </Text>
      <Text size="sm" c="dimmed">
        {durationText(Math.max(0, now - began))}
      </Text>
    </Group>
  );
}

function Past({ past, take }: { past: readonly PastQuery[]; take(sql: string): void }) {
  if (past.length === 0) return <Text c="dimmed">What you run is listed here until you close this tab.</Text>;
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        In this tab only; nothing of it is stored.
      </Text>
      {past.map(({ sql, at, rows, code }) => (
        <Group key={sql} gap="sm" wrap="nowrap" align="flex-start" className="panel" p="xs">
          <Code block flex={1} className="cell-text">
            {sql}
          </Code>
          <Stack gap={4} align="flex-end" w={150}>
            <ShowTime at={at} size="sm" c="dimmed" />
            <Text size="sm" c={code === undefined ? 'dimmed' : 'var(--mantine-color-error)'}>
              {code ?? counted(rows ?? 0, 'row')}
            </Text>
            <Button size="compact-xs" variant="default" onClick={() => take(sql)}>
              Put into the editor
            </Button>
          </Stack>
        </Group>
      ))}
    </Stack>
  );
}
