import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../test/lane.ts';
import {
  type Column,
  createStager,
  createTable,
  currentSchema,
  localFileIO,
  localPath,
  withMetaColumns,
} from '../src/index.ts';
import { SHAPE } from './lake.ts';
import { COLUMNS, spool } from './stage-lines.ts';
import { canonicalJson, exactNumber, expectedCell, NumberText, parseExactly } from './stage-reference.ts';

/** Fewer cases hold too few kinds of lines. */
const RUNS = Math.max(30, cases(100));
const DATA: Column[] = [
  { name: 'l', type: 'long' },
  { name: 'd', type: 'double' },
  { name: 'm', type: 'decimal(18, 4)' },
  { name: 's', type: 'string' },
  { name: 't', type: 'timestamptz' },
  { name: 'b', type: 'boolean' },
  { name: 'day', type: 'date' },
];
type ReadRow = Record<string, unknown> & {
  readonly _errors: { field: string; change: string }[];
  readonly _extra: string | null;
};

/** Why a line is no row by the strictest reading; undefined when it is one; 'any' where only we are lenient. */
function faultOf(bytes: Buffer): string | undefined {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return 'invalid_utf8';
  }
  try {
    const parsed = parseExactly(text) as { record?: { data?: unknown; emitted_at?: unknown } } | null;
    if (/\\u[dD][89a-fA-F]/.test(text) && JSON.stringify(parsed).includes('\\ud')) return 'lone_surrogate';
    return typeof parsed?.record?.data === 'object' && parsed.record.data !== null ? undefined : 'no_data';
  } catch {
    return /nan|inf|,\s*[\]}]|[\v\f]/i.test(text) ? 'any' : 'malformed_json';
  }
}

function checkRow(bytes: Buffer, row: ReadRow): string | undefined {
  const data = (parseExactly(bytes.toString()) as { record: { data: Record<string, unknown> } }).record.data;
  for (const name of COLUMNS) {
    const wanted = expectedCell(name, data[name]);
    if (wanted === undefined) continue;
    const marks = row._errors.filter((one) => one.field === name).map((one) => one.change);
    if (vanishes(data[name])) continue;
    if (marks.join() !== (wanted.change ?? '')) return `${name}: marked ${marks} for ${wanted.change}`;
    if (!sameCell(name, row[name], wanted.value)) return `${name}: ${row[name]} for ${JSON.stringify(wanted.value)}`;
  }
  const isColumn = (name: string) => (COLUMNS as readonly string[]).includes(name);
  const others = Object.entries(data).filter(([name]) => !isColumn(name));
  const kept = Object.entries(row._extra === null ? {} : (parseExactly(row._extra) as object));
  const extra = canonicalJson(Object.fromEntries(kept.filter(([name]) => !isColumn(name))));
  const wanted = canonicalJson(Object.fromEntries(others));
  for (const name of COLUMNS) {
    const isLost = row._errors.some(({ field, change }) => field === name && /^(?:nulled|rounded)$/.test(change));
    const [, text] = kept.find(([own]) => own === name) ?? [];
    const given = data[name];
    if (isLost !== (text !== undefined)) return `${name}: ${text} is kept`;
    if (!isLost || given === null || typeof given === 'object') continue;
    if (text !== String(given)) return `${name}: ${text} for ${given}`;
  }
  return extra === wanted ? undefined : `_extra: ${extra} for ${wanted}`;
}

// DuckDB reads a number below 5e-324 as zero, which is the one thing that is not told.
function vanishes(value: unknown): boolean {
  return value instanceof NumberText && Number(value.text) === 0 && /^[^eE]*[1-9]/.test(value.text);
}

