import { type Kernel, type PageOrders, requireMatch, type TenantTransaction } from '@weir/kernel';
import { type Input, type Output, runProblems, type Tenant } from '@weir/kernel/contract';
import type { InputsService, ProducersService } from '@weir/plugin-datasets/contract';
import type { EventsService } from '@weir/plugin-platform/contract';
import type { SubjectSchedulesService } from '@weir/plugin-schedules/contract';
import { v7 as uuidv7 } from 'uuid';
import {
  type CheckBody,
  type changeTransform,
  type listTransforms,
  type NewTransform,
  TRANSFORM_TOPIC,
  type TransformView,
  transformProblems,
} from '../contract.ts';
import { checkFaults } from '../model/checks/check-rules.ts';
import { TransformEntity, type TransformRow } from '../model/entities.ts';
import { assertMaterializing } from '../model/materialization.ts';
import { outputRef } from '../model/output.ts';
import { TRANSFORM_KIND } from '../model/run-kinds.ts';
import { markOf } from '../model/why-run.ts';
import { fromPattern } from './from-pattern.ts';
import { lastRuns } from './last-runs.ts';
import { foundTransform } from './rows.ts';

const ORDERS: PageOrders = {
  orders: { name: 'name', created_at: 'createdAt', updated_at: 'updatedAt' },
  first: 'name',
  id: 'transformId',
};

/** The version that a hint gives a transform that is gone. */
const DELETED = 'deleted';

export interface TransformDeps {
  kernel: Pick<Kernel, 'db' | 'runs' | 'contributions'>;
  producers: ProducersService;
  inputs: Pick<InputsService, 'unmark'>;
  /** Absent when the deployment leaves that plugin out. */
  events: EventsService | undefined;
  schedules: Pick<SubjectSchedulesService, 'drop'>;
}

type Patch = Awaited<ReturnType<ReturnType<typeof fromPattern>['patch']>>;

/** The transforms of tenants. */
export function transformService({ kernel, producers, inputs, events, schedules }: TransformDeps) {
  const { db } = kernel;
  const patterns = fromPattern(kernel);
  const claim = (tx: TenantTransaction, row: TransformRow) => claimOutput({ kernel, producers }, tx, row);
  const told = async (tx: TenantTransaction, row: TransformRow): Promise<TransformView> => {
    await publish(events, tx, row);
    return transformView(kernel, tx, row);
  };
  return {
    create: (tenant: Tenant, createdBy: string, body: NewTransform): Promise<TransformView> =>
      taken(() =>
        db(tenant).transaction(async (tx) => {
          const { materialization = 'full', dialect = 'duckdb', description = null, tags = [], checks = [] } = body;
          const { name, sql, output, key = [], partition_by: partitionBy = [], incremental = null } = body;
          outputRef(tenant.scope, output);
          const how = { materialization, key: [...key], partitionBy: [...partitionBy], incremental };
          assertMaterializing(how);
          assertChecks(checks);
          const now = new Date();
          const row = await tx.insert(TransformEntity, {
            ...{ transformId: uuidv7(), name, sql, output, ...how, dialect, description, tags: [...tags] },
            ...{ origin: body.origin ?? null, checks: [...checks] },
            ...{ createdBy, createdAt: now, updatedAt: now },
          });
          await claim(tx, row);
          return told(tx, row);
        }),
      ),

    list: (tenant: Tenant, query: Input<typeof listTransforms>['query']): Promise<Output<typeof listTransforms>> =>
      db(tenant).transaction(async (tx) => {
        const { name, tag, output, materialization, archived, ...request } = query ?? {};
        const where = {
          ...(archived === undefined && name !== undefined ? {} : { archivedAt: archived ? { $ne: null } : null }),
          ...(name === undefined ? {} : { name }),
          ...(tag === undefined ? {} : { tags: { $contains: [tag] } }),
          ...(output === undefined ? {} : { output }),
          ...(materialization === undefined ? {} : { materialization }),
        };
        const page = await tx.page(TransformEntity, where, request, ORDERS);
        return { items: await views(kernel, tx, page.items), next_page_token: page.next_page_token, total: null };
      }),

    get: (tenant: Tenant, transformId: string): Promise<TransformView> =>
      db(tenant).transaction(async (tx) => transformView(kernel, tx, await foundTransform(tx, transformId))),

    change: (
      tenant: Tenant,
      transformId: string,
      { body, ifMatch }: { body: Input<typeof changeTransform>['body']; ifMatch: string | undefined },
    ): Promise<TransformView> =>
      taken(() =>
        db(tenant).transaction(async (tx) => {
          const row = await foundTransform(tx, transformId, { lock: true });
          requireMatch(ifMatch, String(row.version));
          if (body.output !== undefined) outputRef(tenant.scope, body.output);
          assertChecks(body.checks ?? []);
          const changed = await tx.update(row, {
            ...changesOf(row, await patterns.patch(body, row)),
            ...{ version: row.version + 1, updatedAt: new Date() },
          });
          if (body.output !== undefined) await claim(tx, changed);
          return told(tx, changed);
        }),
      ),

    remove: (tenant: Tenant, transformId: string, ifMatch: string | undefined): Promise<undefined> =>
      db(tenant).transaction(async (tx) => {
        const row = await foundTransform(tx, transformId, { lock: true });
        requireMatch(ifMatch, String(row.version));
        const runId = await kernel.runs.active(tx, [TRANSFORM_KIND], transformId);
        if (runId !== undefined) throw runProblems.runAlreadyActive({ members: { run_id: runId } });
        await schedules.drop(tx, transformId, { forget: true });
        await deleteAll(tx, transformId);
        await inputs.unmark(tx, markOf(transformId));
        await events?.publish(tx, { topic: TRANSFORM_TOPIC, id: transformId, version: DELETED });
        return undefined;
      }),
  };
}

