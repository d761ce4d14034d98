import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  createQueryPool,
  createScanner,
  createStager,
  createTable,
  currentSchema,
  type LiveFile,
  localFileIO,
  planRead,
  prepareAppend,
  type TableMetadata,
  withMetaColumns,
} from '@weir/lakehouse';
import { type AskSample, resolve } from '../../plugins/identity/src/entity-resolution/resolve.ts';
import { peopleDocument, type Row } from '../../plugins/identity/test/entity-kit.ts';
import { febrl, type Judged, judge } from '../../plugins/identity/test/febrl.ts';
import type { BenchCase, BenchOptions, BenchResult } from '../bench-result.ts';
import { RECORD_SHAPE } from '../record-shape.ts';
import { people } from './people.ts';

const ROWS = 1_000_000;
const QUICK_ROWS = 50_000;
/** The people that are made here; the other sets are known, and tell how well they are found. */
const MADE = 'people';
const MOST_MS = 60_000;
const LEAST_F1 = 0.99;
/** A dry run may look at less; this is what one machine of its own can give. */
const BOUNDS = { records: 10_000_000, candidates: 1_000_000_000, pairs: 10_000_000 };
const CHILD = {
  size: 1,
  threads: availableParallelism(),
  memoryLimit: '8GB',
  maxResidentBytes: 12 * 1024 ** 3,
  sampleDeadlineMs: 30 * 60_000,
};

/** The policy of the how-to: how well it finds the people of FEBRL, and how long it takes for a million of their kind. */
export async function entities({ rows, quick }: BenchOptions): Promise<BenchResult> {
  const made = [...people(await febrl('dataset4a'), rows ?? (quick ? QUICK_ROWS : ROWS))];
  return {
    suite: 'entities',
    cases: [
      await measured('febrl_3', await febrl('dataset3')),
      await measured('febrl_4', await febrl('dataset4a', 'dataset4b')),
      await measured(MADE, made),
    ],
  };
}

/** Resolves rows that lie in a table, from the question to the ids, and judges what was found. */
async function measured(name: string, rows: readonly Row[]): Promise<BenchCase> {
  const folder = await mkdtemp(path.join(tmpdir(), 'weir-bench-'));
  const pool = createQueryPool(CHILD);
  try {
    const { metadata, files } = await tableOf(folder, rows);
    const ask: AskSample = (columns, selects) =>
      pool.sample({
        ...{ schema: currentSchema(metadata), table: metadata, columns, rows: rows.length, selects },
        files: planRead(files, { limit: rows.length, conditions: [], sorted: false, after: undefined }),
      });
    const document = await peopleDocument();
    // Rows are read in an order of the files: who is who is looked up as it was read.
    const { results } = await ask(['rec_id'], [{ sql: 'SELECT c0 FROM sample ORDER BY r', maxRows: BOUNDS.records }]);
    const read = (results[0]?.[0] ?? []).map((id): Row => ({ rec_id: String(id) }));
    const begun = performance.now();
    const found = await resolve(document, ask, { ...BOUNDS, from: document.accept });
    const ms = performance.now() - begun;
    if ('tooBroad' in found) throw new Error('the policy is too broad for the bench');
    const candidates = found.candidates.reduce((sum, one) => sum + one, 0);
    return caseOf(name, { rows: rows.length, ms, candidates, judged: judge(read, found.clusters) });
  } finally {
    await pool.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function caseOf(
  name: string,
  { rows, ms, candidates, judged }: { rows: number; ms: number; candidates: number; judged: Judged },
): BenchCase {
  const { precision, recall, f1 } = judged;
  const all = `${rows.toLocaleString('en')} rows, ${candidates.toLocaleString('en')} pairs by all rules`;
  return {
    case: name,
    note: `${all}; precision ${precision.toFixed(4)}, recall ${recall.toFixed(4)}. From the question to the ids: the table is read, normalised, blocked, compared and joined.`,
    rows,
    f1,
    marks_ms: { resolved: ms },
    bars: [name === MADE ? { figure: 'resolved', most: MOST_MS } : { figure: 'f1', least: LEAST_F1 }],
  };
}

async function tableOf(folder: string, rows: readonly Row[]): Promise<{ metadata: TableMetadata; files: LiveFile[] }> {
  const io = localFileIO({ root: folder });
  const names = Object.keys(rows[0] ?? {});
  const columns = withMetaColumns(names.map((name) => ({ name, type: 'string' }) as const));
  const created = await createTable({ io, location: `file://${folder}/people`, columns });
  const stager = await createStager({ io, scratch: path.join(folder, 'scratch') });
  try {
    const source = path.join(folder, 'rows.ndjson');
    await mkdir(path.join(folder, 'scratch'), { recursive: true });
    await pipeline(Readable.from(lines(rows)), createWriteStream(source));
    const staged = await stager.copy({
      ...{ source, shape: RECORD_SHAPE, schema: currentSchema(created.metadata), runId: 'bench', position: 0 },
      folder: `${created.metadata.location}/data/rows`,
    });
    const { metadata } = await prepareAppend({ io, ...created, files: [...staged.files] });
    return { metadata, files: await createScanner({ io }).files(metadata) };
  } finally {
    stager.close();
  }
}

function* lines(rows: readonly Row[]): Generator<string> {
  for (const data of rows) yield `${JSON.stringify({ type: 'RECORD', record: { data, emitted_at: 0 } })}\n`;
}
