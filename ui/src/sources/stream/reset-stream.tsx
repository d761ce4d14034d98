import { Button, Group, Text, Title } from '@mantine/core';
import {
  previewReset,
  previewSourceReset,
  resetSource,
  resetStream,
  type SourceView,
  type StreamView,
} from '@weir/plugin-sources/contract';
import { useState } from 'react';
import { useChange, useRead } from '../../api/queries.ts';
import { ResetDialog } from './reset-dialog.tsx';

/** Lets the next sync of a stream begin from nothing, after saying what that means. */
export function ResetStream({ stream }: { stream: StreamView }) {
  const [isAsked, setAsked] = useState(false);
  return (
    <section aria-labelledby="reset-stream">
      <Title order={3} size="sm" mb="xs" id="reset-stream">
        Reset
      </Title>
      <Text size="sm" mb="xs">
        The next sync reads everything again and replaces the rows of{' '}
        <span className="mono-id">{stream.destination.dataset_id}</span>. Nothing is deleted before.
      </Text>
      <Group>
        <Button variant="default" size="sm" onClick={() => setAsked(true)}>
          Reset this stream…
        </Button>
      </Group>
      {isAsked ? <OneReset stream={stream} close={() => setAsked(false)} /> : null}
    </section>
  );
}

function OneReset({ stream, close }: { stream: StreamView; close(): void }) {
  const params = { source_id: stream.source_id, stream_id: stream.stream_id };
  const preview = useRead(previewReset, { params });
  const reset = useChange(resetStream);
  return (
    <ResetDialog
      title={`Reset ${stream.name}?`}
      preview={preview}
      reset={{ ...reset, begin: (headers, onSuccess) => reset.mutate({ params, headers }, { onSuccess }) }}
      close={close}
    />
  );
}

/** The same of all streams of a source. */
export function ResetSource({ source, close }: { source: SourceView; close(): void }) {
  const params = { source_id: source.source_id };
  const preview = useRead(previewSourceReset, { params });
  const reset = useChange(resetSource);
  return (
    <ResetDialog
      title={`Reset all streams of ${source.name}?`}
      preview={preview}
      reset={{ ...reset, begin: (headers, onSuccess) => reset.mutate({ params, headers }, { onSuccess }) }}
      close={close}
    />
  );
}
