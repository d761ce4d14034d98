import { Button, Group, List, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { deleteSource, type SourceView } from '@weir/plugin-sources/contract';
import { useChange } from '../../api/queries.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FaultNote } from '../../parts/fault-note.tsx';
import { counted } from '../../parts/numbers.ts';

/** Says what ends with a source and what stays, before it is deleted. */
export function DeleteDialog({ source, close }: { source: SourceView; close(): void }) {
  const navigate = useNavigate();
  const remove = useChange(deleteSource);
  const params = { source_id: source.source_id };
  const headers = { 'if-match': `"${source.etag}"` };
  return (
    <Dialog title={`Delete ${source.name}?`} onClose={close}>
      <Stack gap="md">
        <div>
          <Text size="sm" fw={560}>
            This ends, and cannot be taken back:
          </Text>
          <List size="sm">
            <List.Item>the source with its configuration and {counted(source.streams, 'stream')}</List.Item>
            {source.schedule === null ? null : <List.Item>its schedule: no sync starts any more</List.Item>}
            {source.has_credentials ? <List.Item>{credentialWords(source)}</List.Item> : null}
          </List>
        </div>
        <div>
          <Text size="sm" fw={560}>
            This stays:
          </Text>
          <List size="sm">
            <List.Item>its tables, with every row and snapshot</List.Item>
            <List.Item>its runs, their logs and receipts</List.Item>
          </List>
        </div>
        {remove.error === null ? null : <FaultNote error={remove.error} />}
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={close}>
            Keep it
          </Button>
          <Button
            color="red"
            loading={remove.isPending}
            onClick={() => remove.mutate({ params, headers }, { onSuccess: () => void navigate({ to: '/sources' }) })}
          >
            Delete the source
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

const credentialWords = ({ credential_ref }: SourceView): string =>
  credential_ref === null
    ? 'its credentials, which are deleted with it'
    : 'its use of its credential, which stays in the secret store until it is revoked';
