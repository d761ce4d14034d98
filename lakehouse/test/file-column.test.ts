import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import t from 'tap';
import {
  assignFieldIds,
  createStager,
  FILE_COLUMN,
  type LineShape,
  localFileIO,
  SPOOL_HEAD_BYTES,
  type StagedFile,
  type TableSchema,
  withMetaColumns,
} from '../src/index.ts';
import { WIDE_FIELDS } from '../src/stage/wide-figures.ts';
import { SHAPE } from './lake.ts';
import { pagedFile } from './paged-file.ts';

const root = await mkdtemp(join(tmpdir(), 'weir-file-column-'));
const stager = await createStager({ io: localFileIO({ root }), scratch: join(root, 'scratch') });
const duckdb = await DuckDBInstance.create();
const connection = await duckdb.connect();
t.teardown(async () => {
  stager.close();
  connection.closeSync();
  duckdb.closeSync();
  await rm(root, { recursive: true, force: true });
});

const NAMES = ['a.csv', 'b "c"/ü\\d.csv', 'e.csv'];
const FILED: LineShape = { ...SHAPE, file: ['record', 'meta', 'file'] };
const columns = withMetaColumns([{ name: 'id', type: 'long' }]);
const schema: TableSchema = { type: 'struct', 'schema-id': 0, fields: assignFieldIds([...columns, FILE_COLUMN]) };
let folders = 0;
const base = () => ({ schema, folder: `file://${root}/t/data/${folders++}`, runId: 'r', position: 0 });

async function rowsOf(files: readonly StagedFile[]) {
  const paths = files.map(({ location }) => `'${fileURLToPath(location)}'`).join(', ');
  const reader = await connection.runAndReadAll(`SELECT id, _file, _extra FROM read_parquet([${paths}]) ORDER BY id`);
  return reader.getRowsJson();
}

const line = (data: object, file: string | undefined): string =>
  JSON.stringify({ type: 'RECORD', record: { stream: 's', data, emitted_at: 5, ...(file && { meta: { file } }) } });

for (const [how, head, last] of [
  ['read strictly', `${' '.repeat(SPOOL_HEAD_BYTES - 1)}\n`, { id: 3 }],
  ['read by name', '', { id: 3 }],
  ['with a member that no column holds', '', { id: 3, more: 'x' }],
  ['with a number of many digits', '', { id: 3, more: 'LONG' }],
] as const) {
  t.test(`lines ${how} → \`_file\` is what each line says, null where it says nothing`, async (t) => {
    const source = join(root, `${folders}.ndjson`);
    const lines = [
      line({ id: 0 }, undefined),
      ...NAMES.map((name, at) => line(at === 2 ? last : { id: at + 1 }, name)),
    ];
    await writeFile(source, `${head}${lines.join('\n')}\n`.replace('"LONG"', '123456789012345678901234567890'));
    const { files, checksum } = await stager.copy({ ...base(), source, shape: FILED, lines: 4 });
    const extra =
      'more' in last ? (last.more === 'x' ? '{"more":"x"}' : '{"more":123456789012345678901234567890}') : null;
    t.strictSame(await rowsOf(files), [
      ['0', null, null],
      ['1', NAMES[0], null],
      ['2', NAMES[1], null],
      ['3', NAMES[2], extra],
    ]);
    await writeFile(source, `${head}${lines.join('\n')}\n`.replace('"LONG"', '123456789012345678901234567890'));
    const other = await stager.copy({ ...base(), source, shape: SHAPE, lines: 4 });
    t.equal(other.checksum, checksum, 'the checksum is about the data alone');
  });
}

t.test('lines of more columns than are typed at once → `_file` is what each line says', async (t) => {
  const wide = withMetaColumns(
    Array.from({ length: WIDE_FIELDS + 1 }, (_, at) => ({ name: at === 0 ? 'id' : `c${at}`, type: 'long' })),
  );
  const fields = assignFieldIds([...wide, FILE_COLUMN]);
  const source = join(root, 'wide.ndjson');
  await writeFile(source, [1, 2].map((id) => `${line({ id, c7: id }, NAMES[id])}\n`).join(''));
  const request = { ...base(), schema: { ...schema, fields }, source, shape: FILED, lines: 2 };
  const { files } = await stager.copy(request);
  t.strictSame(await rowsOf(files), [
    ['1', NAMES[1], null],
    ['2', NAMES[2], null],
  ]);
});

t.test('a Parquet file, taken as it is or written again → its rows are from the file that is named', async (t) => {
  const source = join(root, 'segment.parquet');
  const group = ['1', '2'].map((text) => ({ text, key: BigInt(text) }));
  await writeFile(source, pagedFile([{ name: 'id', type: 'long', groups: [group] }]));
  const rewritten = join(root, 'rewritten.parquet');
  await connection.run(`COPY (FROM read_parquet('${source}')) TO '${rewritten}' (FORMAT parquet, COMPRESSION snappy)`);
  const sums: string[] = [];
  for (const path of [source, rewritten]) {
    for (const file of [undefined, NAMES[1]]) {
      const staged = await stager.segment({ ...base(), source: path, extractedAt: 5, lines: 2, file });
      t.strictSame(await rowsOf(staged.files), [
        ['1', file ?? null, null],
        ['2', file ?? null, null],
      ]);
      sums.push(staged.checksum);
    }
  }
  t.equal(new Set(sums).size, 1);
});
