import { Anchor, Button, Code, CopyButton, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import {
  type CredentialView,
  detachCredentials,
  listSources,
  rotateCredentials,
  type SourceView,
} from '@weir/plugin-sources/contract';
import { Ban, CheckCircle2, CircleDashed, KeyRound, type LucideIcon, Unlink } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useChange, useRead } from '../../api/queries.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FaultNote } from '../../parts/fault-note.tsx';
import { counted } from '../../parts/numbers.ts';
import { ShowTime } from '../../parts/show-time.tsx';
import { type Tone, ToneWord } from '../../parts/status-word.tsx';
import type { CredentialField } from './credential-fields.ts';
import { SecretForm } from './secret-form.tsx';

interface StoredCredentialProps {
  source: SourceView;
  credential: CredentialView;
  fields: readonly CredentialField[];
}

const STATUS: Readonly<Record<CredentialView['status'], [LucideIcon, Tone, string]>> = {
  active: [KeyRound, 'good', 'Active'],
  detached: [Unlink, 'quiet', 'Detached'],
  revoked: [Ban, 'bad', 'Revoked'],
};

/** A credential in the secret store: its version and life, and what can be done with it. */
export function StoredCredential({ source, credential, fields }: StoredCredentialProps) {
  const [asked, setAsked] = useState<'rotate' | 'detach'>();
  const close = () => setAsked(undefined);
  const [icon, tone, word] = STATUS[credential.status];
  return (
    <Stack className="panel" p="md">
      <Group justify="space-between">
        <Group gap="sm">
          <ToneWord icon={icon} tone={tone} word={word} />
          <Text fw={620} size="lg">
            {credential.name}
          </Text>
        </Group>
        <Group gap="xs">
          <Button size="sm" onClick={() => setAsked('rotate')}>
            Rotate
          </Button>
          <Button size="sm" variant="default" onClick={() => setAsked('detach')}>
            Detach
          </Button>
        </Group>
      </Group>
      <Facts credential={credential} fields={fields} />
      <OtherUsers source={source} credential={credential} />
      {asked === 'rotate' ? <Rotation source={source} credential={credential} fields={fields} close={close} /> : null}
      {asked === 'detach' ? <Detach source={source} credential={credential} close={close} /> : null}
    </Stack>
  );
}

function Facts({ credential, fields }: Pick<StoredCredentialProps, 'credential' | 'fields'>) {
  const titles = new Map(fields.map(({ pointer, title }) => [pointer, title]));
  return (
    <>
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <Fact label="Version">{credential.version}</Fact>
        <Fact label="Rotated">
          <ShowTime at={credential.rotated_at} />
        </Fact>
        <Fact label="Used by">{counted(credential.reference_count, 'source')}</Fact>
        <Fact label="Pattern">{credential.kind}</Fact>
      </SimpleGrid>
      <Group gap="xs">
        {credential.fields.map(({ field, present }) => (
          <ToneWord
            key={field}
            icon={present ? CheckCircle2 : CircleDashed}
            tone={present ? 'good' : 'quiet'}
            word={`${titles.get(field) ?? field}: ${present ? 'stored' : 'absent'}`}
          />
        ))}
      </Group>
      <CopyButton value={credential.credential_ref}>
        {({ copied, copy }) => (
          <Group gap="xs">
            <Code>{credential.credential_ref}</Code>
            <Button size="compact-xs" variant="default" onClick={copy}>
              {copied ? 'Copied' : 'Copy reference'}
            </Button>
          </Group>
        )}
      </CopyButton>
    </>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fw={620} component="div">
        {children}
      </Text>
    </div>
  );
}

function Rotation({ source, credential, fields, close }: StoredCredentialProps & { close(): void }) {
  const rotate = useChange(rotateCredentials);
  const params = { source_id: source.source_id };
  return (
    <Dialog title={`Rotate ${credential.name}`} onClose={close}>
      <Stack>
        <Text size="sm">
          What you give becomes version {credential.version + 1}
          {credential.reference_count > 1
            ? ` for all ${counted(credential.reference_count, 'source')} that use it`
            : ''}
          . Version {credential.version} stays in the store.
        </Text>
        <SecretForm
          fields={fields}
          submitLabel="Write the next version"
          isPending={rotate.isPending}
          error={rotate.error}
          save={({ values }) =>
            rotate.mutate(
              { params, body: { credential_values: values }, headers: { 'if-match': `"${credential.etag}"` } },
              { onSuccess: close },
            )
          }
          cancel={close}
        />
      </Stack>
    </Dialog>
  );
}

function Detach({ source, credential, close }: Omit<StoredCredentialProps, 'fields'> & { close(): void }) {
  const detach = useChange(detachCredentials);
  return (
    <Dialog title={`Detach ${credential.name} from ${source.name}?`} onClose={close}>
      <Stack>
        <Text size="sm">
          Without a credential no sync of {source.name} can start. The credential stays in the secret store and can be
          attached again.
        </Text>
        {detach.error === null ? null : <FaultNote error={detach.error} />}
        <Group>
          <Button variant="default" onClick={close} data-autofocus>
            Keep it
          </Button>
          <Button
            color="red"
            loading={detach.isPending}
            onClick={() => detach.mutate({ params: { source_id: source.source_id } }, { onSuccess: close })}
          >
            Detach
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

const MAX_SOURCES = 500;

/** The other sources that use it: a rotation counts for them too, and it is revoked only when none is left. */
function OtherUsers({ source, credential }: Omit<StoredCredentialProps, 'fields'>) {
  const { data } = useRead(listSources, { query: { limit: MAX_SOURCES } }, { enabled: credential.reference_count > 1 });
  const others = (data?.items ?? []).filter(
    ({ source_id, credential_ref }) => credential_ref === credential.credential_ref && source_id !== source.source_id,
  );
  if (others.length === 0) return null;
  return (
    <Group gap="xs">
      <Text size="sm">Also used by</Text>
      {others.map(({ source_id, name }) => (
        <Anchor
          key={source_id}
          size="sm"
          renderRoot={(props) => (
            <Link to="/sources/$sourceId" params={{ sourceId: source_id }} search={{ tab: 'credentials' }} {...props} />
          )}
        >
          {name}
        </Anchor>
      ))}
    </Group>
  );
}
