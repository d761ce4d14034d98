import { Code, Stack, Text } from '@mantine/core';
import type { PolicyDocumentView } from '@weir/plugin-identity/contract';
import { Minus, Plus } from 'lucide-react';
import { ToneWord } from '../../parts/status-word.tsx';
import { changedLines, type PolicyLine } from './policy-words.ts';

/** What a document says that another did not, and the other way round. */
export function PolicyChange({ before, after }: { before: PolicyDocumentView; after: PolicyDocumentView }) {
  const { added, removed } = changedLines(before, after);
  if (added.length + removed.length === 0)
    return (
      <Text size="sm" c="dimmed">
        It says the same.
      </Text>
    );
  return (
    <Stack gap={4}>
      {removed.map((line) => (
        <Line key={`- ${line.text}`} line={line} isAdded={false} />
      ))}
      {added.map((line) => (
        <Line key={`+ ${line.text}`} line={line} isAdded />
      ))}
    </Stack>
  );
}

function Line({ line, isAdded }: { line: PolicyLine; isAdded: boolean }) {
  return (
    <div>
      <ToneWord icon={isAdded ? Plus : Minus} tone={isAdded ? 'good' : 'bad'} word={isAdded ? 'Added' : 'Removed'} />{' '}
      {line.isCode ? (
        <Code className="cell-text">{line.text}</Code>
      ) : (
        <Text span size="sm">
          {line.text}
        </Text>
      )}
    </div>
  );
}
