import { canonicalJson, type PageOrders, requireMatch, type Tenant, type TenantTransaction } from '@weir/kernel';
import { type Input, kernelProblems } from '@weir/kernel/contract';
import type { EventsService } from '@weir/plugin-platform/contract';
import type { ScheduleTimesView } from '@weir/plugin-workflow-engine/contract';
import { v7 as uuidv7 } from 'uuid';
import type { Overlap, ScheduledStart, ScheduleEndpoints, ScheduleSubject } from '../contract.ts';
import { ScheduleEntity, type ScheduleRow } from '../model/entities.ts';
import { nextRunOf } from '../model/next-run.ts';
import { tellEngine } from './bring-in-line.ts';
import { noteFiring } from './firings.ts';
import { dropSchedule, liveSchedule } from './live-schedule.ts';
import { assertLive, type ScheduleDeps } from './subjects.ts';
import { type TimesDeps, timesOf } from './times.ts';
import { type ScheduleView, scheduleViews } from './view.ts';

const ORDERS: PageOrders = {
  orders: { next_run_at: 'nextRunAt', created_at: 'createdAt' },
  first: 'next_run_at',
  id: 'subjectId',
};

export interface SubjectScheduleDeps extends ScheduleDeps, TimesDeps {
  events?: EventsService | undefined;
}

/** Who changes a schedule, and which one they have read. */
export interface ChangeFrom {
  subjectId: string;
  by: string;
  ifMatch: string | undefined;
}

type Body = Input<ScheduleEndpoints['put']>['body'];
type ListQuery = Omit<Input<ScheduleEndpoints['list']>['query'], `${string}_id`> & { subjectId: string | undefined };

/**
 * What can be done with the schedules of one kind of subjects. The row is what is wanted; the engine is brought in line after
 * the commit.
 */
export function scheduleService(deps: SubjectScheduleDeps, subject: ScheduleSubject) {
  const { kernel } = deps;
  const view = async (tx: TenantTransaction, subjectId: string) =>
    (await scheduleViews(deps, tx, { subject, rows: [await liveSchedule(tx, subjectId)] }))[0] as ScheduleView;
  const get = (tenant: Tenant, subjectId: string) =>
    kernel.db(tenant).transaction(async (tx) => {
      await assertLive(subject, tx, subjectId);
      return view(tx, subjectId);
    });
  const changed = async (tenant: Tenant, subjectId: string, change: (tx: TenantTransaction) => Promise<unknown>) => {
    await kernel.db(tenant).transaction(async (tx) => {
      await assertLive(subject, tx, subjectId, { lock: true });
      await change(tx);
    });
    await tellEngine(deps, tenant, subjectId);
  };
  /** Changes the row, which makes it another version; `undefined` leaves it as it is. */
  const patch = async (
    tenant: Tenant,
    { subjectId, by, ifMatch }: ChangeFrom,
    change: (row: ScheduleRow) => Partial<ScheduleRow> | undefined,
  ) => {
    await changed(tenant, subjectId, async (tx) => {
      const row = await liveSchedule(tx, subjectId, { lock: true });
      requireMatch(ifMatch, String(row.version));
      const made = change(row);
      if (made !== undefined) await write(deps, tx, row, { ...made, updatedBy: by });
    });
    return get(tenant, subjectId);
  };
  return {
    get,

    /** Gives a subject this schedule in place of the one it has. Throws `schedule_invalid` and `schedule_too_frequent`. */
    async put(tenant: Tenant, body: Body, from: ChangeFrom): Promise<ScheduleView> {
      const { overlap = 'skip', ...given } = body;
      const wanted = { times: timesOf(deps, given, new Date()), overlap };
      await changed(tenant, from.subjectId, (tx) =>
        replace(deps, tx, { ...from, ...wanted, subjectKind: subject.kind }),
      );
      return get(tenant, from.subjectId);
    },

    async remove(tenant: Tenant, subjectId: string, ifMatch: string | undefined): Promise<undefined> {
      await changed(tenant, subjectId, async (tx) => {
        const row = await liveSchedule(tx, subjectId, { lock: true });
        requireMatch(ifMatch, String(row.version));
        await dropSchedule(tx, subjectId);
      });
      return undefined;
    },

    pause: (tenant: Tenant, reason: string | undefined, from: ChangeFrom): Promise<ScheduleView> =>
      patch(tenant, from, ({ pausedAt }) =>
        pausedAt ? undefined : { pausedAt: new Date(), pausedBy: from.by, pauseReason: reason ?? null },
      ),

    resume: (tenant: Tenant, from: ChangeFrom): Promise<ScheduleView> =>
      patch(tenant, from, ({ pausedAt }) =>
        pausedAt ? { pausedAt: null, pausedBy: null, pauseReason: null } : undefined,
      ),

    /** Starts a run now, as a time of the schedule that somebody asked for. Throws what refuses the start of a run. */
    async trigger(tenant: Tenant, subjectId: string, how: ScheduledStart) {
      await kernel.db(tenant).transaction(async (tx) => {
        await assertLive(subject, tx, subjectId);
        await liveSchedule(tx, subjectId);
      });
      const firing = {
        firingId: uuidv7(),
        subjectId,
        subjectKind: subject.kind,
        origin: 'trigger',
        scheduledAt: new Date(),
      } as const;
      return subject.start(tenant, subjectId, how, (tx, { run_id: runId }) =>
        noteFiring(tx, { ...firing, requestedBy: how.requestedBy }, { outcome: 'started', runId }),
      );
    },

    /** The schedules of the kind, by keyset page. */
    async list(tenant: Tenant, query: ListQuery) {
      const { paused, subjectId, next_run_before: before, next_run_after: after, ...request } = query;
      const next = {
        ...(before === undefined ? {} : { $lt: instantOf('next_run_before', before) }),
        ...(after === undefined ? {} : { $gte: instantOf('next_run_after', after) }),
      };
      const where = {
        ...{ subjectKind: subject.kind, deletedAt: null },
        ...(paused === undefined ? {} : { pausedAt: paused ? { $ne: null } : null }),
        ...(subjectId === undefined ? {} : { subjectId }),
        ...(before === undefined && after === undefined ? {} : { nextRunAt: next }),
      };
      return kernel.db(tenant).transaction(async (tx) => {
        const { items, next_page_token } = await tx.page(ScheduleEntity, where, request, ORDERS);
        return { items: await scheduleViews(deps, tx, { subject, rows: items }), next_page_token, total: null };
      });
    },
  };
}

