import type { Kernel, TenantTransaction } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import type { SchedulesService } from '@weir/plugin-workflow-engine/contract';
import { type ScheduleSubject, ScheduleSubjects } from '../contract.ts';

/** What everything about schedules needs. */
export interface ScheduleDeps {
  kernel: Pick<Kernel, 'contributions' | 'contributionsFor' | 'db' | 'log' | 'runs' | 'tenants'>;
  /** The schedules of the workflow engine. */
  schedules: SchedulesService;
}

/** The kind of this name; undefined when its plugin is not of this deployment. */
export const findSubject = ({ kernel }: { kernel: Pick<Kernel, 'contributions'> }, kind: string) =>
  kernel.contributions(ScheduleSubjects).find((subject) => subject.kind === kind);

/** The same for the routes of that plugin. */
export function subjectOf(deps: { kernel: Pick<Kernel, 'contributions'> }, kind: string): ScheduleSubject {
  const subject = findSubject(deps, kind);
  if (subject === undefined) throw new Error(`no plugin contributes schedules of the kind ${kind}`);
  return subject;
}

/** Throws `not_found` for a subject that is absent, foreign or retired. */
export async function assertLive(
  subject: ScheduleSubject,
  tx: TenantTransaction,
  subjectId: string,
  options?: { lock?: boolean },
): Promise<void> {
  if ((await subject.find(tx, subjectId, options)) !== 'live') throw kernelProblems.notFound();
}
