import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  createScanner,
  createSelector,
  createTable,
  currentSchema,
  evolveSchema,
  type LiveFile,
  pinnedRows,
  prepareAppend,
  prepareOverwrite,
  prepareRowDelta,
  rowsSince,
  type StagedFile,
  type TableMetadata,
  withMetaColumns,
} from '@weir/lakehouse';
import fc from 'fast-check';
import t from 'tap';
import { type Lake, line, openLake } from '../../../lakehouse/test/lake.ts';
import { cases } from '../../../test/lane.ts';
import { PATIENT_MS } from '../../../test/until.ts';

const RUNS = cases(60);
const INPUT = 'events';

/** Rows of the input: `ver` may go back (late), and a key may come twice in one step (doubled). */
const row = fc.record({
  id: fc.nat({ max: 5 }),
  day: fc.nat({ max: 2 }),
  ver: fc.nat({ max: 9 }),
  v: fc.nat({ max: 99 }),
});
type Row = { id: number; day: number; ver: number; v: number };
const step = fc.record({
  kind: fc.constantFrom('append', 'append', 'append', 'change', 'delete', 'overwrite', 'grow'),
  rows: fc.array(row, { minLength: 1, maxLength: 4 }),
  /** Whether the tables are brought up to date after it. */
  isRun: fc.boolean(),
});

interface At {
  metadata: TableMetadata;
  metadataLocation: string;
}

/** What is kept up to date: how, and by which statement. */
const OUTPUTS = [
  { kind: 'append', columns: [], sql: `select id, v * 2 as v from ${INPUT} where v > 10` },
  {
    ...{ kind: 'merge', columns: ['id'] },
    sql: `select id, ver, v from ${INPUT} qualify row_number() over (partition by id order by ver desc, v desc, day) = 1`,
  },
  {
    kind: 'partitions',
    columns: ['day'],
    sql: `select day, count(*)::int as n, sum(v)::int as v from ${INPUT} group by day`,
  },
] as const;
type Output = (typeof OUTPUTS)[number];

