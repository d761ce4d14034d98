import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PATIENT_MS } from '../../test/until.ts';
import {
  type Column,
  createStager,
  createTable,
  type FileIO,
  type LineShape,
  localFileIO,
  type PlannedFile,
  type StageResult,
  type Stager,
  type TableMetadata,
  type TableSchema,
  withMetaColumns,
} from '../src/index.ts';
import { plannedFiles } from '../src/scan/plan-read.ts';
import { liveFile } from './live-file.ts';

/** For pools of children: limits that only a hang reaches. */
export const PATIENT = { waitMs: PATIENT_MS, deadlineMs: PATIENT_MS, sampleDeadlineMs: PATIENT_MS };

/** The lines that the tests write: the data under `record.data`. */
export const SHAPE: LineShape = {
  data: ['record', 'data'],
  extractedAt: ['record', 'emitted_at'],
  changes: ['record', 'meta', 'changes'],
};
export const EMITTED_AT = 1_700_000_000_123;

/** One line with this data. */
export const line = (data: unknown, more: object = {}): string =>
  `${JSON.stringify({ type: 'RECORD', record: { data, emitted_at: EMITTED_AT, ...more } })}\n`;

/** Files to be read, in this order. */
export const planned = (locations: readonly string[]): PlannedFile[] =>
  plannedFiles(locations.map((location) => liveFile({ location })));

export type Lake = {
  readonly root: string;
  readonly io: FileIO;
  readonly stager: Stager;
  /** Types text into a new data file of a table. */
  stage(table: { location: string }, schema: TableSchema, text: string | Buffer): Promise<StageResult>;
  table(columns: readonly Column[]): Promise<{ metadataLocation: string; metadata: TableMetadata }>;
  close(): Promise<void>;
};

/** A warehouse in a folder of its own, with a stager. */
export async function openLake(): Promise<Lake> {
  const root = await mkdtemp(join(tmpdir(), 'weir-lake-'));
  const io = localFileIO({ root });
  const stager = await createStager({ tempDirectory: join(root, 'spill') });
  return {
    root,
    io,
    stager,
    async stage(table, schema, text) {
      const source = join(root, `${randomUUID()}.ndjson`);
      await writeFile(source, text);
      const target = `${table.location}/data/${randomUUID()}.parquet`;
      return stager.copy({ source, shape: SHAPE, schema, target, runId: 'run-1' });
    },
    table: (columns) =>
      createTable({ io, location: `file://${root}/t-${randomUUID()}`, columns: withMetaColumns(columns) }),
    async close() {
      stager.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}
