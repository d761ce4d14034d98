import { appendFile, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../../test/lane.ts';
import { configured, discover, errorOf, folder, read, run, type Said, statesOf } from './kit.ts';

type Mode = 'append' | 'append_dedup';
type Step =
  | { readonly note: object }
  | { readonly file: string }
  | { readonly replaced: string | null }
  | { readonly state: readonly string[] };

/** What is said of a stream's files: rows by file, files that are replaced, and the files of each state. */
function stepsOf({ messages }: Said): Step[] {
  return messages.flatMap((message): Step[] => {
    if (message.type === 'RECORD') return [{ file: `${message.record.meta.file} ${message.record.data.v}` }];
    if (message.type === 'STATE') return [{ state: Object.keys(message.state.stream.stream_state.files) }];
    const { type, value } = message.trace?.analytics ?? {};
    if (type === 'weir_read_note') return value.includes('file_gone') ? [{ note: JSON.parse(value) }] : [];
    return type === 'weir_file_replaced' ? [{ replaced: JSON.parse(value).file }] : [];
  });
}

async function source(files: Readonly<Record<string, string>>, mode: Mode = 'append') {
  const path = await folder(files);
  const config = { path, streams: [{ name: 's', glob: '*.csv' }] };
  const found = configured(await discover(config));
  const catalog = { streams: found.streams.map((stream) => ({ ...stream, destination_sync_mode: mode })) };
  let state: readonly unknown[] = [];
  let stamp = 0;
  return {
    at: (name: string) => join(path, name),
    /** A time of change that no earlier one was. */
    async settle(name: string) {
      stamp += 1;
      await utimes(join(path, name), stamp, stamp);
    },
    forget: () => {
      const [only] = structuredClone(state) as { stream: { stream_state: { named?: boolean } } }[];
      delete only?.stream.stream_state.named;
      state = only === undefined ? [] : [only];
    },
    async read(): Promise<Step[]> {
      const said = await read(config, catalog, state);
      t.equal(said.code, 0, JSON.stringify(errorOf(said)));
      if (statesOf(said).length > 0) state = statesOf(said).slice(-1);
      return stepsOf(said);
    },
    readAnyhow: () => run('read', { config, catalog, state }),
  };
}

t.test('what became of a file between two reads → which rows come, and which are replaced', async (t) => {
  const { at, settle, read } = await source({ 'a.csv': 'v\na1\na2\n', 'b.csv': 'v\nb1\n' });
  const both = { state: ['a.csv', 'b.csv'] };
  const first = [{ file: 'a.csv a1' }, { file: 'a.csv a2' }, { state: ['a.csv'] }, { file: 'b.csv b1' }, both];
  t.strictSame(await read(), first, 'at first nothing is replaced');
  await settle('a.csv');
  t.strictSame(await read(), [{ state: ['b.csv', 'a.csv'] }], 'touched');
  await appendFile(at('a.csv'), 'a3\n');
  t.strictSame(await read(), [{ file: 'a.csv a3' }, { state: ['b.csv', 'a.csv'] }], 'longer');
  await writeFile(at('a.csv'), 'v\na1\nA2\na3\n');
  await settle('a.csv');
  t.strictSame(
    await read(),
    [{ replaced: 'a.csv' }, ...['a1', 'A2', 'a3'].map((v) => ({ file: `a.csv ${v}` })), { state: ['b.csv', 'a.csv'] }],
    'edited',
  );
  await truncate(at('a.csv'), 5);
  await settle('a.csv');
  t.strictSame(await read(), [{ replaced: 'a.csv' }, { file: 'a.csv a1' }, { state: ['b.csv', 'a.csv'] }], 'shorter');
  await truncate(at('a.csv'), 0);
  await settle('a.csv');
  t.strictSame(await read(), [{ replaced: 'a.csv' }, { state: ['b.csv', 'a.csv'] }], 'emptied');
  await settle('a.csv');
  t.strictSame(await read(), [{ state: ['b.csv', 'a.csv'] }], 'still empty');
  await rm(at('a.csv'));
  const note = { stream: 's', kind: 'file_gone', count: 1, file: 'a.csv' };
  t.strictSame(await read(), [{ note }, { state: ['b.csv'] }], 'gone: its rows stay');
  t.strictSame(await read(), []);
  await writeFile(at('a.csv'), 'v\na9\n');
  await settle('a.csv');
  t.strictSame(await read(), [{ replaced: 'a.csv' }, { file: 'a.csv a9' }, { state: ['b.csv', 'a.csv'] }], 'back');
});

t.test('files that are all emptied → the stream fails, and no row is replaced', async (t) => {
  const { at, read, readAnyhow } = await source({ 'a.csv': 'v\n1\n' });
  await read();
  await truncate(at('a.csv'), 0);
  const said = await readAnyhow();
  t.match(errorOf(said), { internal_message: 'csv_header_missing' });
  t.strictSame(stepsOf(said), []);
});

t.test('a full refresh → names the files, and replaces none', async (t) => {
  const path = await folder({ 'a.csv': 'v\n1\n' });
  const catalog = configured(await discover({ path }), 'full_refresh');
  t.strictSame(stepsOf(await read({ path }, catalog)).slice(0, 1), [{ file: 'a.csv 1' }]);
});

t.test('rows that are merged by key: an edited file → all files are read, it comes last, one state', async (t) => {
  const { at, settle, read } = await source(
    { 'a.csv': 'v\n1\n', 'b.csv': 'v\n1\n', 'c.csv': 'v\n3\n' },
    'append_dedup',
  );
  await read();
  await writeFile(at('a.csv'), 'v\n7\n');
  await appendFile(at('c.csv'), '4\n');
  await settle('a.csv');
  t.strictSame(await read(), [
    { file: 'c.csv 4' },
    { state: ['a.csv', 'b.csv', 'c.csv'] },
    ...[{ replaced: 'b.csv' }, { file: 'b.csv 1' }],
    ...[{ replaced: 'c.csv' }, { file: 'c.csv 3' }, { file: 'c.csv 4' }],
    ...[{ replaced: 'a.csv' }, { file: 'a.csv 7' }],
    { state: ['b.csv', 'c.csv', 'a.csv'] },
  ]);
  await truncate(at('b.csv'), 0);
  await settle('b.csv');
  t.strictSame((await read()).slice(-2), [{ replaced: 'b.csv' }, { state: ['c.csv', 'a.csv', 'b.csv'] }]);
  await writeFile(at('d.csv'), 'v\n1\n');
  t.strictSame(
    (await read()).filter((step) => 'replaced' in step),
    [],
    'a new file replaces none',
  );
});

t.test('rows without the name of their file → all files are read once, or the sync is refused', async (t) => {
  const { at, forget, read, readAnyhow } = await source({ 'a.csv': 'v\n1\n', 'b.csv': 'v\n2\n' });
  await read();
  forget();
  const own = (name: string, row: string) => [{ replaced: name }, { file: `${name} ${row}` }];
  const again = [{ replaced: null }, ...own('a.csv', '1'), ...own('b.csv', '2'), { state: ['a.csv', 'b.csv'] }];
  t.strictSame(await read(), again);
  t.strictSame(await read(), [], 'once');
  forget();
  await rm(at('b.csv'));
  const refused = await readAnyhow();
  t.match(errorOf(refused), {
    internal_message: 'rows_unnamed',
    failure_type: 'config_error',
    hint: /^b\.csv: .*full refresh/,
  });
  t.strictSame(stepsOf(refused), []);
  const merged = await source({ 'a.csv': 'v\n1\n', 'b.csv': 'v\n2\n' }, 'append_dedup');
  await merged.read();
  merged.forget();
  await rm(merged.at('b.csv'));
  t.strictSame((await merged.read()).slice(1), [...own('a.csv', '1'), { state: ['a.csv'] }], 'a key finds them anyhow');
});

t.test('JSON, Parquet in pieces and addresses name their file too', async (t) => {
  const path = await folder({ 'a b/x.jsonl': '{"v":1}\n' });
  const catalog = configured(await discover({ path, glob: '**/*' }));
  t.strictSame(stepsOf(await read({ path, glob: '**/*' }, catalog))[0], { file: 'a b/x.jsonl 1' });
});

const change = fc.record({
  name: fc.constantFrom('a.csv', 'b.csv', 'c.csv'),
  rows: fc.array(fc.nat({ max: 3 }), { maxLength: 3 }),
  how: fc.constantFrom('write', 'append', 'touch', 'remove'),
});

t.test('any changes → rows by file are what the files hold, and those of files that are gone', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 5 }), async (rounds) => {
      const { at, settle, read } = await source({ 'always.csv': 'v\n' });
      const there = new Map<string, string[]>();
      const table = new Map<string, string[]>();
      for (const round of [[], ...rounds]) {
        for (const { name, rows, how } of round) {
          const known = there.get(name);
          const values = rows.map((row) => `x${row}`);
          const text = values.map((value) => `${value}\n`).join('');
          if (how === 'remove') {
            await rm(at(name), { force: true });
            there.delete(name);
          } else if (how === 'write' || known === undefined) {
            await writeFile(at(name), `v\n${text}`);
            there.set(name, values);
          } else if (how === 'append') {
            await appendFile(at(name), text);
            there.set(name, [...known, ...values]);
          }
          if (how !== 'remove') await settle(name);
        }
        for (const step of await read()) {
          if ('replaced' in step) table.set(String(step.replaced), []);
          if (!('file' in step)) continue;
          const [name = '', value = ''] = step.file.split(' ');
          table.set(name, [...(table.get(name) ?? []), value]);
        }
        for (const [name, values] of there) t.strictSame(table.get(name) ?? [], values, name);
      }
    }),
    { numRuns: cases(12) },
  );
});
