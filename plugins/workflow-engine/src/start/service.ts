import { Value, ValueErrorType } from '@sinclair/typebox/value';
import type { Kernel, Principal, Tenant } from '@weir/kernel';
import { kernelProblems, type Output } from '@weir/kernel/contract';
import {
  type AskedStart,
  type startWorkflow,
  type WorkflowStartName,
  WorkflowStarts,
  workflowEngineProblems,
} from '../contract.ts';

type Started = Output<(typeof startWorkflow)['transform']>;
type Asked = { tenant: Tenant; principal: Principal; body: unknown } & AskedStart;

const MAX_FAULTS = 20;

/** Starting the workflows that other plugins bring. Throws `feature_not_configured` when no plugin of the tenant brings the one asked for. */
export function startService({ contributionsFor }: Pick<Kernel, 'contributionsFor'>) {
  return {
    async start(name: WorkflowStartName, { tenant, principal, body, traceId, call }: Asked): Promise<Started> {
      const starts = await contributionsFor(tenant, WorkflowStarts);
      const giver = starts.find((start) => start.name === name);
      if (giver === undefined) throw workflowEngineProblems.featureNotConfigured({ members: { feature: name } });
      const errors = [...Value.Errors(giver.body, body)].slice(0, MAX_FAULTS);
      if (errors.length > 0) {
        throw kernelProblems.validationFailed({
          errors: errors.map(({ path, type }) => ({ pointer: placeOf(path, type), code: ruleOf(type) })),
        });
      }
      return giver.start(tenant, principal, body, { traceId, call });
    },
  };
}

/** The pointer to the fault; of a member that is not known, to the object that has it, whose name is the caller's. */
const placeOf = (path: string, type: ValueErrorType) =>
  type === ValueErrorType.ObjectAdditionalProperties ? path.slice(0, path.lastIndexOf('/')) : path;

/** The broken rule by the keyword of JSON Schema, as bodies of other endpoints tell it. */
function ruleOf(type: ValueErrorType): string {
  if (type === ValueErrorType.ObjectRequiredProperty) return 'required';
  const rule = /^(?:Array|Integer|Number|Object|String)(?<keyword>[A-Z]\w*)$/.exec(ValueErrorType[type] ?? '');
  const keyword = rule?.groups?.keyword ?? 'Type';
  return `${keyword[0]?.toLowerCase()}${keyword.slice(1)}`;
}
