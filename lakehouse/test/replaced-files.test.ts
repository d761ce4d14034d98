import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../test/lane.ts';
import {
  type Column,
  createQueryPool,
  createScanner,
  createStager,
  createTable,
  currentSchema,
  FILE_COLUMN,
  localFileIO,
  prepareRowDelta,
  rowsSince,
  withMetaColumns,
} from '../src/index.ts';
import { partitionSpec } from '../src/partition/partition-type.ts';
import { plannedFiles } from '../src/scan/plan-read.ts';
import { line, PATIENT, SHAPE } from './lake.ts';

const FILES = ['a.csv', 'b/a.csv', `it's "quoted".csv`, `${'long/'.repeat(9)}z.csv`];
const RUNS = cases(25);

type Mode = 'append' | 'merge' | 'soft_delete';
type Row = { readonly key: number; readonly value: number };
/** What one commit brings of a file: all of it anew, or rows at its end. */
type Read = { readonly file: number; readonly rows: readonly Row[]; readonly isReplaced: boolean };
type Case = {
  readonly mode: Mode;
  readonly divides: boolean;
  readonly commits: readonly { reads: readonly Read[]; strategy: 'copy' | 'positions' }[];
};

const someRow = fc.record({ key: fc.nat({ max: 4 }), value: fc.nat({ max: 99 }) });
const someRead = fc.record({
  file: fc.nat({ max: FILES.length - 1 }),
  rows: fc.array(someRow, { maxLength: 5 }),
  isReplaced: fc.boolean(),
});
const someCase: fc.Arbitrary<Case> = fc.record({
  mode: fc.constantFrom<Mode>('append', 'merge', 'soft_delete'),
  divides: fc.boolean(),
  commits: fc.array(
    fc.record({
      // A commit has each file once: its rows lie between two states.
      reads: fc.uniqueArray(someRead, { selector: ({ file }) => file, minLength: 1, maxLength: 3 }),
      strategy: fc.constantFrom<'copy' | 'positions'>('copy', 'positions'),
    }),
    { minLength: 1, maxLength: 5 },
  ),
});

type Kept = Row & { readonly file: number; readonly isDeleted: boolean };

/** The rows of a table after one more commit, by the law that is told in the ADR. */
function expected(rows: readonly Kept[], mode: Mode, reads: readonly Read[]): Kept[] {
  const replaced = new Set(reads.filter(({ isReplaced }) => isReplaced).map(({ file }) => file));
  const brought = reads.flatMap(({ file, rows }) => rows.map((row) => ({ ...row, file, isDeleted: false })));
  if (mode === 'append') return [...rows.filter(({ file }) => !replaced.has(file)), ...brought];
  const last = new Map(brought.map((row) => [row.key, row]));
  const others = rows.filter(({ key }) => !last.has(key));
  const left = others.flatMap((row) => {
    if (!replaced.has(row.file)) return [row];
    return mode === 'merge' ? [] : [{ ...row, isDeleted: true }];
  });
  return [...left, ...last.values()];
}

