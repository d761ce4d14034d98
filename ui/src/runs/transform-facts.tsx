import { Anchor, Stack, Table, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { getTransformRun, type TransformRunView } from '@weir/plugin-transforms/contract';
import { useRead } from '../api/queries.ts';
import { FactList } from '../parts/fact-list.tsx';
import { countText } from '../parts/numbers.ts';
import { Region } from '../parts/region.tsx';
import { LongTable } from '../table/long-table.tsx';
import { RunChecks } from './run-checks.tsx';
import { reasonText } from './run-reason.ts';

/** Why a transform ran, what it read and what it wrote. */
export function TransformFacts({ runId }: { runId: string }) {
  const query = useRead(getTransformRun, { params: { run_id: runId } });
  return (
    <Region query={query} lines={2}>
      {(run) => (
        <Stack gap="md">
          <FactList
            facts={[
              ['Why it ran', reasonText(run)],
              ['Rows written', run.rows === null ? '–' : countText(Number(run.rows))],
              ['Output', <AtSnapshot key="output" dataset_id={run.output} snapshot_id={run.output_snapshot_id} />],
            ]}
          />
          {run.checks.length === 0 ? null : <RunChecks runId={runId} />}
          {run.inputs.length === 0 ? null : <Inputs inputs={run.inputs} moved={run.moved_inputs} />}
        </Stack>
      )}
    </Region>
  );
}

type Input = TransformRunView['inputs'][number];

function Inputs({ inputs, moved }: { inputs: readonly Input[]; moved: readonly string[] }) {
  return (
    <section aria-labelledby="inputs">
      <Title order={2} id="inputs" mb="sm">
        Inputs, all as they were at one moment
      </Title>
      <LongTable
        label="Table of inputs"
        minWidth={480}
        spacing={6}
        head={
          <>
            <Table.Th>Table</Table.Th>
            <Table.Th>Since the last run</Table.Th>
            <Table.Th>Snapshot</Table.Th>
          </>
        }
        rows={inputs}
        keyOf={(input) => input.dataset_id}
      >
        {(input) => (
          <>
            <Table.Td>
              <AtSnapshot {...input} />
            </Table.Td>
            <Table.Td>{moved.includes(input.dataset_id) ? 'new rows' : 'unchanged'}</Table.Td>
            <Table.Td className="mono-id">{input.snapshot_id ?? 'no rows yet'}</Table.Td>
          </>
        )}
      </LongTable>
    </section>
  );
}

/** A table, opened as a run has read or left it. */
function AtSnapshot({ dataset_id, snapshot_id }: Input) {
  return (
    <Anchor
      inherit
      renderRoot={(props) => (
        <Link
          to="/datasets/$datasetId"
          params={{ datasetId: dataset_id }}
          search={snapshot_id === null ? {} : { snapshot: snapshot_id }}
          {...props}
        />
      )}
    >
      <span className="mono-id">{dataset_id}</span>
    </Anchor>
  );
}