/** A leap second is of the form, and no instant. */
function instantOf(name: string, text: string): Date {
  const at = new Date(text);
  if (!Number.isNaN(at.getTime())) return at;
  throw kernelProblems.validationFailed({ errors: [{ pointer: `/query/${name}`, code: 'format' }] });
}

interface Wanted {
  times: ScheduleTimesView;
  overlap: Overlap;
}

/** Writes the schedule of a subject that is locked. The same again changes nothing; one that is to go comes back. */
async function replace(
  deps: SubjectScheduleDeps,
  tx: TenantTransaction,
  { subjectId, subjectKind, by, ifMatch, times, overlap }: ChangeFrom & Wanted & { subjectKind: string },
): Promise<void> {
  const row = await tx.findOne(ScheduleEntity, { subjectId }, { lock: true });
  if (row === undefined || row.deletedAt) {
    if (ifMatch !== undefined) throw kernelProblems.preconditionFailed();
  } else {
    requireMatch(ifMatch, String(row.version));
    if (row.overlap === overlap && canonicalJson(row.times) === canonicalJson(times)) return;
  }
  const now = new Date();
  const made = { times, overlap, updatedBy: by };
  if (row === undefined) {
    const nextRunAt = nextRunOf(deps.schedules, { times, pausedAt: null }, now) ?? null;
    await tx.insert(ScheduleEntity, {
      ...made,
      ...{ subjectId, subjectKind },
      version: 1,
      nextRunAt,
      judgedFrom: nextRunAt,
      createdAt: now,
      updatedAt: now,
    });
    await deps.events?.publish(tx, { topic: 'schedule', id: subjectId, version: '1' });
    return;
  }
  const afresh = { deletedAt: null, createdAt: now, pausedAt: null, pausedBy: null, pauseReason: null };
  await write(deps, tx, row, { ...made, ...(row.deletedAt ? afresh : {}) });
}

async function write(
  { schedules, events }: SubjectScheduleDeps,
  tx: TenantTransaction,
  row: ScheduleRow,
  change: Partial<ScheduleRow>,
): Promise<void> {
  const now = new Date();
  const nextRunAt = nextRunOf(schedules, { ...row, ...change }, now) ?? null;
  // Times that were missed before a pause are still to be noted.
  const judgedFrom = change.pausedAt ? row.judgedFrom : nextRunAt;
  const { version } = await tx.update(row, {
    ...change,
    nextRunAt,
    judgedFrom,
    version: row.version + 1,
    updatedAt: now,
  });
  await events?.publish(tx, { topic: 'schedule', id: row.subjectId, version: String(version) });
}
