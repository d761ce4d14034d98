import type { CheckOutcome } from '@weir/kernel/contract';
import type { StreamRunRow } from '../../model/sync/entity.ts';
import { MAX_NAMED } from './source-checks.ts';

type LastRun = Pick<StreamRunRow, 'streamId' | 'name' | 'rowsRejected' | 'schemaChanges'>;

/** What the last sync of each enabled stream left beside its table: fields without a column, and lines that are no rows. Pure. */
export function leftAside(streams: readonly LastRun[]): CheckOutcome {
  const items = streams.flatMap((stream) =>
    codesOf(stream).map((code) => ({ id: stream.streamId, name: stream.name, code })),
  );
  if (items.length === 0) return { status: 'pass', detail: 'The last sync left no field and no line aside.' };
  return {
    status: 'warning',
    detail: `${new Set(items.map(({ id }) => id)).size} stream(s) left something aside in the last sync.`,
    hint: 'For fields: weir sources refresh-schema. For lines: weir datasets quarantine list.',
    items: items.slice(0, MAX_NAMED),
  };
}

function codesOf({ rowsRejected, schemaChanges }: LastRun): string[] {
  const met = (change: string) => schemaChanges.some((note) => note.change === change);
  return [
    ...(met('refused') ? ['fields_refused'] : []),
    ...(met('captured') ? ['fields_captured'] : []),
    ...(rowsRejected > 0 ? ['lines_quarantined'] : []),
  ];
}
