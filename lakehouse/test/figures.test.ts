import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import {
  type Column,
  createScanner,
  createStager,
  currentSchema,
  type LiveFile,
  parseCondition,
  prepareAppend,
  type StagedFile,
} from '../src/index.ts';
import { addFigures, NO_FIGURES, parts } from '../src/query/count-rows.ts';
import { line, openLake, SHAPE } from './lake.ts';
import { liveFile } from './live-file.ts';
import { readingPlace } from './typed-table.ts';

const COLUMNS: Column[] = [
  { name: 'a', type: 'int' },
  { name: 'b', type: 'string' },
];

t.test('the figures of a table are those of the files that were staged', async (t) => {
  const lake = await openLake();
  t.teardown(() => lake.close());
  const { pool } = await readingPlace(t);
  const created = await lake.table(COLUMNS);
  const schema = currentSchema(created.metadata);
  const stager = await createStager({ io: lake.io, scratch: join(lake.root, 'scratch') });
  t.teardown(() => stager.close());
  const stage = async (name: string, text: string) => {
    const source = join(lake.root, `${name}.ndjson`);
    await writeFile(source, text);
    const folder = `${created.metadata.location}/data/${name}`;
    return stager.copy({ source, shape: SHAPE, schema, folder, runId: 'run-1', position: 0 });
  };
  const one = await stage('one', line({ a: 1, b: 'x' }) + line({ a: 'no number', b: 'y' }));
  const two = await stage('two', line({ a: 2, b: null }));
  const files = [...one.files, ...two.files].map((file) => JSON.parse(JSON.stringify(file)) as StagedFile);
  const commit = await prepareAppend({ io: lake.io, ...created, files });
  const live = await createScanner({ io: lake.io }).files(commit.metadata);
  const { checksum } = addFigures({ ...NO_FIGURES, ...one }, { ...NO_FIGURES, ...two });
  const staged = { rows: 3, rowsWithErrors: 1, checksum };
  t.strictSame(await pool.figures({ files: live, schema }), staged);
  t.strictSame(await pool.figures({ files: live, schema, runId: 'run-1' }), staged);
  t.strictSame(await pool.figures({ files: live, schema, runId: 'run-2' }), NO_FIGURES);
  const where = [parseCondition(schema.fields[0]!, 'eq', '2')].filter((found) => typeof found === 'object');
  t.match(await pool.figures({ files: live, schema, where }), { rows: 1, checksum: two.checksum });
});

t.test('large tables are counted in parts whose figures add up', async (t) => {
  const files = (sizes: readonly bigint[]): LiveFile[] => sizes.map((sizeBytes) => liveFile({ sizeBytes }));
  const counts = (sizes: readonly bigint[]) => parts(files(sizes)).map((part) => part.length);
  const gigabyte = 2n ** 30n;
  t.strictSame(counts([]), []);
  t.strictSame(counts(Array.from({ length: 65 }, () => 1n)), [64, 1]);
  t.strictSame(counts([gigabyte * 2n, 1n, gigabyte - 1n, 1n]), [1, 2, 1]);
  const checksum = (hex: string) => NO_FIGURES.checksum.replace(/0{16}$/, hex.padStart(16, '0'));
  const sum = addFigures(
    { rows: 1, rowsWithErrors: 0, checksum: checksum('ffffffffffffffff') },
    { rows: 2, rowsWithErrors: 1, checksum: checksum('2') },
  );
  t.strictSame(sum, { rows: 3, rowsWithErrors: 1, checksum: checksum('1') });
  t.throws(() => addFigures(sum, { ...sum, checksum: 'other:1' }), { code: 'query_failed' });
});