t.test('rows of replaced files', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'weir-replaced-'));
  const io = localFileIO({ root });
  const stager = await createStager({ io, scratch: join(root, 'scratch') });
  const scanner = createScanner({ io });
  const pool = createQueryPool(PATIENT);
  t.teardown(async () => {
    stager.close();
    await pool.close();
    await rm(root, { recursive: true, force: true });
  });

  const openTable = async ({ mode, divides }: Pick<Case, 'mode' | 'divides'>) => {
    const columns: Column[] = [
      { name: 'k', type: 'long' },
      { name: 'v', type: 'long' },
      ...(mode === 'soft_delete' ? [{ name: '_deleted_at', type: 'timestamptz' } as const] : []),
    ];
    let { metadata, metadataLocation } = await createTable({
      io,
      location: `file://${root}/${randomUUID()}`,
      columns: [...withMetaColumns(columns), FILE_COLUMN],
      ...(divides ? { partitionBy: [{ column: 'v', transform: 'bucket[3]' }] } : {}),
    });
    const schema = currentSchema(metadata);
    const spec = partitionSpec(metadata);
    const at = (name: string): number => schema.fields.findIndex((field) => field.name === name);
    const key = mode === 'append' ? [] : [schema.fields[at('k')]!.id];
    const stage = async (text: string, lines: number) => {
      const source = join(root, `${randomUUID()}.ndjson`);
      await writeFile(source, text);
      const folder = `${metadata.location}/data/${randomUUID()}`;
      const shape = { ...SHAPE, file: ['record', 'meta', 'file'] as const };
      const ordered = mode === 'append' ? {} : { ordered: true, key };
      return stager.copy({ source, shape, schema, spec, folder, runId: 'run-1', position: 0, lines, ...ordered });
    };
    return {
      metadata: () => metadata,
      async commit(text: string, lines: number, how: { replaced: (string | null)[]; strategy?: 'copy' | 'positions' }) {
        const { files: batch } = await stage(text, lines);
        const { replaced: replacedFiles, strategy } = how;
        const result = await stager.merge({
          ...{ schema, spec, key, batch, replacedFiles },
          live: await scanner.files(metadata),
          table: metadata,
          folder: `${metadata.location}/data/${randomUUID()}`,
          runId: 'run-1',
          mode: mode === 'soft_delete' ? 'soft_delete' : 'merge',
          ...(strategy && { strategy }),
        });
        const baseSnapshotId = metadata['current-snapshot-id'];
        const { files, removed } = result;
        const made = await prepareRowDelta({ io, metadata, metadataLocation, files, removed, baseSnapshotId });
        ({ metadata, newMetadataLocation: metadataLocation } = made);
        return result;
      },
      async rows(): Promise<unknown[][]> {
        const files = plannedFiles(await scanner.files(metadata));
        const { rows } = await pool.preview({ files, schema, table: metadata, limit: 1000 });
        const mark = mode === 'soft_delete' ? [at('_deleted_at')] : [];
        return rows.map((row) => [
          row[at('k')],
          row[at('v')],
          row[at('_file')],
          ...mark.map((place) => row[place] !== null),
        ]);
      },
    };
  };
  const linesOf = (reads: readonly Read[]): string =>
    reads
      .flatMap(({ file, rows }) => rows.map(({ key: k, value: v }) => line({ k, v }, { meta: { file: FILES[file] } })))
      .join('');
  const sorted = (rows: readonly unknown[][]): string =>
    rows
      .map((row) => JSON.stringify(row))
      .toSorted()
      .join('\n');

  t.test('a commit → holds the new rows of its files, and none that they had before', async (t) => {
    let deletes = 0;
    const holds = fc.asyncProperty(someCase, async (one) => {
      const table = await openTable(one);
      let model: Kept[] = [];
      for (const { reads, strategy } of one.commits) {
        const replaced = reads.filter(({ isReplaced }) => isReplaced).map(({ file }) => FILES[file]!);
        const count = reads.reduce((sum, { rows }) => sum + rows.length, 0);
        // A commit without a replaced file is none of a stream that only appends.
        if (one.mode === 'append' && replaced.length === 0) continue;
        const before = model;
        model = expected(model, one.mode, reads);
        const result = await table.commit(linesOf(reads), count, { replaced, strategy });
        deletes += result.files.filter(({ content }) => content === 'position_deletes').length;
        if (one.mode === 'append' && result.deleted !== before.length + count - model.length) {
          throw new Error(`${result.deleted} deleted of ${before.length}, ${count} came, ${model.length} are left`);
        }
        const found = sorted(await table.rows());
        const mark = ({ isDeleted }: Kept) => (one.mode === 'soft_delete' ? [isDeleted] : []);
        const wanted = sorted(model.map((row) => [String(row.key), String(row.value), FILES[row.file], ...mark(row)]));
        if (found !== wanted) throw new Error(`found\n${found}\nfor\n${wanted}`);
      }
    });
    await fc.assert(holds, { numRuns: RUNS });
    t.ok(deletes > 0, 'by position deletes too');
  });

  t.test('rows without the name of their file → go where that is asked for, others without a name stay', async (t) => {
    const table = await openTable({ mode: 'append', divides: false });
    const unnamed = [1, 2].map((k) => line({ k, v: 0 })).join('');
    await table.commit(unnamed, 2, { replaced: ['nothing'] });
    await table.commit(line({ k: 3, v: 0 }, { meta: { file: 'a.csv' } }), 1, { replaced: ['a.csv'] });
    const before = String(table.metadata()['current-snapshot-id']);
    const { deleted, replacedOfRun } = await table.commit(line({ k: 1, v: 1 }, { meta: { file: 'x.csv' } }), 1, {
      replaced: [null],
    });
    t.strictSame([deleted, replacedOfRun], [2, 2]);
    t.strictSame(
      sorted(await table.rows()),
      sorted([
        ['1', '1', 'x.csv'],
        ['3', '0', 'a.csv'],
      ]),
    );
    const to = String(table.metadata()['current-snapshot-id']);
    const since = await rowsSince(scanner, table.metadata(), { from: before, to });
    t.equal(since.kind, 'changed', 'an increment sees that rows went');
  });

  t.test('a file that nothing replaces → its rows are an append to readers of increments', async (t) => {
    const table = await openTable({ mode: 'append', divides: false });
    await table.commit(line({ k: 1, v: 0 }, { meta: { file: 'a.csv' } }), 1, { replaced: ['a.csv'] });
    const from = String(table.metadata()['current-snapshot-id']);
    await table.commit(line({ k: 2, v: 0 }, { meta: { file: 'b.csv' } }), 1, { replaced: ['b.csv'] });
    const to = String(table.metadata()['current-snapshot-id']);
    t.equal((await rowsSince(scanner, table.metadata(), { from, to })).kind, 'added');
    t.equal((await table.rows()).length, 2);
  });
});
