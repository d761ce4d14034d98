import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import {
  assignFieldIds,
  type Column,
  type CopyResult,
  createStager,
  LakehouseError,
  openStore,
  type SegmentRequest,
  type TableSchema,
  withMetaColumns,
} from '@weir/lakehouse';
import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../test/lane.ts';
import { type PagedColumn, pagedFile } from './paged-file.ts';
import { runPython } from './python.ts';
import { type TypedValue, VALUES } from './typed-values.ts';

const root = await realpath(await mkdtemp(join(tmpdir(), 'adopt-')));
const duckdb = await DuckDBInstance.create();
const connection = await duckdb.connect();
await connection.run(`SET TimeZone = 'UTC'`);
const stager = await createStager({
  io: openStore({ warehouse: root, scratch: join(root, 'cache') }),
  scratch: join(root, 'scratch'),
});
t.teardown(async () => {
  stager.close();
  connection.closeSync();
  duckdb.closeSync();
  await rm(root, { recursive: true, force: true });
});

let files = 0;
const newPath = () => join(root, `${files++}.parquet`);
async function stored(bytes: Buffer): Promise<string> {
  const path = newPath();
  await writeFile(path, bytes);
  return path;
}
/** The same rows in a form that is written again. */
async function otherForm(source: string): Promise<string> {
  const path = newPath();
  await connection.run(`COPY (FROM read_parquet('${source}')) TO '${path}' (FORMAT parquet, COMPRESSION snappy)`);
  return path;
}
const schemaOf = (columns: readonly Column[]): TableSchema => ({
  type: 'struct',
  'schema-id': 0,
  fields: assignFieldIds(withMetaColumns(columns)),
});
const stage = (source: string, columns: readonly Column[], more: Partial<SegmentRequest> = {}): Promise<CopyResult> =>
  stager.segment({
    ...{ source, schema: schemaOf(columns), folder: join(root, 'tables', String(files++)) },
    ...{ runId: 'run-1', position: 0, extractedAt: 1_700_000_000_123 },
    ...more,
  });
const pathsOf = ({ files: staged }: CopyResult) =>
  `[${staged.map(({ location }) => `'${location.startsWith('file:') ? fileURLToPath(location) : location}'`).join(', ')}]`;
async function ask(sql: string): Promise<Record<string, unknown>[]> {
  const reader = await connection.runAndReadAll(sql);
  return reader.getRowObjectsJson() as Record<string, unknown>[];
}
const rowsOf = (result: CopyResult) => ask(`FROM read_parquet(${pathsOf(result)}) ORDER BY ALL`);
async function isAdopted(result: CopyResult): Promise<boolean> {
  // A footer may say that there are no rows.
  if (result.files.length === 0) return false;
  const found = await ask(`SELECT created_by FROM parquet_file_metadata(${pathsOf(result)})`);
  return found.length === 1 && found[0]?.created_by === 'weir';
}
const idsOf = (result: CopyResult) =>
  ask(`SELECT name, field_id FROM parquet_schema(${pathsOf(result)}) WHERE field_id IS NOT NULL ORDER BY ALL`);

/** What a table is told of a file, but for where it lies and what its pages weigh. */
const toldOf = ({ files: staged }: CopyResult) =>
  staged.map(({ location: _l, file_size_in_bytes: _b, column_sizes, ...told }) => ({
    ...told,
    sized: Object.keys(column_sizes).sort(),
  }));

