import type { Column } from '../../src/index.ts';
import type { Data } from './workshop.ts';

/** A column of every type that a table of ours can have, but for the time of day, which Spark has not. */
export const EVERY_TYPE: readonly Column[] = [
  { name: 'id', type: 'int' },
  { name: 'b', type: 'boolean' },
  { name: 'l', type: 'long' },
  { name: 'f', type: 'float' },
  { name: 'd', type: 'double' },
  { name: 'm4', type: 'decimal(9, 2)' },
  { name: 'm8', type: 'decimal(18, 4)' },
  { name: 'm16', type: 'decimal(38, 10)' },
  { name: 'day', type: 'date' },
  { name: 'ts', type: 'timestamp' },
  { name: 'tz', type: 'timestamptz' },
  { name: 's', type: 'string' },
  { name: 'u', type: 'uuid' },
  { name: 'bin', type: 'binary' },
];

/** Values at both ends of the types, and NULL everywhere. */
export function everyTypeRows(): Data[] {
  return [
    {
      id: 2_147_483_647,
      b: true,
      l: '9223372036854775807',
      f: 1.5,
      d: 0.1,
      m4: '9999999.99',
      m8: '12345678901234.5678',
      m16: '9999999999999999999999999999.9999999999',
      day: '2024-02-29',
      ts: '2024-05-06T07:08:09.123456',
      tz: '2024-05-06T07:08:09.123456+02:00',
      s: 'ü\u{1f600}\u{10ffff} and more text than a bound keeps',
      u: 'ffffffff-ffff-4fff-bfff-ffffffffffff',
      bin: 'AP8A',
    },
    {
      id: -2_147_483_648,
      b: false,
      l: '-9223372036854775808',
      f: -0.25,
      d: -1e300,
      m4: '-0.01',
      m8: '-0.0001',
      m16: '-1.0000000001',
      day: '1969-12-31',
      ts: '1969-12-31T23:59:59.999999',
      tz: '1969-12-31T23:59:59.999999Z',
      s: '',
      u: '00000000-0000-4000-8000-000000000001',
      bin: '',
    },
    { id: 0 },
  ];
}
