import { type CheckOutcome, counted } from '@weir/kernel/contract';
import type { StreamRunRow } from '../../model/sync/entity.ts';
import { MAX_NAMED, ofSource } from './source-checks.ts';

type LastRun = Pick<StreamRunRow, 'streamId' | 'name' | 'rowsRejected' | 'rowsWithErrors' | 'schemaChanges'>;

/**
 * What the last sync of each enabled stream left beside its table: fields without a column, values that their column
 * cannot hold, and lines that are no rows. Pure.
 */
export function leftAside(streams: readonly LastRun[]): CheckOutcome {
  const items = streams.flatMap((stream) =>
    codesOf(stream).map((code) => ({ id: stream.streamId, name: stream.name, code })),
  );
  if (items.length === 0) return { status: 'pass', detail: 'The last sync left no field, value or line aside.' };
  return {
    status: 'warning',
    detail: `${counted(new Set(items.map(({ id }) => id)).size, 'stream')} left something aside in the last sync.`,
    hint: 'For fields and values, discover the source again; for lines, look into the quarantine of the table.',
    next: [
      ofSource('sources.start_discovery', 'See which fields the source has now'),
      ofSource('sources.list_sync_history', 'See which tables have lines in quarantine'),
    ],
    items: items.slice(0, MAX_NAMED),
  };
}

function codesOf({ rowsRejected, rowsWithErrors, schemaChanges }: LastRun): string[] {
  const met = (change: string) => schemaChanges.some((note) => note.change === change);
  return [
    ...(met('refused') ? ['fields_refused'] : []),
    ...(met('captured') ? ['fields_captured'] : []),
    ...(rowsWithErrors > 0 ? ['values_refused'] : []),
    ...(rowsRejected > 0 ? ['lines_quarantined'] : []),
  ];
}
