import { counted } from '@weir/kernel/contract';
import type { RunView } from '@weir/plugin-runs/contract';

/** One sentence for people: what chats show of an event about a run. Pure. */
export function runText(
  event: string,
  { kind, subject, failure }: Pick<RunView, 'kind' | 'subject' | 'failure'>,
): string {
  const what = `${kind} of ${subject.name ?? subject.id}`;
  if (event === 'run.recovered') return `${what} succeeded again.`;
  const again = event === 'run.failed_again' ? ' again' : '';
  return `${what} failed${again}${failure === null ? '.' : `: ${failure.detail}`}`;
}

/** The same of a table. Pure. */
export function tableText({
  dataset_id,
  operation,
  schema_id,
  snapshot_id,
  added_records,
}: Record<string, unknown>): string {
  if (operation === 'schema' && schema_id === 0 && snapshot_id === null) return `${dataset_id} was created.`;
  if (operation === 'schema') return `The columns of ${dataset_id} changed.`;
  const rows = typeof added_records === 'string' ? `: ${counted(added_records, 'row')} added` : '';
  return `${dataset_id} changed${rows}.`;
}

/** The same of a table whose maintenance makes no progress. Pure. */
export function blockedText({ dataset_id, detail }: Record<string, unknown>): string {
  return `The maintenance of ${dataset_id} makes no progress: ${detail}`;
}
