import type { FaultPoint } from '@weir/kernel';

/** The kernel's fault points, for a process that loads nothing of the kernel unless a crash test asks for it. */
export async function childFaultpoint(point: FaultPoint): Promise<void> {
  if (process.env.WEIR_FAULTPOINTS === undefined) return;
  const { faultpoint } = await import('@weir/kernel');
  await faultpoint(point);
}
