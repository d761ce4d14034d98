import { identifier, type SelectCheck } from '@weir/plugin-datasets/stage';
import type { CheckFound } from './checks/check-results.ts';
import { transformFailed } from './failure/transform-failures.ts';

/** No name of a check has a space. */
const [WITHOUT, DOUBLED] = ['key without', 'key doubled'];

/** What keeps a result from being merged: rows without a value in a column of the key, and keys of several rows. */
export function keyChecks(key: readonly string[] = []): SelectCheck[] {
  if (key.length === 0) return [];
  const columns = key.map(identifier);
  const isNull = columns.map((column) => `${column} is null`).join(' or ');
  return [
    { name: WITHOUT, sql: `select 1 as n from written where ${isNull}`, blocks: true },
    {
      name: DOUBLED,
      sql: `select 1 as n from written group by ${columns.join(', ')} having count(*) > 1`,
      blocks: true,
    },
  ];
}

/** Throws `key_missing` and `key_doubled`. */
export function assertKeys(found: readonly CheckFound[]): void {
  const rowsOf = (name: string) => found.find((one) => one.name === name)?.failures ?? '0';
  const [without, doubled] = [rowsOf(WITHOUT), rowsOf(DOUBLED)];
  if (without !== '0') throw transformFailed('key_missing', { rows: without });
  if (doubled !== '0') throw transformFailed('key_doubled', { keys: doubled });
}
