import type { AnyRoute, CallContext } from '@weir/kernel';
import { Problem, rolesIn } from '@weir/kernel/contract';
import { LakehouseError } from '@weir/lakehouse';
import { datasetProblems } from '../contract.ts';

/**
 * The route, whose refusals say more to admins. A table that lies outside of the tenant's folders is to everybody as one that is
 * not produced; the admins of the tenant are told the reason beside it.
 */
export function withReason({ endpoint, run }: AnyRoute): AnyRoute {
  return {
    endpoint,
    async run(call) {
      try {
        return await run(call);
      } catch (error) {
        const cause = error instanceof Problem ? error.cause : undefined;
        const isOutside = cause instanceof LakehouseError && cause.code === 'table_outside_tenant';
        const { principal, tenant } = call as CallContext;
        if (!isOutside || !rolesIn(principal, tenant).includes('admin')) throw error;
        throw datasetProblems.datasetNotReadable({ members: { reason: cause.code }, cause });
      }
    },
  };
}
