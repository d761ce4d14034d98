import { Button, Group, List, Stack } from '@mantine/core';
import { type SyncRouteView, setSyncRoute } from '@weir/plugin-ontology/contract';
import { useState } from 'react';
import { ProblemError } from '../../api/problem-error.ts';
import { useChange } from '../../api/queries.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FaultNote } from '../../parts/fault-note.tsx';
import { counted } from '../../parts/numbers.ts';
import { Evidence, type RouteEvidence } from './evidence.tsx';
import { openOf } from './open-work.tsx';

/** What follows for people and clients from the contract that new syncs go to. */
const CONSEQUENCES: Readonly<Record<number, string>> = {
  1: 'A replay of every row cannot be forced, and runs show neither what they attempted nor their jobs.',
  2: 'A replay of every row can be forced, and runs show what they attempted and their jobs.',
};

/** Moves new syncs to the other contract, after a dialog that names what happens. */
export function MoveButton({ route }: { route: SyncRouteView }) {
  const [isOpen, setOpen] = useState(false);
  const other = route.contract === 1 ? 2 : 1;
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Send new syncs to contract {other}…
      </Button>
      {isOpen ? <MoveDialog route={route} to={other} close={() => setOpen(false)} /> : null}
    </>
  );
}

interface MoveDialogProps {
  route: SyncRouteView;
  to: number;
  close(): void;
}

function MoveDialog({ route, to, close }: MoveDialogProps) {
  const [from] = useState(route.contract);
  const move = useChange(setSyncRoute);
  const open = openOf(route, from);
  return (
    <Dialog title={`Send new syncs to contract ${to}?`} size="xl" onClose={close}>
      <Stack gap="md">
        <List size="sm" spacing="xs">
          <List.Item>
            From then on every new sync of every tenant follows contract {to}. {CONSEQUENCES[to]}
          </List.Item>
          <List.Item>
            {open === 0
              ? `Nothing is open of contract ${from} now.`
              : `${counted(open, 'execution')} of contract ${from} ${open === 1 ? 'is' : 'are'} open and ${open === 1 ? 'ends' : 'end'} by it: keep its workers until then.`}
          </List.Item>
          <List.Item>
            First each queue is proven: a worker of this release polls it, and carries out a probe. Unless both are,
            nothing changes.
          </List.Item>
        </List>
        {move.error === null ? null : <Refused error={move.error} />}
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={close}>
            Stay with contract {from}
          </Button>
          <Button
            loading={move.isPending}
            onClick={() => move.mutate({ body: { contract: to } }, { onSuccess: close })}
          >
            Send to contract {to}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** Why new syncs stay where they are, with what was seen. */
function Refused({ error }: { error: Error }) {
  const evidence = error instanceof ProblemError ? (error.problem.evidence as RouteEvidence | undefined) : undefined;
  return (
    <Stack gap="sm">
      <FaultNote error={error} placeOf={(queue) => queue} />
      {evidence === undefined ? null : <Evidence evidence={evidence} title="What was seen" />}
    </Stack>
  );
}
