import { Buffer } from 'node:buffer';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';

/** A file of a generated folder, and what has to become of it. */
export interface GeneratedFile {
  readonly name: string;
  readonly content: Uint8Array;
  /** Where the file says nothing that can be read, it is left out; `unseen`: it is no file that a connector reads. */
  readonly fate: 'loaded' | 'left_out' | 'unseen' | 'uncounted';
  /** Records behind the header: the ids of those that are rows, and how many are none. */
  readonly ids: readonly number[];
  readonly rejected: number;
}

const STEMS = ['revenue', 'Müller & Söhne', 'a b', 'Ünï-çødé', '2024', 'select', 'UPPER', "o'brien", 'x-1'] as const;
const WORDS = ['ada', 'grace', 'Zoë', 'a "quoted" one', 'two\nlines', 'semi;colon, comma', ''] as const;
/** Few enough that files have some in common. */
const MAX_ID = 40;

const bytes = (text: string): Buffer => Buffer.from(text);
const row = fc.record({ id: fc.integer({ min: 1, max: MAX_ID }), word: fc.constantFrom(...WORDS) });
type Row = { readonly id: number; readonly word: string };
type Content = Pick<GeneratedFile, 'content' | 'fate' | 'ids' | 'rejected'>;

const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id);

/** Behind the rows, or among them: a line that is none. Each file has one of each at most. */
const BAD_LINES = [
  () => bytes('Total: 3 rows'),
  (split: string) => bytes(`7${split}x${split}y${split}z`),
  (split: string) => Buffer.concat([bytes(`7${split}a`), Buffer.from([0xff, 0xfe]), bytes('b')]),
];

const csv = fc
  .record({
    rows: fc.array(row, { maxLength: 30 }),
    bad: fc.subarray(BAD_LINES),
    split: fc.constantFrom(',', ';', '\t'),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    hasBom: fc.boolean(),
    isEnded: fc.boolean(),
    isPacked: fc.boolean(),
  })
  .map(({ rows, bad, split, lineEnd, hasBom, isEnded, isPacked }) => {
    // A line with a byte that is no UTF-8 is one where others are UTF-8 beyond ASCII.
    const all = [{ id: MAX_ID + 1, word: 'Zoë' }, { id: MAX_ID + 2, word: 'ada' }, ...rows];
    const lines: Buffer[] = all.map(({ id, word }) => bytes(`${id}${split}"${word.replaceAll('"', '""')}"`));
    const noRows = bad.map((line) => line(split));
    lines.splice(2, 0, ...noRows);
    const head = bytes(`${hasBom ? '\ufeff' : ''}id${split}word`);
    const parts = [head, ...lines].flatMap((line) => [line, bytes(lineEnd)]);
    const plain = Buffer.concat(isEnded ? parts : parts.slice(0, -1));
    const content = { fate: 'loaded' as const, ids: idsOf(all), rejected: noRows.length };
    return { ending: isPacked ? '.csv.gz' : '.csv', ...content, content: isPacked ? gzipSync(plain) : plain };
  });

const jsonl = fc
  .record({ rows: fc.array(row, { minLength: 1, maxLength: 30 }), bad: fc.subarray(['{"id":1,"id":2}', 'none', '{']) })
  .map(({ rows, bad }) => {
    const lines = [...rows.map((one) => JSON.stringify(one)), ...bad, ''];
    const content = { fate: 'loaded' as const, ids: idsOf(rows), rejected: bad.length };
    return { ending: '.jsonl', content: bytes(lines.join('\n')), ...content };
  });

const json = fc.array(row, { minLength: 1, maxLength: 30 }).map((rows) => {
  const content = { fate: 'loaded' as const, ids: idsOf(rows), rejected: 0 };
  return { ending: '.json', content: bytes(JSON.stringify(rows)), ...content };
});

const NOTHING = { ids: [], rejected: 0 } as const;
const still = (ending: string, text: string, fate: Content['fate']) =>
  fc.constant({ ending, content: bytes(text), fate, ...NOTHING });

const OTHERS = fc.oneof(
  still('.csv', 'id,word\n', 'loaded'),
  still('.csv', '', 'left_out'),
  still('.csv', '\n', 'left_out'),
  still('.csv.gz', 'no gzip', 'left_out'),
  still('.parquet', 'PAR1', 'left_out'),
  still('.json', 'none of it', 'left_out'),
  still('.xlsx', 'PK', 'unseen'),
  still('.zip', 'PK', 'unseen'),
);

/** Folders of good, odd and unreadable files; each has a good one of rows, and two that nobody counts. */
export const generatedFolder: fc.Arbitrary<GeneratedFile[]> = fc
  .record({
    stems: fc.shuffledSubarray([...STEMS], { minLength: 3, maxLength: 7 }),
    first: csv,
    contents: fc.array(fc.oneof(csv, csv, jsonl, json, OTHERS, OTHERS), { minLength: 6, maxLength: 6 }),
  })
  .map(({ stems, first, contents }) => [
    ...stems.map((stem, at) => {
      const { ending, ...content } = (at === 0 ? first : contents[at - 1]) ?? first;
      return { name: `${stem}${ending}`, ...content };
    }),
    { name: '_notes.txt', content: bytes('a note'), fate: 'uncounted', ...NOTHING },
    { name: '.hidden.csv', content: bytes('id\n1\n'), fate: 'uncounted', ...NOTHING },
  ]);
