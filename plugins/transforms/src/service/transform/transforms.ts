import { type Kernel, type PageOrders, requireMatch, type TenantTransaction } from '@weir/kernel';
import { type Input, type Output, runProblems, type Tenant } from '@weir/kernel/contract';
import type { InputsService, ProducersService } from '@weir/plugin-datasets/contract';
import type { SubjectSchedulesService } from '@weir/plugin-schedules/contract';
import { v7 as uuidv7 } from 'uuid';
import {
  type CheckBody,
  type changeTransform,
  type listTransforms,
  type NewTransform,
  type TransformChange,
  type TransformView,
  transformProblems,
} from '../../contract.ts';
import { checkFaults } from '../../model/checks/check-rules.ts';
import { candidateEtag, candidateOf, draftColumns, draftOf, isInForce, NO_DRAFT } from '../../model/definition.ts';
import { TransformEntity, type TransformRow } from '../../model/entities.ts';
import { assertMaterializing } from '../../model/materialization.ts';
import { outputId } from '../../model/output.ts';
import { patchedDefinition } from '../../model/patched-definition.ts';
import { markOf } from '../../model/why-run.ts';
import { claimOutput, whereTaken } from './claim-output.ts';
import { fromPattern } from './from-pattern.ts';
import { type PublishDeps, publishChange } from './publish-change.ts';
import { foundTransform } from './rows.ts';
import { transformView, transformViews } from './transform-views.ts';

const ORDERS: PageOrders = {
  orders: { name: 'name', created_at: 'createdAt', updated_at: 'updatedAt' },
  first: 'name',
  id: 'transformId',
};

export interface TransformDeps extends PublishDeps {
  kernel: Pick<Kernel, 'db' | 'runs' | 'contributions' | 'contributionsFor'>;
  producers: ProducersService;
  inputs: Pick<InputsService, 'unmark'>;
  schedules: Pick<SubjectSchedulesService, 'drop'>;
}

/** Who changes a transform, as they have read it. */
interface Changing {
  by: string;
  ifMatch: string | undefined;
}

