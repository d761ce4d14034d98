import { Anchor, Button, Group, Text, TextInput } from '@mantine/core';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { getTransformPattern, type TransformPatternView } from '@weir/plugin-transform-patterns/contract';
import { createTransform, hydrateTransform } from '@weir/plugin-transforms/contract';
import { FormProvider, useForm, useFormContext } from 'react-hook-form';
import { useChange, useRead } from '../api/queries.ts';
import { initialValues } from '../form/compose-config.ts';
import type { SchemaNode } from '../form/schema-node.ts';
import { useFieldFaults } from '../form/use-field-faults.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { NotAllowed } from '../parts/not-allowed.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Region } from '../parts/region.tsx';
import { useMay, usePerson } from '../session/person.ts';
import { outputFor } from '../statement/output-name.ts';
import { type ParameterValues, PatternForm, parameterPath, parametersOf } from './pattern-form.tsx';

interface NewValues extends ParameterValues {
  name: string;
  output: string;
}

/** Makes a transform of a pattern: a form, and beside it the statement and its rows while one types. */
export function PatternPage() {
  const { patternId } = useParams({ from: '/transforms/patterns/$patternId' });
  const pattern = useRead(getTransformPattern, { params: { pattern_id: patternId } });
  const canCreate = useMay(createTransform);
  if (!canCreate) return <NotAllowed title="New transform" things="transforms" />;
  return (
    <>
      {pattern.data === undefined ? <PageHead title="New transform" /> : null}
      <Region query={pattern}>{(data) => <NewForm key={data.pattern_id} pattern={data} />}</Region>
    </>
  );
}

const fieldOf = (pointer: string): string | undefined =>
  pointer === '/name' || pointer === '/output' ? pointer.slice(1) : parameterPath(pointer);

function NewForm({ pattern }: { pattern: TransformPatternView }) {
  const { tenant } = usePerson();
  const navigate = useNavigate();
  const create = useChange(createTransform);
  const hydrate = useChange(hydrateTransform);
  const form = useForm<NewValues>({
    defaultValues: {
      name: '',
      output: outputFor('', tenant, pattern.layer),
      config: initialValues(pattern.parameters as SchemaNode),
    },
  });
  useFieldFaults(form.setError, create.error, fieldOf);
  const submit = form.handleSubmit(async ({ name, output, config }) => {
    const body = { name, output, pattern_id: pattern.pattern_id, parameters: parametersOf(pattern, config) };
    const made = await create.mutateAsync({ body }).catch(() => undefined);
    if (made === undefined) return;
    // The page of the transform says what keeps it from running.
    await hydrate.mutateAsync({ params: { transform_id: made.transform_id } }).catch(() => undefined);
    await navigate({ to: '/transforms/$transformId', params: { transformId: made.transform_id } });
  });
  return (
    <FormProvider {...form}>
      <PageHead title={`New transform: ${pattern.title}`} />
      <Text mb="md">{pattern.description}</Text>
      {create.error === null ? null : <FaultNote error={create.error} />}
      <PatternForm
        pattern={pattern}
        head={<NameFields pattern={pattern} />}
        onSubmit={submit}
        actions={
          <Group>
            <Button type="submit" loading={create.isPending || hydrate.isPending}>
              Create transform
            </Button>
            <Anchor size="sm" renderRoot={(props) => <Link to="/transforms/patterns" {...props} />}>
              Another pattern
            </Anchor>
          </Group>
        }
      />
    </FormProvider>
  );
}

/** The output is named after the transform until a person names it otherwise. */
function NameFields({ pattern: { layer } }: { pattern: TransformPatternView }) {
  const { tenant } = usePerson();
  const { register, formState, getValues, setValue } = useFormContext<NewValues>();
  const required = 'This is required.';
  const name = register('name', {
    required,
    onChange: ({ target }: { target: { value: string } }) => {
      if (!formState.dirtyFields.output || getValues('output') === '')
        setValue('output', outputFor(target.value, tenant, layer));
    },
  });
  return (
    <>
      <TextInput
        {...name}
        label="Name"
        description="Lower-case letters, digits, _ and -"
        withAsterisk
        error={formState.errors.name?.message}
      />
      <TextInput
        {...register('output', { required })}
        label="Output table"
        description="<layer>.<scope>.<table>, of layer silver or gold"
        withAsterisk
        classNames={{ input: 'mono-id' }}
        error={formState.errors.output?.message}
      />
    </>
  );
}
