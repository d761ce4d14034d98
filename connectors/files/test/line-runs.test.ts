import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { JsonSchema } from '@weir/connector-sdk';
import { recordEnvelope } from '@weir/connector-sdk';
import {
  assignFieldIds,
  type Column,
  type CopyResult,
  createStager,
  jsonSchemaToColumns,
  jsonTextColumns,
  openStore,
  SPOOL_HEAD_BYTES,
  type TableSchema,
  withMetaColumns,
} from '@weir/lakehouse';
import t from 'tap';
import { sample } from '../../../test/lane.ts';
import { readJson } from '../src/json-file.ts';
import type { ReadyFile } from '../src/ready-file.ts';
import { discover, folder } from './kit.ts';

const EMITTED_AT = 1_700_000_000_000;
const STREAM = { name: 'rows' };
const FROM = { file: 'rows.jsonl' };
const SHAPE = {
  data: ['record', 'data'],
  extractedAt: ['record', 'emitted_at'],
  changes: ['record', 'meta', 'changes'],
  rejected: ['record', 'meta', 'rejected'],
  file: ['record', 'meta', 'file'],
} as const;
const HEAD = `${' '.repeat(SPOOL_HEAD_BYTES - 1)}\n`;
/** 200 files in the lane. */
const SEEDS = Array.from({ length: 200 }, (_, at) => at + 1);

const duckdb = await DuckDBInstance.create(':memory:', { threads: '1' });
const connection = await duckdb.connect();
await connection.run(`SET TimeZone = 'UTC'`);
const root = await folder();
await mkdir(join(root, 'tables'));
const stager = await createStager({
  ...{ io: openStore({ warehouse: root, scratch: join(root, 'cache') }), scratch: join(root, 'scratch'), threads: 1 },
});
t.teardown(() => {
  stager.close();
  connection.closeSync();
  duckdb.closeSync();
});

/** Drawn from a seed, so that a run that fails can be had again. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

const USUAL: Readonly<Record<string, readonly string[]>> = {
  id: ['1', '22', '-7', '9007199254740993', 'null', '0'],
  amount: ['0.5', '12.25', '1e3', '-0.0', '7', 'null', '1234567890.125'],
  name: ['"a"', '""', '"é😀"', '"\\u0041\\n"', '"12"', 'null', '"\\u0000x"', '"{\\"a\\":1}"', '"tab\\tand \\\\"'],
  active: ['true', 'false', 'null'],
  at: ['"2024-02-29T10:00:00Z"', '"2024-02-29T10:00:00.123456+05:30"', 'null'],
  day: ['"2024-02-29"', '"1969-12-31"', 'null'],
  list: ['[1, 2, null]', '[]', '[{"a": 1.50}]', 'null'],
  node: ['{"a": 1, "b": "x"}', '{}', '{"a": null}', 'null'],
};
/** Values that are not those of their column, numbers that no double holds, and members of every kind. */
const ODD = [
  ...['1.10', '12345678901234567890', '0.12345678901234567890', '1e400', '123456789012345678901234567890.5'],
  ...['"2024-02-30"', '"x"', '"9223372036854775808"', '{"deep": [1]}', '[0.30000000000000004]', '3', 'true', '" 7 "'],
];
const BAD = [
  ...['{"id": 1', '{"id": 1,}', '{"id": NaN}', '{"id": 1} x', '[1]', '7', '"text"', '{"id": 01}', "{'id': 1}", 'null'],
  ...['{"id": 1} // no', '{"name": "\\ud800"}', '{"id": Infinity}', '{"id": +1}', '{"id": 1}{"id": 2}', '\u0001', '{'],
];

/** The text of a file of lines, most of which are documents. */
function someLines(roll: (sides: number) => number): string {
  const lines: string[] = [];
  const [hasBad, hasOdd] = [roll(2) === 0, roll(2) === 0];
  const rows = 5 + roll(60);
  for (let row = 0; row < rows; row += 1) {
    if (hasBad && roll(12) === 0) lines.push(BAD[roll(BAD.length)] ?? '');
    else if (hasBad && roll(20) === 0) lines.push([' ', '', '\t'][roll(3)] ?? '');
    else lines.push(someDocument(roll, hasOdd));
  }
  const end = roll(3) === 0 ? '\r\n' : '\n';
  return `${roll(10) === 0 ? '\uFEFF' : ''}${lines.join(end)}${roll(4) === 0 ? '' : end}`;
}

function someDocument(roll: (sides: number) => number, hasOdd: boolean): string {
  const members = Object.entries(USUAL).flatMap(([name, values]) => {
    if (roll(9) === 0) return [];
    const value = hasOdd && roll(15) === 0 ? ODD[roll(ODD.length)] : values[roll(values.length)];
    return [`"${name}":${roll(8) === 0 ? ' ' : ''}${value}`];
  });
  if (hasOdd && roll(12) === 0) members.push(`"other ${roll(3)}": ${ODD[roll(ODD.length)]}`);
  if (hasOdd && roll(40) === 0) members.push('"id": 5');
  if (hasOdd && roll(40) === 0) members.push('"ID": 5');
  if (hasOdd && roll(40) === 0) members.push(`"name": ${roll(2) === 0 ? 5 : '"b"'}`);
  if (roll(6) === 0) members.reverse();
  return `{${members.join(roll(5) === 0 ? ' , ' : ',')}}`;
}

type Part = { readonly path: string; readonly lines: number; readonly isBare: boolean };

