import { Button, Collapse, Grid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { inspectImage } from '@weir/plugin-sources/contract';
import { type ReactNode, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useChange } from '../../api/queries.ts';
import { AnswerPlace } from '../../form/answer-place.tsx';
import { useFieldFaults } from '../../form/use-field-faults.ts';
import { FaultNote } from '../../parts/fault-note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Empty } from '../../parts/region.tsx';
import { useMay, usePerson } from '../../session/person.ts';
import { InspectionResult } from './inspection-result.tsx';

const TITLE = 'Use a connector by its image';

/** From the name of a published image to a pattern that sources are made of. */
export function AddPage() {
  const mayAdd = useMay(inspectImage);
  return (
    <>
      <PageHead title={TITLE} />
      {mayAdd ? (
        <AddForm />
      ) : (
        <Empty words="Connectors are for all tenants, so a platform admin adds them. Tell one the name of the image." />
      )}
    </>
  );
}

interface AddValues {
  image: string;
  spec: string;
}

/** The field of a member of the request. */
const pathOf = (pointer: string): keyof AddValues | undefined =>
  pointer === '/image' ? 'image' : pointer.startsWith('/spec') ? 'spec' : undefined;

/** What was pasted, or why it is no document. */
function readSpec(text: string): Record<string, unknown> | string | undefined {
  if (text.trim() === '') return undefined;
  try {
    const given: unknown = JSON.parse(text);
    return typeof given === 'object' && given !== null && !Array.isArray(given)
      ? (given as Record<string, unknown>)
      : 'Paste one JSON object.';
  } catch {
    return 'This is not JSON. Paste the line of type SPEC that the image prints.';
  }
}

function AddForm() {
  const { tenant } = usePerson();
  const { run } = useSearch({ from: '/sources/add' });
  const navigate = useNavigate({ from: '/sources/add' });
  const start = useChange(inspectImage);
  const form = useForm<AddValues>({ defaultValues: { image: '', spec: '' } });
  const { register, formState, watch } = form;
  useFieldFaults(form.setError, start.error, pathOf);
  const look = form.handleSubmit(({ image, spec }) => {
    const given = readSpec(spec);
    start.mutate(
      { body: { tenant, image: image.trim(), ...(typeof given === 'object' ? { spec: given } : {}) } },
      { onSuccess: ({ run_id }) => void navigate({ search: { run: run_id }, replace: true }) },
    );
  });
  const specRule = (text: string) => {
    const given = readSpec(text);
    return typeof given !== 'string' || given;
  };
  return (
    <Grid gap="xl">
      <Grid.Col span={{ base: 12, md: 5 }}>
        <form onSubmit={look} noValidate>
          <Stack>
            <TextInput
              {...register('image', { required: 'This is required.' })}
              label="Image"
              description="Of a source connector of the Airbyte protocol, such as airbyte/source-faker:7.2.1"
              withAsterisk
              error={formState.errors.image?.message}
            />
            <SpecInput isGiven={watch('spec') !== ''}>
              <Textarea
                {...register('spec', { validate: specRule })}
                label="SPEC"
                description="What the image prints for its command spec; it is used in place of asking the image"
                autosize
                minRows={4}
                maxRows={16}
                error={formState.errors.spec?.message}
              />
            </SpecInput>
            <Button type="submit" loading={start.isPending} style={{ alignSelf: 'flex-start' }}>
              Look at the image
            </Button>
          </Stack>
        </form>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 7 }}>
        <AnswerPlace of={start.error ?? run}>
          {start.error === null ? null : <FaultNote error={start.error} />}
          {run === undefined ? (
            start.error === null && (
              <Text c="dimmed">
                The image is asked how it is configured, in a container without any configuration. Nothing is kept
                before you add it.
              </Text>
            )
          ) : (
            <InspectionResult key={run} runId={run} />
          )}
        </AnswerPlace>
      </Grid.Col>
    </Grid>
  );
}

/** A paste of the specification is for the few whose image cannot say it. */
function SpecInput({ isGiven, children }: { isGiven: boolean; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div>
      <Button variant="subtle" size="compact-sm" onClick={() => setOpen(!isOpen)} aria-expanded={isOpen || isGiven}>
        Paste its SPEC
      </Button>
      <Collapse expanded={isOpen || isGiven}>{children}</Collapse>
    </div>
  );
}
