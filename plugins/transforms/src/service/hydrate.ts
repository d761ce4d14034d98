import { canonicalSha256, type Kernel, type TenantTransaction } from '@weir/kernel';
import { kernelProblems, type Output, Problem, type Tenant } from '@weir/kernel/contract';
import { datasetProblems, type InputsService, type PinnedInput } from '@weir/plugin-datasets/contract';
import type { EventsService } from '@weir/plugin-platform/contract';
import { type hydrateTransform, transformProblems } from '../contract.ts';
import { type ArtifactContent, runtimeOf } from '../model/artifact-content.ts';
import { compileCheck } from '../model/checks/compile-check.ts';
import type { TransformRow } from '../model/entities.ts';
import { lineageOf } from '../model/lineage.ts';
import { assertFitting, assertIncrement } from '../model/materialization.ts';
import { foundTransform } from './rows.ts';
import { asSelectProblems } from './select/select-problem.ts';
import type { Selects } from './select/selects.ts';
import { publish, transformView } from './transforms.ts';

export interface HydrateDeps {
  kernel: Pick<Kernel, 'db' | 'runs'>;
  inputs: Pick<InputsService, 'pin'>;
  selects: Pick<Selects, 'read' | 'describe'>;
  events: EventsService | undefined;
}

/** Makes artifacts of definitions. */
export function hydrateService({ kernel, inputs, selects, events }: HydrateDeps) {
  const { db } = kernel;
  return {
    /** Throws `conflict` when the transform was changed meanwhile. */
    async hydrate(tenant: Tenant, transformId: string, signal: AbortSignal): Promise<Output<typeof hydrateTransform>> {
      const found = await db(tenant).transaction((tx) => foundTransform(tx, transformId));
      const content = await asSelectProblems(() => contentOf({ inputs, selects }, tenant, found, signal), found.checks);
      const artifactId = canonicalSha256(content);
      return db(tenant).transaction(async (tx) => {
        const row = await foundTransform(tx, transformId, { lock: true });
        if (row.version !== found.version) throw kernelProblems.conflict();
        const now = new Date();
        await keep(tx, { transformId, artifactId, content, now });
        const changes = { artifactId, hydratedAt: now, version: row.version + 1, updatedAt: now };
        const changed = await tx.update(row, changes);
        await publish(events, tx, changed);
        return { ...(await transformView(kernel, tx, changed)), artifact: content };
      });
    },
  };
}

/** What a run carries out, worked out against the inputs as they are now. */
async function contentOf(
  { inputs, selects }: Pick<HydrateDeps, 'inputs' | 'selects'>,
  tenant: Tenant,
  row: TransformRow,
  signal: AbortSignal,
): Promise<ArtifactContent> {
  const { sql, output, materialization, key, partitionBy, incremental, checks } = row;
  const compiled = checks.map((check) => compileCheck(check, new Date()));
  const named = (await selects.read(sql, compiled)).inputs;
  if (named.some((id) => id.toLowerCase() === output.toLowerCase())) throw transformProblems.outputIsInput();
  const pins = await pinned(inputs, tenant, named);
  const asked = { sql, inputs: pins, signal, checks: compiled };
  const reads = incremental ? { input: incremental.split('.'), columns: [...key, ...partitionBy] } : undefined;
  const { columns, lineage, increment } = await selects.describe({ ...asked, increment: reads });
  assertFitting(row, { columns, inputs: named });
  assertIncrement(row, increment);
  const how = {
    materialization,
    ...(key.length > 0 ? { key } : {}),
    ...(partitionBy.length > 0 ? { partition_by: partitionBy } : {}),
    ...(incremental ? { incremental: incremental.toLowerCase() } : {}),
  };
  return {
    ...{ runtime: runtimeOf(how), sql, output, ...how, inputs: named },
    columns: columns.map(({ name, type }) => ({ name, type })),
    lineage: lineageOf(sql, columns, lineage),
    ...(checks.length === 0 ? {} : { checks }),
  };
}

/** Throws `dataset_not_readable` and `input_missing`, both with the datasets that are at fault. */
async function pinned(
  inputs: HydrateDeps['inputs'],
  tenant: Tenant,
  named: readonly string[],
): Promise<readonly PinnedInput[]> {
  const pin = (ids: readonly string[]) =>
    inputs.pin(
      tenant,
      ids.map((datasetId) => ({ datasetId })),
    );
  try {
    return await pin(named);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    const codes = await Promise.all(named.map((id) => pin([id]).then(() => undefined, codeOf)));
    const having = (code: string) => named.filter((_, at) => codes[at] === code);
    const dataset_ids = having(UNREADABLE);
    if (dataset_ids.length > 0) throw datasetProblems.datasetNotReadable({ members: { dataset_ids } });
    const missing = having(ABSENT);
    throw transformProblems.inputMissing({ values: { count: missing.length }, members: { dataset_ids: missing } });
  }
}

const UNREADABLE = datasetProblems.datasetNotReadable.entry.code;
const ABSENT = kernelProblems.notFound.entry.code;

/** The code of an error for which an input is at fault. */
const codeOf = (error: unknown): string | undefined =>
  error instanceof Problem && [UNREADABLE, ABSENT].includes(error.code) ? error.code : undefined;

interface Hydration {
  transformId: string;
  artifactId: string;
  content: ArtifactContent;
  now: Date;
}

async function keep(tx: TenantTransaction, { transformId, artifactId, content, now }: Hydration): Promise<void> {
  const { tenantId } = tx.tenant;
  await tx.sql(
    `insert into transforms.artifact (tenant_id, artifact_id, runtime, content, created_at)
     values ($1, $2, $3, $4, $5) on conflict do nothing`,
    [tenantId, artifactId, content.runtime, JSON.stringify(content), now],
  );
  await tx.sql(
    `insert into transforms.hydration (tenant_id, transform_id, artifact_id, hydrated_at) values ($1, $2, $3, $4)
     on conflict (tenant_id, transform_id, artifact_id) do update set hydrated_at = excluded.hydrated_at`,
    [tenantId, transformId, artifactId, now],
  );
}
