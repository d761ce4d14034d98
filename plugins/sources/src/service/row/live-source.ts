import type { TenantTransaction } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { SourceEntity, type SourceRow } from '../../model/source/entity.ts';

/** The row of a source that is not retired; throws `not_found` for absent, foreign and retired ones alike. */
export async function liveSource(
  tx: TenantTransaction,
  sourceId: string,
  options: { lock?: boolean } = {},
): Promise<SourceRow> {
  const row = await tx.findOne(SourceEntity, { sourceId }, options);
  if (row === undefined || row.status === 'retired') throw kernelProblems.notFound();
  return row;
}

/** Takes the lock of a source before that of a run of it, as every start does: the other way round two would wait in a circle. */
export async function lockSource(tx: TenantTransaction, sourceId: string | null | undefined): Promise<void> {
  if (sourceId) await tx.findOne(SourceEntity, { sourceId }, { lock: true });
}
