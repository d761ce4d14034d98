import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { changeEntityType, type EntityTypeView } from '@weir/plugin-ontology/contract';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FaultNote } from '../../parts/fault-note.tsx';

/** Lengths that the server takes. */
const MAX_NAME = 200;
const MAX_DESCRIPTION = 2_000;

/** Name and description of a type; they belong to no version. */
export function LabelsDialog({ type, close }: { type: EntityTypeView; close(): void }) {
  const [name, setName] = useState(type.name);
  const [description, setDescription] = useState(type.description ?? '');
  const change = useChange(changeEntityType);
  const wanted = name.trim();
  return (
    <Dialog title={`Name and description of ${type.code}`} onClose={close}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (wanted === '') return;
          const body = { name: wanted, description: description.trim() === '' ? null : description.trim() };
          const headers = { 'if-match': `"${type.etag}"` };
          change.mutate({ params: { code: type.code }, body, headers }, { onSuccess: close });
        }}
      >
        <Stack>
          <TextInput
            label="Name"
            description="The code stays as it is"
            data-autofocus
            maxLength={MAX_NAME}
            value={name}
            error={wanted === '' ? 'A type has a name.' : undefined}
            onChange={({ currentTarget: { value } }) => setName(value)}
          />
          <Textarea
            label="Description"
            autosize
            minRows={2}
            maxRows={8}
            maxLength={MAX_DESCRIPTION}
            value={description}
            onChange={({ currentTarget: { value } }) => setDescription(value)}
          />
          {change.error === null ? null : <FaultNote error={change.error} />}
          <Group>
            <Button type="submit" loading={change.isPending}>
              Save
            </Button>
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
