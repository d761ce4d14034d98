import { Type } from '@sinclair/typebox';
import type { Tenant } from '@weir/kernel';
import type { ComposedView } from '../../contract/compose.ts';
import type { Field } from '../../model/fields/field.ts';
import { withoutLinks, withoutValues } from '../../model/prompt/redact.ts';
import { CannotWrite, type WritableInput, writeStatement } from '../../model/write/statement.ts';
import {
  type DraftedStep,
  MAX_STEP_NAME,
  outputOf,
  type PlacedStep,
  placedSteps,
  sentencesOf,
  stepName,
  wavesOf,
} from '../../model/write/steps.ts';
import type { AssistTask } from '../assist.ts';
import { Unsupported } from '../provider.ts';
import type { JudgedStatement } from '../sight/statements.ts';

const MAX_SQL_CHARS = 100_000;
const Draft = Type.Object({
  steps: Type.Array(
    Type.Object({
      name: Type.String({ pattern: `^[a-z][a-z0-9_]{0,${MAX_STEP_NAME - 1}}$` }),
      sql: Type.String({ minLength: 1, maxLength: MAX_SQL_CHARS }),
      explanation: Type.String({ maxLength: 4_000 }),
    }),
    { minItems: 1, maxItems: 50 },
  ),
});

/** What a composition works on, from its start on. */
export interface ComposeRequest {
  goal: string;
  name: string;
  datasets: readonly WritableInput[];
  target: readonly Field[] | null;
  maxSteps: number;
}

export interface ComposeMeans {
  tenant: Tenant;
  judge(sql: string): Promise<JudgedStatement>;
  /** Notes how far it has come. */
  reach(phase: 'select' | 'generate' | 'validate' | 'assemble'): Promise<void>;
}

/** The composition of a pipeline as a task: each sentence becomes a step over what the steps before it make. */
export function composeTask(request: ComposeRequest, means: ComposeMeans): AssistTask<typeof Draft, ComposedView> {
  const { goal, name, datasets, target, maxSteps } = request;
  const { scope } = means.tenant;
  return {
    name: 'compose-pipeline',
    input: {
      goal: withoutValues(goal),
      datasets,
      max_steps: maxSteps,
      output_prefix: outputOf(scope, name, false),
      target: target?.map(({ name, type, nullable }) => ({ name, type, nullable })) ?? null,
    },
    output: Draft,
    async embedded() {
      await means.reach('generate');
      const steps = await stepsByRules(request, means);
      return { output: { steps }, confidence: 0.8 };
    },
    async check({ steps }) {
      await means.reach('validate');
      if (steps.length > maxSteps) return { checks: [], faults: ['steps_too_many'] };
      if (new Set(steps.map((step) => step.name)).size < steps.length) return { checks: [], faults: ['step_doubled'] };
      const placed = placedWhole(steps, { scope, pipeline: name });
      if (placed === undefined) return { checks: [], faults: ['statement_too_long'] };
      const judged: JudgedStatement[] = [];
      for (const { whole } of placed) judged.push(await means.judge(whole));
      const faults = judged.flatMap((one, at) =>
        one.faults.map((code) => ({ code, step_id: placed[at]?.step_id ?? '' })),
      );
      const checks = judged.flatMap((one, at) =>
        one.checks.map((check) => ({ ...check, check: `${placed[at]?.step_id}: ${check.check}` })),
      );
      if (faults.length > 0) return { checks, faults: [...new Set(faults.map(({ code }) => code))] };
      await means.reach('assemble');
      const made = placed.map(({ step_id, sql, output, explanation }) => ({
        step_id,
        transform: {
          name: `${name}_${step_id}`,
          sql,
          output,
          description: withoutLinks(explanation).slice(0, 2_000),
        },
      }));
      const description = `Proposed in ${made.length} ${made.length === 1 ? 'step' : 'steps'}.`;
      const result: ComposedView = {
        pipeline: { name, description, steps: made, publish: 'together' },
        dag_validation: { valid: true, waves: wavesOf(placed), faults: [] },
        reviews: judged.map(({ review }, at) => ({ step_id: placed[at]?.step_id ?? '', ...review })),
      };
      return { result, checks };
    },
  };
}

/** Undefined for steps that read each other in so many places that no statement of them can be judged. */
function placedWhole(...given: Parameters<typeof placedSteps>): PlacedStep[] | undefined {
  try {
    return placedSteps(...given);
  } catch (error) {
    if (error instanceof CannotWrite) return undefined;
    throw error;
  }
}

/** Steps that the rules write, one after the other. Throws `Unsupported` where a sentence is not understood. */
async function stepsByRules(
  { goal, name, datasets, target, maxSteps }: ComposeRequest,
  { tenant, judge }: ComposeMeans,
) {
  const sentences = sentencesOf(goal);
  const asked = target === null ? sentences : [...sentences, ''];
  if (asked.length === 0 || asked.length > maxSteps)
    throw new Unsupported('the goal has no step, or more steps than it may have');
  const steps: DraftedStep[] = [];
  let inputs = datasets;
  for (const [at, description] of asked.entries()) {
    const isLast = at === asked.length - 1;
    const of = isLast ? (target ?? undefined) : undefined;
    const { sql, explanation } = understood(at, () => writeStatement({ description, inputs, target: of }));
    const step = {
      name: stepName(
        description || 'into_target',
        steps.map((one) => one.name),
      ),
      sql,
      explanation,
    };
    steps.push(step);
    const placed = placedSteps(isLast ? steps : [...steps, { name: 'next', sql: '', explanation: '' }], {
      scope: tenant.scope,
      pipeline: name,
    })[at];
    const { validation } = await judge(placed?.whole ?? sql);
    const columns = validation.columns.map(({ name, type }) => ({
      name,
      type: typeof type === 'string' ? type : 'other',
    }));
    inputs = [{ dataset_id: placed?.output ?? '', columns }];
  }
  return steps;
}

function understood<T>(at: number, write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (error instanceof CannotWrite) throw new Unsupported(`in step ${at + 1} ${error.message}`);
    throw error;
  }
}
