import { Anchor, Drawer, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type StreamView, updateStream } from '@weir/plugin-sources/contract';
import { Check } from 'lucide-react';
import { useChange } from '../../api/queries.ts';
import { useFocusBack } from '../../parts/dialog.tsx';
import { FactList } from '../../parts/fact-list.tsx';
import { Empty } from '../../parts/region.tsx';
import { ToneWord } from '../../parts/status-word.tsx';
import { useMay } from '../../session/person.ts';
import { cursorOrigin, draftOf } from './legal.ts';
import { attentionWords, POLICY_WORDS, SYNC_WORDS, WRITE_WORDS } from './mode-words.ts';
import { ResetStream } from './reset-stream.tsx';
import { pathText } from './schema-fields.ts';
import { SchemaTree } from './schema-tree.tsx';
import { StoredState } from './stored-state.tsx';
import { StreamForm } from './stream-form.tsx';

interface StreamPanelProps {
  /** Undefined where the address names a stream that the source does not have. */
  stream: StreamView | undefined;
  onClose(): void;
}

const labelOf = ({ namespace, name }: StreamView) => (namespace === null ? name : `${namespace}.${name}`);

/** One stream of a source beside the list of all: its settings, its fields, its state. */
export function StreamPanel({ stream, onClose }: StreamPanelProps) {
  useFocusBack();
  return (
    <Drawer.Root opened onClose={onClose} position="right" size="lg">
      <Drawer.Overlay />
      <Drawer.Content>
        <Drawer.Body p="md">
          <Group justify="space-between" wrap="nowrap" align="flex-start" mb="sm">
            <Drawer.Title fz="lg" fw={620} className="cell-text" role="heading" aria-level={2}>
              {stream === undefined ? 'Stream' : labelOf(stream)}
            </Drawer.Title>
            <Drawer.CloseButton aria-label="Close" />
          </Group>
          {stream === undefined ? (
            <Empty words="The source has no such stream. It may have been removed since this address was sent." />
          ) : (
            <Shown stream={stream} />
          )}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

function Shown({ stream }: { stream: StreamView }) {
  const mayChange = useMay(updateStream);
  const save = useChange(updateStream);
  return (
    <Stack gap="lg">
      <Text size="sm" component="div">
        Writes{' '}
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link to="/datasets/$datasetId" params={{ datasetId: stream.destination.dataset_id }} {...props} />
          )}
        >
          <span className="mono-id">{stream.destination.dataset_id}</span>
        </Anchor>
      </Text>
      <Attention stream={stream} />
      <Stack component="section" aria-label="Settings" gap="xs">
        {mayChange ? (
          <StreamForm key={`${stream.stream_id} ${stream.etag}`} stream={stream} save={save} />
        ) : (
          <Settings stream={stream} />
        )}
        <div role="status">
          {save.isSuccess ? (
            <ToneWord icon={Check} tone="good" word="Saved. The next sync uses these settings." />
          ) : null}
        </div>
      </Stack>
      <SchemaTree stream={stream} />
      {mayChange ? <StoredState stream={stream} /> : null}
      {mayChange ? <ResetStream stream={stream} /> : null}
    </Stack>
  );
}

/** Why a stream needs attention, each with its setting. */
function Attention({ stream: { attention } }: { stream: StreamView }) {
  if (attention.length === 0) return null;
  return (
    <Stack gap={2} role="note">
      {attention.map(({ pointer, code }) => (
        <Text key={`${pointer} ${code}`} size="sm" c="var(--weir-warn)">
          {attentionWords(pointer, code)}
        </Text>
      ))}
    </Stack>
  );
}

/** The settings, for people who may only look. */
function Settings({ stream }: { stream: StreamView }) {
  const cursor = stream.cursor_field ?? stream.default_cursor_field;
  const key = stream.primary_key ?? stream.source_defined_primary_key;
  const isOwn = cursorOrigin(stream, draftOf(stream)) === 'source' && stream.source_defined_cursor;
  return (
    <Stack gap="xs">
      <Title order={3} size="sm">
        Settings
      </Title>
      <FactList
        facts={[
          ['Synced', stream.enabled ? 'Yes' : 'No'],
          ['Sync mode', SYNC_WORDS[stream.sync_mode].label],
          ['Write mode', WRITE_WORDS[stream.write_mode].label],
          ['Cursor', isOwn ? 'kept by the source' : cursor === null ? '–' : pathText(cursor)],
          ['Primary key', key === null ? '–' : key.map(pathText).join(', ')],
          ['When the schema changes', POLICY_WORDS[stream.schema_change_policy].label],
        ]}
      />
    </Stack>
  );
}
