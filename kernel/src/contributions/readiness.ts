import type { Tenant } from '../contract/caller.ts';
import { nextSteps } from '../contract/next-steps.ts';
import { type ReadinessCheck, ReadinessChecks, type ReadinessView } from '../contract/points.ts';
import { kernelProblems } from '../contract/problems.ts';
import type { Contributions } from './contributions.ts';

/** Runs every check of a subject, one after the other, in the order in which plugins gave them. */
export type AskReadiness = (tenant: Tenant, subject: string, subjectId: string) => Promise<ReadinessView>;

/** Throws what a check throws: a subject that does not exist is `not_found`, not unready. */
export function readiness(given: Contributions): AskReadiness {
  return async (tenant, subject, subjectId) => {
    const asked = (await given.forTenant(tenant, ReadinessChecks)).filter((check) => check.subject === subject);
    if (asked.length === 0) throw kernelProblems.notFound();
    const checks: ReadinessView['checks'] = [];
    let ready = true;
    for (const check of asked) {
      const outcome = await outcomeOf(check, tenant, subjectId);
      checks.push(outcome);
      if (outcome.status === 'fail' && (check.blocks || check.withholds === true)) ready = false;
    }
    return { subject, subject_id: subjectId, ready, checks };
  };
}

async function outcomeOf(asked: ReadinessCheck, tenant: Tenant, subjectId: string) {
  const { status, detail, hint = null, next, items = [] } = await asked.run(tenant, subjectId);
  const { check, title, blocks } = asked;
  const steps = nextSteps(next, { subject_id: subjectId });
  return { check, title, status, blocks, detail, hint, ...steps, items };
}
