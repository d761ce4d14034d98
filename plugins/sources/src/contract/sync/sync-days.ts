import { type Static, Type } from '@sinclair/typebox';
import { Closed, endpoint, kernelProblems } from '@weir/kernel/contract';
import { readSources } from '../access.ts';
import { READ_BYTES } from './syncs.ts';

export const MAX_SYNC_DAYS = 92;

/** What the syncs that began on one day did together. */
export const SyncDay = Type.Object({
  day: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'In the zone that was asked for' }),
  syncs: Type.Integer(),
  succeeded: Type.Integer(),
  failed: Type.Integer(),
  rows_written: Type.String({ pattern: '^[0-9]+$', description: 'In decimal digits' }),
  bytes_read: Type.String({ pattern: '^[0-9]+$', description: `${READ_BYTES}; in decimal digits` }),
});
export type SyncDayView = Static<typeof SyncDay>;

/** `GET /sources/sync-days` */
export const listSyncDays = endpoint({
  id: 'sources.list_sync_days',
  method: 'GET',
  path: '/sources/sync-days',
  summary: 'Sum up the syncs of all sources by day',
  description: 'A sync counts on the day on which it was started. Every day of the window is there, the oldest first.',
  access: readSources,
  query: Closed({
    days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_SYNC_DAYS, default: 14, description: 'How many days, today the last' }),
    ),
    zone: Type.Optional(
      Type.String({ maxLength: 64, default: 'UTC', description: 'Time zone of the days, such as Europe/Kyiv' }),
    ),
  }),
  response: Type.Object({ items: Type.Array(SyncDay, { maxItems: MAX_SYNC_DAYS }) }),
  errors: [kernelProblems.validationFailed],
  cli: {
    words: 'sources days',
    columns: ['day', 'syncs', 'succeeded', 'failed', 'rows_written', 'bytes_read'],
  },
});
