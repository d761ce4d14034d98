import { Alert, Anchor, Code, Group, Stack, Text } from '@mantine/core';
import type { Static } from '@sinclair/typebox';
import type { RunFailure } from '@weir/kernel/contract';
import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { MarkedText } from '../faults/marked-text.tsx';
import { NextLinks } from '../faults/next-links.tsx';

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
        <Text size="sm">
          <MarkedText text={failure.detail} />
        </Text>
        <NextLinks next={failure.next} hint={failure.hint} />
        <Group gap="xs">
          <Anchor size="sm" href={`/docs/errors/${failure.code}`} target="_blank" rel="noreferrer">
            <Code>{failure.code}</Code>
          </Anchor>
          <Text size="sm" c="dimmed">
            {failure.retryable ? 'Another attempt may succeed.' : 'Another attempt would fail the same way.'}
          </Text>
        </Group>
        {children}
      </Stack>
    </Alert>
  );
}
