import type { TenantTransaction } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { SourceEntity, type SourceRow } from './entity.ts';

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
