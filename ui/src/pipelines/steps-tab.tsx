import { Anchor, Button, Group, Select, Stack, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import {
  type GivenStepBody,
  listAvailableTransforms,
  type PipelinePublish,
  type PipelineView,
  putPipeline,
} from '@weir/plugin-pipelines/contract';
import type { CSSProperties } from 'react';
import { useChange, useRead } from '../api/queries.ts';
import { DrawnGraph } from '../graph/drawn-graph.tsx';
import { FaultNote } from '../parts/fault-note.tsx';
import { counted } from '../parts/numbers.ts';
import { Empty } from '../parts/region.tsx';
import { useMay } from '../session/person.ts';
import { LongTable } from '../table/long-table.tsx';
import { PublishChoice } from './publish-choice.tsx';
import { givenSteps, stepGraph, stepIdOf, without } from './step-changes.ts';

/** A picture of more says nothing. */
const MAX_DRAWN = 80;
const MAX_LISTED = 500;
const MAX_OPTIONS = 50;

type Step = PipelineView['steps'][number];

/** The steps as a graph and as a list, which adds and removes them. What is active stays as it is until it is activated. */
export function StepsTab({ pipeline }: { pipeline: PipelineView }) {
  const { pipeline_id, name, description, publish, steps, etag } = pipeline;
  const mayChange = useMay(putPipeline);
  const put = useChange(putPipeline);
  const save = (change: { steps?: GivenStepBody[]; publish?: PipelinePublish }) =>
    put.mutate({
      params: { pipeline_id },
      body: { name, description, publish, steps: givenSteps(steps), ...change },
      headers: { 'if-match': `"${etag}"` },
    });
  return (
    <Stack>
      {put.error === null ? null : <FaultNote error={put.error} />}
      {steps.length === 0 ? <Empty words="No step yet. Add a transform below." /> : null}
      {steps.length > 1 && steps.length <= MAX_DRAWN ? (
        <DrawnGraph
          graph={stepGraph(steps)}
          label="Graph of steps"
          node={({ step }, style) => <Box step={step} style={style} />}
        />
      ) : null}
      {steps.length === 0 ? null : (
        <LongTable
          label="Steps"
          minWidth={720}
          head={
            <>
              <Table.Th>Step</Table.Th>
              <Table.Th>Reads</Table.Th>
              <Table.Th>Writes</Table.Th>
              <Table.Th>
                <span className="unseen">Remove</span>
              </Table.Th>
            </>
          }
          rows={steps}
          keyOf={({ step_id: id }) => id}
          foot={counted(steps.length, 'step')}
        >
          {(step) => (
            <StepRow step={step} remove={mayChange ? () => save({ steps: without(steps, step.step_id) }) : undefined} />
          )}
        </LongTable>
      )}
      {mayChange ? (
        <AddStep
          isSaving={put.isPending}
          add={(id, transform) => {
            const step_id = stepIdOf(
              transform,
              steps.map((step) => step.step_id),
            );
            save({ steps: [...givenSteps(steps), { step_id, transform_id: id }] });
          }}
          taken={steps.map(({ transform_id: id }) => id)}
        />
      ) : null}
      <PublishChoice value={publish} change={mayChange ? (value) => save({ publish: value }) : undefined} />
    </Stack>
  );
}

function Box({ step, style }: { step: Step; style: CSSProperties }) {
  const { step_id: id, transform_id, transform_name: name, output } = step;
  return (
    <Link
      to="/transforms/$transformId"
      params={{ transformId: transform_id }}
      className="relation-node"
      style={style}
      title={`${id}, writes ${output ?? 'nothing yet'}`}
    >
      <span className="relation-name">{name ?? id}</span>
      <span className="relation-facts">{output ?? 'not put in force'}</span>
    </Link>
  );
}

function StepRow({ step, remove }: { step: Step; remove: (() => void) | undefined }) {
  const { step_id: id, transform_id, transform_name: name, inputs, after, output } = step;
  return (
    <>
      <Table.Td>
        <Anchor
          data-row
          fw={560}
          renderRoot={(props) => (
            <Link to="/transforms/$transformId" params={{ transformId: transform_id }} {...props} />
          )}
        >
          {name ?? id}
        </Anchor>
        {name === id ? null : (
          <Text size="xs" c="dimmed">
            {id}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        {inputs.map(({ dataset_id: table, from_step: from }) => (
          <Text key={table} size="sm">
            <TableLink table={table} />
            {from === null ? '' : ` of ${from}`}
          </Text>
        ))}
        {after.length === 0 ? null : (
          <Text size="sm" c="dimmed">
            waits for {after.join(', ')}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{output === null ? 'not put in force' : <TableLink table={output} />}</Table.Td>
      <Table.Td ta="right">
        {remove === undefined ? null : (
          <Button size="compact-sm" variant="default" aria-label={`Remove step ${id}`} onClick={remove}>
            Remove
          </Button>
        )}
      </Table.Td>
    </>
  );
}

const TableLink = ({ table }: { table: string }) => (
  <Anchor size="sm" renderRoot={(props) => <Link to="/datasets/$datasetId" params={{ datasetId: table }} {...props} />}>
    <span className="mono-id">{table}</span>
  </Anchor>
);

interface AddStepProps {
  isSaving: boolean;
  /** Transforms that are steps already. */
  taken: readonly string[];
  add(id: string, name: string): void;
}

function AddStep({ isSaving, taken, add }: AddStepProps) {
  const { data, error } = useRead(listAvailableTransforms, { query: { limit: MAX_LISTED } });
  const free = (data?.items ?? []).filter(({ transform_id: id }) => !taken.includes(id));
  if (error !== null) return <FaultNote error={error} />;
  return (
    <Group gap="xs">
      <Select
        aria-label="Add a step"
        placeholder={
          free.length === 0 && data !== undefined ? 'Every transform is a step' : 'Add a transform as a step'
        }
        w={360}
        searchable
        comboboxProps={{ withinPortal: false }}
        limit={MAX_OPTIONS}
        disabled={isSaving || free.length === 0}
        nothingFoundMessage="No transform has this name"
        data={free.map(({ transform_id: value, name, output }) => ({ value, label: `${name} → ${output}` }))}
        value={null}
        onChange={(id) => {
          const chosen = free.find(({ transform_id }) => transform_id === id);
          if (chosen !== undefined) add(chosen.transform_id, chosen.name);
        }}
      />
    </Group>
  );
}
