import { Button, Group, Stack, Text } from '@mantine/core';
import { FormProvider, useForm } from 'react-hook-form';
import { useChange } from '../api/queries.ts';
import { composeConfig, type FormValues, initialValues } from '../form/compose-config.ts';
import { ErrorCount } from '../form/error-count.tsx';
import { SchemaFields } from '../form/schema-fields.tsx';
import type { SchemaNode } from '../form/schema-node.ts';
import { useFieldFaults } from '../form/use-field-faults.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { useMay } from '../session/person.ts';
import { type BlockOf, endpointOf, type ShownPage } from './page-endpoint.ts';

const CONTEXT = { isCredential: () => false };
const pathOf = (pointer: string): string => `config${pointer.replaceAll('/', '.')}`;

/** The body of an endpoint as a form, for those who may call it. */
export function FormBlock({ page, block }: { page: ShownPage; block: BlockOf<'form'> }) {
  const endpoint = endpointOf(page, block.operation);
  const schema = page.operations.find(({ operation }) => operation === block.operation)?.body as SchemaNode;
  const may = useMay(endpoint);
  const change = useChange(endpoint);
  const form = useForm<{ config: FormValues }>({ defaultValues: { config: initialValues(schema) } });
  useFieldFaults(form.setError, change.error, pathOf);
  if (!may)
    return (
      <Text size="sm" c="dimmed">
        Your role may look here and not change anything.
      </Text>
    );
  const submit = form.handleSubmit(async ({ config }) => {
    const body = composeConfig(schema, config, []).config;
    const isDone = await change.mutateAsync({ body }).then(
      () => true,
      () => false,
    );
    if (isDone) form.reset();
  });
  return (
    <FormProvider {...form}>
      <form onSubmit={submit} noValidate>
        <Stack maw={560}>
          <ErrorCount errors={form.formState.errors} />
          {change.error === null ? null : <FaultNote error={change.error} />}
          <SchemaFields node={schema} place={{ path: 'config', pointer: '' }} context={CONTEXT} />
          <Group gap="sm">
            <Button type="submit" loading={change.isPending}>
              {block.submit}
            </Button>
            {change.isSuccess ? (
              <Text size="sm" role="status">
                Done.
              </Text>
            ) : null}
          </Group>
        </Stack>
      </form>
    </FormProvider>
  );
}
