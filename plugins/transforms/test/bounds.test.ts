import t from 'tap';
import { startWorker } from '../../../test/worker-process.ts';
import * as endpoints from '../src/contract.ts';
import { runWorld } from './run-kit.ts';

/** Hours of work that need no memory: the one bound that it meets is the deadline. */
const ENDLESS = 'select count(*) as n from range(10000000000) a, range(1000) b where a.range * b.range = -7';
const BOUNDS = {
  WEIR_TRANSFORM_MEMORY_MIB: '320',
  WEIR_TRANSFORM_DEADLINE_SECONDS: '5',
  WEIR_TRANSFORM_LANES_PER_TENANT: '1',
};

t.test('what runs of transforms may take', async (t) => {
  const { ok, hydrated, ended, environment } = await runWorld(t);
  await startWorker(t, { ...environment, ...BOUNDS }, 'transform');
  const greedy = 'select list(md5(range::varchar) || range::varchar) as v from range(100000000)';
  const slow = await hydrated('slow', ENDLESS, 'gold.acme.slow');
  const large = await hydrated('large', greedy, 'gold.acme.large');
  const start = async (params: { transform_id: string }) =>
    (await ok(endpoints.materializeTransform, { params })).run_id;
  const [first, second] = [await start(slow), await start(large)];

  await t.test('a runaway statement → ended, and named by the bound that it met', async (t) => {
    t.match(await ended(first), {
      status: 'failed',
      failure: { code: 'query_deadline', origin: 'data', detail: / 5 seconds / },
    });
    t.match(await ended(second), {
      status: 'failed',
      failure: { code: 'out_of_memory', origin: 'data', detail: / 320 MiB / },
    });
  });

  await t.test('a run of a tenant that has no lane free → pending until there is one', async (t) => {
    const read = (run_id: string) => ok(endpoints.getTransformRun, { params: { run_id } });
    const [before, after] = [await read(first), await read(second)];
    t.ok(String(after.started_at) >= String(before.ended_at), `${after.started_at} is not before ${before.ended_at}`);
  });
});