/** The transforms of tenants. */
export function transformService(deps: TransformDeps) {
  const { kernel, producers, inputs, schedules } = deps;
  const { db } = kernel;
  const patterns = fromPattern(kernel);
  const claim = (tx: TenantTransaction, row: Pick<TransformRow, 'transformId' | 'output'>) =>
    claimOutput({ kernel, producers }, tx, row);
  const published = async (
    tx: TenantTransaction,
    row: TransformRow,
    change: TransformChange['change'],
  ): Promise<TransformView> => {
    await publishChange(deps, tx, row, change);
    return transformView(kernel, tx, row);
  };
  const make = async (tx: TenantTransaction, createdBy: string, body: NewTransform): Promise<TransformView> => {
    const { materialization = 'full', dialect = 'duckdb', description = null, tags = [], checks = [] } = body;
    const { name, sql, key = [], partition_by: partitionBy = [], incremental = null } = body;
    const output = outputId(tx.tenant.scope, body.output);
    const how = { materialization, key: [...key], partitionBy: [...partitionBy], incremental };
    assertMaterializing(how);
    assertChecks(checks);
    const now = new Date();
    const row = await tx.insert(TransformEntity, {
      transformId: uuidv7(),
      name,
      sql,
      output,
      ...how,
      dialect,
      description,
      tags: [...tags],
      origin: body.origin ?? null,
      checks: [...checks],
      createdBy,
      createdAt: now,
      updatedAt: now,
      draftRevision: 1,
      draftedBy: createdBy,
      draftedAt: now,
    });
    await claim(tx, row);
    return published(tx, row, 'made');
  };
  return {
    make,

    create: (tenant: Tenant, createdBy: string, body: NewTransform): Promise<TransformView> =>
      whereTaken(() => db(tenant).transaction((tx) => make(tx, createdBy, body))),

    list: (tenant: Tenant, query: Input<typeof listTransforms>['query']): Promise<Output<typeof listTransforms>> =>
      db(tenant).transaction(async (tx) => {
        const { name, tag, output, materialization, archived, ...request } = query ?? {};
        const where = {
          ...(archived === undefined && name !== undefined ? {} : { archivedAt: archived ? { $ne: null } : null }),
          ...(name === undefined ? {} : { name }),
          ...(tag === undefined ? {} : { tags: { $contains: [tag] } }),
          ...(output === undefined ? {} : { output: output.toLowerCase() }),
          ...(materialization === undefined ? {} : { materialization }),
        };
        const page = await tx.page(TransformEntity, where, request, ORDERS);
        return {
          items: await transformViews(kernel, tx, page.items),
          next_page_token: page.next_page_token,
          total: null,
        };
      }),

    get: (tenant: Tenant, transformId: string): Promise<TransformView> =>
      db(tenant).transaction(async (tx) => transformView(kernel, tx, await foundTransform(tx, transformId))),

    change: (
      tenant: Tenant,
      transformId: string,
      { body, by, ifMatch }: Changing & { body: Input<typeof changeTransform>['body'] },
    ): Promise<TransformView> =>
      whereTaken(() =>
        db(tenant).transaction(async (tx) => {
          const row = await foundTransform(tx, transformId, { lock: true });
          requireMatch(ifMatch, String(row.version));
          const output = body.output === undefined ? {} : { output: outputId(tenant.scope, body.output) };
          assertChecks(body.checks ?? []);
          const before = candidateOf(row);
          const {
            name = row.name,
            description,
            tags,
            archived,
            ...patch
          } = await patterns.patch({ ...body, ...output }, before);
          const now = new Date();
          const isArchiving = archived === true && !row.archivedAt;
          const changed = await tx.update(row, {
            name,
            ...draftColumns(row, patchedDefinition(before, patch), { by, now }),
            ...(description === undefined ? {} : { description }),
            ...(tags === undefined ? {} : { tags: tags === null ? [] : [...tags] }),
            ...(archived === undefined ? {} : { archivedAt: archived ? (row.archivedAt ?? now) : null }),
            version: row.version + 1,
            updatedAt: now,
          });
          if (output.output !== undefined) await claim(tx, { transformId, output: output.output });
          return published(tx, changed, isArchiving ? 'archived' : 'changed');
        }),
      ),

    /** Throws `draft_not_found` where there is none, and `transform_not_in_force` where it is all that there is. */
    discard: (tenant: Tenant, transformId: string, ifMatch: string | undefined): Promise<undefined> =>
      db(tenant).transaction(async (tx) => {
        const row = await foundTransform(tx, transformId, { lock: true });
        if (draftOf(row) === undefined) throw transformProblems.draftNotFound();
        requireMatch(ifMatch, candidateEtag(row));
        if (!isInForce(row)) throw transformProblems.transformNotInForce();
        const changed = await tx.update(row, { ...NO_DRAFT, version: row.version + 1, updatedAt: new Date() });
        await publishChange(deps, tx, changed, 'changed');
        return undefined;
      }),

    remove: (tenant: Tenant, transformId: string, ifMatch: string | undefined): Promise<undefined> =>
      db(tenant).transaction(async (tx) => {
        const row = await foundTransform(tx, transformId, { lock: true });
        requireMatch(ifMatch, String(row.version));
        const runIds = await runsOf(tx, transformId);
        const runId = await firstOpen(tx, runIds);
        if (runId !== undefined) throw runProblems.runAlreadyActive({ members: { run_id: runId } });
        await publishChange(deps, tx, row, 'deleted');
        await schedules.drop(tx, transformId, { forget: true });
        await deleteAll(tx, transformId);
        await kernel.runs.drop(tx, runIds);
        await inputs.unmark(tx, markOf(transformId));
        return undefined;
      }),
  };
}

/** The runs that a transform triggered, and those that are about it, whatever their kind. */
async function runsOf(tx: TenantTransaction, transformId: string): Promise<string[]> {
  const { rows } = await tx.sql(
    `select run_id from kernel.run where tenant_id = $1 and subject_id = $2
     union select run_id from transforms.transform_run where tenant_id = $1 and triggering_transform_id = $2`,
    [tx.tenant.tenantId, transformId],
  );
  return rows.map(({ run_id }) => String(run_id));
}

/** An open one of these runs, or of the parts below them; a part rather than its whole. */
async function firstOpen(tx: TenantTransaction, runIds: readonly string[]): Promise<string | undefined> {
  const { rows } = await tx.sql(
    `select run_id from kernel.run where tenant_id = $1 and status in ('pending', 'running')
       and (run_id = any ($2::uuid[]) or parent_run_id = any ($2::uuid[]))
     order by parent_run_id is null, run_id limit 1`,
    [tx.tenant.tenantId, runIds],
  );
  return rows[0] && String(rows[0].run_id);
}

/** The transform with its rows; artifacts go that no version, hydration or run of another transform names. */
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
       and not exists (select from transforms.transform_version v where v.tenant_id = $1 and v.artifact_id = a.artifact_id)
       and not exists (select from transforms.transform_run r where r.tenant_id = $1 and r.artifact_id = a.artifact_id)`,
    [tx.tenant.tenantId, rows.map(({ artifact_id }) => artifact_id)],
  );
}

/** Throws `checks_refused` for what is wrong in checks whatever they are carried out over. */
function assertChecks(checks: readonly CheckBody[]): void {
  const faults = checkFaults(checks);
  const errors = faults.map(({ code }) => ({ pointer: '/checks', code }));
  if (faults.length > 0)
    throw transformProblems.checksRefused({ values: { count: faults.length }, errors, members: { faults } });
}
