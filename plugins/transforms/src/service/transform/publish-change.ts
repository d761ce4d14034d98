import type { Kernel, TenantTransaction } from '@weir/kernel';
import type { EventsService } from '@weir/plugin-platform/contract';
import { TRANSFORM_TOPIC, type TransformChange, TransformChanges } from '../../contract.ts';
import type { TransformRow } from '../../model/entities.ts';

export interface PublishDeps {
  kernel: Pick<Kernel, 'contributionsFor'>;
  /** Absent when the deployment leaves that plugin out. */
  events: EventsService | undefined;
}

/** The version that a hint gives a transform that is gone. */
const DELETED = 'deleted';

/** Notifies contributors and the readers of events of a change. A contributor that throws refuses it. */
export async function publishChange(
  { kernel, events }: PublishDeps,
  tx: TenantTransaction,
  { transformId, version }: Pick<TransformRow, 'transformId' | 'version'>,
  change: TransformChange['change'],
): Promise<void> {
  for (const listener of await kernel.contributionsFor(tx, TransformChanges))
    await listener(tx, { transform_id: transformId, version, change });
  const shown = change === 'deleted' ? DELETED : String(version);
  await events?.publish(tx, { topic: TRANSFORM_TOPIC, id: transformId, version: shown });
}
