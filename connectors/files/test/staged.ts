import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import {
  assignFieldIds,
  createStager,
  jsonSchemaToColumns,
  jsonTextColumns,
  openStore,
  type TableSchema,
  withMetaColumns,
} from '@weir/lakehouse';
import t from 'tap';
import { configured, discover, folder, read, type Said } from './kit.ts';

const SHAPE = { data: ['record', 'data'], extractedAt: ['record', 'emitted_at'] } as const;
const duckdb = await DuckDBInstance.create(':memory:', { threads: '1' });
const connection = await duckdb.connect();
await connection.run(`SET TimeZone = 'UTC'`);
t.teardown(() => {
  connection.closeSync();
  duckdb.closeSync();
});

const root = await folder();
await mkdir(join(root, 'tables'));
const stager = await createStager({
  io: openStore({ warehouse: root, scratch: join(root, 'cache') }),
  scratch: join(root, 'scratch'),
  threads: 1,
});
t.teardown(() => stager.close());
let tables = 0;

/** A row of a table: each value as the text that it prints as, and the names of the columns that `_errors` names. */
export type StagedRow = { readonly values: ReadonlyMap<string, string | null>; readonly marked: ReadonlySet<string> };
export type Staged = {
  readonly types: ReadonlyMap<string, string>;
  readonly rows: readonly StagedRow[];
  /** How many lines are no rows. */
  readonly rejected: number;
  readonly said: Said;
};

/** What the platform makes of a source of one stream: discovered, unless by a catalog, read, and typed. */
export async function staged(config: unknown, given?: { streams: object[] }): Promise<Staged> {
  const catalog = given ?? (await discover(config));
  const said = await read(config, configured(catalog));
  const source = join(root, 'lines.ndjson');
  const lines = said.lines.filter((line) => line.startsWith('{"type":"RECORD"'));
  await writeFile(source, lines.map((line) => `${line}\n`).join(''));
  const schema = catalog.streams[0].json_schema;
  const columns = jsonSchemaToColumns(schema);
  const table: TableSchema = { type: 'struct', 'schema-id': 0, fields: assignFieldIds(withMetaColumns(columns)) };
  tables += 1;
  const target = { folder: join(root, `tables/${tables}`), runId: 'r', position: 0 };
  const result = await stager.copy({ ...target, source, shape: SHAPE, schema: table, json: jsonTextColumns(schema) });
  const types = new Map(columns.map(({ name, type }) => [name, String(type)]));
  const rejected = result.rejected?.count ?? 0;
  const files = result.files.map(({ location }) => `'${location.replace(/^file:\/\//, '')}'`).join(', ');
  if (files === '') return { types, rows: [], rejected, said };
  const names = columns.map(({ name }) => `"${name.replaceAll('"', '""')}"::VARCHAR`);
  const reader = await connection.runAndReadAll(
    `SELECT list_transform(_errors, lambda e: e.field)::JSON::VARCHAR, ${names.join(', ')} FROM read_parquet([${files}])`,
  );
  const rows = reader.getRows().map(([marked, ...values]) => ({
    values: new Map(columns.map(({ name }, at) => [name, values[at] === null ? null : String(values[at])])),
    marked: new Set(JSON.parse(String(marked)) as string[]),
  }));
  return { types, rows, rejected, said };
}
