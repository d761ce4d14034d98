import { contribute, type Kernel } from '@weir/kernel';
import { type Input, type Output, subjectOf } from '@weir/kernel/contract';
import { WorkflowStarts } from '@weir/plugin-workflow-engine/contract';
import { v7 as uuidv7 } from 'uuid';
import { type composePipeline, MAX_STEPS, SchemaMatchStart } from '../../contract/compose.ts';
import type { TaskName } from '../../contract/envelope.ts';
import type { suggestFieldMappings } from '../../contract/suggest.ts';
import { AI_COMPOSE, SCHEMA_MATCH } from '../../model/run-kinds.ts';
import { plainName } from '../../model/sql/names.ts';
import { type AskContext, digestOf } from '../assist.ts';
import type { Budgets } from '../budget.ts';
import type { Executions } from '../executions.ts';
import { EMBEDDED_MODEL } from '../provider.ts';
import type { DatasetSight } from '../sight/datasets.ts';
import { namedTarget } from '../sight/targets.ts';
import { matchRequestOf } from './match.ts';
import type { ComposeRequest } from './task.ts';

export interface StartDeps {
  kernel: Pick<Kernel, 'db' | 'runs'>;
  executions: Executions;
  budgets: Budgets;
  datasets: DatasetSight;
}

type Caller = Pick<AskContext, 'tenant' | 'principal' | 'traceId' | 'call'>;

/** An execution of which nothing is known yet. */
const NOT_BEGUN = {
  provider: 'embedded' as const,
  model: EMBEDDED_MODEL,
  externalId: null,
  transformId: null,
  transformEtag: null,
  status: 'pending' as const,
  phase: null,
  proposal: null,
  result: null,
  digest: null,
  confidence: null,
  degraded: false,
  warnings: [],
  attempts: 0,
  checks: [],
  inputTokens: 0,
  outputTokens: 0,
  costMicros: 0,
  latencyMs: 0,
};

/** Characters of the goal that name the pipeline. */
const NAMED_BY = 24;

/** Starts of what a worker does: the execution and its run are written in one step. */
export function aiStarts({ kernel, executions, budgets, datasets }: StartDeps) {
  const start = async (
    { tenant, principal, traceId }: Caller,
    { kind, task, executionId, request }: { kind: string; task: TaskName; executionId: string; request: object },
  ) => {
    const admitted = await kernel.runs.admit(kind);
    await budgets.call(tenant);
    const requestedBy = subjectOf(principal);
    return kernel.db(tenant).transaction(async (tx) => {
      const started = await kernel.runs.start(tx, { kind, subjectId: executionId, requestedBy, admitted });
      await executions.insert(tx, {
        ...NOT_BEGUN,
        executionId,
        task,
        actor: requestedBy,
        traceId,
        request,
        runId: started.run_id,
        inputDigest: digestOf(request),
      });
      return { ...started, execution_id: executionId };
    });
  };
  return {
    /** Throws what naming datasets and a target does, `ai_budget_exceeded` and `no_worker`. */
    async compose(
      caller: Caller,
      body: Input<typeof composePipeline>['body'],
    ): Promise<Output<typeof composePipeline>> {
      const { goal, dataset_ids: ids, entity_type_code: code, max_steps: maxSteps = MAX_STEPS } = body;
      const [seen, target] = await Promise.all([
        datasets.describeAll(caller.tenant, ids),
        code === undefined ? undefined : namedTarget(caller.call, { entity_type_code: code }),
      ]);
      const executionId = uuidv7();
      const request: ComposeRequest = {
        goal,
        maxSteps,
        target: target?.fields ?? null,
        name: `${plainName(goal).slice(0, NAMED_BY)}_${executionId.slice(-4)}`,
        datasets: seen.map(({ dataset_id, columns }) => ({ dataset_id, columns })),
      };
      const started = await start(caller, { kind: AI_COMPOSE.kind, task: 'compose-pipeline', executionId, request });
      return { ...started, trace_id: caller.traceId, status_url: `/api/v1/ai/compose-pipeline/${executionId}/status` };
    },
    /** The match of two schemas. Throws what naming them does, `ai_budget_exceeded` and `no_worker`. */
    async match(caller: Caller, body: Pick<Input<typeof suggestFieldMappings>['body'], 'source' | 'target'>) {
      const request = await matchRequestOf({ datasets }, caller, body);
      return start(caller, { kind: SCHEMA_MATCH.kind, task: 'schema-match', executionId: uuidv7(), request });
    },
  };
}
export type AiStarts = ReturnType<typeof aiStarts>;

/** Lets callers of the workflow engine start a match; the proposal that it makes is the execution of the answer. */
export const schemaMatchStart = (starts: AiStarts) =>
  contribute(WorkflowStarts, {
    name: 'schema-match',
    body: SchemaMatchStart,
    start: (tenant, principal, body, asked) =>
      starts.match({ tenant, principal, ...asked }, body as Parameters<AiStarts['match']>[1]),
  });
