import {
  canonicalJson,
  type Kernel,
  type PageOrders,
  requireMatch,
  type Tenant,
  type TenantTransaction,
} from '@weir/kernel';
import { type Input, kernelProblems } from '@weir/kernel/contract';
import type { EventsService } from '@weir/plugin-platform/contract';
import type { SchedulesService } from '@weir/plugin-workflow-engine/contract';
import { v7 as uuidv7 } from 'uuid';
import { type listSchedules, type putSchedule, type ScheduleView, sourceProblems } from '../../contract.ts';
import { ScheduleEntity, type ScheduleRow } from '../../model/schedule/entity.ts';
import { nextRunOf } from '../../model/schedule/next-run.ts';
import type { HowToStart } from '../discovery/service.ts';
import { dropSchedule, liveSchedule } from '../row/live-schedule.ts';
import { liveSource } from '../row/live-source.ts';
import type { syncService } from '../sync/service.ts';
import { bringInLine } from './bring-in-line.ts';
import { noteFiring } from './firings.ts';
import { scheduleViews } from './view.ts';

const ORDERS: PageOrders = {
  orders: { next_run_at: 'nextRunAt', created_at: 'createdAt' },
  first: 'next_run_at',
  id: 'sourceId',
};
const MS_PER_SECOND = 1_000;
/** Runs whose distances are looked at, to see whether a schedule runs too often. */
const GAPS_SEEN = 100;

export interface ScheduleDeps {
  kernel: Kernel;
  schedules: SchedulesService;
  syncs: Pick<ReturnType<typeof syncService>, 'start'>;
  /** Seconds that must lie between two runs. */
  minSeconds: number;
  events?: EventsService | undefined;
}

/** Who changes a schedule, and which one they have read. */
export interface ChangeFrom {
  sourceId: string;
  by: string;
  ifMatch: string | undefined;
}

type Body = Input<typeof putSchedule>['body'];

