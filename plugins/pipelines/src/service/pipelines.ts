import { type Kernel, type PageOrders, requireMatch, type TenantTransaction } from '@weir/kernel';
import { type Input, kernelProblems, type Output, runProblems, type Tenant } from '@weir/kernel/contract';
import type { TablesService } from '@weir/plugin-datasets/contract';
import type { SubjectSchedulesService } from '@weir/plugin-schedules/contract';
import type { DefinitionsService } from '@weir/plugin-transforms/contract';
import { v7 as uuidv7 } from 'uuid';
import {
  type activatePipeline,
  type changeStep,
  type createPipeline,
  type GivenStepBody,
  type listAvailableTransforms,
  type listPipelines,
  PIPELINE_RUN,
  PIPELINE_SANDBOX,
  type PipelineView,
  pipelineProblems,
  stepProblems,
} from '../contract.ts';
import { PipelineEntity, type PipelineRow, type Step } from '../model/entities.ts';
import { assertPausable, assertRehearsed, isRehearsed, statesOf } from '../model/states.ts';
import { keptSteps } from './given-steps.ts';
import { fingerprintNow, type KnownStep } from './known-steps.ts';
import {
  type ChangeDeps,
  type Changing,
  changePipeline,
  foundPipeline,
  foundVersion,
  keepUses,
  publishPipeline,
  writeChanges,
} from './rows.ts';
import { makeVersion } from './versions.ts';
import { pipelineView, pipelineViews, type ViewDeps } from './views.ts';

const ORDERS: PageOrders = {
  orders: { name: 'name', created_at: 'createdAt', updated_at: 'updatedAt' },
  first: 'name',
  id: 'pipelineId',
};

export interface PipelineDeps extends ChangeDeps, Omit<ViewDeps, 'kernel'> {
  kernel: Pick<Kernel, 'db' | 'runs'>;
  definitions: Pick<DefinitionsService, 'make' | 'whereTaken'>;
  tables: Pick<TablesService, 'canPublishTogether'>;
  schedules: Pick<SubjectSchedulesService, 'summaries' | 'drop'>;
}

type Body = Input<typeof createPipeline>['body'];
type By = Changing & { by: string };

const keptStep = ({ step_id, transform_id, after }: Step): Step => ({ step_id, transform_id, after });

