import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../../test/lane.ts';
import { discover, folder } from './kit.ts';
import { sameValue } from './same-value.ts';
import { type Staged, staged } from './staged.ts';
import { columnOf, NUMERALS, WRITTEN } from './written-values.ts';

type Column = readonly (string | null)[];
const RUNS = { numRuns: cases(200) };
const [COLUMNS, ROWS] = [12, 8];

const csvField = (text: string | null) =>
  text === null ? '' : /^[^",\r\n ]+$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
const rowsOf = (columns: readonly Column[]) =>
  Array.from({ length: ROWS }, (_, row) => columns.map((one) => one[row] ?? null));

/** What is neither the value that was written, nor text, nor marked. */
function lost({ types, rows }: Staged, columns: readonly Column[], written = (text: string) => text): string[] {
  const names = columns.map((_, at) => `c${at}`);
  return names.flatMap((name, at) => {
    const type = types.get(name) ?? 'absent';
    const texts = (columns[at] ?? []).flatMap((text) => (text === null || text === '' ? [] : [text.trim()]));
    return rows.flatMap(({ values, marked }, row) => {
      const text = columns[at]?.[row] ?? null;
      const value = values.get(name) ?? null;
      const isKept = text === null ? value === null : sameValue(type, value, written(text), texts);
      return isKept || marked.has(name)
        ? []
        : [`${name} ${type}: ${JSON.stringify(text)} became ${JSON.stringify(value)}`];
    });
  });
}

/** Enough columns to be read a slice at a time. */
const WIDE = 310;

for (const [kind, width, runs] of [
  ['a', COLUMNS, RUNS.numRuns],
  ['a wide', WIDE, 1],
] as const) {
  t.test(`columns of ${kind} CSV file → each value is equal, or text, or marked`, async (t) => {
    const table = fc.array(columnOf(Object.values(WRITTEN), ROWS), { minLength: width, maxLength: width });
    const property = fc.asyncProperty(table, async (columns) => {
      const head = columns.map((_, at) => `c${at}`).join(',');
      const lines = rowsOf(columns).map((row, at) => `${at},${row.map(csvField).join(',')}`);
      const path = await folder({ 'a.csv': `id,${head}\n${lines.join('\n')}\n` });
      const found = await staged({ path });
      t.equal(found.rows.length, ROWS);
      t.strictSame(lost(found, columns), []);
    });
    await fc.assert(property, { numRuns: runs });
  });
}

t.test('columns of a JSONL file → each value is equal, or text, or marked', async (t) => {
  const quoted = Object.values(WRITTEN).map((one) => one.map((text) => JSON.stringify(text)));
  const table = fc.array(
    columnOf([...NUMERALS, ...NUMERALS, ...quoted.slice(0, 3), fc.constantFrom('true', 'false')], ROWS),
    {
      minLength: COLUMNS,
      maxLength: COLUMNS,
    },
  );
  const property = fc.asyncProperty(table, async (columns) => {
    const lines = rowsOf(columns).map((row) => `{${row.map((token, at) => `"c${at}":${token ?? 'null'}`).join(',')}}`);
    const path = await folder({ 'a.jsonl': `${lines.join('\n')}\n` });
    const found = await staged({ path });
    t.equal(found.rows.length, ROWS);
    const written = (token: string) => (token.startsWith('"') ? (JSON.parse(token) as string) : token);
    t.strictSame(lost(found, columns, written), []);
  });
  await fc.assert(property, RUNS);
});

t.test('numbers of a later file → each value is equal, or text, or marked', async (t) => {
  const { whole, few, zeros, number, money, long, codes, exponents, signed, hex } = WRITTEN as Required<typeof WRITTEN>;
  const kinds = [whole, few, zeros, number, money, long, codes, exponents, signed, hex] as fc.Arbitrary<string>[];
  const table = fc.array(fc.tuple(columnOf(kinds, ROWS), columnOf(kinds, ROWS)), {
    minLength: COLUMNS,
    maxLength: COLUMNS,
  });
  const property = fc.asyncProperty(table, async (pairs) => {
    const head = `id,${pairs.map((_, at) => `c${at}`).join(',')}\n`;
    const textOf = (columns: readonly Column[]) =>
      head +
      rowsOf(columns)
        .map((row, at) => `${at},${row.map(csvField).join(',')}\n`)
        .join('');
    const path = await folder({ '1.csv': textOf(pairs.map(([one]) => one)) });
    const config = { path, streams: [{ name: 's', glob: '*' }] };
    const catalog = await discover(config);
    await writeFile(join(path, '2.csv'), textOf(pairs.map(([, other]) => other)));
    const columns = pairs.map(([one, other]) => [...one, ...other]);
    t.strictSame(lost(await staged(config, catalog), columns), []);
  });
  await fc.assert(property, { numRuns: cases(100) });
});
