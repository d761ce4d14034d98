import { Button, Group, MultiSelect, Stack, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { createPipeline, listAvailableTransforms, type PipelinePublish } from '@weir/plugin-pipelines/contract';
import { useState } from 'react';
import { useChange, useRead } from '../api/queries.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { NotAllowed } from '../parts/not-allowed.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Region } from '../parts/region.tsx';
import { useMay } from '../session/person.ts';
import { PublishChoice } from './publish-choice.tsx';
import { stepIdOf } from './step-changes.ts';

const MAX_LISTED = 500;
const MAX_OPTIONS = 50;
const TITLE = 'New pipeline';
const NAME = /^[a-z][a-z0-9_-]{0,62}$/;
const NAME_RULE = 'A lower-case letter, then lower-case letters, digits, _ and -';

/** A pipeline of transforms that are there already; what waits for what follows from their statements. */
export function NewPipelinePage() {
  const canCreate = useMay(createPipeline);
  const query = useRead(listAvailableTransforms, { query: { limit: MAX_LISTED } }, { enabled: canCreate });
  if (!canCreate) return <NotAllowed title={TITLE} things="pipelines" />;
  return (
    <>
      <PageHead title={TITLE} />
      <Region
        query={query}
        empty={({ items }) =>
          items.length === 0 ? { words: 'No transform yet. A pipeline is made of transforms.' } : undefined
        }
      >
        {({ items }) => <Form transforms={items.map(({ transform_id: id, name, output }) => ({ id, name, output }))} />}
      </Region>
    </>
  );
}

interface FormProps {
  transforms: readonly { id: string; name: string; output: string }[];
}

function Form({ transforms }: FormProps) {
  const navigate = useNavigate();
  const create = useChange(createPipeline);
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<string[]>([]);
  const [publish, setPublish] = useState<PipelinePublish>('together');
  const submit = () => {
    const taken: string[] = [];
    const steps = chosen.map((id) => {
      const step_id = stepIdOf(transforms.find((one) => one.id === id)?.name ?? 'step', taken);
      taken.push(step_id);
      return { step_id, transform_id: id };
    });
    create.mutate(
      { body: { name, publish, steps } },
      {
        onSuccess: ({ pipeline_id }) =>
          void navigate({ to: '/pipelines/$pipelineId', params: { pipelineId: pipeline_id } }),
      },
    );
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack maw={560}>
        {create.error === null ? null : <FaultNote error={create.error} />}
        <TextInput
          label="Name"
          description={NAME_RULE}
          withAsterisk
          error={name !== '' && !NAME.test(name) ? `${NAME_RULE}, at most 63.` : undefined}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <MultiSelect
          label="Transforms"
          description="In any order: a step runs when the tables that it reads are made"
          placeholder={chosen.length === 0 ? 'Choose transforms' : ''}
          searchable
          comboboxProps={{ withinPortal: false }}
          limit={MAX_OPTIONS}
          nothingFoundMessage="No transform has this name"
          data={transforms.map(({ id, name: label, output }) => ({ value: id, label: `${label} → ${output}` }))}
          value={chosen}
          onChange={setChosen}
        />
        <PublishChoice value={publish} change={setPublish} />
        <Group>
          <Button type="submit" loading={create.isPending} disabled={!NAME.test(name)}>
            Create pipeline
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
