import { Button, Group, Menu, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import {
  changeTransform,
  deleteTransform,
  hydrateTransform,
  materializeTransform,
  type TransformView,
} from '@weir/plugin-transforms/contract';
import { MoreHorizontal } from 'lucide-react';
import { useState } from 'react';
import { useChange } from '../api/queries.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FaultNote } from '../parts/fault-note.tsx';
import { useMay } from '../session/person.ts';

/** What is done to a transform seldom. */
export function TransformMenu({ transform }: { transform: TransformView }) {
  const mayChange = useMay(changeTransform);
  const mayRun = useMay(materializeTransform);
  const [isDeleting, setDeleting] = useState(false);
  const change = useChange(changeTransform);
  const hydrate = useChange(hydrateTransform);
  const start = useChange(materializeTransform);
  const params = { transform_id: transform.transform_id };
  const fault = change.error ?? hydrate.error ?? start.error;
  if (!mayChange) return null;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" px="xs" aria-label="More actions">
            <MoreHorizontal size={16} aria-hidden />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => hydrate.mutate({ params })}>
            {transform.draft === null ? 'Check against its inputs again' : 'Put the draft in force'}
          </Menu.Item>
          {mayRun ? (
            <Menu.Item onClick={() => start.mutate({ params, body: { force: true } })}>
              Run even if nothing changed
            </Menu.Item>
          ) : null}
          <Menu.Item onClick={() => change.mutate({ params, body: { archived: !transform.archived } })}>
            {transform.archived ? 'Restore' : 'Archive'}
          </Menu.Item>
          <Menu.Item color="red" onClick={() => setDeleting(true)}>
            Delete…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {fault === null ? null : <FaultNote error={fault} />}
      {isDeleting ? <DeleteDialog transform={transform} onClose={() => setDeleting(false)} /> : null}
    </>
  );
}

function DeleteDialog({ transform, onClose }: { transform: TransformView; onClose(): void }) {
  const navigate = useNavigate();
  const remove = useChange(deleteTransform);
  return (
    <Dialog title={`Delete ${transform.name}?`} onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">
          Its versions, runs and artifacts are deleted for ever. Its table{' '}
          <span className="mono-id">{transform.output}</span> stays with its rows. Archive it instead to keep the
          history.
        </Text>
        {remove.error === null ? null : <FaultNote error={remove.error} />}
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={onClose}>
            Keep it
          </Button>
          <Button
            color="red"
            loading={remove.isPending}
            onClick={() =>
              remove.mutate(
                { params: { transform_id: transform.transform_id } },
                { onSuccess: () => void navigate({ to: '/transforms' }) },
              )
            }
          >
            Delete for ever
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
