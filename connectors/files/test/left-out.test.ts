import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../../test/lane.ts';
import { configured, dataOf, errorOf, folder, parquet, read, type Said, statesOf } from './kit.ts';

const COLUMNS = { type: 'object', properties: { v: { type: ['null', 'string'] } } };
const CATALOG = { streams: [{ name: 's', json_schema: COLUMNS }] };
const config = (path: string) => ({ path, streams: [{ name: 's', glob: '*' }] });

type Note = { kind: string; count: number; file?: string; code?: string; message?: string };
const notesOf = ({ messages }: Said): Note[] =>
  messages
    .filter((message) => message.trace?.analytics?.type === 'weir_read_note')
    .map((message) => JSON.parse(message.trace.analytics.value));
const counted = (notes: readonly Note[], kind: string) =>
  notes.filter((note) => note.kind === kind).reduce((sum, { count }) => sum + count, 0);
const filesOf = (said: Said) => Object.keys(statesOf(said).at(-1)?.stream.stream_state.files ?? {});

t.test('a file that cannot be read → the others are read, it is named, and the stream fails', async (t) => {
  const path = await folder({ 'a.csv': 'v\n1\n', 'b.csv.gz': 'no gzip', 'c.csv': 'v\n3\n', 'd.json': '[{"v":' });
  const said = await read(config(path), configured(CATALOG));
  t.equal(said.code, 1);
  t.strictSame(
    dataOf(said).map(({ v }) => v),
    ['1', '3'],
  );
  t.strictSame(filesOf(said), ['a.csv', 'c.csv'], 'each is covered by its state');
  t.match(errorOf(said), {
    internal_message: 'packing_damaged',
    hint: /^b\.csv\.gz: .* 2 of the 4 files of the stream were left out\.$/,
  });
  t.match(
    notesOf(said).filter(({ kind }) => kind === 'file_left_out'),
    [
      { count: 1, file: 'b.csv.gz', code: 'packing_damaged', message: /damaged.* b\.csv\.gz: Copy the file again/ },
      { count: 1, file: 'd.json', code: 'json_truncated' },
    ],
  );
  t.equal(counted(notesOf(said), 'file_read'), 2);
  await writeFile(join(path, 'd.json'), '[{"v":"4"}]');
  const again = await read(config(path), configured(CATALOG), statesOf(said).slice(-1));
  t.strictSame(
    dataOf(again).map(({ v }) => v),
    ['4'],
  );
  t.match(notesOf(again), [
    { kind: 'file_unchanged', count: 2 },
    { file: 'b.csv.gz' },
    { kind: 'file_read', count: 1 },
  ]);
});

t.test('a known file that cannot be read any more → none of its rows is replaced', async (t) => {
  const path = await folder({ 'a.csv': 'v\n1\n', 'b.csv': 'v\n2\n' });
  const first = await read(config(path), configured(CATALOG));
  await writeFile(join(path, 'a.csv'), 'other\n1\n');
  await writeFile(join(path, 'b.csv'), 'v\n2\n22\n');
  const said = await read(config(path), configured(CATALOG), statesOf(first).slice(-1));
  t.match(errorOf(said), { internal_message: 'schema_changed' });
  t.notMatch(JSON.stringify(said.messages), /weir_file_replaced/);
  t.strictSame(
    dataOf(said).map(({ v }) => v),
    ['22'],
  );
  t.equal(statesOf(said).at(-1).stream.stream_state.files['a.csv'].size, 4, 'its state is that of before');
});

t.test('a full refresh with such a file → fails at once, and every file is left out', async (t) => {
  const path = await folder({ 'a.csv': 'v\n1\n', 'b.csv': '\n', 'c.csv': 'v\n3\n' });
  const said = await read(config(path), configured(CATALOG, 'full_refresh'));
  t.match(errorOf(said), { internal_message: 'csv_header_missing', hint: /3 of the 3 files/ });
  t.match(
    notesOf(said).filter(({ kind }) => kind === 'file_left_out'),
    [
      { count: 1, file: 'b.csv', code: 'csv_header_missing' },
      { count: 1, file: 'a.csv', code: 'stream_ended' },
      { count: 1, file: 'c.csv', code: 'stream_ended' },
    ],
  );
});

t.test('a file that breaks behind rows that were sent → the stream ends there', async (t) => {
  const path = await folder({ 'a.csv': 'v\n1\n', 'c.csv': 'v\n3\n' });
  const damaged = join(path, 'b.parquet');
  await parquet(
    damaged,
    'SELECT md5(i::varchar) AS v FROM range(400_000) r(i)',
    ', COMPRESSION zstd, ROW_GROUP_SIZE 10_000',
  );
  // DuckDB reads ahead of what is taken from it: the damage lies farther behind than that.
  const bytes = await readFile(damaged);
  await writeFile(damaged, bytes.fill(0, bytes.length - 200_000, bytes.length - 190_000));
  const said = await read(config(path), configured(CATALOG));
  t.match(errorOf(said), { internal_message: 'parquet_truncated', hint: /2 of the 3 files/ });
  t.ok(dataOf(said).length > 1, 'rows of it are on their way');
  t.strictSame(filesOf(said), ['a.csv'], 'and no state covers them');
  t.match(
    notesOf(said).filter(({ kind }) => kind === 'file_left_out'),
    [
      { file: 'b.parquet', code: 'parquet_truncated' },
      { file: 'c.csv', code: 'stream_ended' },
    ],
  );
});

/** Contents of files, and whether they are read. */
const CONTENTS: readonly [ending: string, content: string, isRead: boolean][] = [
  ['.csv', 'v\n1\n2\n', true],
  ['.csv', 'v\n', true],
  ['.jsonl', '{"v":"1"}\n', true],
  ['.json', '[]', true],
  ['.csv', '\n', false],
  ['.csv.gz', 'no gzip', false],
  ['.csv.zst', 'no zstandard', false],
  ['.json', '{', false],
  ['.parquet', 'PAR1 no parquet', false],
];
t.test('any files → each is read, unchanged or left out, at first and again', async (t) => {
  const one = fc.record({ what: fc.constantFrom(...CONTENTS), isFull: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(one, { minLength: 2, maxLength: 5 }), async (files) => {
      const named = files.map(({ what: [ending, content, isRead] }, at) => ({
        name: `${at}${ending}`,
        content,
        isRead,
      }));
      const path = await folder(Object.fromEntries(named.map(({ name, content }) => [name, content])));
      const good = named.filter(({ isRead }) => isRead).length;
      const mode = files[0]?.isFull ? 'full_refresh' : 'incremental';
      const said = await read(config(path), configured(CATALOG, mode));
      const notes = notesOf(said);
      const left = counted(notes, 'file_left_out');
      t.equal(said.code, good === named.length ? 0 : 1);
      if (mode === 'full_refresh') return void t.equal(left, good === named.length ? 0 : named.length);
      t.strictSame([counted(notes, 'file_read'), left], [good, named.length - good]);
      t.equal(filesOf(said).length, good);
      const again = notesOf(await read(config(path), configured(CATALOG), statesOf(said).slice(-1)));
      t.strictSame([counted(again, 'file_unchanged'), counted(again, 'file_left_out')], [good, left]);
    }),
    { numRuns: cases(100) },
  );
});
