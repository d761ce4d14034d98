import type { Kernel } from '@weir/kernel';
import { Problem } from '@weir/kernel/contract';
import { MATERIALIZATION_KIND } from '../model/run-kinds.ts';

/** Whether a worker polls for runs of transforms; false when the workflow engine does not say. */
export async function hasWorker({ runs }: Pick<Kernel, 'runs'>): Promise<boolean> {
  try {
    return (await runs.admit(MATERIALIZATION_KIND)).warning === null;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}
