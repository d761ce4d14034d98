import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { watchFor } from '@weir/processes';
import t from 'tap';
import { PATIENT_MS, until } from '../../test/until.ts';
import { type Column, createQueryPool, currentSchema, evolveSchema, type QueryPool } from '../src/index.ts';
import { askChild, endChild, startChild } from '../src/query/ask-child.ts';
import { createSlots } from '../src/query/slots.ts';
import { isoTime } from '../src/query/wire-value.ts';
import { openSource } from '../src/rows/row-source.ts';
import { type Lake, line, openLake, PATIENT, planned } from './lake.ts';
import { readingPlace, schemaOf } from './typed-table.ts';

const COLUMNS: Column[] = [
  { name: 'a', type: 'int' },
  { name: 'b', type: 'string' },
];

/** What a child computes while it reads, and not while it is idle. */
const SOME_TICKS = 5;

/** The processes that this one started and that still run. */
async function children(): Promise<number[]> {
  const tasks = await readdir('/proc/self/task');
  const lists = await Promise.all(tasks.map((task) => readFile(`/proc/self/task/${task}/children`, 'utf8')));
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

/** The processor time of a process, in ticks of a hundredth of a second. */
async function ticksOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return user + system;
}

async function staged(lake: Lake) {
  const { metadata } = await lake.table(COLUMNS);
  const schema = currentSchema(metadata);
  const { file } = await lake.stage(metadata, schema, line({ a: 1, b: 'x' }) + line({ a: 2, b: 'y' }));
  return { schema, files: planned(file ? [file.location] : []), limit: 10 };
}

