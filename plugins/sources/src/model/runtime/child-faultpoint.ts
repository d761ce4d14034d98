import type { FaultPoint } from '@weir/kernel';

/** Whether this process is one of an attempt, whose parent hands it the folder only where its own points are armed. */
let isChild = false;

export function armChild(): void {
  isChild = true;
}

/** The kernel's fault points, for a process that loads nothing of the kernel unless a crash test asks for it. */
export async function childFaultpoint(point: FaultPoint): Promise<void> {
  const { WEIR_FAULTPOINTS: folder } = process.env;
  if (folder === undefined) return;
  const { armFaultpoints, faultpoint } = await import('@weir/kernel');
  if (isChild) armFaultpoints(folder);
  await faultpoint(point);
}
