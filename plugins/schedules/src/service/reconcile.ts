import { type Duty, duty, type Kernel, type Tenant } from '@weir/kernel';
import { ScheduleSubjects } from '../contract.ts';
import { ScheduleEntity } from '../model/entities.ts';
import { nextRunOf } from '../model/next-run.ts';
import { skipsOf } from '../model/skips.ts';
import { bringInLine, engineSchedule, SCHEDULE_WORKFLOW, scheduleIdOf } from './bring-in-line.ts';
import { noteMissedTimes } from './missed-times.ts';
import type { ScheduleDeps } from './subjects.ts';

/** A firing that waits is tried again far more often than this; its workflow is gone. */
const WAIT_LOST_SECONDS = 300;
const BATCH = 100;
const SCHEDULE_ID = /^([0-9a-f-]{36}):schedule:([0-9a-f-]{36})$/;

export interface ReconcileDeps extends Pick<ScheduleDeps, 'schedules'> {
  kernel: Pick<Kernel, 'contributions' | 'db' | 'log'>;
}

/** Applies to the engine what rows say that it does not have yet. */
export const applySchedules = (deps: ReconcileDeps): Duty =>
  duty({
    name: 'schedules.changes',
    everyMs: 5_000,
    where: 'api',
    perTenant: (tenant) => reconcile(deps, tenant),
  });

/** Restores what the engine has lost or what was changed there, and removes what has no row. */
export function compareSchedules(deps: ReconcileDeps): Duty {
  const places: Places = new Map();
  let inEngine: ReadonlyMap<string, readonly string[]> = new Map();
  return duty({
    name: 'schedules.comparison',
    everyMs: 30_000,
    where: 'api',
    async tenants(all) {
      inEngine = await subjectsInEngine(deps);
      return all();
    },
    async perTenant(tenant) {
      await holdAgainst(deps, tenant, { places });
      await removeOrphans(deps, tenant, inEngine.get(tenant.tenantId) ?? []);
    },
  });
}

/** One sweep: what was changed and not yet applied is applied. Throws when the engine is away. */
export async function reconcile(deps: ReconcileDeps, tenant: Tenant): Promise<void> {
  await keepRows(deps, tenant);
  await noteMissedTimes(deps, tenant);
  const changed = await rowsOf(deps, tenant, 'applied_version is distinct from version or deleted_at is not null');
  for (const subjectId of changed) await bringInLine(deps, tenant, subjectId);
}

/** How far the schedules of each tenant have been compared; removed when all of them have. */
export type Places = Map<string, string>;

/**
 * Makes a schedule again that the engine has lost, or that was changed there. Of very many another part each time, unless one
 * of them is lost: then all of them may be, and all are compared.
 */
export async function holdAgainst(
  deps: ReconcileDeps,
  tenant: Tenant,
  { places = new Map(), part = BATCH }: { places?: Places; part?: number } = {},
): Promise<void> {
  const from = places.get(tenant.tenantId);
  const { lost, to } = await holdPart(deps, tenant, { from, part });
  const isWhole = from === undefined && to === undefined;
  if (lost > 0 && !isWhole) await holdAll(deps, tenant, part);
  if (lost > 0 || to === undefined) places.delete(tenant.tenantId);
  else places.set(tenant.tenantId, to);
}

/** Looks at all schedules of a tenant, part by part. */
async function holdAll(deps: ReconcileDeps, tenant: Tenant, part: number): Promise<void> {
  let from: string | undefined;
  do from = (await holdPart(deps, tenant, { from, part })).to;
  while (from !== undefined);
}

/** Looks at the schedules behind a place; how many were lost, and up to where it came when there are more. */
async function holdPart(
  deps: ReconcileDeps,
  tenant: Tenant,
  { from, part }: { from: string | undefined; part: number },
): Promise<{ lost: number; to: string | undefined }> {
  const { rows } = await deps.kernel.db(tenant).transaction((tx) =>
    tx.sql(
      `select subject_id from schedules.schedule
       where tenant_id = $1 and deleted_at is null and ($2::uuid is null or subject_id > $2) order by subject_id limit $3`,
      [tenant.tenantId, from ?? null, part],
    ),
  );
  let lost = 0;
  for (const { subject_id } of rows) lost += (await lookAt(deps, tenant, String(subject_id))) ? 1 : 0;
  return { lost, to: rows.length < part ? undefined : String(rows.at(-1)?.subject_id) };
}

