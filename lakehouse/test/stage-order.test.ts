import { createWriteStream } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { assignFieldIds, createStager, openStore, withMetaColumns } from '@weir/lakehouse';
import t from 'tap';

const LINES = 300_000;
const BLOCK = 10_000;

/** More lines than one thread takes at once. */
function* lines(): Generator<string> {
  for (let from = 0; from < LINES; from += BLOCK) {
    const block = Array.from({ length: BLOCK }, (_, index) => {
      const id = from + index;
      return `{"type":"RECORD","record":{"stream":"a","data":{"id":${id},"text":"${'of many '.repeat(16)}${id}"},"emitted_at":1}}\n`;
    });
    yield block.join('');
  }
}

t.test(
  'lines whose order is asked for keep it over all of their files, so that the last row of a key is the last',
  async (t) => {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'order-')));
    t.teardown(() => rm(root, { recursive: true, force: true }));
    const source = join(root, 'lines.ndjson');
    await pipeline(Readable.from(lines()), createWriteStream(source));
    const io = openStore({ warehouse: root, scratch: join(root, 'cache') });
    const stager = await createStager({ io, scratch: join(root, 'scratch') });
    const columns = withMetaColumns([
      { name: 'id', type: 'long' },
      { name: 'text', type: 'string' },
    ]);
    const { files, rows } = await stager.copy({
      source,
      shape: { data: ['record', 'data'], extractedAt: ['record', 'emitted_at'] },
      schema: { type: 'struct', 'schema-id': 0, fields: assignFieldIds(columns) },
      folder: join(root, 'table'),
      runId: 'r',
      position: 0,
      ordered: true,
      key: [1],
    });
    stager.close();
    t.equal(rows, LINES);
    const duckdb = await DuckDBInstance.create();
    const connection = await duckdb.connect();
    const paths = files.map(({ location }) => `'${location.replace(/^file:\/\//, '')}'`);
    const reader = await connection.runAndReadAll(`SELECT id FROM read_parquet([${paths.join(', ')}])`);
    const ids = reader.getColumns()[0] ?? [];
    t.ok(ids.every((id, index) => Number(id) === index));
    connection.closeSync();
    duckdb.closeSync();
  },
);
