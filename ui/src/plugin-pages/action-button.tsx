import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useChange } from '../api/queries.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FaultNote } from '../parts/fault-note.tsx';
import { useMay } from '../session/person.ts';
import { type Action, endpointOf, memberOf, type ShownPage } from './page-endpoint.ts';

interface ActionButtonProps {
  page: ShownPage;
  action: Action;
  /** The row that the path is filled from. */
  row?: unknown;
}

/** Does one thing, for those who may. */
export function ActionButton({ page, action, row }: ActionButtonProps) {
  const endpoint = endpointOf(page, action.operation);
  const may = useMay(endpoint);
  const change = useChange(endpoint);
  const [isAsking, setAsking] = useState(false);
  if (!may) return null;
  const names = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const params = Object.fromEntries(names.map((name) => [name, memberOf(row, name)]));
  const act = () => {
    setAsking(false);
    change.mutate({ params });
  };
  return (
    <Stack gap={4} align="flex-start">
      <Button
        size="compact-sm"
        variant="default"
        loading={change.isPending}
        onClick={action.confirm === undefined ? act : () => setAsking(true)}
      >
        {action.label}
      </Button>
      {change.error === null ? null : <FaultNote error={change.error} />}
      {isAsking ? (
        <Dialog title={action.label} onClose={() => setAsking(false)}>
          <Stack gap="md">
            <Text size="sm">{action.confirm}</Text>
            <Group justify="flex-end">
              <Button variant="default" data-autofocus onClick={() => setAsking(false)}>
                Cancel
              </Button>
              <Button onClick={act}>{action.label}</Button>
            </Group>
          </Stack>
        </Dialog>
      ) : null}
    </Stack>
  );
}
