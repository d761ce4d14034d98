import { type AnyRoute, handle, type Kernel } from '@weir/kernel';
import { subjectOf } from '@weir/kernel/contract';
import { readRunChecks } from '@weir/plugin-transforms/contract';
import * as endpoints from '../contract.ts';
import type { PipelineServices } from '../service/services.ts';

/** Every endpoint of the plugin with the service call that carries it out. */
export function routes(kernel: Pick<Kernel, 'readiness'>, services: PipelineServices): AnyRoute[] {
  return [
    ...pipelineRoutes(services),
    ...versionRoutes(services),
    ...runRoutes(services),
    ...services.deps.schedules.routes(endpoints.pipelineSchedules),
    handle(endpoints.readPipelineReadiness, ({ tenant, params }) =>
      kernel.readiness(tenant, endpoints.PIPELINE, params.pipeline_id),
    ),
  ];
}

function pipelineRoutes({ pipelines, validations }: PipelineServices): AnyRoute[] {
  return [
    handle(endpoints.createPipeline, ({ tenant, principal, body }) =>
      pipelines.create(tenant, subjectOf(principal), body),
    ),
    handle(endpoints.listPipelines, ({ tenant, query }) => pipelines.list(tenant, query)),
    handle(endpoints.listAvailableTransforms, ({ tenant, query }) => pipelines.available(tenant, query)),
    handle(endpoints.validateDag, ({ tenant, principal, body }) =>
      validations.validate(tenant, subjectOf(principal), body),
    ),
    handle(endpoints.getPipeline, ({ tenant, params }) => pipelines.get(tenant, params.pipeline_id)),
    handle(endpoints.putPipeline, ({ tenant, principal, params, body, ifMatch }) =>
      pipelines.put(tenant, { pipelineId: params.pipeline_id, by: subjectOf(principal), ifMatch }, body),
    ),
    handle(endpoints.deletePipeline, ({ tenant, params, ifMatch }) =>
      pipelines.remove(tenant, { pipelineId: params.pipeline_id, ifMatch }),
    ),
    handle(endpoints.changeStep, ({ tenant, principal, params, body, ifMatch }) => {
      const { pipeline_id: pipelineId, step_id: stepId } = params;
      return pipelines.changeStep(tenant, { pipelineId, stepId, by: subjectOf(principal), ifMatch }, body);
    }),
    handle(endpoints.activatePipeline, ({ tenant, principal, params, body, ifMatch }) =>
      pipelines.activate(tenant, { pipelineId: params.pipeline_id, by: subjectOf(principal), ifMatch }, body ?? {}),
    ),
    handle(endpoints.pausePipeline, ({ tenant, principal, params, body, ifMatch }) =>
      pipelines.pause(tenant, { pipelineId: params.pipeline_id, by: subjectOf(principal), ifMatch }, body ?? {}),
    ),
  ];
}

function versionRoutes({ versions }: PipelineServices): AnyRoute[] {
  return [
    handle(endpoints.createVersion, ({ tenant, principal, params, body, ifMatch }) =>
      versions.create(tenant, { pipelineId: params.pipeline_id, by: subjectOf(principal), ifMatch }, body?.note),
    ),
    handle(endpoints.listVersions, ({ tenant, params, query }) => versions.list(tenant, params.pipeline_id, query)),
    handle(endpoints.getVersion, ({ tenant, params }) => versions.get(tenant, params.pipeline_id, params.version)),
    handle(endpoints.readDifference, ({ tenant, params, query }) =>
      versions.difference(tenant, params.pipeline_id, { from: params.version, to: query.to }),
    ),
  ];
}

function runRoutes({ runs }: PipelineServices): AnyRoute[] {
  return [
    handle(endpoints.runPipeline, ({ tenant, principal, params, query, body }) =>
      runs.run(tenant, params.pipeline_id, {
        ...query,
        body: body ?? {},
        requestedBy: subjectOf(principal),
        cause: 'manual',
      }),
    ),
    handle(endpoints.sandboxPipeline, ({ tenant, principal, params, query, body }) =>
      runs.sandbox(tenant, params.pipeline_id, { ...query, body: body ?? {}, requestedBy: subjectOf(principal) }),
    ),
    handle(endpoints.getSandboxStatus, ({ tenant, params, call }) =>
      runs.sandboxStatus(tenant, {
        pipelineId: params.pipeline_id,
        workflowId: params.workflow_id,
        // Who may see the rows that break the checks of a run may see its first rows.
        maySee: async (run_id) => (await call(readRunChecks, { params: { run_id } })).status === 200,
      }),
    ),
    handle(endpoints.listPipelineRuns, ({ tenant, params, query }) => runs.list(tenant, params.pipeline_id, query)),
    handle(endpoints.getPipelineRun, ({ tenant, params }) => runs.get(tenant, params.pipeline_id, params.run_id)),
  ];
}
