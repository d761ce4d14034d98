import type { TenantTransaction } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { TransformEntity, type TransformRow } from '../../model/entities.ts';

/** The transform; `not_found` for absent and foreign ids alike. */
export async function foundTransform(
  tx: TenantTransaction,
  transformId: string,
  options?: { lock: boolean },
): Promise<TransformRow> {
  const row = await tx.findOne(TransformEntity, { transformId }, options);
  if (row === undefined) throw kernelProblems.notFound();
  return row;
}
