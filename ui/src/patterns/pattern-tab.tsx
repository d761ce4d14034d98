import { Button, Group, Text } from '@mantine/core';
import { getTransformPattern, type TransformPatternView } from '@weir/plugin-transform-patterns/contract';
import type { TransformView } from '@weir/plugin-transforms/contract';
import { FormProvider, useForm } from 'react-hook-form';
import { useRead } from '../api/queries.ts';
import type { FormValues } from '../form/compose-config.ts';
import { useFieldFaults } from '../form/use-field-faults.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { Region } from '../parts/region.tsx';
import { type ParameterValues, PatternForm, parameterPath, parametersOf } from './pattern-form.tsx';

type Origin = NonNullable<TransformView['origin']>;

interface PatternTabProps {
  origin: Origin;
  saving: { error: Error | null; isPending: boolean; save(body: { parameters: Record<string, unknown> }): void };
  /** Leaves the form for the statement that it made. */
  toSql(): void;
}

/** A transform that was made of a pattern: the form as it was filled, to be changed. */
export function PatternTab(props: PatternTabProps) {
  const pattern = useRead(getTransformPattern, { params: { pattern_id: props.origin.pattern_id } });
  return (
    <>
      <Group justify="space-between" mb="md">
        <Text size="sm">
          Made of the pattern {pattern.data?.title ?? props.origin.pattern_id}, version {props.origin.version}
          {pattern.data === undefined || pattern.data.version === props.origin.version
            ? '.'
            : `. Saving makes the statement anew with version ${pattern.data.version}.`}
        </Text>
        <Button size="xs" variant="default" onClick={props.toSql}>
          Change the SQL instead
        </Button>
      </Group>
      <Region query={pattern}>{(data) => <Form {...props} pattern={data} />}</Region>
    </>
  );
}

function Form({ origin, saving, pattern }: PatternTabProps & { pattern: TransformPatternView }) {
  const form = useForm<ParameterValues>({ defaultValues: { config: origin.parameters as FormValues } });
  useFieldFaults(form.setError, saving.error, parameterPath);
  const { isDirty } = form.formState;
  const submit = form.handleSubmit(({ config }) => saving.save({ parameters: parametersOf(pattern, config) }));
  return (
    <FormProvider {...form}>
      {saving.error === null ? null : <FaultNote error={saving.error} />}
      <PatternForm
        pattern={pattern}
        onSubmit={submit}
        actions={
          <Group gap="sm">
            <Button type="submit" disabled={!isDirty} loading={saving.isPending}>
              Save and hydrate
            </Button>
            <Text size="sm" c="dimmed" role="status">
              {isDirty ? 'Not saved' : 'As saved'}
            </Text>
          </Group>
        }
      />
    </FormProvider>
  );
}
