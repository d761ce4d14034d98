import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { assignFieldIds, localPath } from '@weir/lakehouse';
import t from 'tap';
import { until } from '../../../test/until.ts';
import { ORDERS, selectWorld } from './select-kit.ts';

const HASTY_MS = 700;
const ENDLESS = 'with recursive r(n) as (select 1 union all select n % 7 from r) select n from r';
const schema = {
  ...({ type: 'struct', 'schema-id': 0 } as const),
  fields: assignFieldIds([{ name: 'id', type: 'long' }]),
};

type World = Awaited<ReturnType<typeof selectWorld>>;

/** A run whose only check never ends, and the files that it left. */
function endless({ lake, pin, selects }: World, severity: 'fail' | 'warn') {
  const folder = `file://${lake.root}/result/data/${randomUUID()}`;
  const checks = [{ name: 'endless', sql: ENDLESS, blocks: severity === 'fail' }];
  const asked = { sql: `select id from ${ORDERS}`, inputs: [pin], schema, folder, checks, store: pin.store };
  const ended = selects.run(asked);
  ended.catch(() => undefined);
  return { ended, left: () => readdir(localPath(folder)).catch(() => []) };
}

t.test('a check whose process is killed → no file is published, and the failure is named', async (t) => {
  const world = await selectWorld(t);
  for (const severity of ['fail', 'warn'] as const) {
    const { ended, left } = endless(world, severity);
    await until('the result is written', async () =>
      (await readdir(world.lake.root, { recursive: true })).some((one) => /\.tmp\/.*\.parquet$/.test(one)),
    );
    process.kill(world.started.at(-1) ?? 0, 'SIGKILL');
    await t.rejects(ended, { code: 'select_process_lost' });
    t.strictSame(await left(), []);
  }
});

t.test('a check that outlasts the deadline → no file is published, and the failure is named', async (t) => {
  const world = await selectWorld(t, { deadlineMs: HASTY_MS });
  for (const severity of ['fail', 'warn'] as const) {
    const { ended, left } = endless(world, severity);
    await t.rejects(ended, { code: 'query_deadline' });
    t.strictSame(await left(), []);
  }
});
