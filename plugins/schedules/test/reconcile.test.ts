import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { findTemporal, type RunningTemporal, startTemporal } from '@weir/embedded';
import { runProblems } from '@weir/kernel/contract';
import t from 'tap';
import { until } from '../../../test/until.ts';
import { getSchedule, putSchedule } from '../../sources/src/contract.ts';
import { filesSource, ok, testPlatform } from '../../sources/test/platform.ts';
import { scheduleParts } from '../../sources/test/schedule-parts.ts';
import { type ScheduleSubject, ScheduleSubjects } from '../src/contract.ts';
import { ScheduleEntity } from '../src/model/entities.ts';
import { SCHEDULE_ROLE, SCHEDULE_WORKFLOW, scheduleIdOf } from '../src/service/bring-in-line.ts';
import { noteMissedTimes } from '../src/service/missed-times.ts';
import { applySchedules, compareSchedules, holdAgainst, reconcile } from '../src/service/reconcile.ts';
import { fireSchedule } from '../src/work/fire.ts';

const ABSENT = '01900000-0000-7000-8000-000000000000';

type Start = ScheduleSubject['start'];
const nothing: Start = async () => ({}) as never;

/** The same parts, whose subjects are started like this. */
function starting(parts: ReturnType<typeof scheduleParts>, start: Start) {
  const { kernel } = parts;
  const subjects = kernel.contributions(ScheduleSubjects).map((subject) => ({ ...subject, start }));
  const contributions = ((point) =>
    point.id === ScheduleSubjects.id ? subjects : kernel.contributions(point)) as typeof kernel.contributions;
  const contributionsFor = (async (_at, point) => contributions(point)) as typeof kernel.contributionsFor;
  return { ...parts, kernel: { ...kernel, contributions, contributionsFor } };
}

