import { Alert, Button, Group, SegmentedControl, Stack, Text, TextInput, Title } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import {
  createPolicy,
  getPolicy,
  type PolicyDocumentView,
  type PolicyKindName,
  type PolicyView,
  updatePolicy,
} from '@weir/plugin-identity/contract';
import { CircleAlert } from 'lucide-react';
import { type FormEvent, useEffect, useState } from 'react';
import { ProblemError } from '../../api/problem-error.ts';
import { useChange, useRead } from '../../api/queries.ts';
import { FaultNote } from '../../parts/fault-note.tsx';
import { PolicyChange } from './policy-change.tsx';
import { documentOf, draftOf, newDraft } from './policy-draft.ts';
import { PolicyFields } from './policy-fields.tsx';
import { PolicyPreview } from './policy-preview.tsx';

const KINDS: readonly { value: PolicyKindName; label: string }[] = [
  { value: 'access', label: 'Who may do what' },
  { value: 'entity_resolution', label: 'Which rows are one thing' },
];

/** A new policy, which begins as a draft. */
export function NewPolicy() {
  const navigate = useNavigate({ from: '/operations' });
  const [name, setName] = useState('');
  const [note, setNote] = useState('');
  const [draft, setDraft] = useState(newDraft);
  const create = useChange(createPolicy);
  const read = documentOf(draft);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if ('fault' in read) return;
    const body = { name: name.trim(), kind: draft.kind, document: read.document, ...(note === '' ? {} : { note }) };
    void create
      .mutateAsync({ body })
      .then(({ policy_id }) => navigate({ search: { tab: 'policies', policy: policy_id } }))
      .catch(() => undefined);
  };
  return (
    <form onSubmit={send} aria-label="New policy">
      <Stack gap="md">
        <Title order={2}>New policy</Title>
        <Group gap="sm" align="flex-end">
          <TextInput
            label="Name"
            required
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <SegmentedControl
            aria-label="Kind"
            data={[...KINDS]}
            value={draft.kind}
            onChange={(kind) => setDraft({ ...draft, kind: kind as PolicyKindName })}
          />
        </Group>
        <PolicyFields draft={draft} onChange={setDraft} error={create.error} />
        <Why note={note} setNote={setNote} />
        {create.error === null ? null : <FaultNote error={create.error} />}
        <Group gap="sm">
          <Button type="submit" disabled={name.trim() === '' || 'fault' in read} loading={create.isPending}>
            Save as draft
          </Button>
          <Button
            variant="default"
            renderRoot={(props) => <Link to="/operations" search={{ tab: 'policies' }} {...props} />}
          >
            Cancel
          </Button>
          <Text size="sm" c="dimmed" role="status">
            {'fault' in read ? read.fault : 'A draft has no effect until it is put in force.'}
          </Text>
        </Group>
      </Stack>
    </form>
  );
}

/** The next version of a policy. Another version that was saved meanwhile is shown, and nothing typed is lost. */
export function EditPolicy({ policy, onDone }: { policy: PolicyView; onDone(): void }) {
  const [base, setBase] = useState(policy);
  const [draft, setDraft] = useState(() => draftOf(policy.kind, policy.document));
  const [note, setNote] = useState('');
  const update = useChange(updatePolicy);
  const read = documentOf(draft);
  const isConflict = update.error instanceof ProblemError && update.error.problem.code === 'conflict';
  const send = (expected_version: number) => {
    if ('fault' in read) return;
    const body = { document: read.document, expected_version, ...(note === '' ? {} : { note }) };
    void update
      .mutateAsync({ params: { policy_id: policy.policy_id }, body })
      .then(onDone)
      .catch(() => undefined);
  };
  const typed = 'fault' in read ? undefined : read.document;
  return (
    <form
      aria-label={`Change ${policy.name}`}
      onSubmit={(event) => {
        event.preventDefault();
        send(base.version);
      }}
    >
      <Stack gap="md">
        <PolicyFields draft={draft} onChange={setDraft} error={update.error} />
        <Why note={note} setNote={setNote} />
        {typed === undefined ? null : (
          <Stack gap="xs" p="md" className="panel" component="section" aria-labelledby="what-changes">
            <Title order={2} size="h4" id="what-changes">
              What changes to version {base.version}
            </Title>
            <PolicyChange before={base.document} after={typed as PolicyDocumentView} />
          </Stack>
        )}
        {policy.kind === 'access' ? <PolicyPreview policyId={policy.policy_id} document={typed} /> : null}
        {isConflict ? (
          <Conflict
            policyId={policy.policy_id}
            known={base.version}
            takeOver={(newest) => {
              setBase(newest);
              update.reset();
            }}
            drop={(newest) => {
              setBase(newest);
              setDraft(draftOf(newest.kind, newest.document));
              update.reset();
            }}
          />
        ) : update.error === null ? null : (
          <FaultNote error={update.error} />
        )}
        <Group gap="sm">
          <Button type="submit" disabled={'fault' in read || isConflict} loading={update.isPending}>
            {policy.status === 'active' ? 'Save, in force at once' : 'Save'}
          </Button>
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Text size="sm" c="dimmed" role="status">
            {'fault' in read ? read.fault : ''}
          </Text>
        </Group>
      </Stack>
    </form>
  );
}

interface ConflictProps {
  policyId: string;
  /** The version that was read before. */
  known: number;
  takeOver(newest: PolicyView): void;
  drop(newest: PolicyView): void;
}

/** Somebody saved another version since this one was read. */
function Conflict({ policyId, known, takeOver, drop }: ConflictProps) {
  const { data: newest, refetch } = useRead(getPolicy, { params: { policy_id: policyId } });
  useEffect(() => void refetch(), [refetch]);
  if (newest === undefined || newest.version === known) return null;
  return (
    <Alert
      role="alert"
      color="yellow"
      variant="outline"
      className="panel"
      icon={<CircleAlert aria-hidden />}
      title={`${newest.created_by} saved version ${newest.version} meanwhile`}
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          Nothing that you typed is lost. Compare it with the newest version, or begin again from it.
        </Text>
        <Group gap="sm">
          <Button size="xs" variant="default" onClick={() => takeOver(newest)}>
            Compare mine with version {newest.version}
          </Button>
          <Button size="xs" variant="default" onClick={() => drop(newest)}>
            Drop mine
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

function Why({ note, setNote }: { note: string; setNote(note: string): void }) {
  return (
    <TextInput
      label="Why"
      description="Kept with the version"
      maxLength={1_000}
      maw={560}
      value={note}
      onChange={(event) => setNote(event.currentTarget.value)}
    />
  );
}
