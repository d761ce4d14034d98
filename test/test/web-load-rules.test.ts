import { matchesGlob } from 'node:path';
import type { LookNoteView, StreamRunView } from '@weir/plugin-sources/contract';
import t from 'tap';
import { accountOfFiles, accountOfRecords } from '../../ui/src/sources/load/plan/load-account.ts';
import {
  configOf,
  corrected,
  fitsAddress,
  plannedStreams,
  retyped,
  sendable,
  streamOf,
  unsentFiles,
  unsentText,
  withReadAs,
} from '../../ui/src/sources/load/plan/load-plan.ts';
import { noteWords, placeWords } from '../../ui/src/sources/load/plan/note-words.ts';

const FILES = ['Müller & Söhne.csv', 'a (1).csv', 'a.csv', 'a.json', 'notes.txt'];
const NAMES = ['Müller & Söhne', 'a (1)', 'a', 'a.json'];
const EACH = { tables: 'each', streams: undefined } as const;
const found = { names: NAMES, files: FILES };

t.test('files that were chosen → sent but for what the server never takes, each with its reason', async (t) => {
  const file = (name: string, size = 1) => ({ name, size });
  const given = [
    file('a.csv'),
    file('b.csv', 0),
    file('c.xlsx'),
    file('a?.csv'),
    file('a_.csv'),
    file('🙂'),
    file('n.txt'),
  ];
  const { sent, unsent } = sendable(given);
  t.strictSame(
    sent.map(({ name }) => name),
    ['a.csv', 'a?.csv', 'n.txt'],
  );
  t.strictSame(
    unsent.map(({ name, code }) => `${name} ${code}`),
    ['b.csv file_empty', 'c.xlsx file_unread', 'a_.csv upload_name_repeated', '🙂 upload_name_invalid'],
  );
  t.strictSame(unsentFiles(unsentText(unsent)), unsent, 'the address keeps them');
  const many = Array.from({ length: 500 }, (_, at) => ({ name: `empty ${at}.csv`, code: 'file_empty' }));
  const kept = unsentFiles(unsentText(many));
  t.match(kept.at(-1), { name: `${500 - kept.length + 1} more files`, code: 'file_unsent' });
  t.ok(unsentText(many).length < 1_500);
  for (const text of [undefined, '', '{', '{}', '[[1]]']) t.strictSame(unsentFiles(text), []);
});

t.test('one table is corrected → all are named, and each glob matches its own files alone', async (t) => {
  const streams = corrected(EACH, found, ['a', { delimiter: ';', header: undefined }]);
  t.strictSame(
    streams.map(({ name, delimiter }) => [name, delimiter]),
    NAMES.map((name) => [name, name === 'a' ? ';' : undefined]),
  );
  const matched = streams.map(({ glob }) => FILES.filter((file) => matchesGlob(file, glob)));
  t.strictSame(matched, [['Müller & Söhne.csv'], ['a (1).csv'], ['a.csv'], ['a.json']]);
  t.notOk(
    streams.some((stream) => 'header' in stream),
    'what is not said is not there',
  );
  t.strictSame(plannedStreams(JSON.stringify(streams)), streams, 'the address keeps them');
  for (const text of ['[]', '[{}]', '{"name":"a"}', 'x']) t.equal(plannedStreams(text), undefined);
  t.ok(fitsAddress(streams));
  t.notOk(fitsAddress(Array.from({ length: 500 }, (_, at) => ({ name: `a${at}`, glob: `a${at}.csv` }))));
  const again = corrected({ tables: 'each', streams }, found, ['a', { delimiter: undefined }]);
  t.notOk(
    again.some(({ delimiter }) => delimiter !== undefined),
    'and it is taken back',
  );
  const one = corrected({ tables: 'one', streams: undefined }, { names: ['x'], files: FILES }, [
    'x',
    { skip_lines: 2 },
  ]);
  const plan = { location: 'upload:1', name: 'shop', tables: 'one', streams: one } as const;
  t.strictSame(configOf(plan), { path: 'upload:1', streams: [{ name: 'shop', glob: '*', skip_lines: 2 }] });
});

t.test('a file of no format is read as one → a table of its own, or part of the one table', async (t) => {
  const streams = withReadAs(EACH, found, { file: 'notes.txt', format: 'csv' });
  t.match(streams.at(-1), { name: 'notes', glob: 'notes.txt', format: 'csv' });
  const alike = withReadAs(EACH, { names: ['a'], files: ['a.csv', 'a.txt'] }, { file: 'a.txt', format: 'jsonl' });
  t.match(alike.at(-1), { name: 'a.txt', format: 'jsonl' });
  const own = { tables: 'each', names: ['a', 'a.txt'], streams: alike } as const;
  t.equal(streamOf('a.txt', { ...own, streams: undefined }), undefined, 'the table of another file is not its own');
  t.strictSame([streamOf('a.txt', own), streamOf('a.csv', own)], ['a.txt', 'a']);
  const one = { tables: 'one', streams: undefined } as const;
  t.match(withReadAs(one, { names: ['x'], files: FILES }, { file: 'notes.txt', format: 'csv' }), [
    { name: 'x', glob: '*', format: 'csv' },
  ]);
});

