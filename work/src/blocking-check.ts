import type { Kernel, Tenant } from '@weir/kernel';
import { type CheckOutcome, ReadinessChecks } from '@weir/kernel/contract';

/** What the start of work on a subject asks: which thing, and the checks that it looks at itself. */
export interface StartCheck {
  subject: string;
  subjectId: string;
  own: ReadonlySet<string>;
}

/** The first check of others that refuses the start of work on a subject, with the things at fault. */
export async function blockingCheck(
  kernel: Pick<Kernel, 'contributionsFor'>,
  tenant: Tenant,
  { subject, subjectId, own }: StartCheck,
): Promise<{ check: string; detail: string; items: NonNullable<CheckOutcome['items']> } | undefined> {
  for (const asked of await kernel.contributionsFor(tenant, ReadinessChecks)) {
    if (asked.subject !== subject || !asked.blocks || own.has(asked.check)) continue;
    const { status, detail, items = [] } = await asked.run(tenant, subjectId);
    if (status === 'fail') return { check: asked.check, detail, items };
  }
  return undefined;
}