/** The input and the tables made of it, in a warehouse of their own. */
function world(lake: Lake) {
  const { io } = lake;
  const scanner = createScanner({ io });
  const selector = createSelector({
    ...{ io, scratch: join(lake.root, 'scratch'), memoryLimit: '300MB', threads: 1, deadlineMs: PATIENT_MS },
    gate: () => undefined,
  });
  const moved = (commit: Awaited<ReturnType<typeof prepareAppend>>): At => ({
    ...{ metadata: commit.metadata, metadataLocation: commit.newMetadataLocation },
  });
  const filesOf = ({ metadata }: At) => scanner.files(metadata);
  const pinned = async (at: At, files?: readonly LiveFile[]) =>
    pinnedRows(at.metadata, { files: files ?? (await filesOf(at)), schema: currentSchema(at.metadata) });
  const folderOf = ({ metadata }: At) => `${metadata.location}/data/${randomUUID()}`;
  const specOf = ({ metadata }: At) => metadata['partition-specs'][0]!;

  const staged = async (at: At, rows: readonly Row[], more: object): Promise<StagedFile[]> => {
    const text = rows.map((one) => line({ ...one, ...more })).join('');
    const { file } = await lake.stage(at.metadata, currentSchema(at.metadata), text);
    return file === undefined ? [] : [file];
  };
  const merged = async (at: At, batch: readonly StagedFile[], gone: readonly StagedFile[], key: string) => {
    const schema = currentSchema(at.metadata);
    const id = schema.fields.find(({ name }) => name === key)!.id;
    const live = await filesOf(at);
    const how = { live, table: at.metadata, folder: folderOf(at), runId: randomUUID(), mode: 'merge' as const };
    const { files, removed } = await lake.stager.merge({
      schema,
      key: [id],
      batch,
      gone,
      ...how,
      strategy: 'positions',
    });
    const baseSnapshotId = at.metadata['current-snapshot-id'];
    return moved(await prepareRowDelta({ io, ...at, files, removed, baseSnapshotId }));
  };

  const rowsOf = async (sql: string, at: At): Promise<string[]> => {
    const found = await selector.rows({ sql, inputs: new Map([[INPUT, await pinned(at)]]), limit: 1e4, maxBytes: 1e7 });
    return (found.rows as readonly (readonly unknown[])[]).map((one) => JSON.stringify(one)).toSorted();
  };

  const table = async ({ sql, kind, columns }: Output, input: At): Promise<At> => {
    const described = await selector.describe(sql, new Map([[INPUT, await pinned(input)]]));
    const by = kind === 'partitions' ? columns.map((column) => ({ column, transform: 'identity' as const })) : [];
    return createTable({ io, location: `file://${lake.root}/o-${randomUUID()}`, columns: described, partitionBy: by });
  };

  /** Brings an output from the input as it was to what it is, by the rules of runs; answers whether it was an increment. */
  const update = async (output: Output, at: At, { from, input }: { from: string | null; input: At }) => {
    const { kind, columns, sql } = output;
    const to = input.metadata['current-snapshot-id']?.toString() ?? null;
    const since = from === null ? { kind: 'expired' as const } : await rowsSince(scanner, input.metadata, { from, to });
    if (since.kind === 'none') return { at, isIncrement: true };
    const inputs = new Map([[INPUT, await pinned(input)]]);
    const run = { sql, schema: currentSchema(at.metadata), spec: specOf(at), folder: folderOf(at) };
    if (!('files' in since) || (kind === 'append' && since.kind === 'changed')) {
      const { files } = await selector.run({ ...run, inputs });
      return { at: moved(await prepareOverwrite({ io, ...at, files })), isIncrement: false };
    }
    const changed = await pinned(input, since.files);
    if (kind === 'append') {
      const { files } = await selector.run({ ...run, inputs: new Map([[INPUT, changed]]) });
      return { at: moved(await prepareAppend({ io, ...at, files })), isIncrement: true };
    }
    const { files, gone } = await selector.run({ ...run, inputs, within: { input: INPUT, changed, columns } });
    if (kind === 'merge') return { at: await merged(at, files, gone, 'id'), isIncrement: true };
    const partitions = [...files, ...gone].map(({ partition = {} }) => partition);
    return { at: moved(await prepareOverwrite({ io, ...at, files, partitions })), isIncrement: true };
  };

  const next = async (at: At, kind: string, rows: readonly Row[]): Promise<At> => {
    const schema = currentSchema(at.metadata);
    if (kind === 'overwrite') return moved(await prepareOverwrite({ io, ...at, files: await staged(at, rows, {}) }));
    if (kind === 'grow') {
      const wanted = withMetaColumns([{ name: `more_${schema.fields.length}`, type: 'string' }]);
      const grown = evolveSchema(schema, wanted).schema;
      return moved(await prepareAppend({ io, ...at, files: await staged(at, rows, {}), schema: grown }));
    }
    const files = await staged(at, rows, {});
    if (kind === 'change') return merged(at, files, [], 'id');
    if (kind === 'delete') return merged(at, [], files, 'id');
    return moved(await prepareAppend({ io, ...at, files }));
  };
  return { next, table, update, rowsOf };
}

t.test('increments over any history of an input → the rows of a statement over all of it', async (t) => {
  const lake = await openLake();
  t.teardown(() => lake.close());
  const { next, table, update, rowsOf } = world(lake);
  const seen = { increments: 0, full: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 5 }), async (history) => {
      const columns = ['id', 'day', 'ver', 'v'].map((name) => ({ name, type: 'int' as const }));
      let input: At = await lake.table(columns);
      const tables = await Promise.all(OUTPUTS.map((output) => table(output, input)));
      let from: string | null = null;
      for (const [at, { kind, rows, isRun }] of history.entries()) {
        input = await next(input, kind, rows);
        if (!isRun && at < history.length - 1) continue;
        for (const [which, output] of OUTPUTS.entries()) {
          const done = await update(output, tables[which]!, { from, input });
          tables[which] = done.at;
          seen[done.isIncrement ? 'increments' : 'full'] += 1;
          t.strictSame(await rowsOf(`select * from ${INPUT}`, done.at), await rowsOf(output.sql, input), output.kind);
        }
        from = input.metadata['current-snapshot-id']?.toString() ?? null;
      }
    }),
    { numRuns: RUNS },
  );
  t.ok(seen.increments > 0 && seen.full > 0, JSON.stringify(seen));
});