t.test('a column is given a type, another one, and none → the last word counts', async (t) => {
  const first = retyped({}, 'zip', 'text');
  t.strictSame(first, { types: [{ column: 'zip', type: 'text' }] });
  t.strictSame(retyped(first, 'zip', 'integer'), { types: [{ column: 'zip', type: 'integer' }] });
  t.strictSame(retyped(first, 'zip', undefined), { types: undefined });
});

const RUN = {
  ...{ status: 'succeeded', failure: null, left_out: [] },
  ...{ files_read: 1, files_unchanged: 0, files_left_out: 0 },
} as unknown as StreamRunView;

t.test('files given = loaded + left out with the reason, before a load and after it', async (t) => {
  const warning = { name: 'a.json', code: 'json_invalid', detail: 'No JSON.', hint: 'Check it.' };
  const known = { ...EACH, names: NAMES.slice(0, 3), warnings: [warning] } as const;
  const given = { files: FILES, unsent: [{ name: 'z.csv', code: 'file_empty' }] };
  const words = (files: ReturnType<typeof accountOfFiles>) =>
    files.map(({ name, status, code = '', stream = '' }) => [name, status, code, stream].join(' ').trim());
  t.strictSame(words(accountOfFiles(given, known)), [
    'Müller & Söhne.csv planned  Müller & Söhne',
    'a (1).csv planned  a (1)',
    'a.csv planned  a',
    'a.json left_out json_invalid a.json',
    'notes.txt left_out format_unknown',
    'z.csv left_out file_empty',
  ]);
  const failure = { code: 'csv_invalid', detail: 'It is broken.', hint: null };
  const ran = [
    { ...RUN, name: 'Müller & Söhne' },
    { ...RUN, name: 'a (1)', status: 'failed', files_read: 0, failure },
  ] as unknown as StreamRunView[];
  t.strictSame(words(accountOfFiles(given, known, ran)).slice(0, 3), [
    'Müller & Söhne.csv loaded  Müller & Söhne',
    'a (1).csv left_out csv_invalid a (1)',
    'a.csv left_out not_discovered a',
  ]);
  const one = { tables: 'one', streams: undefined, names: ['x'], warnings: [] } as const;
  const left = {
    ...RUN,
    name: 'x',
    files_left_out: 1,
    left_out: [{ kind: 'file_left_out', count: 1, file: 'a.csv', code: 'c', message: 'm' }],
  };
  const together = accountOfFiles({ files: ['a.csv', 'b.csv', 'n.txt'], unsent: [] }, one, [
    left,
  ] as unknown as StreamRunView[]);
  t.strictSame(words(together), ['a.csv left_out c x', 'b.csv loaded  x', 'n.txt left_out format_unknown']);
  const ofFile = { ...one, warnings: [{ ...warning, name: 'b.csv' }] };
  t.strictSame(words(accountOfFiles({ files: ['a.csv', 'b.csv'], unsent: [] }, ofFile)), [
    'a.csv planned  x',
    'b.csv left_out json_invalid x',
  ]);
  const nothing = { ...known, names: [], warnings: [], failure };
  t.strictSame(words(accountOfFiles({ files: ['a.csv'], unsent: [] }, nothing)), ['a.csv left_out csv_invalid']);
});

t.test('records = rows + quarantine + merged away + left out of the read', async (t) => {
  const run = { rows_written: 7, rows_deduplicated: 2, rows_rejected: 3, rows_left_out: 1 } as StreamRunView;
  t.strictSame(accountOfRecords(run), { records: 11, rows: 5, quarantine: 3, merged: 2, leftOut: 1 });
  t.match(accountOfRecords({ ...run, rows_deduplicated: null }), { records: 11, rows: 7, merged: 0 });
});

const NOTE: LookNoteView = { kind: 'x', column: 'zip', reason: null, mostly: null, fits: null, count: 1, places: [] };
const place = (line: number | null, text = 'n/a') => ({ file: 'a.csv', line, text });

t.test('each misfit → words of what is there and what comes of it, with its lines', async (t) => {
  const words = (note: Partial<LookNoteView>) => Object.values(noteWords({ ...NOTE, ...note })).join('. ');
  t.match(
    words({ kind: 'kept_as_text', mostly: 'number', fits: 1_999 }),
    /zip stays text: 1 value of 2,000 is not a number/,
  );
  t.match(
    words({ kind: 'kept_as_text', mostly: 'date', fits: 9, count: 0 }),
    /zip stays text\. The 9 values .* are dates/,
  );
  t.match(words({ kind: 'value_misfit', count: 2 }), /2 values do not fit its type\. They become NULL/);
  t.match(words({ kind: 'line_rejected', reason: 'row_too_short' }), /1 line with fewer fields .*quarantine/);
  t.match(words({ kind: 'line_rejected', reason: 'of_tomorrow', count: 2 }), /2 lines with of tomorrow/);
  for (const kind of ['order_open', 'header_like_row', 'file_fails', 'of_tomorrow']) t.match(words({ kind }), /\w/);
  t.strictSame(placeWords({ ...NOTE, count: 3, places: [place(1_203), place(null)] }, false), [
    'line 1,203: n/a',
    'a.csv: n/a',
    'and 1 more',
  ]);
  t.strictSame(placeWords({ ...NOTE, places: [place(4, '')] }, true), ['a.csv, line 4']);
});
