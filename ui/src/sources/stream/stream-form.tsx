import { Alert, Button, Group, Stack, Switch, Text } from '@mantine/core';
import type { StreamView, updateStream } from '@weir/plugin-sources/contract';
import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { useChange } from '../../api/queries.ts';
import { faultsByField } from '../../faults/problem-faults.ts';
import { FaultNote } from '../../parts/fault-note.tsx';
import { type DraftField, draftFaults, draftOf, patchOf, type StreamDraft } from './legal.ts';
import { settingAt } from './mode-words.ts';
import { SettingFields } from './setting-fields.tsx';

interface StreamFormProps {
  stream: StreamView;
  /** Outlives the form, which begins again with each change of the stream. */
  save: ReturnType<typeof useChange<typeof updateStream>>;
}

/** How a stream is synced: what can be chosen is what its source and its schema allow. */
export function StreamForm({ stream, save }: StreamFormProps) {
  const [draft, setDraft] = useState<StreamDraft>(() => draftOf(stream));
  const [isTried, setTried] = useState(false);
  const patch = patchOf(stream, draft);
  const isChanged = Object.keys(patch).length > 0;
  const own = draftFaults(stream, draft);
  const faults = { ...faultsAtFields(save.error), ...(isTried || draft.enabled ? own : {}) };
  const change = (next: Partial<StreamDraft>) => {
    save.reset();
    setDraft((before) => ({ ...before, ...next }));
  };
  const submit = () => {
    setTried(true);
    const [first] = Object.keys(own);
    if (first !== undefined) return document.getElementById(`setting-${first}`)?.focus();
    const params = { source_id: stream.source_id, stream_id: stream.stream_id };
    save.mutate({ params, body: patch, headers: { 'if-match': `"${stream.etag}"` } });
  };
  return (
    <form
      noValidate
      aria-label="Settings of the stream"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="md">
        <Switch
          label="Sync this stream"
          checked={draft.enabled}
          onChange={(event) => change({ enabled: event.currentTarget.checked })}
        />
        <SettingFields stream={stream} draft={draft} faults={faults} change={change} />
        <NewTable stream={stream} draft={draft} />
        {save.error === null ? null : <FaultNote error={save.error} placeOf={settingAt} />}
        <Group>
          <Button type="submit" loading={save.isPending} disabled={!isChanged}>
            Save
          </Button>
          {isChanged ? (
            <Button variant="default" onClick={() => setDraft(draftOf(stream))}>
              Discard changes
            </Button>
          ) : null}
        </Group>
      </Stack>
    </form>
  );
}

/** What a refusal says of each setting. */
function faultsAtFields(error: Error | null): Partial<Record<DraftField, string>> {
  return Object.fromEntries(Array.from(faultsByField(error), ([pointer, said]) => [pointer.split('/')[1], said]));
}

/** Says what another mode, cursor or key does to rows that are there. */
function NewTable({ stream, draft }: { stream: StreamView; draft: StreamDraft }) {
  const isOther = ['sync_mode', 'cursor_field', 'primary_key'].some((name) => name in patchOf(stream, draft));
  if (!isOther || !stream.enabled) return null;
  return (
    <Alert role="note" color="yellow" variant="outline" className="panel" icon={<TriangleAlert aria-hidden />}>
      <Text size="sm">
        Rows that are in the table stay as they were read. To have all of them as they would be with these settings,
        reset the stream after saving.
      </Text>
    </Alert>
  );
}
