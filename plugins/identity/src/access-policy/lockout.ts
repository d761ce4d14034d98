import { authorize } from '@weir/kernel';
import type { KnownPrincipal, Tenant } from '@weir/kernel/contract';
import { getPolicy, listPolicies, updatePolicy } from '../contract.ts';
import type { Action } from './cedar/vocabulary.ts';
import type { Decider } from './decide.ts';

/** Without these nobody could take a policy out of force again. */
const NEEDED = [listPolicies, getPolicy, updatePolicy];

/** Whether a caller could still change every one of some policies, were they in force as they are given. */
export function keepsPolicies(
  principal: KnownPrincipal,
  tenant: Tenant,
  {
    decided,
    policyIds,
    actions,
  }: { decided: Decider; policyIds: readonly string[]; actions: ReadonlyMap<string, Action> },
): boolean {
  return NEEDED.every(({ id, access, path }) => {
    const action = actions.get(id);
    if (action === undefined || authorize(access, principal, tenant) !== undefined) return false;
    const calls = path.includes(':') ? policyIds.map((policy_id) => ({ policy_id })) : [{}];
    return calls.every((params) => decided.decide({ principal, tenant, action, params }).reasons.length === 0);
  });
}
