import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import fc from 'fast-check';
import t from 'tap';
import type { EngineSchedule, ScheduleTimesView } from '../src/contract.ts';
import { isDue, nextInstants } from '../src/schedule/next-runs.ts';
import { schedulesService } from '../src/schedule/service.ts';
import { clockShifts } from '../src/schedule/zone.ts';

const address = process.env.WEIR_TEST_TEMPORAL_ADDRESS;
if (address === undefined) throw new Error('WEIR_TEST_TEMPORAL_ADDRESS is not set: run tests with npm test');
const connection = await Connection.connect({ address });
const client = new Client({ connection });
t.teardown(() => connection.close());

const TYPE = 'NobodysWorkflow';
const engine = {
  withClient: <T>(work: (client: Client) => Promise<T>) => work(client),
  queues: () => [{ role: 'nobody', queue: `nobody-${randomUUID()}`, plugin: 'nobody' }],
};
const queues = engine.queues();
const schedules = schedulesService({ ...engine, queues: () => queues });

const times = (more: Partial<ScheduleTimesView>): ScheduleTimesView => ({
  ...{ cron: [], interval_seconds: null, offset_seconds: 0, timezone: 'UTC', jitter_seconds: 0 },
  ...{ catchup_window_seconds: 60, start_at: null, end_at: null, ...more },
});

function schedule(of: ScheduleTimesView, paused: string | undefined = 'a test'): EngineSchedule {
  return { scheduleId: `${randomUUID()}:schedule:x`, times: of, paused, workflowType: TYPE, role: 'nobody', args: [] };
}

t.test('a schedule is made once, changed, found by its kind, and taken out', async (t) => {
  const made = schedule(times({ interval_seconds: 3_600 }));
  const { scheduleId } = made;
  t.teardown(() => schedules.remove(scheduleId));
  t.equal(await schedules.mark(scheduleId), undefined);
  const first = await schedules.put(made);
  t.equal(await schedules.mark(scheduleId), first.mark);
  const second = await schedules.put({ ...made, paused: undefined });
  t.not(second.mark, first.mark, 'another form has another mark');
  t.not(schedules.digest(made), schedules.digest({ ...made, paused: undefined }));
  await client.schedule.getHandle(scheduleId).pause('by hand');
  t.not(await schedules.mark(scheduleId), second.mark, 'so has what somebody changed by hand');
  for (const [type, there] of [
    [TYPE, true],
    ['OthersWorkflow', false],
  ] as const) {
    // What the engine lists lags behind what it has.
    for (let has = !there; has !== there; ) has = (await schedules.list(type)).includes(scheduleId);
  }
  await schedules.remove(scheduleId);
  await schedules.remove(scheduleId);
  t.equal(await schedules.mark(scheduleId), undefined);
});

t.test(
  'law: around changes of the clocks the engine fires at every run, and what it fires beside them is none',
  async () => {
    const now = Date.now();
    const zones = [
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Africa/Casablanca',
      'Asia/Beirut',
      'Pacific/Chatham',
    ];
    const near = fc.constantFrom(
      ...zones.flatMap((timezone) => clockShifts(timezone, now, 400).map(({ at }) => ({ timezone, at }))),
    );
    const minute = fc.constantFrom('*/15', '30', '0,50', '*/7');
    const hour = fc.constantFrom('*', '2', '0-4', '*/3', '23,0');
    const days = fc.constantFrom('* *', '1 *', '* sun', '28-31 sat', '*/7 mon-fri');
    const law = fc.asyncProperty(minute, hour, days, near, async (m, h, d, { timezone, at }) => {
      const [day, weekday] = d.split(' ');
      const of = times({ cron: [`${m} ${h} ${day} * ${weekday}`], timezone });
      const made = schedule(of);
      await schedules.put(made);
      const [from, to] = [at - 2 * 86_400_000 + 1_000, at + 2 * 86_400_000 + 1_000];
      const { startTime } = await connection.workflowService.listScheduleMatchingTimes({
        ...{ namespace: 'default', scheduleId: made.scheduleId },
        startTime: { seconds: (from / 1_000) as never },
        endTime: { seconds: (to / 1_000) as never },
      });
      await schedules.remove(made.scheduleId);
      const fired = (startTime ?? [])
        .map(({ seconds }) => new Date(Number(seconds) * 1_000))
        .filter((time) => isDue(of, time));
      const wanted = nextInstants(of, new Date(from - 1), 10_000).filter((time) => time.getTime() <= to);
      return JSON.stringify(fired) === JSON.stringify(wanted);
    });
    await fc.assert(law, { numRuns: 15 });
  },
);

t.test('the engine tells the same next times of an interval, of a window and of a schedule by the clock', async (t) => {
  const start_at = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 86_400_000).toISOString();
  for (const of of [
    times({ interval_seconds: 900, offset_seconds: 7 }),
    times({ interval_seconds: 900, start_at, end_at: new Date(Date.parse(start_at) + 3_600_000).toISOString() }),
    times({ cron: ['30 2 * * *', '15 14 1 * *'], timezone: 'Europe/Kyiv' }),
  ]) {
    const made = schedule(of, undefined);
    await schedules.put(made);
    const { info } = await client.schedule.getHandle(made.scheduleId).describe();
    await schedules.remove(made.scheduleId);
    const told = info.nextActionTimes.filter((at) => isDue(of, at));
    const first = told[0]?.getTime() ?? 0;
    t.ok(told.length > 1);
    t.strictSame(nextInstants(of, new Date(first - 1), told.length), told);
  }
});

t.test('jitter moves a run by no more than it says, and never before its time', async (t) => {
  const of = times({ interval_seconds: 3_600, jitter_seconds: 120 });
  const made = schedule(of, undefined);
  await schedules.put(made);
  const { info } = await client.schedule.getHandle(made.scheduleId).describe();
  await schedules.remove(made.scheduleId);
  const late = info.nextActionTimes.map((at) => (at.getTime() / 1_000) % 3_600);
  t.ok(late.every((seconds) => seconds >= 0 && seconds <= 120));
  t.ok(new Set(late).size > 1);
});
