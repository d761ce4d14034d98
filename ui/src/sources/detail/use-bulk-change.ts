import { useMutation, useQueryClient } from '@tanstack/react-query';
import { bulkStreams, MAX_BULK_STREAMS, type StreamView } from '@weir/plugin-sources/contract';
import { useRef } from 'react';
import { ask, newIdempotencyKey } from '../../api/ask.ts';
import { useConnection } from '../../api/connection.ts';
import { readAgain } from '../../api/queries.ts';
import type { StreamDraft } from '../stream/legal.ts';
import { settingAt } from '../stream/mode-words.ts';
import { labelOf } from './stream-grid.tsx';

/** What becomes of one of several streams. */
export interface OneChange {
  stream: StreamView;
  patch: Partial<StreamDraft>;
}

/** Changes streams in as many requests as it takes, then reads them once; a refusal ends them and is shown. */
export function useBulkChange(sourceId: string, onDone: () => void) {
  const connection = useConnection();
  const queries = useQueryClient();
  const sent = useRef<readonly OneChange[]>([]);
  const send = async (changes: readonly OneChange[]) => {
    for (let at = 0; at < changes.length; at += MAX_BULK_STREAMS) {
      const part = changes.slice(at, at + MAX_BULK_STREAMS);
      sent.current = part;
      const body = { streams: part.map(({ stream: { stream_id }, patch }) => ({ stream_id, ...patch })) };
      const headers = { 'idempotency-key': newIdempotencyKey() };
      await ask(connection, bulkStreams, { params: { source_id: sourceId }, body }, { headers });
    }
  };
  const { mutate, error, isPending } = useMutation<void, Error, readonly OneChange[]>({
    mutationFn: send,
    onSuccess: onDone,
    // Also after a refusal: what was sent before it is changed.
    onSettled: () => readAgain(queries, 'sources'),
  });
  /** The stream and the setting that a pointer into the last request names. */
  const placeOf = (pointer: string): string | undefined => {
    const [, list, index, ...rest] = pointer.split('/');
    const one = list === 'streams' ? sent.current[Number(index)] : undefined;
    return one && `${labelOf(one.stream)}, ${settingAt(`/${rest.join('/')}`)}`;
  };
  return { change: mutate, error, isPending, placeOf };
}
