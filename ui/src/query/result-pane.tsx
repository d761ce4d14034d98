import { Anchor, Button, Code, Group, List, Loader, Stack, Tabs, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { csvOf } from '../grid/cell.ts';
import { DataGrid } from '../grid/data-grid.tsx';
import { type ChartChoice, QuickChart } from '../grid/quick-chart.tsx';
import { saveText } from '../grid/save-text.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { counted, countText } from '../parts/numbers.ts';
import { durationText, ShowTime } from '../parts/show-time.tsx';
import type { PastQuery } from './query-history.ts';
import { faultsOf, faultWords } from './sql-faults.ts';
import type { QueryResult, useQueryRun } from './use-query-run.ts';

const TABS = [
  ['rows', 'Results'],
  ['chart', 'Chart'],
  ['history', 'History'],
] as const;

interface ResultPaneProps {
  query: ReturnType<typeof useQueryRun>;
  past: readonly PastQuery[];
  limit: number;
  show: string | undefined;
  chart: ChartChoice;
  change(next: Record<string, string | undefined>): void;
  take(sql: string): void;
  go(line: number, column: number): void;
}

/** What came of the statement: rows, a chart of them, and what was run before in this tab. */
export function ResultPane({ query, past, limit, show, chart, change, take, go }: ResultPaneProps) {
  const tab = TABS.find(([one]) => one === show)?.[0] ?? 'rows';
  return (
    <Tabs value={tab} onChange={(next) => change({ show: next ?? '' })} keepMounted={false}>
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
          <QuickChart columns={query.result.columns} rows={query.result.rows} choice={chart} choose={change} />
        )}
      </Tabs.Panel>
      <Tabs.Panel value="history">
        <Past past={past} take={take} />
      </Tabs.Panel>
    </Tabs>
  );
}

export function Outcome({ query, limit, go }: Pick<ResultPaneProps, 'query' | 'limit' | 'go'>) {
  const faults = faultsOf(query.error);
  if (query.isRunning && query.result === undefined)
    return (
      <Group role="status" gap="sm">
        <Loader size="xs" aria-hidden />
        <Text size="sm">Running…</Text>
      </Group>
    );
  if (query.error !== undefined)
    return (
      <Stack gap="sm">
        <FaultNote error={query.error} />
        {faults.length === 0 ? null : (
          <List size="sm" aria-label="Faults of the statement">
            {faults.map(({ code, line, column }) => (
              <List.Item key={`${code} ${line} ${column}`}>
                <Anchor component="button" type="button" size="sm" onClick={() => go(line, column)}>
                  Line {line}, column {column}
                </Anchor>
                : {faultWords(code)}
              </List.Item>
            ))}
          </List>
        )}
      </Stack>
    );
  if (query.result === undefined)
    return (
      <Text c="dimmed">
        The statement reads the tables on the left at one moment, and changes nothing. Its rows show here.
      </Text>
    );
  return <Rows result={query.result} limit={limit} tookMs={query.tookMs} />;
}

interface RowsProps {
  result: QueryResult;
  limit: number;
  tookMs: number | undefined;
}

function Rows({ result, limit, tookMs }: RowsProps) {
  const { columns, rows, truncated, inputs, elapsed_ms: ms } = result;
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Text size="sm" role="status">
          {counted(rows.length, 'row')}
          {truncated ? `, cut off: the statement has more than the ${countText(limit)} that were asked for` : ''}
          {` · ${durationText(ms)} on the server`}
          {tookMs === undefined ? '' : `, ${durationText(tookMs)} until here`}
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<Download size={14} aria-hidden />}
          onClick={() => saveText('query.csv', csvOf(columns, rows))}
        >
          Save as CSV
        </Button>
      </Group>
      {rows.length === 0 ? (
        <Text p="lg" ta="center" className="panel">
          The statement has no rows.
        </Text>
      ) : (
        <DataGrid label="Rows of the statement" columns={columns} rows={rows} />
      )}
      {inputs.length === 0 ? null : (
        <Text size="sm" c="dimmed">
          Read{' '}
          {inputs.map(({ dataset_id, snapshot_id }, i) => (
            <span key={dataset_id}>
              {i === 0 ? '' : ', '}
              <Anchor
                inherit
                underline="always"
                renderRoot={(props) => (
                  <Link
                    to="/datasets/$datasetId"
                    params={{ datasetId: dataset_id }}
                    search={snapshot_id === null ? {} : { snapshot: snapshot_id }}
                    {...props}
                  />
                )}
              >
                {dataset_id}
              </Anchor>
              {snapshot_id === null ? '' : ` at ${snapshot_id}`}
            </span>
          ))}
          .
        </Text>
      )}
    </Stack>
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