function sameCell(name: string, found: unknown, wanted: unknown): boolean {
  if (wanted === null || found === null) return found === wanted;
  if (name === 'd') return typeof wanted === 'number' ? Object.is(Number(found) + 0, wanted + 0) : true;
  if (name === 'm') return exactNumber(String(found)) === wanted;
  if (name !== 's') return found === wanted;
  if (wanted instanceof NumberText) return exactNumber(String(found)) === exactNumber(wanted.text);
  return typeof wanted === 'object'
    ? canonicalJson(parseExactly(String(found))) === canonicalJson(wanted)
    : found === String(wanted);
}

t.test('every line ends as an exact row, a row that says what it lost, or a rejected line', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'weir-exact-'));
  const io = localFileIO({ root });
  const stager = await createStager({ io, scratch: join(root, 'scratch') });
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  t.teardown(async () => {
    stager.close();
    connection.closeSync();
    await rm(root, { recursive: true, force: true });
  });
  const { metadata } = await createTable({ io, location: `file://${root}/t`, columns: withMetaColumns(DATA) });
  const schema = currentSchema(metadata);
  const seen = { lines: 0, rejected: 0, marked: 0 };

  const holds = fc.asyncProperty(spool, fc.constantFrom(0, 4000), async (all, room) => {
    const lines = all.filter((line) => line.some((byte) => byte !== 32 && (byte < 9 || byte > 13)));
    const source = join(root, `${randomUUID()}.ndjson`);
    const head = room ? [Buffer.from(`${' '.repeat(room)}\n`)] : [];
    await writeFile(source, Buffer.concat([...head, ...lines.flatMap((line) => [line, Buffer.from('\n')])]));
    const folder = `${metadata.location}/data/${randomUUID()}`;
    const request = {
      source,
      shape: SHAPE,
      schema,
      folder,
      runId: 'r',
      ordered: true,
      position: 100,
      lines: lines.length,
    };
    const result = await stager.copy(request);
    if (result.rows + (result.rejected?.count ?? 0) !== lines.length) throw new Error('counts');
    const text = result.rejected ? await readFile(result.rejected.path, 'utf8') : '';
    const rejected = new Map(
      text
        .split('\n')
        .filter(Boolean)
        .map((one) => {
          const { position, reason, raw } = JSON.parse(one) as { position: number; reason: string; raw: string };
          return [position - 100, { reason, raw: Buffer.from(raw, 'base64') }] as const;
        }),
    );
    const rows: ReadRow[] = [];
    for (const file of result.files) {
      const sql = `SELECT * REPLACE (t::VARCHAR AS t, day::VARCHAR AS day, m::VARCHAR AS m, d::VARCHAR AS d)
        FROM read_parquet('${localPath(file.location)}')`;
      rows.push(...((await connection.runAndReadAll(sql)).getRowObjectsJson() as unknown as ReadRow[]));
    }
    let next = 0;
    for (const [at, bytes] of lines.entries()) {
      const fault = faultOf(bytes);
      const reject = rejected.get(at);
      const shown = `${bytes.toString('latin1')}`;
      if (reject) {
        seen.rejected++;
        if (!reject.raw.equals(bytes)) throw new Error(`raw of ${shown}`);
        const strict = ['duplicate_key', 'invalid_time'].includes(reject.reason);
        if (fault === undefined && !strict) throw new Error(`${reject.reason}: ${shown}`);
        if (fault !== undefined && fault !== 'any' && fault !== reject.reason && !strict) {
          if (!(fault === 'no_data' && reject.reason === 'malformed_json'))
            throw new Error(`${reject.reason} for ${fault}: ${shown}`);
        }
        continue;
      }
      const row = rows[next++]!;
      if (fault === 'any') continue;
      if (fault) throw new Error(`a row for ${fault}: ${shown}`);
      const wrong = checkRow(bytes, row);
      if (wrong) throw new Error(`${wrong}: ${shown}`);
      if (row._errors.length) seen.marked++;
    }
    seen.lines += lines.length;
    if (result.rejected) await rm(result.rejected.path);
  });
  await fc.assert(holds, { numRuns: RUNS });
  t.comment(JSON.stringify(seen));
  t.ok(seen.lines > RUNS * 10);
});
