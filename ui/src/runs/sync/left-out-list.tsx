import { List, Text } from '@mantine/core';
import type { StreamRunView, SyncRunDetailView } from '@weir/plugin-sources/contract';
import { counted, countText } from '../../parts/numbers.ts';

/** What the read of a sync did with files, and how many rows it left out; nothing where there is nothing to say. */
export function ReadWords({ run }: { run: SyncRunDetailView }) {
  const files = [
    run.files_read > 0 ? `${countText(run.files_read)} read` : '',
    run.files_unchanged > 0 ? `${countText(run.files_unchanged)} unchanged` : '',
    run.files_left_out > 0 ? `${countText(run.files_left_out)} left out` : '',
    run.files_gone > 0 ? `${countText(run.files_gone)} gone` : '',
  ].filter((words) => words !== '');
  return (
    <>
      {files.length > 0 ? <Text size="sm">Files: {files.join(', ')}.</Text> : null}
      {run.rows_left_out > 0 ? <Text size="sm">{counted(run.rows_left_out, 'row')} left out of the read.</Text> : null}
    </>
  );
}

/** Which files and rows the read of a stream left out or missed, and why. */
export function LeftOutList({ stream }: { stream: Pick<StreamRunView, 'name' | 'left_out'> }) {
  if (stream.left_out.length === 0) return null;
  return (
    <List size="sm" aria-label={`Left out of ${stream.name}`}>
      {stream.left_out.map(({ kind, count, file, message }) => (
        <List.Item key={`${kind} ${file} ${message}`}>
          {subject(kind, count, file)}
          {message === null ? null : (
            <Text span size="sm" c="dimmed">
              {' '}
              {message}
            </Text>
          )}
        </List.Item>
      ))}
    </List>
  );
}

function subject(kind: StreamRunView['left_out'][number]['kind'], count: number, file: string | null): string {
  if (kind === 'rows_left_out') return `${counted(count, 'row')} left out.`;
  const more = count === 1 ? '' : ` and ${countText(count - 1)} more`;
  return `${file ?? 'A file'}${more} ${kind === 'file_gone' ? 'gone; the rows stay.' : 'left out.'}`;
}
