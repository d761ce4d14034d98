import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { assignFieldIds, localPath, type TableSchema } from '@weir/lakehouse';
import type { BegunChild, SpareChild } from '@weir/work';
import t from 'tap';
import { until } from '../../../test/until.ts';
import type { SelectAsks } from '../src/service/select/select-asks.ts';
import { type RunsLeft, workProcess } from '../src/service/select/work-process.ts';
import { ORDERS, selectWorld } from './select-kit.ts';

const [ACME, GLOBEX] = ['acme/whole', 'globex/whole'];
const schema: TableSchema = {
  ...{ type: 'struct', 'schema-id': 0, fields: assignFieldIds([{ name: 'v', type: 'string' }]) },
};
const ENDLESS = 'with recursive r(n) as (select 1 union all select n % 7 from r) select max(n)::varchar as v from r';
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
/** The program within its bounds: the last of a chain of processes. */
function programOf(pid: number): number {
  const [child] = childrenOf(pid);
  return child === undefined ? pid : programOf(child);
}
const mountsOf = (pid: number): string => readFileSync(`/proc/${programOf(pid)}/mountinfo`, 'utf8');
const filesOf = (pid: number): string[] => {
  const folder = `/proc/${programOf(pid)}/fd`;
  return readdirSync(folder).flatMap((fd) => {
    try {
      return [readlinkSync(`${folder}/${fd}`)];
    } catch {
      return [];
    }
  });
};

