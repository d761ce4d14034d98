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