/** Reads a file by one road; the parts that a spool would have of it. */
async function partsOf(
  path: string,
  properties: Record<string, JsonSchema>,
  sizes?: Parameters<typeof readJson>[2],
): Promise<Part[]> {
  const { size } = await stat(path);
  const parts: { path: string; lines: number; isBare: boolean }[] = [];
  const place = await folder();
  const file: ReadyFile = {
    ...{ path, format: 'jsonl', delimiter: undefined, isEven: true, isRest: false, holdBack: () => undefined },
    ...{ text: { path, from: 0, to: size, isExact: true }, where: () => FROM.file },
  };
  const next = (isBare: boolean) => {
    const part = { path: join(place, `${parts.length}.ndjson`), lines: 0, isBare };
    parts.push(part);
    return part;
  };
  const reading = {
    ...{ stream: STREAM, columns: properties, emittedAt: EMITTED_AT, from: FROM, log: async () => undefined },
    ...{ segment: undefined, signal: new AbortController().signal },
    async onLines(bytes: Uint8Array, count: number) {
      const last = parts.at(-1);
      const part = last === undefined || last.isBare ? next(false) : last;
      await writeFile(part.path, part.lines === 0 ? Buffer.concat([Buffer.from(HEAD), bytes]) : bytes, { flag: 'a' });
      part.lines += count;
    },
  };
  const lineFile: NonNullable<Parameters<typeof readJson>[1]['lineFile']> = async (write) => {
    const part = next(true);
    const { rows } = await write(`${part.path}.own`);
    const own = await readFile(`${part.path}.own`);
    const out = createWriteStream(part.path);
    out.write(HEAD);
    await new Promise((done) => out.end(own, () => done(undefined)));
    part.lines = rows;
    return 'sent';
  };
  const isNew = sizes !== undefined;
  await readJson(file, { ...reading, lineFile: isNew ? lineFile : undefined }, sizes);
  return parts;
}

let tables = 0;
async function stagedOf(parts: readonly Part[], schema: TableSchema, more: { json: string[]; key: number[] }) {
  const results: CopyResult[] = [];
  let position = 0;
  for (const { path, lines, isBare } of parts) {
    tables += 1;
    const bare = { ...FROM, extractedAt: EMITTED_AT, ...recordEnvelope(STREAM, EMITTED_AT, FROM) };
    const request = { source: path, shape: SHAPE, schema, runId: 'r', position, lines, ...more };
    const target = { folder: join(root, `tables/${tables}`), ...(isBare && { bare }) };
    results.push(await stager.copy({ ...request, ...target }));
    position += lines;
  }
  return results;
}

async function contentOf(results: readonly CopyResult[]) {
  const files = results.flatMap(({ files }) => files.map(({ location }) => `'${location.replace(/^file:\/\//, '')}'`));
  const rows =
    files.length === 0
      ? []
      : (
          await connection.runAndReadAll(
            `SELECT to_json(s)::VARCHAR FROM read_parquet([${files.join(', ')}]) s ORDER BY 1`,
          )
        ).getRows();
  const rejected: string[] = [];
  for (const { rejected: one } of results) {
    if (one !== undefined)
      rejected.push(...(await readFile(one.path, 'utf8')).split('\n').filter((line) => line !== ''));
  }
  const sum = (of: 'rows' | 'rowsWithErrors' | 'rowsWithExtra') => results.reduce((total, one) => total + one[of], 0);
  const figures = [sum('rows'), sum('rowsWithErrors'), sum('rowsWithExtra')];
  return { figures, rows: rows.map(([row]) => withoutWriting(String(row))).toSorted(), rejected };
}

/** How a member that no column holds is written depends on the lines beside it, by either road: not what it is. */
function withoutWriting(row: string): string {
  const { _extra: extra, ...columns } = JSON.parse(row) as { _extra: string | null };
  return JSON.stringify({ ...columns, _extra: extra === null ? null : JSON.parse(extra) });
}

let bareParts = 0;
t.test('a file of lines gives the same table and quarantine as its own bytes and as RECORD lines', async (t) => {
  for (const seed of sample('line-runs', SEEDS, 10)) {
    const roll = dice(seed);
    const dir = await folder({ 'rows.jsonl': someLines(roll) });
    const catalog = await discover({ path: dir });
    const schema = catalog.streams?.[0]?.json_schema;
    if (schema === undefined) continue;
    const properties = Object.fromEntries(
      Object.entries(schema.properties as Record<string, JsonSchema>).filter(([name]) => name !== 'ID' && roll(8) > 0),
    );
    const stream = { ...schema, properties };
    const columns: Column[] = jsonSchemaToColumns(stream);
    const fields = assignFieldIds(withMetaColumns([...columns, { name: '_file', type: 'string' }]));
    const key = roll(4) === 0 ? fields.filter(({ name }) => name === 'id').map(({ id }) => id) : [];
    const table: TableSchema = { type: 'struct', 'schema-id': 0, fields };
    const more = { json: jsonTextColumns(stream), key };
    const path = join(dir, 'rows.jsonl');
    const before = await partsOf(path, properties);
    const after = await partsOf(path, properties, { least: 1 + roll(400), most: 300 + roll(2000) });
    bareParts += after.filter(({ isBare }) => isBare).length;
    t.strictSame(
      await contentOf(await stagedOf(after, table, more)),
      await contentOf(await stagedOf(before, table, more)),
      `seed ${seed}`,
    );
    await rm(join(root, 'tables'), { recursive: true });
    await mkdir(join(root, 'tables'));
  }
  t.ok(bareParts > 0, `${bareParts} runs of lines`);
});