const NAMES = VALUES.map(([type], at) => ({ name: `c "${at}"`, type }));
const someRow = fc.tuple(...VALUES.map(([, value]) => fc.option(value, { freq: 6 })));
const someGroups = fc.array(fc.array(someRow, { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 3 });
const columnsOf = (groups: readonly (readonly (readonly (TypedValue | null)[])[])[]): PagedColumn[] =>
  NAMES.map((column, at) => ({ ...column, groups: groups.map((rows) => rows.map((row) => row[at] ?? null)) }));

t.test('pages that are taken as they are make the file that writing their values again makes', async (t) => {
  const property = fc.asyncProperty(someGroups, async (groups) => {
    const source = await stored(pagedFile(columnsOf(groups)));
    const schema = [...NAMES, { name: 'later', type: 'decimal(20, 3)' } as const];
    const adopted = await stage(source, schema, { lines: groups.flat().length });
    const written = await stage(await otherForm(source), schema);
    t.ok(await isAdopted(adopted));
    t.notOk(await isAdopted(written));
    t.strictSame({ ...adopted, files: toldOf(adopted) }, { ...written, files: toldOf(written) });
    t.strictSame(await rowsOf(adopted), await rowsOf(written));
    t.strictSame(await idsOf(adopted), await idsOf(written));
  });
  await fc.assert(property, { numRuns: cases(30), examples: [[[[NAMES.map(() => null)]]]] });
});

const number = (key: bigint): TypedValue => ({ text: String(key), key });
const longs = (name: string, ...groups: (bigint | null)[][]): PagedColumn => ({
  ...{ name, type: 'long' },
  groups: groups.map((values) => values.map((value) => (value === null ? null : number(value)))),
});
const ID: Column = { name: 'id', type: 'long' };

t.test('where anything of a value has to change, its file is written again', async (t) => {
  const source = await stored(pagedFile([longs('id', [1n, 2n], [3n, null])]));
  t.ok(await isAdopted(await stage(source, [ID])));
  const others: [why: string, columns: Column[], more: Partial<SegmentRequest>][] = [
    ['another type', [{ name: 'id', type: 'double' }], {}],
    ['a column that the table lacks', [{ name: 'other', type: 'long' }], {}],
    ['a key that is not whole', [ID], { key: [1] }],
  ];
  for (const [why, columns, more] of others) t.notOk(await isAdopted(await stage(source, columns, more)), why);
  const keyed = await stage(source, [ID], { key: [1] });
  t.match(keyed, { rows: 3, rejected: { count: 1, reasons: { key_missing: 1 } } });
  const divided = {
    'spec-id': 3,
    fields: [{ 'source-id': 1, 'field-id': 1000, name: 'part', transform: 'bucket[2]' }],
  } as const;
  t.equal((await stage(source, [ID], { spec: divided })).files[0]?.spec_id, 3);
  await t.rejects(stage(source, [ID], { lines: 5 }), { code: 'lines_lost' });
});

t.test('moments without an end are no values: they are marked as ever', async (t) => {
  const at = (...keys: bigint[]): PagedColumn => ({ name: 'at', type: 'timestamptz', groups: [keys.map(number)] });
  const source = await stored(pagedFile([at(0n, 2n ** 63n - 1n)]));
  const result = await stage(source, [{ name: 'at', type: 'timestamptz' }]);
  t.equal(result.rowsWithErrors, 1);
  t.notOk(await isAdopted(result));
  t.ok(await isAdopted(await stage(await stored(pagedFile([at(0n, 1n)])), [{ name: 'at', type: 'timestamptz' }])));
});

t.test('times that lie in no day are no values, and nothing ends of them', async (t) => {
  const at = (...keys: bigint[]): PagedColumn => ({ name: 'at', type: 'time', groups: [keys.map(number)] });
  const day = 86_400_000_000n;
  const ends = await stage(await stored(pagedFile([at(0n, day - 1n, day)])), [{ name: 'at', type: 'time' }]);
  t.equal(ends.rowsWithErrors, 0);
  t.ok(await isAdopted(ends));
  for (const odd of [day + 1n, -1n, 2n ** 62n, 2n ** 63n - 1n, -(2n ** 63n)]) {
    const source = await stored(pagedFile([at(odd, 1n)]));
    for (const type of ['time', 'string', 'long'] as const) {
      const result = await stage(source, [{ name: 'at', type }]);
      t.notOk(await isAdopted(result));
      const errors = JSON.stringify((await rowsOf(result)).map(({ at: value, _errors }) => [value, _errors]));
      t.match(errors, `[null,[{"field":"at","change":"nulled","reason":"invalid_${type}"}]]`, `${odd} as ${type}`);
    }
    t.match(await rowsOf(await stage(source, [ID])), [
      { _extra: '{"at":"00:00:00.000001"}' },
      { _extra: '{"at":null}' },
    ]);
  }
});

t.test('readers of another family find the same rows, the meta columns and their empty lists', async (t) => {
  const result = await stage(await stored(pagedFile([longs('id', [1n, null], [3n])])), [ID]);
  t.ok(await isAdopted(result));
  const script = `
import json, sys, pyarrow.parquet
table = pyarrow.parquet.read_table(sys.argv[1])
table.validate(full=True)
print(json.dumps(table.to_pylist(), default=str))`;
  const meta = { _extracted_at: '2023-11-14 22:13:20.123000+00:00', _run_id: 'run-1', _errors: [], _extra: null };
  const path = pathsOf(result).slice(2, -2);
  t.strictSame(await runPython(script, path), [
    { id: 1, ...meta },
    { id: null, ...meta },
    { id: 3, ...meta },
  ]);
});

t.test('a page without any value is read like all others that are not ours', async (t) => {
  const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
  const bytes = pagedFile([longs('id', [null, null])]);
  t.ok(await isAdopted(await stage(await stored(bytes), [ID])));
  bytes.fill(0, bytes.indexOf(MAGIC), bytes.indexOf(MAGIC) + MAGIC.length);
  const outcome = await stage(await stored(bytes), [ID]).catch((error: unknown) => error);
  t.notOk(outcome instanceof LakehouseError ? false : await isAdopted(outcome as CopyResult));
});

t.test(
  'whatever is done to the bytes of a file, its pages make the rows that others read of it, or none',
  async (t) => {
    const change = fc.tuple(fc.nat(), fc.nat(255));
    const changes = fc.array(change, { minLength: 1, maxLength: 3 });
    const columns = NAMES.map(({ name }) => `"${name.replaceAll('"', '""')}"`).join(', ');
    const all = (paths: string) => ask(`SELECT ${columns} FROM read_parquet(${paths}) ORDER BY ALL`);
    let adopted = 0;
    const property = fc.asyncProperty(someGroups, changes, fc.boolean(), async (groups, made, isFoot) => {
      const bytes = pagedFile(columnsOf(groups));
      // Half of the changes go to what says where values are; most of a file is values.
      const reach = isFoot ? Math.min(bytes.length, 1_500) : bytes.length;
      for (const [at, byte] of made) bytes[bytes.length - 1 - (at % reach)] = byte;
      const source = await stored(bytes);
      const result = await stage(source, NAMES).catch((error: unknown) => {
        if (error instanceof LakehouseError) return undefined;
        throw error;
      });
      const read = await all(`'${source}'`).catch(() => undefined);
      await rm(source);
      if (result === undefined || read === undefined || !(await isAdopted(result))) return;
      adopted += 1;
      t.strictSame(await all(pathsOf(result)), read);
    });
    await fc.assert(property, { numRuns: 60 });
    t.ok(adopted > 0);
  },
);
