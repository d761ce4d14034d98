import { Anchor, Table } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { TransformRunView } from '@weir/plugin-transforms/contract';
import { countText, tookText } from '../../parts/numbers.ts';
import { ShowTime } from '../../parts/show-time.tsx';
import { RunWord } from '../../parts/status-word.tsx';
import { LongTable } from '../../table/long-table.tsx';

/** The newest runs in short: when, how they ended, rows and duration. */
export function LastRuns({ runs }: { runs: readonly TransformRunView[] }) {
  return (
    <LongTable
      label="Newest runs"
      minWidth={320}
      head={
        <>
          <Table.Th>Run</Table.Th>
          <Table.Th>Result</Table.Th>
          <Table.Th ta="right">Rows</Table.Th>
          <Table.Th ta="right">Time</Table.Th>
        </>
      }
      rows={runs}
      keyOf={({ run_id }) => run_id}
    >
      {(run) => (
        <>
          <Table.Td>
            <Anchor
              data-row
              renderRoot={(props) => <Link to="/runs/$runId" params={{ runId: run.run_id }} {...props} />}
            >
              <ShowTime at={run.created_at} within size="sm" className="one-line" />
            </Anchor>
          </Table.Td>
          <Table.Td>
            <RunWord status={run.status} />
          </Table.Td>
          <Table.Td ta="right">{run.rows === null ? '–' : countText(Number(run.rows))}</Table.Td>
          <Table.Td ta="right" className="one-line">
            {tookText(run)}
          </Table.Td>
        </>
      )}
    </LongTable>
  );
}
