import { Button, Grid, Group, Stack, Text } from '@mantine/core';
import {
  credentialProblems,
  type PatternView,
  type SourceView,
  startDiscovery,
  updateSource,
} from '@weir/plugin-sources/contract';
import { useEffect, useMemo, useRef, useState } from 'react';
import { FormProvider, useForm } from 'react-hook-form';
import { ProblemError } from '../../api/problem-error.ts';
import { useChange } from '../../api/queries.ts';
import { AnswerPlace } from '../../form/answer-place.tsx';
import { type Composed, composeConfig, type FormValues, isCredentialAt } from '../../form/compose-config.ts';
import { ErrorCount } from '../../form/error-count.tsx';
import { mergePatchOf, valuesOf } from '../../form/form-values.ts';
import { SchemaFields } from '../../form/schema-fields.tsx';
import { type SchemaNode, titleOf } from '../../form/schema-node.ts';
import { useFieldFaults } from '../../form/use-field-faults.ts';
import { FaultNote } from '../../parts/fault-note.tsx';
import { TriedChange } from './tried-change.tsx';
import { useStoredSecrets } from './use-stored-secrets.ts';

interface ConfigurationFormProps {
  source: SourceView;
  pattern: PatternView;
  /** The pointer of the field that is to be corrected. */
  field?: string | undefined;
  close(saved: boolean): void;
}

interface Values {
  config: FormValues;
}

/** What a change sends: a merge patch of the configuration, and new values of credentials. */
type Change = Required<
  Pick<NonNullable<Parameters<ReturnType<typeof useChange<typeof updateSource>>['mutate']>[0]['body']>, 'source_config'>
> & {
  credential_values?: Record<string, unknown>;
};

const NAME_REQUIRED = credentialProblems.credentialNameRequired.entry.code;
const CREDENTIALS_REQUIRED = credentialProblems.credentialsRequired.entry.code;

/** The field of a member of the request. */
function pathOf(pointer: string): string | undefined {
  const [first, ...rest] = pointer.slice(1).split('/');
  return first === 'source_config' || first === 'credential_values' ? ['config', ...rest].join('.') : undefined;
}

/** Changes the configuration of a source: what is typed can be tried before it is saved. */
export function ConfigurationForm({ source, pattern, field, close }: ConfigurationFormProps) {
  const schema = pattern.spec as SchemaNode;
  const credentialFields = pattern.credential_fields;
  const form = useForm<Values>({ defaultValues: { config: valuesOf(schema, source.source_config) } });
  const before = useMemo(
    () => composeConfig(schema, valuesOf(schema, source.source_config), credentialFields),
    [schema, source.source_config, credentialFields],
  );
  const tryIt = useChange(startDiscovery);
  const save = useChange(updateSource);
  const [tried, setTried] = useState<string>();
  const error = save.error ?? tryIt.error;
  const isAgain = useStays(codeOf(error) === CREDENTIALS_REQUIRED);
  const secrets = useStoredSecrets(source, credentialFields, isAgain);
  useFieldFaults(form.setError, error, pathOf);
  useUntried(form, () => setTried(undefined));
  useFieldInSight(form, field);
  const begin = (send: (change: Change | undefined) => void) =>
    form.handleSubmit(({ config }) => {
      tryIt.reset();
      save.reset();
      send(changeOf(before, composeConfig(schema, config, credentialFields)));
    });
  const test = begin((change) =>
    tryIt.mutate(
      { body: { source_id: source.source_id, ...(change ?? { source_config: {} }) } },
      { onSuccess: ({ workflow_id }) => setTried(workflow_id) },
    ),
  );
  const keep = begin((change) => (change === undefined ? close(false) : sendChange(save, source, change, close)));
  const isCredential = (pointer: string) => isCredentialAt(pointer, credentialFields);
  return (
    <FormProvider {...form}>
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <form onSubmit={keep} noValidate aria-label="Configuration">
            <Stack>
              <ErrorCount errors={form.formState.errors} />
              <SchemaFields
                node={schema}
                place={{ path: 'config', pointer: '' }}
                context={{ isCredential, stored: secrets, shown: field }}
              />
              <FormActions
                isTesting={tryIt.isPending}
                isSaving={save.isPending}
                test={() => void test()}
                cancel={() => close(false)}
              />
            </Stack>
          </form>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <AnswerPlace of={tried ?? error}>
            {error === null ? null : <FaultNote error={error} placeOf={(pointer) => titleAt(schema, pointer)} />}
            {tried === undefined ? null : (
              <TriedChange key={tried} workflowId={tried} schema={schema} focus={(pointer) => focusOn(form, pointer)} />
            )}
          </AnswerPlace>
        </Grid.Col>
      </Grid>
    </FormProvider>
  );
}

