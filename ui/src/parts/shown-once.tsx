import { Button, Code, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyText } from './copy-text.tsx';
import { Dialog } from './dialog.tsx';

interface ShownOnceProps {
  title: string;
  /** What the secret is, such as `token`. */
  what: string;
  /** Null when the answer is that of an earlier call. */
  secret: string | null;
  onClose(): void;
  children: ReactNode;
}

/** A secret that cannot be read again: it is in the page until the dialog is closed, and nowhere else. */
export function ShownOnce({ title, what, secret, onClose, children }: ShownOnceProps) {
  return (
    <Dialog title={title}>
      <Stack gap="md">
        <Text size="sm">{children}</Text>
        {secret === null ? (
          <Text size="sm">It was shown before, and is not shown again.</Text>
        ) : (
          <Group gap="xs" wrap="nowrap" align="flex-start">
            <Code block flex={1} className="cell-text" tabIndex={0}>
              {secret}
            </Code>
            <CopyText text={secret} what={`the ${what}`} size="compact-sm" />
          </Group>
        )}
        <Group justify="flex-end">
          <Button onClick={onClose}>I have kept it</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