/**
 * Registers the output as the transform's. A transform that was deleted, or moved to another output and does not run,
 * leaves its table to the next one. Throws `output_taken` when another producer has it.
 */
async function claimOutput(
  { kernel, producers }: Pick<TransformDeps, 'kernel' | 'producers'>,
  tx: TenantTransaction,
  { transformId, output }: TransformRow,
): Promise<void> {
  const ref = outputRef(tx.tenant.scope, output);
  const isGone = async (id: string) => {
    const former = await tx.findOne(TransformEntity, { transformId: id });
    const writes = former?.output.toLowerCase() === output.toLowerCase();
    return !writes && (await kernel.runs.active(tx, [TRANSFORM_KIND], id)) === undefined;
  };
  const isOurs = await producers.register(tx, { ref, kind: 'transform', producerId: transformId }, isGone);
  if (!isOurs) throw transformProblems.outputTaken();
}

/** Tells the readers of events that a transform changed. */
export async function publish(
  events: EventsService | undefined,
  tx: TenantTransaction,
  { transformId: id, version }: TransformRow,
): Promise<void> {
  await events?.publish(tx, { topic: TRANSFORM_TOPIC, id, version: String(version) });
}

/** The transform with its rows; artifacts go that no other transform was hydrated to. */
async function deleteAll(tx: TenantTransaction, transformId: string): Promise<void> {
  const own = [tx.tenant.tenantId, transformId];
  const { rows } = await tx.sql(
    'select artifact_id from transforms.hydration where tenant_id = $1 and transform_id = $2',
    own,
  );
  await tx.sql('delete from transforms.transform_run where tenant_id = $1 and triggering_transform_id = $2', own);
  await tx.sql('delete from transforms.transform where tenant_id = $1 and transform_id = $2', own);
  await tx.sql(
    `delete from transforms.artifact a where tenant_id = $1 and artifact_id = any ($2)
       and not exists (select from transforms.hydration h where h.tenant_id = $1 and h.artifact_id = a.artifact_id)
       and not exists (select from transforms.transform_run r where r.tenant_id = $1 and r.artifact_id = a.artifact_id)`,
    [tx.tenant.tenantId, rows.map(({ artifact_id }) => artifact_id)],
  );
}

