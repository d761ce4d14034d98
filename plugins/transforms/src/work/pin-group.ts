import type { Kernel, Tenant } from '@weir/kernel';
import { type InputsService, MAX_PINNED_INPUTS, type PinnedInput } from '@weir/plugin-datasets/contract';
import type { PinnedSnapshot } from '../model/entities.ts';

/** What the steps of a whole read and none of them makes. */
const OUTER = `
with part as (
  select run.output, artifact.content from transforms.step
  join transforms.transform_run run using (tenant_id, run_id)
  join transforms.artifact artifact using (tenant_id, artifact_id)
  where step.tenant_id = $1 and step.group_run_id = $2)
select distinct input from part, json_array_elements_text(part.content -> 'inputs') as input
where lower(input) not in (select lower(output) from part) order by input`;

/**
 * Pins what no step makes at one moment, holds it until the end of the whole, and keeps which snapshots these are; once. Beyond
 * `MAX_PINNED_INPUTS` tables each batch of them has a moment of its own.
 */
export async function pinGroup(
  { kernel, inputs }: { kernel: Pick<Kernel, 'db'>; inputs: InputsService },
  tenant: Tenant,
  runId: string,
): Promise<void> {
  const own = [tenant.tenantId, runId];
  const { ids, isPinned } = await kernel.db(tenant).transaction(async (tx) => {
    const known =
      'select json_array_length(inputs) > 0 as known from transforms.step_group where tenant_id = $1 and run_id = $2';
    const [group] = (await tx.sql(known, own)).rows;
    const { rows } = await tx.sql(OUTER, own);
    return { isPinned: group?.known === true, ids: rows.map(({ input }) => String(input)) };
  });
  if (isPinned) return;
  const pins: PinnedInput[] = [];
  for (let at = 0; at < ids.length; at += MAX_PINNED_INPUTS) {
    const batch = ids.slice(at, at + MAX_PINNED_INPUTS).map((datasetId) => ({ datasetId }));
    pins.push(...(await inputs.pin(tenant, batch)));
  }
  const cut = pins.map(
    ({ datasetId, snapshotId }): PinnedSnapshot => ({ dataset_id: datasetId, snapshot_id: snapshotId }),
  );
  await kernel.db(tenant).transaction(async (tx) => {
    await inputs.hold(tx, runId, pins);
    await tx.sql('update transforms.step_group set inputs = $3::json where tenant_id = $1 and run_id = $2', [
      ...[...own, JSON.stringify(cut)],
    ]);
  });
}
