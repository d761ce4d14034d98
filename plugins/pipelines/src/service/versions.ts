import type { PageOrders, TenantTransaction } from '@weir/kernel';
import { type Input, kernelProblems, type Output, type Tenant } from '@weir/kernel/contract';
import type { listVersions, PipelineVersionView, readDifference, VersionStepView } from '../contract.ts';
import { type PipelineRow, VersionEntity, type VersionRow } from '../model/entities.ts';
import { assertValidated } from '../model/states.ts';
import type { KnownStep } from './known-steps.ts';
import {
  type ChangeDeps,
  type Changing,
  changePipeline,
  foundPipeline,
  foundVersion,
  keepUses,
  writeChanges,
} from './rows.ts';
import { versionView } from './views.ts';

const ORDERS: PageOrders = { orders: { version: 'version' }, first: '-version', id: 'version' };

interface ToMake {
  row: PipelineRow;
  steps: readonly KnownStep[];
  by: string;
  note: string | null;
}

/** The newest version with the steps of the pipeline as they are, made when it is missing; the row is locked. */
export async function makeVersion(
  deps: Pick<ChangeDeps, 'events'>,
  tx: TenantTransaction,
  { row, steps, by, note }: ToMake,
): Promise<VersionRow> {
  const { pipelineId, fingerprint, publish } = row;
  const [same] = await tx.find(VersionEntity, { pipelineId, fingerprint }, { orderBy: { version: 'desc' }, limit: 1 });
  if (same !== undefined) return same;
  const version = (row.latestVersion ?? 0) + 1;
  const made = await tx.insert(VersionEntity, {
    pipelineId,
    version,
    fingerprint,
    publish,
    note,
    createdBy: by,
    createdAt: new Date(),
    steps: steps.map(frozenStep),
  });
  await keepUses(tx, { pipelineId, version }, steps);
  await writeChanges(deps, tx, row, { latestVersion: version });
  return made;
}

function frozenStep({ step_id, transform_id, after, transform, artifact }: KnownStep): VersionStepView {
  // Steps that were validated have both.
  if (transform === undefined || artifact === undefined) throw kernelProblems.conflict();
  const { artifactId: artifact_id, output } = artifact;
  return { step_id, transform_id, transform_name: transform.name, artifact_id, output, after };
}

/** The versions of pipelines. */
export function versionService(deps: ChangeDeps) {
  const { db } = deps.kernel;
  return {
    /** Throws `pipeline_not_validated`. */
    create: (
      tenant: Tenant,
      changing: Changing & { by: string },
      note: string | undefined,
    ): Promise<PipelineVersionView> =>
      changePipeline(deps, tenant, changing, async (tx, row, steps) => {
        assertValidated(row);
        return versionView(await makeVersion(deps, tx, { row, steps, by: changing.by, note: note ?? null }), row);
      }),

    list: (
      tenant: Tenant,
      pipelineId: string,
      query: Input<typeof listVersions>['query'],
    ): Promise<Output<typeof listVersions>> =>
      db(tenant).transaction(async (tx) => {
        const row = await foundPipeline(tx, pipelineId);
        const page = await tx.page(VersionEntity, { pipelineId }, query ?? {}, ORDERS);
        return { ...page, items: page.items.map((version) => versionView(version, row)), total: null };
      }),

    get: (tenant: Tenant, pipelineId: string, version: number): Promise<PipelineVersionView> =>
      db(tenant).transaction(async (tx) => {
        const row = await foundPipeline(tx, pipelineId);
        return versionView(await foundVersion(tx, pipelineId, version), row);
      }),

    difference: (
      tenant: Tenant,
      pipelineId: string,
      { from, to: asked }: { from: number; to: number | undefined },
    ): Promise<Output<typeof readDifference>> =>
      db(tenant).transaction(async (tx) => {
        const { latestVersion } = await foundPipeline(tx, pipelineId);
        const to = asked ?? latestVersion ?? from;
        const one = await foundVersion(tx, pipelineId, from);
        const other = await foundVersion(tx, pipelineId, to);
        const steps = differentSteps(one.steps, other.steps);
        const publish = one.publish === other.publish ? null : { from: one.publish, to: other.publish };
        return { from, to, same: steps.length === 0 && publish === null, publish, steps };
      }),
  };
}

/** What a step carries out: its transform's name may change without it. */
const MEMBERS = ['transform_id', 'artifact_id', 'output', 'after'] as const;

function differentSteps(before: readonly VersionStepView[], after: readonly VersionStepView[]) {
  const ids = new Set([...before, ...after].map(({ step_id }) => step_id));
  return [...ids].flatMap((step_id) => {
    const from = before.find((step) => step.step_id === step_id) ?? null;
    const to = after.find((step) => step.step_id === step_id) ?? null;
    const members = MEMBERS.filter((member) => String(from?.[member]) !== String(to?.[member]));
    if (members.length === 0) return [];
    const change = from === null ? ('added' as const) : to === null ? ('removed' as const) : ('changed' as const);
    return [{ step_id, change, members: change === 'changed' ? [...members] : [], from, to }];
  });
}
