import { type ConnectorErrorCode, type ConnectorLimits, DEFAULT_LIMITS } from '@weir/connector-runtime';
import type { Kernel, RunFailureRecord, Tenant } from '@weir/kernel';
import type { Failure } from '@weir/work';
import { RESOURCE_BOUNDS } from '../../../contract/source/pattern-file.ts';
import type { PatternFile } from '../../../model/pattern/pattern-file.ts';
import { StreamRunEntity } from '../../../model/sync/entity.ts';
import { limitsOf } from './plan-sync.ts';

const OUT_OF_MEMORY = 'connector_out_of_memory' satisfies ConnectorErrorCode;
/** How much more memory an attempt has that follows one which ran out of it. */
const RAISE = 2;

/** Whether the last attempt of a run that told how it ended ran out of memory. */
export async function ranOutOfMemory(
  kernel: Pick<Kernel, 'db'>,
  tenant: Tenant,
  { runId, leaseEpoch }: { runId: string; leaseEpoch: number },
): Promise<boolean> {
  if (leaseEpoch === 1) return false;
  const streams = await kernel.db(tenant).transaction((tx) => tx.find(StreamRunEntity, { runId }));
  return streams.some(({ failure }) => isOutOfMemory(failure));
}

/** Whether a connector failed for want of memory: then more of it may help. */
export function isOutOfMemory(failure: Pick<RunFailureRecord, 'code'> | null | undefined): boolean {
  return failure?.code === OUT_OF_MEMORY;
}

/** The bounds of an attempt: twice the memory, up to what a pattern may ask for, when the one before ran out of it. */
export function attemptLimits(pattern: Pick<PatternFile, 'resources'>, ranOut: boolean): ConnectorLimits {
  const limits = limitsOf(pattern);
  if (!ranOut) return limits;
  const asked = limits.memoryMiB ?? DEFAULT_LIMITS.memoryMiB;
  return { ...limits, memoryMiB: Math.max(asked, Math.min(asked * RAISE, RESOURCE_BOUNDS.memory_mib.maximum)) };
}

/** The failure of an attempt: to run out of memory once more is the end. */
export function unlessRaised(failure: Failure, ranOut: boolean): Failure {
  return ranOut && isOutOfMemory(failure) ? { ...failure, retryable: false } : failure;
}