t.test('the query pool', async (t) => {
  const lake = await openLake();
  t.teardown(() => lake.close());
  const request = await staged(lake);
  const using = async (pool: QueryPool, use: (pool: QueryPool) => Promise<void>): Promise<void> => {
    try {
      await use(pool);
    } finally {
      await pool.close();
    }
  };

  t.test('reads a file by field id, as the schema names and types it now', async (t) => {
    const { schema } = evolveSchema(request.schema, [
      { name: 'a', type: 'long' },
      { name: 'c', type: 'double' },
    ]);
    const renamed = { ...schema, fields: schema.fields.map((f) => (f.name === 'b' ? { ...f, name: 'B "2"' } : f)) };
    await using(createQueryPool(PATIENT), async (pool) => {
      const result = await pool.preview({ ...request, schema: renamed, columns: ['c', 'B "2"', 'a'] });
      t.strictSame(
        result.columns.map(({ name, type }) => [name, type]),
        [
          ['c', 'double'],
          ['B "2"', 'string'],
          ['a', 'long'],
        ],
      );
      t.strictSame(
        result.rows.toSorted((one, other) => String(one[2]).localeCompare(String(other[2]))),
        [
          [null, 'x', '1'],
          [null, 'y', '2'],
        ],
      );
      t.equal((await pool.preview({ ...request, limit: 1 })).rows.length, 1);
      t.strictSame((await pool.preview({ ...request, files: [], columns: ['a'] })).rows, []);
      await t.rejects(pool.preview({ ...request, columns: ['none'] }), { code: 'query_failed' });
    });
  });

  t.test('answers more requests than it has children', async (t) => {
    await using(createQueryPool({ ...PATIENT, size: 2 }), async (pool) => {
      const answers = await Promise.all(Array.from({ length: 12 }, () => pool.preview(request)));
      t.ok(answers.every((answer) => answer.rows.length === 2));
      t.equal((await children()).length, 2);
    });
    t.strictSame(await children(), []);
  });

  t.test('lets nobody wait for a child without end', async (t) => {
    await using(createQueryPool({ ...PATIENT, size: 1, waitMs: 0 }), async (pool) => {
      const first = pool.preview(request);
      await t.rejects(pool.preview(request), { code: 'query_busy' });
      t.equal((await first).rows.length, 2);
      t.equal((await pool.preview(request)).rows.length, 2, 'and the child is free again');
    });
  });

  t.test('kills a child at the deadline, and the next request gets another', async (t) => {
    await using(createQueryPool({ deadlineMs: 1 }), async (pool) => {
      await t.rejects(pool.preview(request), { code: 'query_deadline' });
      await t.rejects(pool.preview(request), { code: 'query_deadline' });
    });
  });

  t.test('ends a child at its memory bound', async (t) => {
    await using(createQueryPool({ ...PATIENT, maxResidentBytes: 1 }), async (pool) => {
      const endless = {
        ...request,
        files: planned(Array.from({ length: 20_000 }, () => request.files[0]?.location ?? '')),
        limit: 40_000,
      };
      await t.rejects(pool.preview(endless), { code: 'out_of_memory' });
    });
    await using(createQueryPool({ ...PATIENT, memoryLimit: '1MB' }), async (pool) => {
      const { metadata } = await lake.table([{ name: 'b', type: 'string' }]);
      const schema = currentSchema(metadata);
      const { file } = await lake.stage(metadata, schema, line({ b: 'x'.repeat(3 << 20) }));
      const large = { schema, files: planned(file ? [file.location] : []), limit: 1 };
      await t.rejects(pool.preview(large), { code: 'out_of_memory' });
    });
  });

  t.test('refuses rows that are too large to hand over', async (t) => {
    const { writer, pool } = await readingPlace(t);
    const schema = schemaOf(['string']);
    const { location } = await writer.write(schema, [['x'.repeat(34 << 20)]]);
    await t.rejects(pool.preview({ schema, files: planned([location]), limit: 1 }), { code: 'result_too_large' });
    t.equal((await pool.preview(request)).rows.length, 2);
  });

  t.test('refuses a damaged file behind many rows as it does one before them', async (t) => {
    const { metadata } = await lake.table(COLUMNS);
    const schema = currentSchema(metadata);
    const lines = Array.from({ length: 40_000 }, (_, a) => line({ a, b: `${a} ${'x'.repeat(100)}` })).join('');
    const { file: whole } = await lake.stage(metadata, schema, lines);
    const { file: damaged } = await lake.stage(metadata, schema, lines);
    if (whole === undefined || damaged === undefined) return t.fail('files are staged');
    const path = damaged.location.slice('file://'.length);
    const content = await readFile(path);
    await chmod(path, 0o600);
    await writeFile(path, content.fill(7, 1_000, content.length >> 1));
    await using(createQueryPool(PATIENT), async (pool) => {
      for (const locations of [
        [damaged.location, whole.location],
        [whole.location, damaged.location],
      ]) {
        const reading = pool.preview({ schema, files: planned(locations), limit: 100_000 });
        await t.rejects(reading, { code: 'parquet_invalid' });
      }
    });
  });

  t.test('stops a read that takes too long and goes on with the same child', async (t) => {
    const { writer } = await readingPlace(t);
    const schema = schemaOf(['int', 'int']);
    const { location } = await writer.write(
      schema,
      Array.from({ length: 500 }, (_, at) => [String(at), null]),
    );
    const files = planned(Array.from({ length: 12_000 }, () => location));
    const conditions = [{ field: schema.fields[1]!, op: 'not_null', text: undefined } as const];
    await using(createQueryPool({ ...PATIENT, size: 1 }), async (pool) => {
      await pool.preview(request);
      const before = await children();
      const leaving = new AbortController();
      const working = () => ticksOf(before[0]!);
      const idle = await working();
      const slow = pool.preview({ files, schema, conditions, limit: 1, signal: leaving.signal });
      const begun = until('the child reads', async () => (await working()) >= idle + SOME_TICKS, 'often');
      await t.rejects(Promise.all([slow, begun.then(() => leaving.abort())]), { code: 'query_deadline' });
      t.equal((await pool.preview(request)).rows.length, 2);
      t.strictSame(await children(), before);
    });
  });

  t.test('ends a child that stands still, long before its deadline, and none that works', async (t) => {
    const { schema, files } = request;
    const { source } = await openSource(undefined, { files, schema, table: undefined });
    const deadlineMs = PATIENT_MS;
    const begun = () => {
      const child = startChild({ memoryLimit: '64MB', threads: 1, maxResidentBytes: 1024 ** 3 });
      t.teardown(() => endChild(child));
      return child;
    };
    const still = begun();
    still.kill('SIGSTOP');
    const figures = { kind: 'figures', source, schema, conditions: [] } as const;
    const watch = watchFor(1_000);
    await t.rejects(askChild(still, figures, { deadlineMs, signal: undefined }, watch), { code: 'query_deadline' });
    await endChild(still);
    t.equal(still.signalCode, 'SIGKILL');

    const working = begun();
    const leaving = new AbortController();
    working.on('message', (word) => typeof word === 'object' && 'pulse' in word && leaving.abort());
    const endless = 'SELECT sum(a.range * b.range) FROM range(1000000) a, range(1000000) b';
    const sample = {
      kind: 'sample',
      source,
      fields: schema.fields,
      rows: 1,
      selects: [{ sql: endless, maxRows: 1 }],
    } as const;
    await t.rejects(askChild(working, sample, { deadlineMs, signal: leaving.signal }), { code: 'query_deadline' });
    t.ok(leaving.signal.aborted, 'it says that it lives while it works');
    t.notOk(working.killed);
  });

  t.test('a caller that leaves while it waits for a slot → the next in line has it', async (t) => {
    const slots = createSlots(1, PATIENT_MS);
    const held = await slots.acquire('long');
    const leaving = new AbortController();
    const left = slots.acquire('long', leaving.signal);
    const next = slots.acquire('long');
    leaving.abort();
    await t.rejects(left, { code: 'query_deadline' });
    await t.rejects(slots.acquire('long', leaving.signal), { code: 'query_deadline' });
    slots.release(held);
    t.equal(await next, held);
  });

  t.test('lets short reads pass long ones', async (t) => {
    await using(createQueryPool({ ...PATIENT, size: 2 }), async (pool) => {
      const order = { field: request.schema.fields[0]!, descending: true };
      const ended: string[] = [];
      await Promise.all([pool.preview(request), pool.preview(request)]);
      const many = planned(Array.from({ length: 300 }, () => request.files[0]?.location ?? ''));
      const long = Array.from({ length: 4 }, () =>
        pool.preview({ ...request, files: many, order }).then(() => ended.push('long')),
      );
      await pool.preview(request).then(() => ended.push('short'));
      await Promise.all(long);
      t.ok(ended.indexOf('short') < 2, ended.join());
    });
  });

  t.test('outlives a child that is killed from outside', async (t) => {
    await using(createQueryPool(PATIENT), async (pool) => {
      await pool.preview(request);
      const [pid = 0] = await children();
      const flying = pool.preview({
        ...request,
        files: planned(Array.from({ length: 5000 }, () => request.files[0]?.location ?? '')),
      });
      process.kill(pid, 'SIGKILL');
      await t.rejects(flying, { code: 'query_failed' });
      t.equal((await pool.preview(request)).rows.length, 2);
    });
    await t.rejects(
      createClosed().then((pool) => pool.preview(request)),
      { code: 'query_failed' },
    );
  });
});

async function createClosed(): Promise<QueryPool> {
  const pool = createQueryPool();
  await pool.close();
  return pool;
}

t.test('times are ISO 8601 to the microsecond, also before 1970', async (t) => {
  t.equal(isoTime(0n), '1970-01-01T00:00:00');
  t.equal(isoTime(-1n), '1969-12-31T23:59:59.999999');
  t.equal(isoTime(1_500_000n), '1970-01-01T00:00:01.500');
  t.equal(isoTime(253_402_300_799_999_999n), '9999-12-31T23:59:59.999999');
  t.equal(isoTime(2n ** 63n - 1n), undefined);
});
