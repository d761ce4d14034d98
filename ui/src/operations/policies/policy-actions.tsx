import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { clonePolicy, deletePolicy, type PolicyView, updatePolicy } from '@weir/plugin-identity/contract';
import { type FormEvent, useState } from 'react';
import { ask } from '../../api/ask.ts';
import { useConnection } from '../../api/connection.ts';
import { ProblemError } from '../../api/problem-error.ts';
import { readAgain, useChange } from '../../api/queries.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FaultNote } from '../../parts/fault-note.tsx';
import { PolicyPreview } from './policy-preview.tsx';

/** What an admin can do with a policy. */
export function PolicyActions({ policy }: { policy: PolicyView }) {
  const [open, setOpen] = useState<'status' | 'clone' | 'delete'>();
  const close = () => setOpen(undefined);
  const isActive = policy.status === 'active';
  return (
    <Group gap="xs">
      <Button
        size="sm"
        renderRoot={(props) => (
          <Link to="/operations" search={{ tab: 'policies', policy: policy.policy_id, show: 'edit' }} {...props} />
        )}
      >
        Change
      </Button>
      <Button size="sm" variant="default" onClick={() => setOpen('status')}>
        {isActive ? 'Archive…' : 'Put in force…'}
      </Button>
      <Button size="sm" variant="default" onClick={() => setOpen('clone')}>
        Clone…
      </Button>
      <Button size="sm" variant="default" onClick={() => setOpen('delete')}>
        Delete…
      </Button>
      {open === 'status' ? <ChangeStatus policy={policy} onClose={close} /> : null}
      {open === 'clone' ? <Clone policy={policy} onClose={close} /> : null}
      {open === 'delete' ? <Delete policy={policy} onClose={close} /> : null}
    </Group>
  );
}

interface DialogProps {
  policy: PolicyView;
  onClose(): void;
}

function ChangeStatus({ policy, onClose }: DialogProps) {
  const { policy_id, name, version, document, kind } = policy;
  const isActive = policy.status === 'active';
  const [allowLockout, setAllowLockout] = useState(false);
  const update = useChange(updatePolicy);
  const locksOut = update.error instanceof ProblemError && update.error.problem.code === 'last_admin_policy';
  const send = () => {
    const body = {
      document: document as Record<string, unknown>,
      expected_version: version,
      status: isActive ? ('archived' as const) : ('active' as const),
      ...(allowLockout ? { allow_lockout: true } : {}),
    };
    void update
      .mutateAsync({ params: { policy_id }, body })
      .then(onClose)
      .catch(() => undefined);
  };
  return (
    <Dialog title={isActive ? `Archive ${name}?` : `Put ${name} in force?`} size="lg" onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">
          {isActive
            ? `Version ${version} has no effect any more, within five seconds everywhere. It can be put in force again.`
            : `Version ${version} holds at once for every call, and within five seconds in every process.`}
        </Text>
        {kind === 'access' && !isActive ? <PolicyPreview policyId={policy_id} document={document} /> : null}
        {update.error === null ? null : <FaultNote error={update.error} />}
        {locksOut ? (
          <Checkbox
            label="I accept that no admin, or not I, can change policies afterwards"
            checked={allowLockout}
            onChange={(event) => setAllowLockout(event.currentTarget.checked)}
          />
        ) : null}
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={onClose}>
            Leave it
          </Button>
          <Button loading={update.isPending} onClick={send}>
            {isActive ? 'Archive' : 'Put in force'}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function Clone({ policy, onClose }: DialogProps) {
  const navigate = useNavigate({ from: '/operations' });
  const [name, setName] = useState(`${policy.name}-2`);
  const clone = useChange(clonePolicy);
  const send = (event: FormEvent) => {
    event.preventDefault();
    void clone
      .mutateAsync({ params: { policy_id: policy.policy_id }, body: { name: name.trim(), version: policy.version } })
      .then(({ policy_id }) => navigate({ search: { tab: 'policies', policy: policy_id } }))
      .catch(() => undefined);
  };
  return (
    <Dialog title={`Clone ${policy.name}`} onClose={onClose}>
      <form onSubmit={send}>
        <Stack gap="md">
          <TextInput
            label="Name of the copy"
            description={`A draft of what version ${policy.version} says`}
            required
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {clone.error === null ? null : <FaultNote error={clone.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={name.trim() === ''} loading={clone.isPending}>
              Clone
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

function Delete({ policy, onClose }: DialogProps) {
  const navigate = useNavigate({ from: '/operations' });
  const connection = useConnection();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => ask(connection, deletePolicy, { params: { policy_id: policy.policy_id } }),
    // Left first: to read again a policy that is gone would be refused.
    onSuccess: async () => {
      await navigate({ search: { tab: 'policies' } });
      await readAgain(queries, 'identity');
    },
  });
  return (
    <Dialog title={`Delete ${policy.name}?`} onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">
          {policy.status === 'active' ? 'It is in force. What it forbids is allowed again. ' : ''}
          Its versions go with it. The audit trail keeps who changed it.
        </Text>
        {remove.error === null ? null : <FaultNote error={remove.error} />}
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={onClose}>
            Keep it
          </Button>
          <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            Delete
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
