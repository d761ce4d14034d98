import { Code, Group, Stack, Text } from '@mantine/core';
import type { EntityTypeView } from '@weir/plugin-ontology/contract';
import { useMemo } from 'react';
import { CopyText } from '../../parts/copy-text.tsx';
import { documentOf } from './draft.ts';
import '../ontology.css';

const JSON_INDENT = 2;

/** The document of a version, as a new version takes it. */
export function DocumentView({ type }: { type: EntityTypeView }) {
  const text = useMemo(() => JSON.stringify(documentOf(type), undefined, JSON_INDENT), [type]);
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          What version {type.version} says. Members that have their defaults are left out.
        </Text>
        <CopyText text={text} what="document" />
      </Group>
      <Code block className="type-json" tabIndex={0}>
        {text}
      </Code>
    </Stack>
  );
}
