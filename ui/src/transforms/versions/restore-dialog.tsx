import { Button, Group, Stack, Text } from '@mantine/core';
import { restoreTransformVersion, type TransformView } from '@weir/plugin-transforms/contract';
import { useChange } from '../../api/queries.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FaultNote } from '../../parts/fault-note.tsx';

interface RestoreDialogProps {
  detail: TransformView;
  version: number;
  /** The number that it gets. */
  next: number;
  onClose(): void;
}

/** Says what restoring a version does, and does it. */
export function RestoreDialog({ detail, version, next, onClose }: RestoreDialogProps) {
  const restore = useChange(restoreTransformVersion);
  const params = { transform_id: detail.transform_id, version };
  return (
    <Dialog title={`Restore version ${version} of ${detail.name}?`} onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">
          Its definition is checked against its inputs as they are now. It becomes version {next}, and runs use it from
          then on.
          {detail.version === null ? '' : ` Version ${detail.version} stays in the list.`}
          {detail.draft === null ? '' : ' The draft stays a draft.'}
        </Text>
        {restore.error === null ? null : <FaultNote error={restore.error} />}
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={onClose}>
            Cancel
          </Button>
          <Button
            loading={restore.isPending}
            onClick={() =>
              restore.mutate({ params, headers: { 'if-match': detail.etag } }, { onSuccess: () => onClose() })
            }
          >
            Restore version {version}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
