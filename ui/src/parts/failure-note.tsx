import { Alert, Anchor, Code, Group, Stack, Text } from '@mantine/core';
import type { Static } from '@sinclair/typebox';
import type { RunFailure } from '@weir/kernel/contract';
import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

interface FailureNoteProps {
  failure: Static<typeof RunFailure>;
  title: string;
  /** What can be done right here. */
  children?: ReactNode;
}

/** Why a run failed, and what to do about it. */
export function FailureNote({ failure, title, children }: FailureNoteProps) {
  return (
    <Alert
      role="alert"
      color="red"
      variant="outline"
      className="panel"
      icon={<CircleAlert aria-hidden />}
      title={title}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{failure.detail}</Text>
        {failure.hint === null ? null : (
          <Text size="sm" fw={560}>
            {failure.hint}
          </Text>
        )}
        <Group gap="xs">
          <Anchor size="sm" href={`/docs/errors/${failure.code}`} target="_blank" rel="noreferrer">
            <Code>{failure.code}</Code>
          </Anchor>
          <Text size="sm" c="dimmed">
            {failure.retryable ? 'Another attempt may succeed.' : 'Another attempt would end alike.'}
          </Text>
        </Group>
        {children}
      </Stack>
    </Alert>
  );
}
