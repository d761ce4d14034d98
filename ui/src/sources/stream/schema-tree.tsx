import { Badge, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import type { StreamView } from '@weir/plugin-sources/contract';
import { useId, useMemo, useState } from 'react';
import { counted } from '../../parts/numbers.ts';
import { pathText, type SchemaField, samePath, schemaFields } from './schema-fields.ts';

/** More fields than this are filtered rather than scrolled. */
const MAX_SHOWN = 200;
const FILTER_FROM = 12;
const INDENT_PX = 16;

/** The fields of a stream with their types, those of objects below them. */
export function SchemaTree({ stream }: { stream: StreamView }) {
  const [word, setWord] = useState('');
  const id = useId();
  const all = useMemo(() => schemaFields(stream), [stream]);
  const fitting = all.filter(({ path }) => pathText(path).toLowerCase().includes(word.toLowerCase()));
  return (
    <section aria-labelledby={id}>
      <Group justify="space-between" mb="xs">
        <Title order={3} size="sm" id={id}>
          Fields
        </Title>
        <Text size="sm" c="dimmed">
          {counted(all.length, 'field')}
        </Text>
      </Group>
      {all.length > FILTER_FROM ? (
        <TextInput
          aria-label="Filter fields"
          placeholder="Filter by name"
          size="xs"
          mb="xs"
          value={word}
          onChange={(event) => setWord(event.currentTarget.value)}
        />
      ) : null}
      {all.length === 0 ? (
        <Text size="sm">The source names no fields. They become known with the first rows.</Text>
      ) : (
        <Stack component="ul" gap={0} m={0} p={0} className="panel plain-list" aria-label="Fields">
          {fitting.slice(0, MAX_SHOWN).map((field) => (
            <FieldLine key={JSON.stringify(field.path)} field={field} stream={stream} />
          ))}
        </Stack>
      )}
      {fitting.length > MAX_SHOWN ? (
        <Text size="sm" c="dimmed">
          {counted(fitting.length - MAX_SHOWN, 'more field')}: filter to see them.
        </Text>
      ) : null}
    </section>
  );
}

function FieldLine({
  field: { path, type, isNullable, description },
  stream,
}: {
  field: SchemaField;
  stream: StreamView;
}) {
  const key = stream.primary_key ?? stream.source_defined_primary_key ?? [];
  const cursor = stream.cursor_field ?? stream.default_cursor_field;
  const [name = ''] = path;
  return (
    <Group
      component="li"
      gap="xs"
      px="sm"
      py={6}
      pl={12 + INDENT_PX * (path.length - 1)}
      wrap="nowrap"
      align="flex-start"
    >
      <Stack gap={0} flex={1} miw={0}>
        <Group gap="xs">
          <Text size="sm" className="cell-text">
            {path.at(-1)}
          </Text>
          {key.some((one) => samePath(one, path)) ? <Mark>key</Mark> : null}
          {cursor !== null && samePath(cursor, path) ? <Mark>cursor</Mark> : null}
          {path.length === 1 && stream.kept_in_extra.includes(name) ? <Mark>in _extra</Mark> : null}
        </Group>
        {description === undefined ? null : (
          <Text size="xs" c="dimmed">
            {description}
          </Text>
        )}
      </Stack>
      <Text size="sm" c="dimmed" ff="monospace" ta="right" maw="55%">
        {type}
        {isNullable || type.endsWith('not null') ? '' : ' · always there'}
      </Text>
    </Group>
  );
}

function Mark({ children }: { children: string }) {
  return (
    <Badge size="sm" color="gray" tt="none" style={{ flexShrink: 0 }}>
      {children}
    </Badge>
  );
}
