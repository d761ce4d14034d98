import { assignFieldIds, type Column, evolveSchema, type StagedFile, type TableSchema } from '@weir/lakehouse';
import t from 'tap';
import type { Why } from '../src/model/why-run.ts';
import { stageResult } from '../src/work/stage-result.ts';
import { ORDERS, selectWorld } from './select-kit.ts';

const INCREMENT: Why = { reason: 'input_moved', moved: [ORDERS], extent: 'increment' };
const ID = { name: 'id', type: 'long' } as const;

type Args = Parameters<typeof stageResult>;

t.test('the result of a run and the table that it is for', async (t) => {
  const { lake, pin, selects } = await selectWorld(t);
  /** Stages a statement over the orders, of which all rows are new, for a table with these columns. */
  const staged = async (columns: readonly Column[], content: object, partition?: string, rewritten?: true) => {
    let snapshotId = '1';
    const schema: TableSchema = { type: 'struct', 'schema-id': 0, fields: assignFieldIds(columns) };
    const source = schema.fields.find(({ name }) => name === partition)?.id ?? 0;
    const by = { name: 'p', transform: 'identity', 'source-id': source, 'field-id': 1000 };
    const table = { location: `file://${lake.root}/o`, dataLocation: `file://${lake.root}/o/data`, store: pin.store };
    const tables = {
      prepare: async (...[, , , { columns }]: [unknown, unknown, unknown, { columns: { exactly: Column[] } }]) => ({
        ...{ ...table, snapshotId },
        schema: evolveSchema(schema, columns.exactly).schema,
        spec: { 'spec-id': 0, fields: partition === undefined ? [] : [by] },
      }),
      // A rewrite that was there before the ledger could hold it off.
      async recordStaged() {
        if (rewritten) snapshotId = '2';
      },
      head: async () => ({ snapshotId }),
    };
    const deps = { tables, selects, kernel: { db: () => ({ transaction: async () => undefined }) } };
    const run = { runId: '0197a000-0000-7000-8000-000000000001' };
    const job = {
      ...{ tenant: { tenantId: 't' }, run, leaseEpoch: 1, log: { write: () => undefined } },
      ...{ ref: { namespace: 'gold.acme', table: 'o' }, signal: new AbortController().signal },
      content: { inputs: [ORDERS], output: 'gold.acme.o', ...content },
      place: { publish: 'together' },
    };
    const change = { kind: 'added' as const, plan: pin.plan, rows: pin.rows };
    const full: Why[] = [];
    const becomesFull = async (why: Why) => void full.push(why);
    const asked = { pins: [{ ...pin, change }], why: INCREMENT, becomesFull };
    const { change: made, rows } = await stageResult(deps as unknown as Args[0], job as unknown as Args[1], asked);
    const written = (made.files as StagedFile[]).flatMap((file) => Object.keys(file.column_sizes ?? {}));
    const reasons = full.map(({ reason, extent }) => [reason, extent]);
    return { mode: made.mode, base: made.base, rows, columns: written.length, full: reasons };
  };
  const failureOf = (...asked: Parameters<typeof staged>) => staged(...asked).then(String, ({ failure }) => failure);
  const append = { sql: `select id, note from ${ORDERS}`, materialization: 'append', incremental: ORDERS };

  await t.test('the result gains a column → an increment, under the table with the column', async (t) => {
    t.strictSame(await staged([ID], append), { mode: 'append', base: '1', rows: 3, columns: 2, full: [] });
  });

  await t.test('a rewrite of the output before its files are in the ledger → a commit onto the rewrite', async (t) => {
    t.match(await staged([ID], append, undefined, true), { mode: 'append', base: '2', rows: 3 });
  });

  await t.test('the table has a column that the result lacks → all anew, and the run says so', async (t) => {
    const lacking = await staged([ID, { name: 'old', type: 'string' }], append);
    t.match(lacking, { mode: 'overwrite', rows: 3, full: [['columns_changed', 'full']] });
  });

  await t.test('a row without a value in the key → key_missing, before a doubled key', async (t) => {
    const merge = { materialization: 'merge', key: ['ID'], incremental: ORDERS };
    const sql = `select nullif(id, 2) as id from ${ORDERS}`;
    t.match(await failureOf([ID], { ...merge, sql }), {
      ...{ code: 'key_missing', origin: 'data', retryable: false, detail: /^1 row / },
    });
    t.match(await failureOf([ID], { ...merge, sql: `select nullif(id, id) as id from ${ORDERS}` }), {
      ...{ code: 'key_missing', detail: /^3 rows / },
    });
  });

  await t.test('a table that is divided otherwise → partitions_differ', async (t) => {
    const overwrite = { sql: append.sql, materialization: 'partition_overwrite', incremental: ORDERS };
    const columns = [ID, { name: 'note', type: 'string' }] as const;
    const differs = { code: 'partitions_differ', origin: 'config', retryable: false };
    t.match(await failureOf(columns, { ...overwrite, partition_by: ['id'] }), differs, 'not divided');
    t.match(await failureOf(columns, { ...overwrite, partition_by: ['id'] }, 'note'), differs);
    t.match(await failureOf(columns, { ...overwrite, partition_by: ['id', 'note'] }, 'id'), differs);
    t.match(await staged(columns, { ...overwrite, partition_by: ['ID'] }, 'id'), { mode: 'overwrite', rows: 3 });
  });
});
