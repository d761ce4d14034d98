import t from 'tap';
import { until } from '../../../test/until.ts';
import { getSyncRun } from '../src/contract.ts';
import { cancelWorld, type Kind, type Route, type Started } from './cancel-world.ts';
import { ok } from './platform.ts';

/** Events of a workflow whose first attempt has ended. */
const FIRST_ATTEMPT_EVENTS = 7;

t.test('a cancel by any route of any kind of run → the work is gone, its slot free, its rows ended', async (t) => {
  const world = await cancelWorld(t);
  const { ended, engineOf, statusOf } = world;
  const { syncs, discoveries, replays, verifications } = world.kinds;
  const all = [syncs, replays, verifications, discoveries];

  const isQueued = async (run: Started) => (await engineOf(run))?.pending_activities[0]?.state === 'scheduled';
  const waitsForLane = async (run: Started) => {
    const { pending_activities, history_length } = (await engineOf(run)) ?? {};
    return pending_activities?.length === 0 && (history_length ?? 0) >= FIRST_ATTEMPT_EVENTS;
  };
  const running = (run: Started) => until('a running run', async () => (await statusOf(run)) === 'running');

  /** Cancels a run, and looks at everything that it had. */
  const cancelled = async (run: Started, [path, cancel]: Route, pids: readonly number[]) => {
    const isAtWork = pids.length > 0;
    t.equal(await cancel(run), isAtWork ? 'cancelling' : 'cancelled', path);
    t.match(await ended(run), { status: 'cancelled', failure: null });
    if (run.workflow_id.includes('source-sync')) {
      const { streams } = ok(await run.api(getSyncRun, { params: { workflow_id: run.run_id } }));
      t.strictSame([...new Set(streams.map(({ status }) => status))], isAtWork ? ['cancelled'] : []);
    }
    await until('the end of the workflow', async () => (await engineOf(run))?.status !== 'running');
    await world.gone(pids);
  };
  const waiting = async (kind: Kind, isHeld: (run: Started) => Promise<boolean>) => {
    for (const route of kind.routes) {
      const run = await kind.start();
      await until('a run that waits', () => isHeld(run));
      t.equal(await statusOf(run), 'pending', `${kind.name}, ${route[0]}`);
      await cancelled(run, route, []);
    }
  };

  t.equal(await verifications.whole(), 'succeeded', 'the process that reads tables stays');
  const [inLane, inSlot] = [await world.endless('demo'), await world.endless('other')];
  const lane = await inLane();
  await running(lane);
  await t.test('waiting for a lane', () => waiting(syncs, waitsForLane));
  const slot = await inSlot();
  const described = await discoveries.start();
  for (const run of [slot, described]) await running(run);
  for (const kind of all) await t.test(`waiting for a slot: ${kind.name}`, () => waiting(kind, isQueued));

  await t.test('others wait for its slot → it ends all the same', async (t) => {
    const [[, cancel]] = syncs.routes;
    for (const [first, kind] of [
      [described, discoveries],
      [lane, replays],
    ] as const) {
      const next = await kind.start();
      await until('a queued run', () => isQueued(next));
      await cancel(first);
      const [pid = 0] = await kind.underWay(next);
      t.match(await ended(first), { status: 'cancelled' }, `behind it: ${kind.name}`);
      t.equal(await cancel(next), 'cancelling');
      process.kill(pid, 'SIGKILL');
      t.match(await ended(next), { status: 'cancelled', failure: null }, 'also when its work dies before it is asked');
    }
  });

  // One slot is left: a run that kept it would hold up every later one.
  for (const kind of all) {
    await t.test(`running: ${kind.name}`, async (t) => {
      for (const route of kind.routes) {
        const run = await kind.start();
        const pids = await kind.underWay(run);
        t.equal(await statusOf(run), 'running', route[0]);
        await cancelled(run, route, pids);
        t.equal(await kind.whole(), 'succeeded', 'the next one has the slot');
      }
    });
  }
  await syncs.routes[0][1](slot);
  t.match(await ended(slot), { status: 'cancelled' });
});