/** What a merge patch changes; what a run carries out is hydrated again when the definition moved. */
function changesOf(row: TransformRow, { archived, description, tags, checks: patched, ...rest }: Patch) {
  const { sql = row.sql, output = row.output } = rest;
  const how = materializingOf(row, rest);
  assertMaterializing(how);
  const checks = patched === undefined ? row.checks : [...(patched ?? [])];
  const differs = (members: object) =>
    Object.entries(members).some(
      ([member, value]) => JSON.stringify(value) !== JSON.stringify(row[member as keyof TransformRow] ?? null),
    );
  const isRewritten = differs({ sql, ...how });
  const isMoved = isRewritten || differs({ output, checks });
  // A statement that is changed by hand is no longer what its form made.
  const origin = rest.origin ?? (isRewritten ? null : row.origin);
  return {
    ...{ name: rest.name ?? row.name, sql, output, ...how, checks, origin },
    ...(description === undefined ? {} : { description }),
    ...(tags === undefined ? {} : { tags: tags === null ? [] : [...tags] }),
    ...(archived === undefined ? {} : { archivedAt: archived ? (row.archivedAt ?? new Date()) : null }),
    ...(isMoved ? { artifactId: null, hydratedAt: null } : {}),
  };
}

function materializingOf(row: TransformRow, patch: Patch) {
  const { materialization = row.materialization, key = row.key, partition_by: partitionBy = row.partitionBy } = patch;
  const { incremental = row.incremental ?? null } = patch;
  return { materialization, key: [...(key ?? [])], partitionBy: [...(partitionBy ?? [])], incremental };
}

/** Throws `checks_refused` for what is wrong in checks whatever they are carried out over. */
function assertChecks(checks: readonly CheckBody[]): void {
  const faults = checkFaults(checks);
  const errors = faults.map(({ code }) => ({ pointer: '/checks', code }));
  if (faults.length > 0)
    throw transformProblems.checksRefused({ values: { count: faults.length }, errors, members: { faults } });
}

/**
 * The name of the unique constraint that refused a row, or undefined for any other error. Inside a transaction the
 * driver's own error arrives, at its end the kernel's; both carry the name.
 */
function uniqueConstraint(error: unknown): string | undefined {
  const { constraint, cause } = (error ?? {}) as { constraint?: unknown; cause?: unknown };
  if (typeof constraint === 'string') return constraint;
  return cause === undefined ? undefined : uniqueConstraint(cause);
}

async function taken<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const constraint = uniqueConstraint(error);
    if (constraint === 'transform_name') throw transformProblems.transformNameTaken();
    if (constraint === 'transform_output') throw transformProblems.outputTaken();
    throw error;
  }
}

export async function transformView(
  kernel: Pick<Kernel, 'runs'>,
  tx: TenantTransaction,
  row: TransformRow,
): Promise<TransformView> {
  return (await views(kernel, tx, [row]))[0] as TransformView;
}

/** Transforms as the wire shows them, their newest runs read at once. */
async function views(
  kernel: Pick<Kernel, 'runs'>,
  tx: TenantTransaction,
  rows: readonly TransformRow[],
): Promise<TransformView[]> {
  const last = await lastRuns(
    kernel,
    tx,
    rows.map(({ transformId }) => transformId),
  );
  return rows.map((row) => viewOf(row, last.get(row.transformId) ?? null));
}

function viewOf(row: TransformRow, lastRun: TransformView['last_run']): TransformView {
  return {
    ...{ transform_id: row.transformId, name: row.name, description: row.description ?? null, tags: row.tags },
    ...{ dialect: row.dialect, sql: row.sql, output: row.output, materialization: row.materialization },
    ...{ key: row.key, partition_by: row.partitionBy, incremental: row.incremental ?? null },
    ...{ checks: row.checks, origin: row.origin ?? null },
    ...{ artifact_id: row.artifactId ?? null, hydrated_at: row.hydratedAt?.toISOString() ?? null },
    ...{ archived: Boolean(row.archivedAt), archived_at: row.archivedAt?.toISOString() ?? null },
    ...{ last_run: lastRun, created_by: row.createdBy, etag: String(row.version) },
    ...{ created_at: row.createdAt.toISOString(), updated_at: row.updatedAt.toISOString() },
  };
}