interface FormActionsProps {
  isTesting: boolean;
  isSaving: boolean;
  test(): void;
  cancel(): void;
}

function FormActions({ isTesting, isSaving, test, cancel }: FormActionsProps) {
  return (
    <>
      <Group>
        <Button variant="default" loading={isTesting} onClick={test}>
          Test
        </Button>
        <Button type="submit" loading={isSaving}>
          Save
        </Button>
        <Button variant="subtle" onClick={cancel}>
          Cancel
        </Button>
      </Group>
      <Text size="sm" c="dimmed">
        A test looks at the source with these values and changes nothing.
      </Text>
    </>
  );
}

type Save = ReturnType<typeof useChange<typeof updateSource>>;

/** Saves a change of exactly the source that was shown. */
function sendChange(save: Save, source: SourceView, change: Change, close: (saved: boolean) => void): void {
  const call = { params: { source_id: source.source_id }, headers: { 'if-match': `"${source.etag}"` } };
  const onSuccess = () => close(true);
  const onError = (refused: Error) => {
    // A first credential in the secret store needs a name.
    if (codeOf(refused) !== NAME_REQUIRED) return;
    save.mutate({ ...call, body: { ...change, credential_name: source.name } }, { onSuccess });
  };
  save.mutate({ ...call, body: change }, { onSuccess, onError });
}

const codeOf = (error: Error | null): string | undefined =>
  error instanceof ProblemError ? error.problem.code : undefined;

/** What has to be sent for what was typed; undefined where nothing has changed. */
function changeOf(before: Composed, after: Composed): Change | undefined {
  const patch = mergePatchOf(before.config, after.config);
  if (patch === undefined && after.credentials === undefined) return undefined;
  return {
    source_config: patch ?? {},
    ...(after.credentials !== undefined && { credential_values: after.credentials }),
  };
}

/** The title of the field that a pointer of a refusal names. */
function titleAt({ properties = {} }: SchemaNode, pointer: string): string | undefined {
  const [, , name = ''] = pointer.split('/');
  const node = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return node && titleOf(name, node);
}

/** True from the first time on: what had to be given again stays asked for. */
function useStays(now: boolean): boolean {
  const [was, setWas] = useState(false);
  useEffect(() => {
    if (now) setWas(true);
  }, [now]);
  return was || now;
}

type Form = ReturnType<typeof useForm<Values>>;

const focusOn = (form: Form, pointer: string) =>
  form.setFocus(['config', ...pointer.slice(1).split('/')].join('.') as 'config');

/** What was typed since is untried. */
function useUntried(form: Form, untried: () => void): void {
  const told = useRef(untried);
  told.current = untried;
  useEffect(
    () => form.subscribe({ formState: { values: true }, callback: ({ name }) => name && told.current() }),
    [form],
  );
}

/** Puts the cursor into the field that the address names. */
function useFieldInSight(form: Form, field: string | undefined): void {
  useEffect(() => {
    if (field !== undefined) focusOn(form, field);
  }, [form, field]);
}
