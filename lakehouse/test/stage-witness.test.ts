import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { createStager, createTable, currentSchema, localFileIO, withMetaColumns } from '../src/index.ts';
import { SHAPE } from './lake.ts';

t.test('lines that look like the witness of a spool are rows like any other', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'weir-witness-'));
  const io = localFileIO({ root });
  const stager = await createStager({ io, scratch: join(root, 'scratch') });
  t.teardown(async () => {
    stager.close();
    await rm(root, { recursive: true, force: true });
  });
  const columns = withMetaColumns([{ name: 'id', type: 'long' }]);
  const { metadata } = await createTable({ io, location: `file://${root}/t`, columns });
  const line = (id: number, more: object = {}, time = 5) =>
    JSON.stringify({ type: 'RECORD', ...more, record: { data: { id }, emitted_at: time } });
  const lines = [line(1), line(2, {}, -(2 ** 53)), line(3, { type: '\u0001witness' }), line(4)];
  const source = join(root, 'lines.ndjson');
  await writeFile(source, `${' '.repeat(4000)}\n${lines.join('\n')}\n`);
  const folder = `${metadata.location}/data/x`;
  const request = { source, shape: SHAPE, schema: currentSchema(metadata), folder, runId: 'r', position: 0, lines: 4 };
  t.match(await stager.copy(request), { rows: 4, rowsWithErrors: 0, rejected: undefined });
});
