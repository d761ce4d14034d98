import { defineEntity, p } from '@mikro-orm/core';
import { CARRIERS, RUN_STATUSES } from '../contract/shapes.ts';
import type { RunFailureRecord } from './runs.ts';

/** A row of `kernel.run`. */
export const Run = defineEntity({
  name: 'Run',
  schema: 'kernel',
  tableName: 'run',
  properties: {
    tenantId: p.uuid().primary(),
    runId: p.uuid().primary(),
    kind: p.string(),
    subjectId: p.uuid(),
    exclusive: p.boolean(),
    status: p.enum(RUN_STATUSES),
    workflowId: p.string(),
    requestedBy: p.string(),
    leaseEpoch: p.integer(),
    carriedBy: p.enum(CARRIERS).default('workflow'),
    deadline: p.datetime().nullable(),
    parentRunId: p.uuid().nullable(),
    orchestratorRunId: p.string().nullable(),
    failure: p.json<RunFailureRecord>().nullable(),
    createdAt: p.datetime(),
    workflowStartedAt: p.datetime().nullable(),
    startedAt: p.datetime().nullable(),
    endedAt: p.datetime().nullable(),
  },
});