/** Times go by, and workflows get lost: neither tells the rows. */
async function keepRows({ kernel, schedules }: ReconcileDeps, tenant: Tenant): Promise<void> {
  const now = new Date();
  await kernel.db(tenant).transaction(async (tx) => {
    const past = { nextRunAt: { $lte: now }, deletedAt: null };
    for (const row of await tx.find(ScheduleEntity, past, { limit: BATCH })) {
      const next = nextRunOf(schedules, row, now) ?? null;
      await tx.sql(
        'update schedules.schedule set next_run_at = $4 where tenant_id = $1 and subject_id = $2 and version = $3',
        [tenant.tenantId, row.subjectId, row.version, next],
      );
    }
    for (const subject of kernel.contributions(ScheduleSubjects)) {
      await tx.sql(
        `update schedules.firing set outcome = 'skipped', reason = $2::jsonb
         where tenant_id = $1 and outcome = 'waiting' and looked_at < now() - make_interval(secs => $3)
           and subject_kind = $4`,
        [tenant.tenantId, JSON.stringify(skipsOf(subject).lost), WAIT_LOST_SECONDS, subject.kind],
      );
    }
  });
}

/** In random order, so that whatever fills a batch keeps nothing from its turn for ever. */
async function rowsOf({ kernel }: ReconcileDeps, tenant: Tenant, condition: string): Promise<string[]> {
  const { rows } = await kernel
    .db(tenant)
    .transaction((tx) =>
      tx.sql(
        `select subject_id from schedules.schedule where tenant_id = $1 and (${condition}) order by random() limit $2`,
        [tenant.tenantId, BATCH],
      ),
    );
  return rows.map(({ subject_id }) => String(subject_id));
}

/** Whether the engine had lost or changed a schedule, which it has again then. */
async function lookAt(deps: ReconcileDeps, tenant: Tenant, subjectId: string): Promise<boolean> {
  const { kernel, schedules } = deps;
  const row = await kernel.db(tenant).transaction((tx) => tx.findOne(ScheduleEntity, { subjectId }));
  if (row === undefined || row.deletedAt || row.appliedVersion !== row.version) return false;
  const mark = await schedules.mark(scheduleIdOf(tenant.tenantId, subjectId));
  // What the engine was given of a zone goes only as far as its clocks were known then.
  const isDigest = schedules.digest(engineSchedule(row)) === row.appliedDigest;
  if (mark !== undefined && mark === row.engineMark && isDigest) return false;
  // Another process may have given it to the engine since the row was read.
  const now = await kernel.db(tenant).transaction((tx) => tx.findOne(ScheduleEntity, { subjectId }));
  if (now === undefined || now.engineMark !== row.engineMark || now.version !== row.version) return false;
  if (isDigest)
    kernel.log.warn({ subject_id: subjectId }, 'the engine had lost or changed a schedule; it is made again');
  await bringInLine(deps, tenant, subjectId);
  return isDigest;
}

/** The subjects of each tenant that have a schedule in the engine, which may be shared with other databases. */
export async function subjectsInEngine({
  schedules,
}: Pick<ReconcileDeps, 'schedules'>): Promise<Map<string, string[]>> {
  const subjects = new Map<string, string[]>();
  for (const id of await schedules.list(SCHEDULE_WORKFLOW)) {
    const [, tenantId, subjectId] = SCHEDULE_ID.exec(id) ?? [];
    if (tenantId === undefined || subjectId === undefined) continue;
    const known = subjects.get(tenantId);
    if (known === undefined) subjects.set(tenantId, [subjectId]);
    else known.push(subjectId);
  }
  return subjects;
}

/** Removes the schedules of the engine whose subjects have no row. */
export async function removeOrphans(
  { kernel, schedules }: ReconcileDeps,
  tenant: Tenant,
  subjectIds: readonly string[],
): Promise<void> {
  for (const subjectId of subjectIds) {
    const row = await kernel.db(tenant).transaction((tx) => tx.findOne(ScheduleEntity, { subjectId }));
    if (row !== undefined) continue;
    const id = scheduleIdOf(tenant.tenantId, subjectId);
    await schedules.remove(id);
    kernel.log.warn({ schedule_id: id }, 'a schedule of the engine had no row any more; it was removed');
  }
}
