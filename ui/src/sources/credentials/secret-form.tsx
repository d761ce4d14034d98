import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { faultsByField } from '../../faults/problem-faults.ts';
import { SecretInput } from '../../form/secret-input.tsx';
import { FaultNote } from '../../parts/fault-note.tsx';
import { NAME, NAME_RULE } from '../create/source-name.ts';
import type { CredentialField } from './credential-fields.ts';

export interface SecretValues {
  values: Record<string, string>;
  name: string;
}

interface SecretFormProps {
  fields: readonly CredentialField[];
  /** The proposed name of a new credential; undefined where none is asked for. */
  proposedName?: string;
  submitLabel: string;
  isPending: boolean;
  error: Error | null;
  save(given: SecretValues): void;
  cancel?: () => void;
}

/** Secret values to be kept: what is kept already is never shown, so all of them are rewritten. */
export function SecretForm({ fields, proposedName, submitLabel, isPending, error, save, cancel }: SecretFormProps) {
  const [values, setValues] = useState<Record<string, string>>({});
  const [name, setName] = useState(proposedName ?? '');
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
  const isNamed = proposedName === undefined || NAME.test(name);
  const faults = new Map(
    [...faultsByField(error)].map(([pointer, sentence]) => [
      pointer.replace(/^\/(credential_values|source_config)/, ''),
      sentence,
    ]),
  );
  return (
    <form
      noValidate
      aria-label={submitLabel}
      onSubmit={(event) => {
        event.preventDefault();
        if (isNamed && Object.keys(given).length > 0) save({ values: given, name });
      }}
    >
      <Stack maw={520}>
        {proposedName === undefined ? null : (
          <TextInput
            label="Name of the credential"
            description="By which it is found again; it says nothing of the values"
            withAsterisk
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={isNamed ? undefined : NAME_RULE}
          />
        )}
        {fields.map(({ pointer, title, description, isLong }) => (
          <SecretInput
            key={pointer}
            label={title}
            description={description}
            isLong={isLong}
            value={values[pointer] ?? ''}
            error={faults.get(pointer)}
            onValue={(value) => setValues((before) => ({ ...before, [pointer]: value }))}
          />
        ))}
        {fields.length > 1 ? (
          <Text size="sm" c="dimmed">
            Fill in every field that the source needs: the values of before are not carried over.
          </Text>
        ) : null}
        {error === null ? null : <FaultNote error={error} />}
        <Group>
          <Button type="submit" loading={isPending} disabled={!isNamed || Object.keys(given).length === 0}>
            {submitLabel}
          </Button>
          {cancel === undefined ? null : (
            <Button variant="default" onClick={cancel}>
              Cancel
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
