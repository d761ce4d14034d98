import { contribute, type Kernel } from '@weir/kernel';
import { ReadinessChecks, RunChanges, RunDrops } from '@weir/kernel/contract';
import { ApplyKinds } from '@weir/plugin-apply/contract';
import { RunSubjectNames } from '@weir/plugin-runs/contract';
import { type ScheduleSubject, ScheduleSubjects } from '@weir/plugin-schedules/contract';
import { GroupKinds, TransformChanges } from '@weir/plugin-transforms/contract';
import { type WorkflowStart, WorkflowStarts } from '@weir/plugin-workflow-engine/contract';
import { PIPELINE, PIPELINE_RUN, PIPELINE_SANDBOX, PipelineStart, pipelineSchedules } from '../contract.ts';
import { PipelineEntity } from '../model/entities.ts';
import { pipelineDocuments } from './document-kind.ts';
import { dropRuns, followRuns, followTransforms } from './follow.ts';
import { readinessChecks } from './readiness.ts';
import type { PipelineServices } from './services.ts';

/** What this plugin adds to points of the kernel and of other plugins. */
export function contributions(kernel: Kernel, services: PipelineServices) {
  const { deps } = services;
  return [
    ...readinessChecks(deps).map((check) => contribute(ReadinessChecks, check)),
    contribute(RunChanges, followRuns(deps)),
    contribute(RunDrops, dropRuns),
    contribute(ApplyKinds, pipelineDocuments(deps)),
    contribute(TransformChanges, followTransforms(deps)),
    contribute(GroupKinds, PIPELINE_RUN),
    contribute(GroupKinds, PIPELINE_SANDBOX),
    contribute(ScheduleSubjects, scheduledPipelines(services)),
    contribute(WorkflowStarts, workflowStart(services)),
    contribute(RunSubjectNames, {
      subject: PIPELINE,
      kinds: [PIPELINE_RUN, PIPELINE_SANDBOX],
      async names(tenant, ids) {
        const where = { pipelineId: { $in: [...ids] } };
        const rows = await kernel.db(tenant).transaction((tx) => tx.find(PipelineEntity, where));
        return new Map(rows.map(({ pipelineId, name }) => [pipelineId, name]));
      },
    }),
  ];
}

/** Pipelines as what runs on a schedule. A paused one keeps its schedule, and each time says that it is paused. */
function scheduledPipelines({ runs }: PipelineServices): ScheduleSubject {
  return {
    kind: pipelineSchedules.kind,
    run: 'run',
    endpoints: pipelineSchedules,
    async find(tx, pipelineId, { lock = false } = {}) {
      const { rowCount } = await tx.sql(
        `select from pipelines.pipeline where tenant_id = $1 and pipeline_id = $2 and archived_at is null${lock ? ' for update' : ''}`,
        [tx.tenant.tenantId, pipelineId],
      );
      return rowCount > 0 ? 'live' : undefined;
    },
    async names(tx, ids) {
      const { rows } = await tx.sql(
        'select pipeline_id, name from pipelines.pipeline where tenant_id = $1 and pipeline_id = any ($2::uuid[])',
        [tx.tenant.tenantId, ids],
      );
      return new Map(rows.map(({ pipeline_id, name }) => [String(pipeline_id), String(name)]));
    },
    start: (tenant, pipelineId, how, also) =>
      runs.run(tenant, pipelineId, { ...how, body: {}, cause: 'schedule' }, also),
  };
}

/** Lets callers of the workflow engine start a pipeline. */
const workflowStart = ({ runs }: PipelineServices): WorkflowStart => ({
  name: 'pipeline',
  body: PipelineStart,
  start(tenant, principal, given) {
    const { pipeline_id, ...body } = given as {
      pipeline_id: string;
      version?: number;
      force?: boolean;
      full?: boolean;
    };
    const requestedBy = principal.kind === 'anonymous' ? 'anonymous' : principal.subject;
    return runs.run(tenant, pipeline_id, { body, requestedBy, cause: 'workflow' });
  },
});