/** The pipelines of tenants. */
export function pipelineService(deps: PipelineDeps) {
  const { kernel, facts, definitions, tables, schedules, events } = deps;
  const { db } = kernel;
  /** What a request says of a pipeline, as it is kept. */
  const written = (body: Body, steps: readonly KnownStep[]) => {
    const { name, description = null, publish = 'together' } = body;
    const fingerprint = fingerprintNow(steps, publish);
    return { name, description, publish, fingerprint, steps: steps.map(keptStep) };
  };
  return {
    create: (tenant: Tenant, by: string, body: Body): Promise<PipelineView> =>
      definitions.whereTaken(() =>
        db(tenant).transaction(async (tx) => {
          await assertNameFree(tx, body.name);
          const steps = await keptSteps(deps, tx, body.steps ?? [], { by });
          const now = new Date();
          const pipelineId = uuidv7();
          const kept = { ...written(body, steps), rehearsed: [] };
          const times = { createdBy: by, createdAt: now, updatedAt: now };
          const row = await tx.insert(PipelineEntity, { pipelineId, ...kept, ...statesOf(kept), ...times });
          await keepUses(tx, { pipelineId, version: 0 }, steps);
          await publishPipeline(events, tx, row);
          return pipelineView(deps, tx, row);
        }),
      ),

    list: (tenant: Tenant, query: Input<typeof listPipelines>['query']): Promise<Output<typeof listPipelines>> =>
      db(tenant).transaction(async (tx) => {
        const { status, name, transform_id, dataset_id, ...request } = query ?? {};
        const having = transform_id === undefined ? undefined : await pipelinesWith(tx, [transform_id]);
        const writing =
          dataset_id === undefined ? undefined : await pipelinesWith(tx, await facts.writers(tx, dataset_id));
        const filters = Object.entries({ status, name }).filter(([, value]) => value !== undefined);
        const $and = [having, writing].flatMap((ids) => (ids === undefined ? [] : [{ pipelineId: { $in: ids } }]));
        const where = { archivedAt: null, ...Object.fromEntries(filters), $and };
        const page = await tx.page(PipelineEntity, where, request, ORDERS);
        return { ...page, items: await pipelineViews(deps, tx, page.items), total: null };
      }),

    get: (tenant: Tenant, pipelineId: string): Promise<PipelineView> =>
      db(tenant).transaction(async (tx) => pipelineView(deps, tx, await foundPipeline(tx, pipelineId))),

    put: (tenant: Tenant, { by, ...changing }: By, body: Body): Promise<PipelineView> =>
      definitions.whereTaken(() =>
        db(tenant).transaction(async (tx) => {
          await foundPipeline(tx, changing.pipelineId);
          // Transforms are locked before pipelines, as their own changes do.
          const steps = await keptSteps(deps, tx, body.steps ?? [], { by });
          const row = await lockedPipeline(tx, changing);
          if (body.name !== row.name) await assertNameFree(tx, body.name);
          await keepUses(tx, { pipelineId: row.pipelineId, version: 0 }, steps);
          return pipelineView(deps, tx, await writeChanges(deps, tx, row, written(body, steps)));
        }),
      ),

    changeStep: (
      tenant: Tenant,
      { by, stepId, ...changing }: By & { stepId: string },
      patch: Input<typeof changeStep>['body'],
    ): Promise<PipelineView> =>
      definitions.whereTaken(() =>
        db(tenant).transaction(async (tx) => {
          const before = await foundPipeline(tx, changing.pipelineId);
          const { version } = before;
          const at = before.steps.findIndex(({ step_id }) => step_id === stepId);
          if (at < 0) throw kernelProblems.notFound();
          const given = before.steps.map((step, index) => (index === at ? patchedStep(step, patch) : step));
          const placed = (index: number) => (index === at ? '' : `/steps/${index}`);
          const steps = await keptSteps(deps, tx, given, { by, placed });
          const row = await lockedPipeline(tx, changing);
          if (row.version !== version) throw kernelProblems.conflict();
          await keepUses(tx, { pipelineId: row.pipelineId, version: 0 }, steps);
          const changes = { steps: steps.map(keptStep), fingerprint: fingerprintNow(steps, row.publish) };
          return pipelineView(deps, tx, await writeChanges(deps, tx, row, changes));
        }),
      ),

    remove: (tenant: Tenant, changing: Changing): Promise<undefined> =>
      db(tenant).transaction(async (tx) => {
        const row = await lockedPipeline(tx, changing);
        const { pipelineId } = row;
        const open = await kernel.runs.active(tx, [PIPELINE_RUN, PIPELINE_SANDBOX], pipelineId);
        if (open !== undefined) throw runProblems.runAlreadyActive({ members: { run_id: open } });
        await schedules.drop(tx, pipelineId, { forget: true });
        await tx.sql('delete from pipelines.uses where tenant_id = $1 and pipeline_id = $2', [
          tx.tenant.tenantId,
          pipelineId,
        ]);
        await writeChanges(deps, tx, row, { archivedAt: new Date() });
        return undefined;
      }),

    activate: async (
      tenant: Tenant,
      { by, ...changing }: By,
      { version: asked }: NonNullable<Input<typeof activatePipeline>['body']>,
    ): Promise<PipelineView> => {
      const canPublishTogether = await tables.canPublishTogether(tenant);
      return changePipeline(deps, tenant, changing, async (tx, row, steps) => {
        const version = await versionToActivate(deps, tx, { row, steps, asked, by });
        if (version.publish === 'together' && version.steps.length > 1 && !canPublishTogether)
          throw stepProblems.catalogMovesOneTable();
        const active = { activeVersion: version.version, activeFingerprint: version.fingerprint, paused: null };
        return pipelineView(deps, tx, await writeChanges(deps, tx, row, active));
      });
    },

    pause: (tenant: Tenant, { by, ...changing }: By, { reason = null }: { reason?: string | null }) =>
      db(tenant).transaction(async (tx) => {
        const row = await lockedPipeline(tx, changing);
        assertPausable(row);
        const paused = { at: new Date().toISOString(), by, reason };
        return pipelineView(deps, tx, await writeChanges(deps, tx, row, { paused }));
      }),

    available: async (
      tenant: Tenant,
      query: Input<typeof listAvailableTransforms>['query'],
    ): Promise<Output<typeof listAvailableTransforms>> => {
      const page = await facts.search(tenant, query ?? {});
      return db(tenant).transaction(async (tx) => {
        const transformIds = page.items.map(({ transformId }) => transformId);
        const { artifacts } = await facts.read(tx, { transformIds });
        const users = await usersOf(tx, transformIds);
        const items = page.items.map(({ transformId, name, output, artifactId }) => {
          const artifact = artifacts.get(artifactId ?? '');
          return {
            transform_id: transformId,
            name,
            output,
            inputs: [...(artifact?.inputs ?? [])],
            columns: (artifact?.columns ?? []).map((column) => ({ ...column })),
            hydrated: artifact !== undefined,
            pipelines: users.get(transformId) ?? [],
          };
        });
        return { items, next_page_token: page.next_page_token, total: null };
      });
    },
  };
}

