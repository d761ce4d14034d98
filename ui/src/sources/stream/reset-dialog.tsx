import { Button, Group, List, Stack } from '@mantine/core';
import { Dialog } from '../../parts/dialog.tsx';
import { FaultNote } from '../../parts/fault-note.tsx';
import { Region } from '../../parts/region.tsx';

interface Preview {
  sentences: string[];
  etag: string;
}

interface ResetDialogProps {
  title: string;
  preview: { data: Preview | undefined; error: Error | null; isPending: boolean; refetch(): unknown };
  reset: {
    error: Error | null;
    isPending: boolean;
    /** Resets exactly what was read, and nothing that has changed since. */
    begin(headers: Record<string, string>, onSuccess: () => void): void;
  };
  close(): void;
}

/** What a reset means, before it is done. */
export function ResetDialog({ title, preview, reset, close }: ResetDialogProps) {
  return (
    <Dialog title={title} onClose={close}>
      <Region query={preview} lines={2}>
        {({ sentences, etag }) => (
          <Stack>
            <List size="sm">
              {sentences.map((sentence) => (
                <List.Item key={sentence}>{sentence}</List.Item>
              ))}
            </List>
            {reset.error === null ? null : <FaultNote error={reset.error} />}
            <Group>
              <Button variant="default" onClick={close} data-autofocus>
                Keep the state
              </Button>
              <Button
                color="red"
                loading={reset.isPending}
                onClick={() => reset.begin({ 'if-match': `"${etag}"` }, close)}
              >
                Reset
              </Button>
            </Group>
          </Stack>
        )}
      </Region>
    </Dialog>
  );
}
