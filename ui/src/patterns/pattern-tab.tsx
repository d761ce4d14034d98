import { Button, Group, Text } from '@mantine/core';
import { getTransformPattern, type TransformPatternView } from '@weir/plugin-transform-patterns/contract';
import type { TransformView } from '@weir/plugin-transforms/contract';
import { FormProvider, useForm } from 'react-hook-form';
import { useRead } from '../api/queries.ts';
import type { FormValues } from '../form/compose-config.ts';
import { useFieldFaults } from '../form/use-field-faults.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { Region } from '../parts/region.tsx';
import { DefinitionBar } from '../transforms/draft/definition-bar.tsx';
import { DraftActions } from '../transforms/draft/draft-actions.tsx';
import type { Saving } from '../transforms/draft/use-save.ts';
import { type ParameterValues, PatternForm, parameterPath, parametersOf } from './pattern-form.tsx';

type Origin = NonNullable<TransformView['origin']>;

interface PatternTabProps {
  origin: Origin;
  transform: TransformView;
  saving: Saving;
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

function Form({ origin, transform, saving, pattern }: PatternTabProps & { pattern: TransformPatternView }) {
  const form = useForm<ParameterValues>({ defaultValues: { config: origin.parameters as FormValues } });
  useFieldFaults(form.setError, saving.error, parameterPath);
  const { isDirty } = form.formState;
  const sent = ({ config }: ParameterValues) => ({ parameters: parametersOf(pattern, config) });
  const submit = form.handleSubmit((values) => saving.save(sent(values)));
  const putInForce = form.handleSubmit((values) => saving.putInForce(sent(values)));
  const unsaved = { isOfDefinition: true, save: () => void submit(), putInForce: () => void putInForce() };
  return (
    <FormProvider {...form}>
      <DefinitionBar transform={transform} unsaved={isDirty ? ['parameters'] : []}>
        <DraftActions transform={transform} saving={saving} unsaved={isDirty ? unsaved : undefined} />
      </DefinitionBar>
      {saving.error === null ? null : <FaultNote error={saving.error} />}
      <PatternForm pattern={pattern} onSubmit={submit} />
    </FormProvider>
  );
}
