import { Button, Checkbox, Code, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { cancelRun } from '@weir/plugin-runs/contract';
import {
  type DiscoveryPhase,
  getInspection,
  type InspectionView,
  LAPTOP_LINES,
  registerInspected,
} from '@weir/plugin-sources/contract';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useChange, useRead } from '../../api/queries.ts';
import { useFieldFaults } from '../../form/use-field-faults.ts';
import { CopyText } from '../../parts/copy-text.tsx';
import { FactList } from '../../parts/fact-list.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { FaultNote } from '../../parts/fault-note.tsx';
import { Region } from '../../parts/region.tsx';
import { useMay } from '../../session/person.ts';
import { DiscoveryProgress } from '../create/discovery-result.tsx';

const LOOK_AGAIN_MS = 700;
const ID = /^[a-z][a-z0-9-]{0,62}$/;

const PHASES: Readonly<Record<DiscoveryPhase, string>> = {
  waiting: 'Waiting for a worker',
  preparing: 'Preparing the engine',
  pulling: 'Loading the image',
  checking: 'Asking the image how it is configured',
  describing: 'Asking the image how it is configured',
  ended: 'Ended',
};

/** A look at an image, from its start to the pattern that can be made of it. */
export function InspectionResult({ runId }: { runId: string }) {
  const query = useRead(
    getInspection,
    { params: { run_id: runId } },
    { again: (seen) => (seen?.is_terminal ? false : LOOK_AGAIN_MS) },
  );
  return (
    <Region query={query}>
      {(seen) => {
        if (!seen.is_terminal) return <Going inspection={seen} />;
        if (seen.failure !== null) return <NotAdded failure={seen.failure} />;
        if (seen.found === null) return <Text>The look at {seen.image} was cancelled.</Text>;
        return <FoundImage runId={runId} found={seen.found} />;
      }}
    </Region>
  );
}

function Going({ inspection }: { inspection: InspectionView }) {
  const mayCancel = useMay(cancelRun);
  const cancel = useChange(cancelRun);
  return (
    <Stack>
      <DiscoveryProgress status={inspection} words={PHASES} />
      {cancel.error === null ? null : <FaultNote error={cancel.error} />}
      {mayCancel ? (
        <Group>
          <Button
            variant="default"
            loading={cancel.isPending}
            onClick={() => cancel.mutate({ params: { id: inspection.run_id } })}
          >
            Cancel
          </Button>
        </Group>
      ) : null}
    </Stack>
  );
}

function NotAdded({ failure }: { failure: NonNullable<InspectionView['failure']> }) {
  const lines = LAPTOP_LINES.join('\n');
  return (
    <FailureNote failure={failure} title="This image cannot be added">
      {failure.code === 'connector_engine_absent' ? (
        <Stack gap="xs" maw="100%">
          <Text size="sm">On a laptop with Docker, in a checkout, once Weir is stopped:</Text>
          <Code block tabIndex={0} aria-label="Commands for a laptop with Docker">
            {lines}
          </Code>
          <Group>
            <CopyText text={lines} what="both lines" />
          </Group>
        </Stack>
      ) : null}
    </FailureNote>
  );
}

type Found = NonNullable<InspectionView['found']>;

interface AddValues {
  pattern_id: string;
  name: string;
}

const pathOf = (pointer: string): keyof AddValues | undefined =>
  pointer === '/pattern_id' ? 'pattern_id' : pointer === '/name' ? 'name' : undefined;

/** What the image said, what it left open, and the way to a source. */
function FoundImage({ runId, found }: { runId: string; found: Found }) {
  const navigate = useNavigate();
  const add = useChange(registerInspected);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const form = useForm<AddValues>({ defaultValues: { pattern_id: found.pattern_id, name: found.name } });
  const { register, formState } = form;
  useFieldFaults(form.setError, add.error, pathOf);
  const submit = form.handleSubmit((values) =>
    add.mutate(
      { params: { run_id: runId }, body: { ...values, not_credentials: [...open] } },
      {
        onSuccess: ({ pattern_id: patternId }) =>
          void navigate({ to: '/sources/new/$patternId', params: { patternId } }),
      },
    ),
  );
  const choose = (pointer: string, isSecret: boolean) =>
    setOpen((before) => new Set(isSecret ? [...before].filter((one) => one !== pointer) : [...before, pointer]));
  return (
    <form onSubmit={submit} noValidate>
      <Stack p="md" className="panel">
        <Title order={2}>{found.name}</Title>
        <FoundFacts found={found} />
        {found.asked_fields.length === 0 ? null : (
          <Stack gap={6}>
            <Text fw={560}>Are these secret?</Text>
            <Text size="sm" c="dimmed">
              They are named like secrets, but the image does not call them so. What is ticked is kept sealed and never
              shown.
            </Text>
            {found.asked_fields.map((pointer) => (
              <Checkbox
                key={pointer}
                label={pointer}
                checked={!open.has(pointer)}
                onChange={(event) => choose(pointer, event.currentTarget.checked)}
              />
            ))}
          </Stack>
        )}
        <TextInput
          {...register('name', { required: 'This is required.' })}
          label="Name"
          description="As the list of connectors shows it"
          error={formState.errors.name?.message}
        />
        <TextInput
          {...register('pattern_id', { validate: (id) => ID.test(id) || 'Small letters, digits and hyphens.' })}
          label="Id"
          description="As commands name it"
          error={formState.errors.pattern_id?.message}
        />
        {add.error === null ? null : <FaultNote error={add.error} />}
        <Group>
          <Button type="submit" loading={add.isPending}>
            Add the connector
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function FoundFacts({ found: { image, credential_fields, place_fields } }: { found: Found }) {
  const listed = (pointers: readonly string[]) => (pointers.length === 0 ? 'none' : pointers.join(', '));
  return (
    <FactList
      facts={[
        ['Image, pinned by its digest', <Code key="image">{image}</Code>],
        ['Secret fields', listed(credential_fields)],
        ['Fields that say where it goes', listed(place_fields)],
      ]}
    />
  );
}