t.test('the engine is kept in line with the rows, whatever becomes of either', async (t) => {
  const folder = t.testdir({});
  const binary = process.env.WEIR_TEST_TEMPORAL_BINARY ?? (await findTemporal()).binary;
  const start = (name: string, port?: number) =>
    startTemporal({
      ...{ binary, dbFile: join(folder, `${name}.db`), logFile: join(folder, `${name}.log`) },
      ...(port === undefined ? {} : { port }),
    });
  let engine: RunningTemporal = await start('one');
  t.teardown(() => engine.stop());
  const { port } = engine;
  /** On the same port, which a connection of another process may have had meanwhile. */
  const restart = (name: string) =>
    until('a free port', () =>
      start(name, port).catch((fault: Error) => {
        if (!/in use/.test(fault.message)) throw fault;
        return undefined;
      }),
    );
  const platform = await testPlatform(
    t,
    async () => ({ WORKFLOW_PORT: String(port), WEIR_SCHEDULE_MIN_SECONDS: '1' }),
    // The duties of the API would mend what is broken here before the test has looked.
    (booted) => void Object.assign(booted, { duties: [] }),
  );
  const [api, tenant] = [await platform.as('demo'), await platform.tenant('demo')];
  const { source_id } = await filesSource(api, 'shop', folder);
  const params = { source_id };
  const subject = { tenant_id: tenant.tenantId, subject_kind: 'source', subject_id: source_id };
  const parts = scheduleParts(platform);
  const { schedules } = parts;
  const scheduleId = scheduleIdOf(tenant.tenantId, source_id);
  const row = () => platform.db(tenant).transaction((tx) => tx.findOne(ScheduleEntity, { subjectId: source_id }));
  const isInLine = async () => (await schedules.mark(scheduleId)) === (await row())?.engineMark;
  const put = async (interval_seconds: number) => ok(await api(putSchedule, { params, body: { interval_seconds } }));

  await t.test('a time that comes while an earlier one waits → skipped, though the sync has ended', async (t) => {
    ok(await api(putSchedule, { params, body: { interval_seconds: 86_400, overlap: 'buffer_one' } }));
    let isRunning = true;
    const started: string[] = [];
    const fire = (firing_id: string) => {
      const start = async () => {
        if (isRunning) throw runProblems.runAlreadyActive({ members: { run_id: ABSENT } });
        started.push(firing_id);
        return {} as never;
      };
      const deps = { ...starting(parts, start), schedules: { ...schedules, isDue: () => true } };
      const scheduled_at = new Date().toISOString();
      return fireSchedule(deps, tenant, { ...subject, firing_id, scheduled_at });
    };
    const [earlier, later] = [randomUUID(), randomUUID()];
    t.equal(await fire(earlier), 'waiting');
    const [first] = ok(await api(getSchedule, { params })).last_firings;
    t.match(first, { firing_id: earlier, status: 'waiting', reason: { code: 'run_already_active' } });
    t.notMatch(first?.reason?.hint, /overlap/, 'it has what that hint would tell it to set');
    isRunning = false;
    t.equal(await fire(later), 'done');
    t.strictSame(started, []);
    const { last_firings } = ok(await api(getSchedule, { params }));
    t.match(last_firings[0], { firing_id: later, status: 'skipped', reason: { code: 'schedule_waiting' } });
    t.equal(await fire(earlier), 'done');
    t.strictSame(started, [earlier]);
  });

  await t.test('times that nobody came to in their window → missed, once, the newest ten one by one', async (t) => {
    ok(await api(putSchedule, { params, body: { interval_seconds: 3_600, catchup_window_seconds: 600 } }));
    const hour = (ago: number) => new Date((Math.floor(Date.now() / 3_600_000) - ago) * 3_600_000);
    // As after an outage that began 30 hours ago; one of its times was begun.
    await platform.db(tenant).transaction(async (tx) => {
      await tx.sql('delete from schedules.firing where tenant_id = $1', [tenant.tenantId]);
      await tx.sql('update schedules.schedule set judged_from = $2 where tenant_id = $1', [tenant.tenantId, hour(30)]);
    });
    const time = { ...subject, firing_id: randomUUID() };
    await fireSchedule(starting(parts, nothing), tenant, {
      ...time,
      scheduled_at: hour(3).toISOString(),
    });
    const listed = async () => ok(await api(getSchedule, { params })).last_firings;
    await noteMissedTimes(parts, tenant, new Date(hour(1).getTime() + 600_000));
    t.notMatch(
      (await listed()).map((one) => one.scheduled_at),
      [hour(1).toISOString()],
      'it may still be begun',
    );
    const now = new Date(hour(0).getTime() + 600_000);
    for (const _ of [1, 2]) await noteMissedTimes(parts, tenant, now);
    await fireSchedule(starting(parts, nothing), tenant, {
      ...{ ...time, firing_id: randomUUID() },
      scheduled_at: hour(2).toISOString(),
    });
    const found = await listed();
    const times = found.map((one) => one.scheduled_at);
    t.strictSame(
      new Set(found.map(({ status, reason }) => `${status} ${reason?.code}`)),
      new Set(['skipped schedule_missed']),
    );
    t.equal(new Set(times).size, times.length, 'each once');
    const rows = await platform
      .db(tenant)
      .transaction((tx) =>
        tx.sql(
          `select scheduled_at, reason->>'detail' as detail from schedules.firing where tenant_id = $1 order by 1 desc`,
          [tenant.tenantId],
        ),
      );
    t.equal(rows.rows.length, 12, 'ten of the outage, the one that was begun too late, the one after');
    t.match(rows.rows.at(-1)?.detail, /18 earlier times in a row were missed too/);
  });

  await t.test('what somebody deleted or changed in the engine is made again', async (t) => {
    t.equal((await put(86_400)).applied, true);
    await schedules.remove(scheduleId);
    await holdAgainst(parts, tenant);
    t.ok(await isInLine());
    const connection = await Connection.connect({ address: engine.address });
    const handle = new Client({ connection }).schedule.getHandle(scheduleId);
    await handle.pause('by hand');
    t.notOk(await isInLine());
    await holdAgainst(parts, tenant);
    t.ok(await isInLine());
    t.equal((await handle.describe()).state.paused, false);
    await connection.close();
    const before = (await row())?.engineMark;
    await holdAgainst(parts, tenant);
    t.equal((await row())?.engineMark, before, 'what is in line is left alone');
  });

  await t.test('a schedule without a row is removed, and those of others are left alone', async (t) => {
    const foreign = { times: (await row())?.times as never, paused: undefined, role: SCHEDULE_ROLE, args: [] };
    const mine = scheduleIdOf(tenant.tenantId, ABSENT);
    const others = scheduleIdOf(ABSENT, ABSENT);
    for (const id of [mine, others])
      await schedules.put({ ...foreign, scheduleId: id, workflowType: SCHEDULE_WORKFLOW });
    await until('the end of a schedule', async () => {
      await compareSchedules(parts).round(parts.kernel);
      return (await schedules.mark(mine)) === undefined ? true : undefined;
    });
    t.ok(await schedules.mark(others));
    t.ok(await isInLine());
  });

  await t.test('while the engine is away a schedule is accepted, and applied when it is back', async (t) => {
    await engine.stop();
    const stopped = Date.now();
    t.match(await put(1), { interval_seconds: 1, applied: false, sentence: 'Every second' });
    await t.rejects(reconcile(parts, tenant), /does not answer/);
    engine = await restart('one');
    t.ok(Date.now() > stopped);
    await until('the schedule to be applied', async () => {
      await applySchedules(parts).round(parts.kernel);
      return ok(await api(getSchedule, { params })).applied || undefined;
    });
    t.ok(await isInLine());
  });

  await t.test('times that came while the engine was away are made up for within the window', async (t) => {
    const connection = await Connection.connect({ address: engine.address });
    t.teardown(() => connection.close());
    const client = new Client({ connection });
    const first = await until('a first time', async () => {
      const { info } = await client.schedule.getHandle(scheduleId).describe();
      return info.recentActions[0]?.action.workflow.workflowId;
    });
    await engine.stop();
    const from = Date.now();
    await until('a time to pass', async () => (Date.now() - from > 1_000 ? true : undefined));
    const to = Date.now();
    engine = await restart('one');
    // Of what it starts the schedule remembers the last ten alone; each has its time in its name.
    const missed = new Date((Math.floor(from / 1_000) + 1) * 1_000).toISOString().replace('.000Z', 'Z');
    const made = await until('what was missed', () =>
      client.workflow
        .getHandle(first.replace(/[^-]+-[^-]+-[^-]+$/, missed))
        .describe()
        .catch(() => undefined),
    );
    t.ok(made.startTime.getTime() > to, 'after it was back');
  });

  await t.test('an engine that has lost everything is given all schedules again', async (t) => {
    const more: string[] = [];
    for (const name of ['mill', 'yard', 'quay']) {
      const made = await filesSource(api, name, folder);
      ok(await api(putSchedule, { params: made, body: { interval_seconds: 86_400 } }));
      more.push(scheduleIdOf(tenant.tenantId, made.source_id));
    }
    await engine.stop();
    engine = await restart('two');
    // From the last one on, one by one: what is lost there says that all may be.
    const places = new Map([[tenant.tenantId, source_id]]);
    await until('an engine that answers', async () =>
      holdAgainst(parts, tenant, { places, part: 1 }).then(
        () => true,
        () => undefined,
      ),
    );
    t.ok(await isInLine());
    for (const id of more) t.ok(await schedules.mark(id), 'all of them');
    t.equal(ok(await api(getSchedule, { params })).applied, true);
  });
});