async function lockedPipeline(tx: TenantTransaction, { pipelineId, ifMatch }: Changing): Promise<PipelineRow> {
  const row = await foundPipeline(tx, pipelineId, { lock: true });
  requireMatch(ifMatch, String(row.version));
  return row;
}

function patchedStep({ step_id, transform_id, after }: Step, patch: Input<typeof changeStep>['body']): GivenStepBody {
  const kept = { step_id, after: patch.after === undefined ? after : [...(patch.after ?? [])] };
  if (patch.transform === undefined) return { ...kept, transform_id: patch.transform_id ?? transform_id };
  return { ...patch, ...kept };
}

/** Throws `pipeline_name_taken`. One transaction of a tenant at a time gives names. */
async function assertNameFree(tx: TenantTransaction, name: string): Promise<void> {
  await tx.sql('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`pipelines:${tx.tenant.tenantId}:${name}`]);
  if ((await tx.findOne(PipelineEntity, { name, archivedAt: null })) !== undefined)
    throw pipelineProblems.pipelineNameTaken();
}

interface ToActivate {
  row: PipelineRow;
  steps: readonly KnownStep[];
  asked: number | undefined;
  by: string;
}

/** The version that is named, or that of the steps as they are; of a paused pipeline whose steps were not rehearsed the active one. */
async function versionToActivate(deps: ChangeDeps, tx: TenantTransaction, { row, steps, asked, by }: ToActivate) {
  const known = asked ?? (row.paused && !isRehearsed(row) ? (row.activeVersion ?? undefined) : undefined);
  if (known === undefined) {
    assertRehearsed(row, row.fingerprint);
    return makeVersion(deps, tx, { row, steps, by, note: null });
  }
  const version = await foundVersion(tx, row.pipelineId, known);
  assertRehearsed(row, version.fingerprint);
  return version;
}

async function pipelinesWith(tx: TenantTransaction, transformIds: readonly string[]): Promise<string[]> {
  const { rows } = await tx.sql(
    'select distinct pipeline_id from pipelines.uses where tenant_id = $1 and transform_id = any ($2::uuid[])',
    [tx.tenant.tenantId, transformIds],
  );
  return rows.map(({ pipeline_id }) => String(pipeline_id));
}

/** The pipelines that have these transforms, by transform. */
async function usersOf(tx: TenantTransaction, transformIds: readonly string[]) {
  const { rows } = await tx.sql(
    `select distinct transform_id, pipeline_id, name from pipelines.uses join pipelines.pipeline using (tenant_id, pipeline_id)
     where tenant_id = $1 and transform_id = any ($2::uuid[]) order by name`,
    [tx.tenant.tenantId, transformIds],
  );
  const byTransform = Map.groupBy(rows, ({ transform_id }) => String(transform_id));
  return new Map(
    [...byTransform].map(([id, users]) => [
      id,
      users.map(({ pipeline_id, name }) => ({ pipeline_id: String(pipeline_id), name: String(name) })),
    ]),
  );
}
