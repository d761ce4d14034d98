import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { RunStatus } from '@weir/kernel/contract';
import type { GateCheckView, ProposalState, ProviderName, TaskName, WarningView } from '../contract/envelope.ts';

/** A row of `ai.execution`. `request` is what a workflow works on, and is emptied when that ends. */
export const ExecutionEntity = defineEntity({
  name: 'AiExecution',
  schema: 'ai',
  tableName: 'execution',
  properties: {
    tenantId: p.uuid().primary(),
    executionId: p.uuid().primary(),
    task: p.text().$type<TaskName>(),
    actor: p.text(),
    provider: p.text().$type<ProviderName>(),
    model: p.text(),
    externalId: p.text().nullable(),
    traceId: p.text(),
    inputDigest: p.text(),
    request: p.json<object>().nullable(),
    runId: p.uuid().nullable(),
    transformId: p.uuid().nullable(),
    /** Of the transform, as the proposal was made for it. */
    transformEtag: p.text().nullable(),
    status: p.text().$type<RunStatus>(),
    phase: p.text().nullable(),
    proposal: p.text().$type<ProposalState>().nullable(),
    result: p.json<object>().nullable(),
    digest: p.text().nullable(),
    confidence: p.float().nullable(),
    degraded: p.boolean(),
    warnings: p.json<WarningView[]>(),
    attempts: p.integer(),
    checks: p.json<GateCheckView[]>(),
    inputTokens: p.integer(),
    outputTokens: p.integer(),
    costMicros: p.bigint('number'),
    latencyMs: p.integer(),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
  },
});
export type ExecutionRow = InferEntity<typeof ExecutionEntity>;
