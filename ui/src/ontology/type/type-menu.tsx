import { Button, Group, Menu, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { changeEntityType, type EntityTypeView, retireEntityType } from '@weir/plugin-ontology/contract';
import { MoreHorizontal } from 'lucide-react';
import { useState } from 'react';
import { ProblemError } from '../../api/problem-error.ts';
import { useChange } from '../../api/queries.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FaultNote } from '../../parts/fault-note.tsx';
import { useMay } from '../../session/person.ts';
import { LabelsDialog } from './labels-dialog.tsx';

type Status = EntityTypeView['status'];
type Next = 'active' | 'deprecated';

/** What may follow each status, beside its end. */
const NEXT: Readonly<Record<Status, readonly (readonly [Next, string])[]>> = {
  draft: [['active', 'Activate']],
  active: [['deprecated', 'Deprecate']],
  deprecated: [['active', 'Activate again']],
  retired: [['active', 'Bring it back']],
};

/** What is done to a type without a new version. */
export function TypeMenu({ type }: { type: EntityTypeView }) {
  const mayChange = useMay(changeEntityType);
  const mayRetire = useMay(retireEntityType) && type.status !== 'retired';
  const [open, setOpen] = useState<'labels' | 'retire'>();
  const change = useChange(changeEntityType);
  const close = () => setOpen(undefined);
  if (!mayChange) return null;
  const set = (status: Next) =>
    change.mutate({ params: { code: type.code }, body: { status }, headers: { 'if-match': `"${type.etag}"` } });
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" px="xs" aria-label="More actions" loading={change.isPending}>
            <MoreHorizontal size={16} aria-hidden />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {NEXT[type.status].map(([status, words]) => (
            <Menu.Item key={status} onClick={() => set(status)}>
              {words}
            </Menu.Item>
          ))}
          {type.status === 'retired' ? null : (
            <Menu.Item onClick={() => setOpen('labels')}>Change name and description…</Menu.Item>
          )}
          {mayRetire ? (
            <Menu.Item color="red" onClick={() => setOpen('retire')}>
              Retire…
            </Menu.Item>
          ) : null}
        </Menu.Dropdown>
      </Menu>
      {change.error === null ? null : <FaultNote error={change.error} />}
      {open === 'labels' ? <LabelsDialog type={type} close={close} /> : null}
      {open === 'retire' ? <RetireDialog type={type} close={close} /> : null}
    </>
  );
}

/** What has to be retired first. */
const usesIn = (error: unknown): { id: string; name: string }[] => {
  const { used_by: uses = [] } = (error instanceof ProblemError ? error.problem : {}) as {
    used_by?: { id: string; name: string }[];
  };
  return uses;
};

function RetireDialog({ type, close }: { type: EntityTypeView; close(): void }) {
  const navigate = useNavigate();
  const retire = useChange(retireEntityType);
  const uses = usesIn(retire.error);
  return (
    <Dialog title={`Retire ${type.name}?`} onClose={close}>
      <Stack gap="md">
        <Text size="sm">
          It is not found any more. Its versions and entities are kept, and its code{' '}
          <span className="mono-id">{type.code}</span> stays taken; it can be brought back.
        </Text>
        {retire.error === null ? null : <FaultNote error={retire.error} />}
        {uses.length === 0 ? null : (
          <Text size="sm" className="type-text">
            In the way: {uses.map(({ name, id }) => (name === id ? name : `${name} (${id})`)).join(', ')}.
          </Text>
        )}
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={close}>
            Keep it
          </Button>
          <Button
            color="red"
            loading={retire.isPending}
            onClick={() =>
              retire.mutate(
                { params: { code: type.code }, headers: { 'if-match': `"${type.etag}"` } },
                { onSuccess: () => void navigate({ to: '/ontology' }) },
              )
            }
          >
            Retire
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
