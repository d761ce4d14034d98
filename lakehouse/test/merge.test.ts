import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../test/lane.ts';
import {
  type Column,
  type ColumnType,
  createQueryPool,
  createScanner,
  createStager,
  createTable,
  currentSchema,
  localFileIO,
  type MergeRequest,
  prepareRowDelta,
  type Transform,
  withMetaColumns,
} from '../src/index.ts';
import { partitionSpec } from '../src/partition/partition-type.ts';
import { plannedFiles } from '../src/scan/plan-read.ts';
import { line, PATIENT, SHAPE } from './lake.ts';

/** Key columns with values that are easily taken for one another. */
const KEYS: readonly (readonly [ColumnType, readonly unknown[]][])[] = [
  [['long', [0, 1, 2, -3, '9223372036854775807', '9223372036854775806']]],
  [['string', ['a', 'a ', ' a', 'A', '', 'ä', `a${String.fromCharCode(0)}`]]],
  [['decimal(38, 9)', ['0.1', '0.100000001', '-0.1', '12345678901234567890.123456789']]],
  [['timestamptz', ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00.000001Z', '1969-12-31T23:59:59.999999Z']]],
  [
    ['date', ['2024-01-01', '1969-12-31']],
    ['string', ['x', 'x ', 'null']],
  ],
  [
    ['double', [0.1, 1e300, -1]],
    ['boolean', [true, false]],
  ],
];
const TRANSFORMS: readonly (Transform | undefined)[] = [undefined, undefined, 'bucket[3]', 'identity'];

const RUNS = cases(40);

type Row = { readonly key: readonly number[]; readonly gone: boolean; readonly value: number };
type Case = {
  readonly keys: (typeof KEYS)[number];
  readonly transform: Transform | undefined;
  /** What the table is partitioned by: versions of one row may lie in one partition, or in several. */
  readonly by: 'k0' | 'v';
  readonly mode: 'merge' | 'soft_delete';
  readonly batches: readonly { rows: readonly Row[]; missing: boolean; strategy: 'copy' | 'positions'; cuts: number }[];
};

const someCase: fc.Arbitrary<Case> = fc.constantFrom(...KEYS).chain((keys) =>
  fc.record({
    keys: fc.constant(keys),
    transform: fc.constantFrom(...TRANSFORMS),
    by: fc.constantFrom<'k0' | 'v'>('k0', 'v'),
    mode: fc.constantFrom<'merge' | 'soft_delete'>('merge', 'soft_delete'),
    batches: fc.array(
      fc.record({
        rows: fc.array(
          fc.record({
            key: fc.tuple(...keys.map(([, values]) => fc.nat({ max: values.length - 1 }))),
            gone: fc.boolean(),
            value: fc.nat({ max: 99 }),
          }),
          { maxLength: 12 },
        ),
        missing: fc.boolean(),
        strategy: fc.constantFrom<'copy' | 'positions'>('copy', 'positions'),
        cuts: fc.integer({ min: 1, max: 2 }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  }),
);

const deletion = (gone: boolean): Case['batches'][number] => ({
  rows: [{ key: [0], gone, value: 1 }],
  missing: false,
  strategy: 'positions',
  cuts: 1,
});
/** A row that is deleted twice, which chance seldom makes. */
const DELETED_TWICE: Case = {
  keys: KEYS[0]!,
  transform: undefined,
  by: 'k0',
  mode: 'soft_delete',
  batches: [deletion(false), deletion(true), deletion(true)],
};

t.test('merging', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'weir-merge-'));
  const io = localFileIO({ root });
  const stager = await createStager({ io, scratch: join(root, 'scratch') });
  const scanner = createScanner({ io });
  const pool = createQueryPool(PATIENT);
  t.teardown(async () => {
    stager.close();
    await pool.close();
    await rm(root, { recursive: true, force: true });
  });

  const openTable = async ({ keys, transform, by, mode }: Case) => {
    const data: Column[] = keys.map(([type], at) => ({ name: `k${at}`, type }));
    data.push({ name: 'v', type: 'long' }, { name: 'gone', type: 'string' });
    if (mode === 'soft_delete') data.push({ name: '_deleted_at', type: 'timestamptz' });
    const usable =
      transform && !(by === 'k0' && keys[0]![0] === 'double' && transform !== 'identity') ? transform : undefined;
    let { metadata, metadataLocation } = await createTable({
      io,
      location: `file://${root}/${randomUUID()}`,
      columns: withMetaColumns(data),
      ...(usable ? { partitionBy: [{ column: by, transform: usable }] } : {}),
    });
    const schema = currentSchema(metadata);
    const spec = partitionSpec(metadata);
    const idOf = (name: string): number => schema.fields.find((field) => field.name === name)!.id;
    const key = keys.map((_key, at) => idOf(`k${at}`));
    const live = () => scanner.files(metadata);

    const copy = async (rows: readonly Row[], runId: string) => {
      const source = join(root, `${randomUUID()}.ndjson`);
      const object = (row: Row) => ({
        ...Object.fromEntries(row.key.map((value, at) => [`k${at}`, keys[at]![1][value]])),
        v: row.value,
        ...(row.gone ? { gone: '2024-05-05T00:00:00Z' } : {}),
      });
      await writeFile(source, rows.map((row) => line(object(row))).join(''));
      const folder = `${metadata.location}/data/${randomUUID()}`;
      const lines = rows.length;
      return stager.copy({ source, shape: SHAPE, schema, spec, folder, runId, ordered: true, key, position: 0, lines });
    };
    return {
      schema,
      live,
      metadata: () => metadata,
      metadataLocation: () => metadataLocation,
      async merge(batch: Case['batches'][number], runId: string) {
        const half = Math.ceil(batch.rows.length / batch.cuts);
        const copied = [await copy(batch.rows.slice(0, half), runId), await copy(batch.rows.slice(half), runId)];
        const request: MergeRequest = {
          schema,
          spec,
          key,
          batch: copied.flatMap((one) => one.files),
          live: await live(),
          table: metadata,
          folder: `${metadata.location}/data/${randomUUID()}`,
          runId,
          deleteMarker: idOf('gone'),
          mode,
          missing: batch.missing,
          strategy: batch.strategy,
        };
        const result = await stager.merge(request);
        const baseSnapshotId = metadata['current-snapshot-id'];
        const { files, removed } = result;
        const commit = await prepareRowDelta({ io, metadata, metadataLocation, files, removed, baseSnapshotId });
        ({ metadata, newMetadataLocation: metadataLocation } = commit);
        return result;
      },
      async rows(): Promise<string[]> {
        const files = plannedFiles(await live());
        const { rows } = await pool.preview({ files, schema, table: metadata, limit: 1000 });
        const wanted = [...key, idOf('v'), idOf('_run_id'), ...(mode === 'soft_delete' ? [idOf('_deleted_at')] : [])];
        const at = wanted.map((id) => schema.fields.findIndex((field) => field.id === id));
        return rows
          .map((row) => JSON.stringify(at.map((index, place) => shown(row[index], place >= key.length + 2))))
          .sort();
      },
    };
  };
  // Only whether a row is marked counts: the time is that of the change or of the merge.
  const shown = (value: unknown, mark: boolean): unknown => (mark ? value !== null : value);

  t.test('the table holds the last row of every key, by copies and by position deletes', async (t) => {
    let [seen, deletes] = [0, 0];
    const holds = fc.asyncProperty(someCase, async (one) => {
      const table = await openTable(one);
      const model = new Map<string, { value: number; run: string; deleted: boolean }>();
      for (const [at, batch] of one.batches.entries()) {
        const run = `run-${at % 2}`;
        const before = new Map(model);
        const result = await table.merge(batch, run);
        const last = new Map(batch.rows.map((row) => [JSON.stringify(row.key), row]));
        const left = batch.rows.length - last.size;
        const expected = { inserted: 0, updated: 0, deleted: 0, deduplicated: left, replacedOfRun: 0 };
        const replaced = (key: string) => {
          if (before.get(key)?.run === run) expected.replacedOfRun++;
        };
        for (const [key, row] of last) {
          const old = before.get(key);
          if (!row.gone) {
            expected[old ? 'updated' : 'inserted']++;
            replaced(key);
            model.set(key, { value: row.value, run, deleted: false });
          } else if (old && !old.deleted) {
            expected.deleted++;
            replaced(key);
            if (one.mode === 'merge') model.delete(key);
            else model.set(key, { value: old.value, run, deleted: true });
          }
        }
        if (one.mode === 'soft_delete' && batch.missing) {
          for (const [key, old] of before) {
            if (last.has(key) || old.deleted) continue;
            expected.deleted++;
            replaced(key);
            model.set(key, { ...old, run, deleted: true });
          }
        }
        const { inserted, updated, deleted, deduplicated, replacedOfRun } = result;
        const counts = { inserted, updated, deleted, deduplicated, replacedOfRun };
        if (JSON.stringify(counts) !== JSON.stringify(expected)) {
          throw new Error(`counts ${JSON.stringify(result)} for ${JSON.stringify(expected)}`);
        }
        deletes += result.files.filter((file) => file.content === 'position_deletes').length;
        const rows = await table.rows();
        const found = rows
          .map((row) => (JSON.parse(row) as unknown[]).slice(one.keys.length))
          .map((row) => JSON.stringify(row));
        const wanted = [...model.values()].map(({ value, run: by, deleted: mark }) =>
          JSON.stringify([String(value), by, ...(one.mode === 'soft_delete' ? [mark] : [])]),
        );
        if (found.sort().join() !== wanted.sort().join()) throw new Error(`rows ${found} for ${wanted}`);
        if (
          new Set(rows.map((row) => JSON.stringify((JSON.parse(row) as unknown[]).slice(0, one.keys.length)))).size !==
          model.size
        )
          throw new Error('keys');
        seen++;
      }
    });
    await fc.assert(holds, { numRuns: RUNS, examples: [[DELETED_TWICE]] });
    t.ok(seen > RUNS);
    t.ok(deletes > RUNS / 4);
    const left = (await readdir(join(root, 'scratch'))).filter((name) => name !== 'spill');
    t.strictSame(left, [], 'nothing is left in scratch');
  });
});
