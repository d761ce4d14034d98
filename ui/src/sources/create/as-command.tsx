import { Code, Group, Stack, Text } from '@mantine/core';
import { CopyText } from '../../parts/copy-text.tsx';
import { commandText, type SaidSource } from './command-text.ts';

/** What the form says so far, as a command for a terminal or a script. */
export function AsCommand({ source }: { source: SaidSource }) {
  const text = commandText(source);
  return (
    <Stack gap={4}>
      <Group justify="space-between">
        <Text size="sm">
          {source.credentials === undefined
            ? 'The same from a terminal:'
            : 'The same from a terminal. Credentials are read from variables of these names:'}
        </Text>
        <CopyText text={text} what="the command" size="compact-sm" />
      </Group>
      <Code block tabIndex={0} className="cell-text panel">
        {text}
      </Code>
    </Stack>
  );
}