/** What can be done with the schedules of sources. The row is what is wanted; the engine is brought in line after the commit. */
export function scheduleService(deps: ScheduleDeps) {
  const { kernel, schedules } = deps;
  const view = async (tx: TenantTransaction, sourceId: string) =>
    (await scheduleViews(deps, tx, [await liveSchedule(tx, sourceId)]))[0] as ScheduleView;
  const get = (tenant: Tenant, sourceId: string) =>
    kernel.db(tenant).transaction(async (tx) => {
      await liveSource(tx, sourceId);
      return view(tx, sourceId);
    });
  const changed = async (tenant: Tenant, sourceId: string, change: (tx: TenantTransaction) => Promise<unknown>) => {
    await kernel.db(tenant).transaction(async (tx) => {
      await liveSource(tx, sourceId, { lock: true });
      await change(tx);
    });
    await tellEngine(deps, tenant, sourceId);
  };
  /** Changes the row, which makes it another version; `undefined` leaves it as it is. */
  const patch = async (
    tenant: Tenant,
    { sourceId, by, ifMatch }: ChangeFrom,
    change: (row: ScheduleRow) => Partial<ScheduleRow> | undefined,
  ) => {
    await changed(tenant, sourceId, async (tx) => {
      const row = await liveSchedule(tx, sourceId, { lock: true });
      requireMatch(ifMatch, String(row.version));
      const made = change(row);
      if (made !== undefined) await write(deps, tx, row, { ...made, updatedBy: by });
    });
    return get(tenant, sourceId);
  };
  return {
    get,

    /** Gives a source this schedule in place of the one it has. Throws `schedule_invalid` and `schedule_too_frequent`. */
    async put(tenant: Tenant, body: Body, from: ChangeFrom): Promise<ScheduleView> {
      const wanted = wantedOf(deps, body);
      await changed(tenant, from.sourceId, (tx) => replace(deps, tx, { ...from, ...wanted }));
      return get(tenant, from.sourceId);
    },

    async remove(tenant: Tenant, sourceId: string, ifMatch: string | undefined): Promise<undefined> {
      await changed(tenant, sourceId, async (tx) => {
        const row = await liveSchedule(tx, sourceId, { lock: true });
        requireMatch(ifMatch, String(row.version));
        await dropSchedule(tx, sourceId);
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

    /** Starts a sync now, as a time of the schedule that somebody asked for. Throws what refuses the start of a sync. */
    async trigger(tenant: Tenant, sourceId: string, how: HowToStart) {
      await kernel.db(tenant).transaction(async (tx) => {
        await liveSource(tx, sourceId);
        await liveSchedule(tx, sourceId);
      });
      const firing = { firingId: uuidv7(), sourceId, origin: 'trigger', scheduledAt: new Date() } as const;
      return deps.syncs.start(tenant, sourceId, how, (tx, { run_id: runId }) =>
        noteFiring(tx, { ...firing, requestedBy: how.requestedBy }, { outcome: 'started', runId }),
      );
    },

    /** The schedules of sources that are there, by keyset page. */
    async list(tenant: Tenant, query: Input<typeof listSchedules>['query']) {
      const { paused, source_id: sourceId, next_run_before: before, next_run_after: after, ...request } = query;
      const next = {
        ...(before === undefined ? {} : { $lt: instantOf('next_run_before', before) }),
        ...(after === undefined ? {} : { $gte: instantOf('next_run_after', after) }),
      };
      const where = {
        deletedAt: null,
        ...(paused === undefined ? {} : { pausedAt: paused ? { $ne: null } : null }),
        ...(sourceId === undefined ? {} : { sourceId }),
        ...(before === undefined && after === undefined ? {} : { nextRunAt: next }),
      };
      return kernel.db(tenant).transaction(async (tx) => {
        const { items, next_page_token } = await tx.page(ScheduleEntity, where, request, ORDERS);
        return { items: await scheduleViews({ kernel, schedules }, tx, items), next_page_token, total: null };
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

/** What a request asks for; throws what is wrong with it by place and rule. */
function wantedOf({ schedules, minSeconds }: ScheduleDeps, { overlap = 'skip', ...given }: Body) {
  const now = new Date();
  const read = schedules.readTimes(given, now);
  if ('faults' in read) throw sourceProblems.scheduleInvalid({ errors: read.faults });
  const { times } = read;
  const runs = schedules
    .nextRuns({ ...times, start_at: null, end_at: null }, now, GAPS_SEEN)
    .map(({ at }) => Date.parse(at));
  const isTooClose = runs.some((at, i) => i > 0 && at - (runs[i - 1] ?? 0) < minSeconds * MS_PER_SECOND);
  if (isTooClose) throw sourceProblems.scheduleTooFrequent({ values: { seconds: minSeconds } });
  return { times, overlap };
}

type Wanted = ReturnType<typeof wantedOf>;

/** Writes the schedule of a source that is locked. The same again changes nothing; one that is to go comes back. */
async function replace(
  deps: ScheduleDeps,
  tx: TenantTransaction,
  { sourceId, by, ifMatch, times, overlap }: ChangeFrom & Wanted,
): Promise<void> {
  const row = await tx.findOne(ScheduleEntity, { sourceId }, { lock: true });
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
      sourceId,
      version: 1,
      nextRunAt,
      judgedFrom: nextRunAt,
      createdAt: now,
      updatedAt: now,
    });
    await deps.events?.publish(tx, { topic: 'schedule', id: sourceId, version: '1' });
    return;
  }
  const afresh = { deletedAt: null, createdAt: now, pausedAt: null, pausedBy: null, pauseReason: null };
  await write(deps, tx, row, { ...made, ...(row.deletedAt ? afresh : {}) });
}

async function write(
  { schedules, events }: ScheduleDeps,
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
  await events?.publish(tx, { topic: 'schedule', id: row.sourceId, version: String(version) });
}

/** The change stands, whatever the engine says now; the reconciler sees to it. */
async function tellEngine(deps: ScheduleDeps, tenant: Tenant, sourceId: string): Promise<void> {
  await bringInLine(deps, tenant, sourceId).catch((error: unknown) => {
    deps.kernel.log.warn(
      { err: error, source_id: sourceId },
      'the engine could not be told of a schedule; tried again',
    );
  });
}
