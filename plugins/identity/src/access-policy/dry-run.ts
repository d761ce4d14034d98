import { setImmediate } from 'node:timers/promises';
import { authorize } from '@weir/kernel';
import { kernelProblems, type Tenant } from '@weir/kernel/contract';
import { type AccessDryRunView, type DecidedPairView, type Decision, identityProblems } from '../contract.ts';
import type { DecidedCall, Decider } from './decide.ts';
import type { Tried } from './tried.ts';

/** Other calls come in after as many pairs. */
const PAIRS_AT_ONCE = 25;

interface Decided {
  decision: Decision;
  code: string | null;
  reasons: string[];
  errors: string[];
}

/** The decision of the whole platform on a call, with some access policies in force: table and role, then policies. */
export function decideCall(call: DecidedCall, policies: Decider): Decided {
  const { principal, tenant, action } = call;
  const inside = principal.kind === 'service' || principal.organizations.includes(tenant.alias);
  const refusal = inside ? authorize(action.endpoint.access, principal, tenant) : kernelProblems.tenantNotAllowed();
  if (refusal !== undefined) return { decision: 'deny', code: refusal.code, reasons: ['table'], errors: [] };
  const { reasons, errors } = policies.decide(call);
  const { accessPolicyForbids, accessPolicyUnevaluable } = identityProblems;
  if (reasons.length > 0) return { decision: 'deny', code: accessPolicyForbids.entry.code, reasons, errors };
  if (errors.length > 0) return { decision: 'deny', code: accessPolicyUnevaluable.entry.code, reasons, errors };
  return { decision: 'allow', code: null, reasons, errors };
}

/** Decides every pair with the policies as they are and as they would be, and sums up who gains and who loses. */
export async function dryRun(
  tenant: Tenant,
  { principals, requests }: Tried,
  { standing, tried, signal }: { standing: Decider; tried: Decider; signal: AbortSignal },
): Promise<AccessDryRunView> {
  const results: DecidedPairView[] = [];
  for (const [p, principal] of principals.entries()) {
    for (const [r, request] of requests.entries()) {
      if (results.length % PAIRS_AT_ONCE === 0) await setImmediate();
      signal.throwIfAborted();
      const call = { principal, tenant, ...request };
      const [now, then] = [decideCall(call, standing), decideCall(call, tried)];
      const changed = now.decision !== then.decision;
      results.push({ principal: p, request: r, ...then, active_decision: now.decision, changed });
    }
  }
  const changed = results.filter((pair) => pair.changed);
  const whose = (decision: Decision) => [
    ...new Set(changed.filter((pair) => pair.decision === decision).map(({ principal }) => principal)),
  ];
  const summary = { pairs: results.length, changed: changed.length, gained: whose('allow'), lost: whose('deny') };
  return { kind: 'access', results, summary };
}
