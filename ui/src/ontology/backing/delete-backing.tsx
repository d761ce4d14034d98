import { Button, Group, Radio, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type BackingDatasetView, deleteBackingDataset } from '@weir/plugin-ontology/contract';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FaultNote } from '../../parts/fault-note.tsx';
import { useMay } from '../../session/person.ts';

type Entities = 'keep' | 'remove';

/** Ends a backing dataset, and says what becomes of its entities. */
export function DeleteBacking({ backing }: { backing: BackingDatasetView }) {
  const mayDelete = useMay(deleteBackingDataset);
  const [isOpen, setOpen] = useState(false);
  if (!mayDelete) return null;
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Delete…
      </Button>
      {isOpen ? <DeleteDialog backing={backing} close={() => setOpen(false)} /> : null}
    </>
  );
}

function DeleteDialog({ backing, close }: { backing: BackingDatasetView; close(): void }) {
  const { backing_dataset_id, name, entity_type_code: code, etag } = backing;
  const navigate = useNavigate();
  const [entities, setEntities] = useState<Entities>('keep');
  const remove = useChange(deleteBackingDataset);
  return (
    <Dialog title={`Delete ${name}?`} onClose={close}>
      <Stack gap="md">
        <Text size="sm">Its history is deleted for ever. The table stays as it is.</Text>
        <Radio.Group
          label={`Its entities of ${code}`}
          value={entities}
          onChange={(value) => setEntities(value === 'remove' ? 'remove' : 'keep')}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="keep" label="are kept as they are" />
            <Radio value="remove" label="are removed, unless another backing dataset brings them" />
          </Stack>
        </Radio.Group>
        {remove.error === null ? null : <FaultNote error={remove.error} />}
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={close}>
            Keep it
          </Button>
          <Button
            color="red"
            loading={remove.isPending}
            onClick={() =>
              remove.mutate(
                { params: { backing_dataset_id }, query: { entities }, headers: { 'if-match': `"${etag}"` } },
                { onSuccess: () => void navigate({ to: '/ontology', search: { tab: 'backing' } }) },
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
