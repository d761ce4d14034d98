import { isDeepStrictEqual } from 'node:util';
import type { ReadContext } from '@weir/connector-sdk';
import { fault } from './fault.ts';
import type { Table } from './table.ts';

/** Rows are told apart, here and in the table that they go to, by the key that the stream was described with: else `key_changed`. */
export function assertSameKey(
  { key, name }: Pick<Table, 'key' | 'name'>,
  { stream }: Pick<ReadContext, 'stream'>,
): void {
  const described = stream.stream.source_defined_primary_key?.map(([column]) => column);
  if (described !== undefined && !isDeepStrictEqual(described, key)) throw fault('key_changed', name);
}

/**
 * The same for a table that is read whole: only where its rows are merged into those that are there, and by the key that the
 * stream was described with. Of two rows with one such key the later would take the place of the other.
 */
export function assertSameMergeKey(table: Pick<Table, 'key' | 'name'>, context: Pick<ReadContext, 'stream'>): void {
  const { destination_sync_mode: mode, primary_key: mergedBy, stream } = context.stream;
  const isDescribed = mergedBy === undefined || isDeepStrictEqual(mergedBy, stream.source_defined_primary_key);
  if (mode === 'append_dedup' && isDescribed) assertSameKey(table, context);
}
