import type { Kernel, TenantTransaction } from '@weir/kernel';
import type { ProducersService } from '@weir/plugin-datasets/contract';
import { transformProblems } from '../../contract.ts';
import { TransformEntity, type TransformRow } from '../../model/entities.ts';
import { outputRef } from '../../model/output.ts';
import { TRANSFORM_KIND } from '../../model/run-kinds.ts';

export interface ClaimDeps {
  kernel: Pick<Kernel, 'runs'>;
  producers: ProducersService;
}

/**
 * Registers the output as the transform's. A transform that was deleted, or moved to another output and does not run,
 * leaves its table to the next one; the output of a draft is held too. Throws `output_taken` when another producer has it.
 */
export async function claimOutput(
  { kernel, producers }: ClaimDeps,
  tx: TenantTransaction,
  { transformId, output }: Pick<TransformRow, 'transformId' | 'output'>,
): Promise<void> {
  const ref = outputRef(tx.tenant.scope, output);
  const isGone = async (id: string) => {
    const former = await tx.findOne(TransformEntity, { transformId: id });
    const writes = [former?.output, former?.draft?.output].some((one) => one?.toLowerCase() === output.toLowerCase());
    return !writes && (await kernel.runs.active(tx, [TRANSFORM_KIND], id)) === undefined;
  };
  const isOurs = await producers.register(tx, { ref, kind: 'transform', producerId: transformId }, isGone);
  if (!isOurs) throw transformProblems.outputTaken();
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

/** Does work, and says of which name or output somebody else was first. */
export async function whereTaken<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const constraint = uniqueConstraint(error);
    if (constraint === 'transform_name') throw transformProblems.transformNameTaken();
    if (constraint === 'transform_output') throw transformProblems.outputTaken();
    throw error;
  }
}
