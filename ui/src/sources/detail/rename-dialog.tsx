import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type SourceView, updateSource } from '@weir/plugin-sources/contract';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FaultNote } from '../../parts/fault-note.tsx';
import { NAME, NAME_RULE } from '../create/source-name.ts';

/** Gives a source another name. Its tables keep theirs. */
export function RenameDialog({ source, close }: { source: SourceView; close(): void }) {
  const [name, setName] = useState(source.name);
  const rename = useChange(updateSource);
  const isName = NAME.test(name);
  return (
    <Dialog title={`Rename ${source.name}`} onClose={close}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (name === source.name) return close();
          if (!isName) return;
          const headers = { 'if-match': `"${source.etag}"` };
          rename.mutate({ params: { source_id: source.source_id }, body: { name }, headers }, { onSuccess: close });
        }}
      >
        <Stack>
          <TextInput
            label="Name"
            description="Tables that its streams write keep their names, and links to this page stay as they are"
            data-autofocus
            value={name}
            error={isName ? undefined : NAME_RULE}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {rename.error === null ? null : <FaultNote error={rename.error} />}
          <Group>
            <Button type="submit" loading={rename.isPending}>
              Rename
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
