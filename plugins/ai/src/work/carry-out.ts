import type { TSchema } from '@sinclair/typebox';
import type { DefinitionsService } from '@weir/plugin-transforms/contract';
import { type LeasedRun, type Run, run, type WorkKit } from '@weir/work';
import type { Phase } from '../contract/compose.ts';
import type { ExecutionRow } from '../model/entities.ts';
import { AI_COMPOSE, SCHEMA_MATCH } from '../model/run-kinds.ts';
import { type Assistance, type AssistTask, outcomeOf, resultOf } from '../service/assist.ts';
import type { MatchRequest } from '../service/compose/match.ts';
import { type ComposeRequest, composeTask } from '../service/compose/task.ts';
import type { Executions } from '../service/executions.ts';
import type { DatasetSight } from '../service/sight/datasets.ts';
import { judgeStatement } from '../service/sight/statements.ts';
import { mappingTask } from '../service/tasks/field-mappings.ts';

/** What runs of this plugin share in a worker. */
export interface AiKit extends WorkKit {
  assist: Assistance;
  executions: Executions;
  datasets: DatasetSight;
  definitions: Pick<DefinitionsService, 'validate'>;
}

const TOP_K = 3;
const MIN_CONFIDENCE = 0.3;

/** Changes the row of the execution, as long as this attempt is the newest. */
async function noted(
  { kernel, tenant, run: { runId, subjectId }, leaseEpoch }: LeasedRun,
  { executions }: AiKit,
  changes: object,
): Promise<ExecutionRow> {
  return kernel.db(tenant).transaction(async (tx) => {
    await kernel.runs.assertLease(tx, runId, leaseEpoch);
    const row = await executions.found(tx, subjectId, { lock: true });
    return tx.update(row, changes);
  });
}

/** Drafts a proposal and keeps it in one step: an attempt that is lost leaves nothing but its phase. */
async function propose<S extends TSchema, Result extends object>(
  leased: LeasedRun,
  kit: AiKit,
  row: ExecutionRow,
  task: AssistTask<S, Result>,
): Promise<void> {
  const { tenant, signal } = leased;
  const ended = await kit.assist.draft({ tenant, traceId: row.traceId, signal }, task);
  resultOf(ended);
  const { status: _, ...outcome } = outcomeOf(ended);
  await noted(leased, kit, outcome);
}

const composing: Run<AiKit> = run(AI_COMPOSE, async (leased: LeasedRun, kit: AiKit) => {
  const reach = async (phase: Phase) => {
    leased.log.write({ level: 'info', step: phase, message: `phase ${phase} started` });
    await noted(leased, kit, { phase });
  };
  const row = await noted(leased, kit, { phase: 'plan' });
  const request = row.request as ComposeRequest;
  await reach('select');
  const { tenant, signal } = leased;
  const allowed = request.datasets.map(({ dataset_id }) => dataset_id);
  const judge = (sql: string) => judgeStatement(kit.definitions, tenant, { definition: { sql }, allowed, signal });
  await propose(leased, kit, row, composeTask(request, { tenant, judge, reach }));
});

const matching: Run<AiKit> = run(SCHEMA_MATCH, async (leased: LeasedRun, kit: AiKit) => {
  const { tenant, signal } = leased;
  const row = await noted(leased, kit, {});
  const { dataset_id: datasetId, source, target } = row.request as MatchRequest;
  const seen = datasetId === null ? undefined : await kit.datasets.describe(tenant, datasetId);
  const values = seen === undefined ? new Map() : await kit.datasets.values(tenant, seen, signal);
  const task = mappingTask({ source, target, values }, { topK: TOP_K, minConfidence: MIN_CONFIDENCE });
  await propose(leased, kit, row, { ...task, name: 'schema-match' });
});

export const aiRuns = [composing, matching] as const;
