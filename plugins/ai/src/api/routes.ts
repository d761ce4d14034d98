import { type AnyRoute, handle, type Tenant } from '@weir/kernel';
import type { Output } from '@weir/kernel/contract';
import * as endpoints from '../contract.ts';
import type { AiStarts } from '../service/compose/starts.ts';
import type { Executions } from '../service/executions.ts';
import type { publishService } from '../service/publish.ts';
import { suggestMappings } from '../service/tasks/field-mappings.ts';
import { fix } from '../service/tasks/fix.ts';
import { generate } from '../service/tasks/generate.ts';
import { suggestParams } from '../service/tasks/pattern-params.ts';
import { review } from '../service/tasks/review-sql.ts';
import type { TaskDeps } from '../service/tasks/services.ts';
import { suggestTarget } from '../service/tasks/target-schema.ts';

export interface RouteServices {
  tasks: TaskDeps;
  executions: Executions;
  starts: AiStarts;
  composed(tenant: Tenant, executionId: string): Promise<Output<typeof endpoints.getComposeStatus>>;
  publish: ReturnType<typeof publishService>;
}

/** Every endpoint of the plugin with the service call that carries it out. */
export function routes({ tasks, executions, publish, starts, composed }: RouteServices): AnyRoute[] {
  return [
    handle(endpoints.suggestTargetSchema, (asked) => suggestTarget(tasks, asked, asked.body)),
    handle(endpoints.suggestFieldMappings, (asked) => suggestMappings(tasks, asked, asked.body)),
    handle(endpoints.suggestPatternParams, (asked) => suggestParams(tasks, asked, asked.body)),
    handle(endpoints.reviewSql, (asked) => review(tasks, asked, asked.body)),
    handle(endpoints.generateTransform, (asked) => generate(tasks, asked, asked.body)),
    handle(endpoints.fixCiFailure, (asked) => fix(tasks, asked, asked.body)),
    handle(endpoints.composePipeline, (asked) => starts.compose(asked, asked.body)),
    handle(endpoints.getComposeStatus, ({ tenant, params }) => composed(tenant, params.execution_id)),
    handle(endpoints.publishTransform, (asked) => publish(asked, asked.body)),
    handle(endpoints.listExecutions, ({ tenant, query }) => executions.list(tenant, query)),
    handle(endpoints.getExecution, ({ tenant, params }) => executions.get(tenant, params.execution_id)),
    handle(endpoints.refuseProposal, ({ tenant, params }) => executions.refuse(tenant, params.execution_id)),
  ];
}
