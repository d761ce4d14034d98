import { Button, Group, Stack, Text } from '@mantine/core';
import type { ShownFault } from '@weir/kernel/contract';
import type { TransformView } from '@weir/plugin-transforms/contract';
import { useState } from 'react';
import { FaultLine } from '../../faults/fault-list.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import type { Saving } from './use-save.ts';

interface DraftActionsProps {
  transform: TransformView;
  saving: Saving;
  /** What is typed and not saved; undefined for nothing. */
  unsaved: { isOfDefinition: boolean; save(): void; putInForce(): void; undo?: () => void } | undefined;
  /** What keeps the definition from being put in force, as far as it is known. */
  faults?: readonly ShownFault[];
  go?: (line: number, column: number) => void;
}

const WHY = 'why-not-in-force';

/** Saves what is typed as a draft, puts it in force, or takes it back. */
export function DraftActions({ transform, saving, unsaved, faults = [], go }: DraftActionsProps) {
  const [isDiscarding, setDiscarding] = useState(false);
  const { draft, version } = transform;
  const isWaiting = draft !== null || unsaved?.isOfDefinition === true;
  const [fault] = faults;
  const isKept = isWaiting && fault !== undefined;
  return (
    <Stack gap={4} align="flex-end">
      <Group gap="sm" justify="flex-end">
        {unsaved?.undo === undefined ? null : (
          <Button variant="default" size="sm" onClick={unsaved.undo}>
            Undo changes
          </Button>
        )}
        {draft === null || version === null || unsaved !== undefined ? null : (
          <Button variant="default" size="sm" onClick={() => setDiscarding(true)}>
            Discard draft…
          </Button>
        )}
        <Button
          variant="default"
          size="sm"
          disabled={unsaved === undefined}
          loading={saving.doing === 'save'}
          onClick={unsaved?.save}
        >
          {unsaved?.isOfDefinition === false ? 'Save' : 'Save draft'}
        </Button>
        <Button
          size="sm"
          disabled={!isWaiting || isKept}
          aria-describedby={isKept ? WHY : undefined}
          loading={saving.doing === 'put'}
          onClick={unsaved?.putInForce ?? (() => saving.putInForce())}
        >
          Put in force
        </Button>
      </Group>
      {isKept ? (
        <Text size="sm" id={WHY} c="var(--mantine-color-error)">
          It cannot be put in force. <FaultLine fault={fault} go={go} />
          {faults.length > 1 ? `, and ${faults.length - 1} more` : ''}
        </Text>
      ) : null}
      {isDiscarding ? (
        <DiscardDialog transform={transform} saving={saving} onClose={() => setDiscarding(false)} />
      ) : null}
    </Stack>
  );
}

interface DiscardDialogProps {
  transform: TransformView;
  saving: Saving;
  onClose(): void;
}

function DiscardDialog({ transform: { name, draft, version }, saving, onClose }: DiscardDialogProps) {
  return (
    <Dialog title={`Discard the draft of ${name}?`} onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">
          What was saved and is not in force is gone for good: {draft?.changes.join(', ')}. Version {version} stays in
          force.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={onClose}>
            Keep it
          </Button>
          <Button
            color="red"
            onClick={() => {
              saving.discard();
              onClose();
            }}
          >
            Discard draft
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
