import { Button, Group, Select, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  type CredentialView,
  listCredentials,
  migrateCredentials,
  revokeCredential,
  type SourceView,
  setCredentials,
  updateSource,
} from '@weir/plugin-sources/contract';
import { Database, KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useChange, useRead } from '../../api/queries.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FaultNote } from '../../parts/fault-note.tsx';
import { ToneWord } from '../../parts/status-word.tsx';
import { useMay } from '../../session/person.ts';
import type { CredentialField } from './credential-fields.ts';
import { SecretForm } from './secret-form.tsx';

interface GivenProps {
  source: SourceView;
  fields: readonly CredentialField[];
}

/** Where credentials are kept sealed in the database: they have no versions, and can be replaced. */
export function InlineCredential({ source, fields }: GivenProps) {
  const [isReplacing, setReplacing] = useState(false);
  const change = useChange(updateSource);
  const has = source.has_credentials;
  const save = (credential_values: Record<string, string>) =>
    change.mutate(
      {
        params: { source_id: source.source_id },
        body: { credential_values },
        headers: { 'if-match': `"${source.etag}"` },
      },
      { onSuccess: () => setReplacing(false) },
    );
  return (
    <Stack className="panel" p="md">
      <Group gap="sm">
        <ToneWord icon={Database} tone={has ? 'good' : 'warn'} word={has ? 'Stored' : 'None stored'} />
        <Text fw={560}>Sealed in the database of this platform</Text>
      </Group>
      <Text size="sm" c="dimmed">
        This deployment keeps credentials inline: they have no versions, belong to this source alone, and are never
        shown. An operator moves all of them into a secret store with SOURCE_CREDENTIAL_MODE=secret_store.
      </Text>
      <FieldNames fields={fields} />
      {isReplacing || !has ? (
        <SecretForm
          fields={fields}
          submitLabel={has ? 'Replace credentials' : 'Store credentials'}
          isPending={change.isPending}
          error={change.error}
          save={({ values }) => save(values)}
          {...(has ? { cancel: () => setReplacing(false) } : {})}
        />
      ) : (
        <Group>
          <Button variant="default" onClick={() => setReplacing(true)}>
            Replace
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function FieldNames({ fields }: { fields: readonly CredentialField[] }) {
  return <Text size="sm">Secret fields: {fields.map(({ title }) => title).join(', ')}</Text>;
}

/** A source without a credential in the store: new values, one that is there, or its own from the database. */
export function NewCredential({ source, fields }: GivenProps) {
  const params = { source_id: source.source_id };
  const set = useChange(setCredentials);
  const isSealed = source.has_credentials && source.credential_ref === null;
  return (
    <Stack>
      {isSealed ? <Migration source={source} /> : null}
      <Stack className="panel" p="md">
        <Group gap="sm">
          <ToneWord icon={KeyRound} tone="warn" word="None attached" />
          <Title order={2} size="md">
            Give the source a credential
          </Title>
        </Group>
        <Attach source={source} attach={(credential_ref) => set.mutate({ params, body: { credential_ref } })} />
        <SecretForm
          fields={fields}
          proposedName={source.name}
          submitLabel="Store credential"
          isPending={set.isPending}
          error={set.error}
          save={({ values, name }) =>
            set.mutate({ params, body: { credential_values: values, credential_name: name } })
          }
        />
      </Stack>
    </Stack>
  );
}

const MAX_LISTED = 500;

/** The credentials of the tenant that a source of this pattern can use, where there are any. */
function Attach({ source, attach }: { source: SourceView; attach(ref: string): void }) {
  const { data } = useRead(listCredentials, { query: { limit: MAX_LISTED } });
  const usable = (data?.items ?? []).filter(({ kind, status }) => kind === source.pattern_id && status !== 'revoked');
  const [chosen, setChosen] = useState<string | null>(null);
  const picked = usable.find(({ credential_ref }) => credential_ref === chosen);
  if (usable.length === 0) return null;
  return (
    <Group align="flex-end">
      <Select
        label="Use one that is there"
        placeholder="Choose a credential"
        data={usable.map(({ credential_ref, name, version }) => ({
          value: credential_ref,
          label: `${name}, version ${version}`,
        }))}
        value={chosen}
        onChange={setChosen}
      />
      <Button variant="default" disabled={chosen === null} onClick={() => chosen !== null && attach(chosen)}>
        Attach
      </Button>
      {picked !== undefined && picked.reference_count === 0 ? (
        <Revoke key={picked.credential_ref} credential={picked} />
      ) : null}
    </Group>
  );
}

/** Moves what is sealed in the database into the store, for good. */
function Migration({ source }: { source: SourceView }) {
  const mayMove = useMay(migrateCredentials);
  const move = useChange(migrateCredentials);
  return (
    <Stack className="panel" p="md" gap="sm">
      <Group gap="sm">
        <ToneWord icon={Database} tone="warn" word="To be moved" />
        <Text fw={560}>Its credentials are still sealed in the database</Text>
      </Group>
      <Text size="sm" c="dimmed">
        Moving writes them into the secret store under the name {source.name}, and removes them here. There is no way
        back.
      </Text>
      {move.error === null ? null : <FaultNote error={move.error} />}
      {mayMove ? (
        <Group>
          <Button
            loading={move.isPending}
            onClick={() => move.mutate({ params: { source_id: source.source_id }, body: {} })}
          >
            Move into the secret store
          </Button>
        </Group>
      ) : (
        <Text size="sm">An admin of the tenant can move them.</Text>
      )}
    </Stack>
  );
}

/** Refuses a credential that no source uses, for ever. */
function Revoke({ credential }: { credential: CredentialView }) {
  const mayRevoke = useMay(revokeCredential);
  const [asked, { open, close }] = useDisclosure(false);
  const revoke = useChange(revokeCredential);
  const { credential_ref, name } = credential;
  if (!mayRevoke) return null;
  return (
    <>
      <Button variant="subtle" c="var(--mantine-color-error)" onClick={open}>
        Revoke
      </Button>
      {asked ? (
        <Dialog title={`Revoke ${name}?`} onClose={close}>
          <Stack>
            <Text size="sm">No source can use {name} again. What the secret store holds of it stays there.</Text>
            {revoke.error === null ? null : <FaultNote error={revoke.error} />}
            <Group>
              <Button variant="default" onClick={close} data-autofocus>
                Keep it
              </Button>
              <Button
                color="red"
                loading={revoke.isPending}
                onClick={() => revoke.mutate({ params: { credential_ref } }, { onSuccess: close })}
              >
                Revoke for ever
              </Button>
            </Group>
          </Stack>
        </Dialog>
      ) : null}
    </>
  );
}
