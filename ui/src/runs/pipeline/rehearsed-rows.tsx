import { NativeSelect, Stack, Text, Title } from '@mantine/core';
import { getSandboxStatus } from '@weir/plugin-pipelines/contract';
import type { RunView } from '@weir/plugin-runs/contract';
import { useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { DataGrid } from '../../grid/data-grid.tsx';
import { counted } from '../../parts/numbers.ts';
import { Region } from '../../parts/region.tsx';

/** The first rows of each step of a rehearsal, which no table has. */
export function RehearsedRows({ run }: { run: RunView }) {
  const params = { pipeline_id: run.subject.id, workflow_id: run.run_id };
  const query = useRead(getSandboxStatus, { params }, { enabled: run.is_terminal });
  const [chosen, setChosen] = useState('');
  if (!run.is_terminal) return null;
  return (
    <section aria-labelledby="rehearsed">
      <Title order={2} id="rehearsed" mb="sm">
        Rows that it would publish
      </Title>
      <Region query={query}>
        {({ steps }) => {
          const written = steps.filter(({ sample }) => sample !== null);
          const step = written.find(({ step_id: id }) => id === chosen) ?? written.at(-1);
          if (step === undefined || step.sample === null)
            return <Text size="sm">No step kept rows that you may look at.</Text>;
          const { columns, rows } = step.sample;
          return (
            <Stack gap="sm">
              <NativeSelect
                label="Step"
                size="xs"
                maw={320}
                data={written.map(({ step_id: value, name }) => ({ value, label: name }))}
                value={step.step_id}
                onChange={(event) => setChosen(event.currentTarget.value)}
              />
              {rows.length === 0 ? (
                <Text size="sm">The step made no rows.</Text>
              ) : (
                <DataGrid label={`Rows of ${step.name}`} columns={columns} rows={rows} />
              )}
              <Text size="sm" c="dimmed">
                The first {counted(rows.length, 'row')} of{' '}
                {step.rows === null ? 'it' : counted(Number(step.rows), 'row')}.
              </Text>
            </Stack>
          );
        }}
      </Region>
    </section>
  );
}
