import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { csvOf } from '../grid/cell.ts';
import { DataGrid } from '../grid/data-grid.tsx';
import { saveText } from '../grid/save-text.ts';
import { counted, countText, durationText } from '../parts/numbers.ts';
import type { QueryResult } from './use-query-run.ts';

interface ResultRowsProps {
  result: QueryResult;
  limit: number;
  tookMs: number | undefined;
}

/** The rows of an answer, how long it took and what it read. */
export function ResultRows({ result, limit, tookMs }: ResultRowsProps) {
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
