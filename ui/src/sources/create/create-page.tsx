import { Button, Collapse, Grid, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { createSource, getPattern, type PatternView, startDiscovery } from '@weir/plugin-sources/contract';
import { lazy, Suspense, useEffect, useState } from 'react';
import { FormProvider, useForm, useFormContext, useWatch } from 'react-hook-form';
import { useConnection } from '../../api/connection.ts';
import { useChange, useRead } from '../../api/queries.ts';
import { AnswerPlace } from '../../form/answer-place.tsx';
import { type Composed, composeConfig, type FormValues, isCredentialAt } from '../../form/compose-config.ts';
import { ErrorCount } from '../../form/error-count.tsx';
import { SchemaFields } from '../../form/schema-fields.tsx';
import type { SchemaNode } from '../../form/schema-node.ts';
import { useFieldFaults } from '../../form/use-field-faults.ts';
import { FaultNote } from '../../parts/fault-note.tsx';
import { NotAllowed } from '../../parts/not-allowed.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Region } from '../../parts/region.tsx';
import { useMay } from '../../session/person.ts';
import { DiscoveryResult } from './discovery-result.tsx';
import { makeSource, type NewSource } from './make-source.ts';
import { NAME, NAME_RULE } from './source-name.ts';

/** Read once somebody asks for it. */
const AsCommand = lazy(() => import('./as-command.tsx').then((module) => ({ default: module.AsCommand })));

interface CreateValues {
  name: string;
  config: FormValues;
}

/** Makes a source of a pattern: what is typed is tried first. */
export function CreatePage() {
  const { patternId } = useParams({ from: '/sources/new/$patternId' });
  const pattern = useRead(getPattern, { params: { pattern_id: patternId } });
  const canCreate = useMay(createSource);
  if (!canCreate) return <NotAllowed title="New source" things="sources" />;
  return (
    <>
      {pattern.data === undefined ? <PageHead title="New source" /> : null}
      <Region query={pattern}>{(data) => <CreateForm pattern={data} />}</Region>
    </>
  );
}

/** The field of a member of the request. */
function pathOf(pointer: string): string | undefined {
  const [first, ...rest] = pointer.slice(1).split('/');
  if (first === 'name') return first;
  return first === 'source_config' || first === 'credential_values' ? ['config', ...rest].join('.') : undefined;
}

/** What was tried: it is no longer what is typed once the form changes. */
interface Tried extends Composed {
  workflowId: string;
}

function CreateForm({ pattern }: { pattern: PatternView }) {
  const schema = pattern.spec as SchemaNode;
  const form = useForm<CreateValues>({
    defaultValues: { name: pattern.pattern_id, config: {} },
    shouldFocusError: true,
  });
  const start = useChange(startDiscovery);
  const [tried, setTried] = useState<Tried>();
  const making = useMaking(pattern);
  const isCredential = (pointer: string) => isCredentialAt(pointer, pattern.credential_fields);
  useFieldFaults(form.setError, start.error ?? making.error, pathOf);
  // What was typed since is untried.
  useEffect(
    () =>
      form.subscribe({
        formState: { values: true },
        callback: ({ name }) => name?.startsWith('config') && setTried(undefined),
      }),
    [form],
  );
  const test = form.handleSubmit(({ config: typed }) => {
    const composed = composeConfig(schema, typed, pattern.credential_fields);
    const { config, credentials } = composed;
    setTried(undefined);
    start.mutate(
      {
        body: {
          pattern_id: pattern.pattern_id,
          source_config: config,
          ...(credentials === undefined ? {} : { credential_values: credentials }),
        },
      },
      { onSuccess: ({ workflow_id }) => setTried({ ...composed, workflowId: workflow_id }) },
    );
  });
  const make = (found: Pick<NewSource, 'found' | 'chosen'>) =>
    form.handleSubmit(({ name }) => {
      if (tried === undefined) return;
      making.make({
        ...found,
        name,
        patternId: pattern.pattern_id,
        config: tried.config,
        discovery: tried.workflowId,
        hasCredentials: tried.credentials !== undefined,
      });
    })();
  return (
    <FormProvider {...form}>
      <PageHead title={`New source: ${pattern.name}`} />
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 5 }}>
          <form onSubmit={test} noValidate>
            <Stack>
              <NameAndConfig schema={schema} isCredential={isCredential} />
              <Group>
                <Button type="submit" loading={start.isPending} variant={tried === undefined ? 'filled' : 'default'}>
                  Test and discover
                </Button>
              </Group>
              <SameAsCommand pattern={pattern} />
            </Stack>
          </form>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <AnswerPlace of={tried?.workflowId ?? start.error ?? making.error}>
            {start.error === null ? null : <FaultNote error={start.error} />}
            {tried === undefined ? (
              start.error === null && (
                <Text c="dimmed">Test the connection to see which streams it has. Nothing is saved before that.</Text>
              )
            ) : (
              <DiscoveryResult
                key={tried.workflowId}
                workflowId={tried.workflowId}
                onCreate={make}
                isCreating={making.isPending}
              />
            )}
            {making.error === undefined ? null : <FaultNote error={making.error} />}
          </AnswerPlace>
        </Grid.Col>
      </Grid>
    </FormProvider>
  );
}

function NameAndConfig({ schema, isCredential }: { schema: SchemaNode; isCredential(pointer: string): boolean }) {
  const { register, formState } = useFormContext<CreateValues>();
  const rules = { required: 'This is required.', validate: (name: string) => NAME.test(name) || NAME_RULE };
  return (
    <>
      <ErrorCount errors={formState.errors} />
      <TextInput
        {...register('name', rules)}
        label="Name"
        description="As the source is called from now on"
        withAsterisk
        error={formState.errors.name?.message}
      />
      <SchemaFields node={schema} place={{ path: 'config', pointer: '' }} context={{ isCredential }} />
    </>
  );
}

/** The form as a command, which follows what is typed. */
function SameAsCommand({ pattern }: { pattern: PatternView }) {
  const [isOpen, { toggle }] = useDisclosure(false);
  return (
    <div>
      <Button variant="subtle" size="compact-sm" onClick={toggle} aria-expanded={isOpen}>
        As a command
      </Button>
      <Collapse expanded={isOpen}>{isOpen ? <TypedCommand pattern={pattern} /> : null}</Collapse>
    </div>
  );
}

function TypedCommand({ pattern }: { pattern: PatternView }) {
  const { name, config } = useWatch<CreateValues>() as CreateValues;
  const composed = composeConfig(pattern.spec as SchemaNode, config, pattern.credential_fields);
  return (
    <Suspense fallback={null}>
      <AsCommand source={{ ...composed, name, patternId: pattern.pattern_id }} />
    </Suspense>
  );
}

/** Creates the source and opens it. */
function useMaking(pattern: PatternView) {
  const connection = useConnection();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [error, setError] = useState<Error>();
  const [isPending, setPending] = useState(false);
  const make = (given: NewSource) => {
    setPending(true);
    setError(undefined);
    makeSource(connection, queries, { ...given, patternId: pattern.pattern_id })
      .then(({ source_id }) => navigate({ to: '/sources/$sourceId', params: { sourceId: source_id } }))
      .catch(setError)
      .finally(() => setPending(false));
  };
  return { make, error, isPending };
}