t.test('one process after the other serves work of one owner', async (t) => {
  const world = await selectWorld(t);
  const { lake, paths, pin, scratch, selects, started, living } = world;
  const folder = () => `file://${lake.root}/result/data/${randomUUID()}`;
  const place = { schema, store: pin.store };
  /** Work as that of a step: what its columns are, and its rows written. */
  const step =
    (sql: string, inputs = [pin], more: object = {}) =>
    async (asks: SelectAsks) => {
      await asks.describe({ sql, inputs });
      return asks.run({ ...place, sql, inputs, folder: folder(), ...more });
    };
  const of = <T>(owner: string, work: (asks: SelectAsks) => Promise<T>, hasMore = true) =>
    selects.within({ owner, hasMore, runs: 8 }, work);
  const answers = async (asks: SelectAsks) => {
    const { rows } = await asks.rows({ sql: 'select 1 as v', inputs: [], limit: 1, maxBytes: 99 });
    return rows;
  };
  /** The process that was kept: the one that lives while none is at work. */
  const kept = () => t.equal(living.size, 1) && ([...living][0] ?? 0);

  await t.test('the next work finds nothing of the one before: no folder, file, table, setting or time', async (t) => {
    const read = step(`select note as v from ${ORDERS}`, [pin], { startedAt: new Date(0) });
    t.match(await of(ACME, read), { rows: 3 });
    const first = Number(kept());
    t.match(mountsOf(first), localPath(paths[0] ?? '').replace(/\/[^/]*$/, ''), 'it was shown where its input lies');
    t.strictSame(
      filesOf(first).filter((file) => file.endsWith('.parquet')),
      [],
      'and has none of it open',
    );
    await of(ACME, async (asks) => {
      const timed = { sql: 'select run_started_at() > to_timestamp(1) as v', inputs: [], limit: 1, maxBytes: 99 };
      t.strictSame((await asks.rows(timed)).rows, [[true]]);
      const shown = mountsOf(first)
        .split('\n')
        .filter((line) => line.includes(lake.root));
      t.ok(shown.length > 0 && shown.every((line) => line.includes('/scratch/')), shown.join('\n'));
      t.match(readFileSync(`/proc/${programOf(first)}/limits`, 'utf8'), /Max processes +1 /, 'it can begin no process');
      const foreign = asks.rows({ sql: `select * from ${ORDERS}`, inputs: [], limit: 1, maxBytes: 99 });
      const refusal = await foreign.then(String, ({ faults }) => faults);
      t.match(refusal, [{ code: 'table_qualified' }]);
    });
    await until('what has refused a statement is gone', async () => !living.has(first));
  });

  await t.test('work of another owner, and of none → another process; the one that was kept ends', async (t) => {
    await of(ACME, answers);
    const first = Number(kept());
    await of(GLOBEX, answers);
    await until('the first has ended', async () => !living.has(first));
    const second = Number(kept());
    t.not(second, first);
    t.strictSame(await answers(selects), [[1]]);
    await until('the second has ended', async () => !living.has(second));
  });

  await t.test(
    'a process that is killed while it is kept, or at work → only its work fails, and the next has another',
    async (t) => {
      await of(ACME, answers);
      const lost = Number(kept());
      process.kill(lost, 'SIGKILL');
      await until('it is gone', async () => !living.has(lost));
      t.strictSame(await of(ACME, answers), [[1]]);
      const killed = of(ACME, async (asks) => {
        process.kill(Number(started.at(-1)), 'SIGKILL');
        return answers(asks);
      });
      await t.rejects(killed, { code: 'select_process_lost' });
      const aborted = of(ACME, (asks) => asks.rows({ sql: ENDLESS, inputs: [], limit: 1, maxBytes: 99 }));
      aborted.catch(() => undefined);
      const isAtWork = async () => (await readdir(scratch, { recursive: true })).some((one) => one.endsWith('spill'));
      await until('it is at work', isAtWork);
      process.kill(programOf(Number(started.at(-1))), 'SIGABRT');
      await t.rejects(aborted, { code: 'out_of_memory' }, 'as Node ends where it gets no memory');
      t.strictSame(await of(ACME, answers), [[1]]);
    },
  );

  await t.test('a statement that met its bound → its process serves no other', async (t) => {
    await of(ACME, answers);
    const first = Number(kept());
    await t.rejects(of(ACME, step("select repeat('x', 2000000000) as v", [])), { code: 'out_of_memory' });
    await until('it is gone', async () => !living.has(first));
    t.strictSame(await of(ACME, answers), [[1]]);
  });

  await t.test('more work than a process has threads for → another process takes over', async (t) => {
    for (let at = 0; at < 10; at += 1) t.match(await of(ACME, step(`select '${at}' as v`, [])), { rows: 1 });
    await of(ACME, answers, false);
    t.equal(living.size, 1, 'the last work of its owner leaves only the process that waits for any work');
    await selects.close();
    t.equal(living.size, 0);
  });
});

t.test('a process that is not as new after an answer, or has no more threads → another one answers', async (t) => {
  let begun = 0;
  const kept: unknown[] = [];
  const fresh = () => {
    begun += 1;
    return { id: begun, discard: async () => undefined } as unknown as BegunChild;
  };
  const spare = { take: fresh, keep: (child: unknown) => void kept.push(child), refill: () => undefined };
  const left: RunsLeft = new WeakMap();
  const processes = { spare: spare as unknown as SpareChild, left };
  const work = (more: object) => workProcess(processes, { owner: 'acme', hasMore: true, runs: 2, most: 8, ...more });
  const idBy = (isFresh: boolean) => async (child: BegunChild) => ({
    result: (child as unknown as { id: number }).id,
    isFresh,
  });
  const large = work({});
  t.strictSame([await large.answer('run', idBy(false)), await large.answer('describe', idBy(true))], [1, 2]);
  const kinds = ['describe', 'run', 'merge', 'describe', 'run'] as const;
  const two = work({});
  const ids: unknown[] = [];
  for (const kind of kinds) ids.push(await two.answer(kind, idBy(true)));
  t.strictSame(ids, [3, 3, 3, 3, 4]);
  const grown = work({});
  await grown.answer('run', idBy(false));
  await grown.end(false);
  t.strictSame(kept, []);
  await two.end(false);
  t.match(kept, [{ id: 4 }]);
});
