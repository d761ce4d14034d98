import type { AccessRule, AuditTrail } from '@weir/kernel/contract';
import type { People } from './record-people.ts';

/**
 * Where people are seen: as a rule that forbids nothing, and where calls are denied, so that somebody who has lost every
 * role is noticed too: the API tokens of a person can do no more than the person can now.
 */
export function watchPeople(people: People): { rule: AccessRule; trail: AuditTrail } {
  return {
    rule: async ({ tenant, principal }) => {
      if (tenant !== undefined) people.seen(tenant, principal);
    },
    trail: {
      begin: async () => async () => undefined,
      denied: async ({ tenant, principal }) => {
        if (tenant !== undefined) people.seen(tenant, principal);
      },
    },
  };
}
