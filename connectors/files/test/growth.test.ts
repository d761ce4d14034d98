import { appendFile, readFile, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../../test/lane.ts';
import { parseConfig } from '../src/config.ts';
import type { FileEntry } from '../src/file-state.ts';
import { listStreams } from '../src/list-streams.ts';
import { type ReadyFile, withReadyFile } from '../src/ready-file.ts';
import { configured, dataOf, discover, folder, logsOf, read, rejectedOf, statesOf } from './kit.ts';

const listed = async (path: string) => {
  const [stream] = await listStreams(parseConfig({ path }), { roots: [], refused: [] });
  if (stream?.files[0] === undefined) throw new Error('no file');
  return stream.files[0];
};
const reader = (known?: FileEntry) => ({
  egress: () => {
    throw new Error('a local file needs no way out');
  },
  known,
  signal: new AbortController().signal,
});
/** Long enough ago that what a file ends with is taken for its end. */
const settle = (path: string) => utimes(path, 1, 1);

/** A row's cells: any text, quotes and line breaks too. */
const cell = fc.stringMatching(/^[a-z"\n,]{1,6}$/);
const FORMATS = {
  csv: (cells: readonly string[]) => cells.map((text) => `"${text.replaceAll('"', '""')}"\n`),
  jsonl: (cells: readonly string[]) => cells.map((text) => `${JSON.stringify({ v: text })}\n`),
};
/** What is read of a file: its header and the rows behind it. */
async function textOf({ path, text, format }: ReadyFile): Promise<string> {
  if (format === 'csv') return readFile(path, 'utf8');
  return (await readFile(text.path)).toString('utf8', text.from, text.to);
}

for (const [format, write] of Object.entries(FORMATS)) {
  t.test(
    `a ${format} file that grows at any byte while it is read gives each row once, whole, in the end`,
    async (t) => {
      const path = await folder();
      const file = join(path, `a.${format}`);
      const header = format === 'csv' ? 'v\n' : '';
      await fc.assert(
        fc.asyncProperty(
          fc.array(cell, { minLength: 1, maxLength: 12 }),
          fc.array(fc.nat(200), { maxLength: 6 }),
          async (cells, cuts) => {
            const rows = write(cells);
            const bytes = Buffer.from(header + rows.join(''));
            const stops = [...new Set(cuts.map((cut) => 1 + (cut % bytes.length))).add(bytes.length)].sort(
              (a, b) => a - b,
            );
            await writeFile(file, '');
            let known: FileEntry | undefined;
            let at = 0;
            let given = '';
            for (const stop of stops) {
              const found = await listed(path);
              // It grows after it was listed, so the rest of the last row may come still.
              await appendFile(file, bytes.subarray(at, stop));
              at = stop;
              const { entry, result } = await withReadyFile(found, reader(known), textOf);
              known = entry;
              const text = (result ?? header).slice(header.length);
              t.ok(rows.join('').startsWith(given + text), 'whole rows in their order, none twice');
              t.ok(
                text === '' || rows.some((_, index) => rows.slice(0, index + 1).join('') === given + text),
                'no half a row',
              );
              given += text;
            }
            await settle(file);
            const { result } = await withReadyFile(await listed(path), reader(known), textOf);
            return given + (result ?? header).slice(header.length) === rows.join('');
          },
        ),
        { numRuns: cases(100) },
      );
    },
  );
}

t.test(
  'what is added to a file in lines is read alone the next time, and a change before it reads the file again',
  async (t) => {
    for (const [name, before, added, changed] of [
      ['a.csv', 'v,w\r\n1,"a\nb"\r\n', '2,c\r\n', 'v,w\r\n9,"a\nb"\r\n2,c\r\n3,d\r\n'],
      ['a.jsonl', '{"v":1}\n', '{"v":2}\n', '{"v":9}\n{"v":2}\n{"v":3}\n'],
    ] as const) {
      const path = await folder({ [name]: before });
      const file = join(path, name);
      const catalog = configured(await discover({ path }));
      const values = async (state: unknown[]) => {
        const said = await read({ path }, catalog, state);
        return { v: dataOf(said).map(({ v }) => v), state: statesOf(said).slice(-1) };
      };
      const first = await values([]);
      t.strictSame(first.v, [1], name);
      await appendFile(file, added);
      const second = await values(first.state);
      t.strictSame(second.v, [2], name);
      await utimes(file, 5, 5);
      const touched = await values(second.state);
      t.strictSame(touched.v, [], 'the same content at another time is not read again');
      await writeFile(file, changed);
      t.strictSame((await values(touched.state)).v, [9, 2, 3], name);
      await truncate(file, before.length);
      t.strictSame((await values(touched.state)).v, [9], 'a shorter file is read as it is');
    }
  },
);

t.test(
  'a last line without its end is read once nobody writes to it, and a longer one makes the file new',
  async (t) => {
    const path = await folder({ 'a.csv': 'v\n1\n2' });
    const file = join(path, 'a.csv');
    await settle(file);
    const catalog = configured(await discover({ path }));
    const first = await read({ path }, catalog);
    t.strictSame(
      dataOf(first).map(({ v }) => v),
      [1, 2],
    );
    await appendFile(file, '3\n');
    await settle(file);
    t.strictSame(
      dataOf(await read({ path }, catalog, statesOf(first).slice(-1))).map(({ v }) => v),
      [1, 23],
    );
  },
);

t.test('a last line that only gets its end is not read again', async (t) => {
  for (const [name, before, ...more] of [
    ['a.csv', 'v\n1\n2', '\n', '3\n4', '\r\n5\n'],
    ['b.csv', 'v\r\n1\r\n"2"', '\r\n3\r\n4', '\n5'],
    ['c.jsonl', '{"v":1}\n{"v":2}', '\n{"v":3}\n{"v":4}', '\n{"v":5}\n'],
    ['d.csv', 'v', '\n1\n2', '\n3\n4\n5\n'],
    ['e.csv', 'v\r1\r2\r', '3\r', '4', '\r5\r'],
    ['f.csv', 'v\r\n1\r\n2\r', '\n3\r\n4\r', '\n5\r\n'],
  ] as const) {
    const path = await folder({ [name]: before });
    const file = join(path, name);
    await settle(file);
    const catalog = configured(await discover({ path }));
    let state: unknown[] = [];
    const seen: number[] = [];
    for (const [index, added] of ['', ...more].entries()) {
      await appendFile(file, added);
      await utimes(file, 2 + index, 2 + index);
      const said = await read({ path }, catalog, state);
      seen.push(...dataOf(said).map(({ v }) => Number(v)));
      state = statesOf(said).slice(-1);
    }
    t.strictSame(seen, [1, 2, 3, 4, 5], name);
  }
});

t.test('a broken row among the added ones → its line and byte in the whole file', async (t) => {
  const path = await folder({ 'a.csv': 'v,"two\nlines"\n1,2\n', 'b.jsonl': '{"v":1}\n' });
  const catalog = configured(await discover({ path }));
  const state = statesOf(await read({ path }, catalog));
  await appendFile(join(path, 'a.csv'), '3,4\n5\n6,7\n');
  await appendFile(join(path, 'b.jsonl'), '{"v":2}\n{"v"\n');
  const said = await read({ path }, catalog, state);
  t.equal(said.code, 0);
  t.match(rejectedOf(said), [
    { raw: '5', reason: 'row_too_short', file: 'a.csv', line: 5, byte: 22, bytes: 1 },
    { raw: '{"v"', reason: 'malformed_json', file: 'b.jsonl', line: 3, byte: 16, bytes: 4 },
  ]);
  t.match(logsOf(said), [/\(csv_row_too_short\).* a\.csv, line 5: /, /\(json_invalid\).* b\.jsonl, line 3: /]);
});

t.test('a file that is not in lines, or whose beginning changes as it grows, must stand still', async (t) => {
  for (const [name, before, after] of [
    ['a.json', '[{"v":1}]', '[{"v":1},{"v":2}]'],
    ['a.csv', 'v\n1\n', 'w\n1\n2\n'],
    ['a.csv', Buffer.from('\uFEFFv\n1\n', 'utf16le'), Buffer.from('\uFEFFv\n1\n2\n', 'utf16le')],
  ] as const) {
    const path = await folder({ [name]: before });
    const found = await listed(path);
    // The copy is taken after the listing: what it holds must be what the file began with then.
    await writeFile(join(path, name), after);
    const reading = withReadyFile(found, reader(), async (ready) => readFile(ready.path, 'utf8'));
    if (name === 'a.csv' && typeof after === 'string') t.equal((await reading).result, 'w\n1\n');
    else await t.rejects(reading, { code: 'file_changed', type: 'transient_error' });
  }
});
