import { createHash } from 'node:crypto';
import type { Static, TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { type CallContext, canonicalSha256, type Kernel, type Tenant } from '@weir/kernel';
import { type Problem, subjectOf } from '@weir/kernel/contract';
import type { TransformView } from '@weir/plugin-transforms/contract';
import { v7 as uuidv7 } from 'uuid';
import type { Envelope, GateCheckView, TaskName, WarningView } from '../contract/envelope.ts';
import { aiProblems } from '../contract/problems.ts';
import type { Budgets } from './budget.ts';
import { type Executions, envelopeOf } from './executions.ts';
import type { Measured } from './metrics.ts';
import {
  type AiProvider,
  EMBEDDED_MODEL,
  embeddedProvider,
  type ProviderAnswer,
  type ProviderAsk,
  type ProviderContext,
  ProviderFailed,
  Unsupported,
} from './provider.ts';

/** What OpenTelemetry calls the ask of a model for a document. */
const OPERATION = 'generate_content';

/** The caller of a task. */
export type AskContext = Pick<CallContext, 'tenant' | 'principal' | 'traceId' | 'signal' | 'call'>;

export interface Checked<Result> {
  /** Absent where the draft is not usable. */
  result?: Result;
  confidence?: number;
  checks: GateCheckView[];
  warnings?: WarningView[];
  /** Codes of what is wrong in the draft, for another attempt. */
  faults?: readonly string[];
}

/** One task: what a provider may know, what the rules of the platform make of it, and what a draft must pass. */
export interface AssistTask<S extends TSchema, Result> {
  name: TaskName;
  /** All that leaves the platform. */
  input: object;
  output: S;
  /** The draft of the rules; throws `Unsupported`. */
  embedded(): Promise<{ output: Static<S>; confidence: number | null }>;
  check(draft: Static<S>): Promise<Checked<Result>>;
  warnings?: readonly WarningView[];
  /** The transform that an accepted proposal changes, as it was seen. */
  transform?: Pick<TransformView, 'transform_id' | 'etag'> | undefined;
  /** No provider takes part: the platform alone answers. */
  rulesOnly?: true;
}

export interface AssistDeps {
  kernel: Pick<Kernel, 'db' | 'span'>;
  executions: Executions;
  budgets: Budgets;
  measure(measured: Measured): void;
  /** The provider that an operator has named. */
  remote?: AiProvider | undefined;
}

interface Drafted<Result> {
  provider: AiProvider;
  answer: ProviderAnswer;
  checked: Checked<Result>;
  attempts: number;
}

interface Tokens {
  input: number;
  output: number;
}

/** How far an execution has come, whatever becomes of it. */
interface Course {
  tokens: Tokens;
  costMicros: number;
  attempts: number;
  warnings: WarningView[];
}

/** Asks providers for drafts, checks each, and keeps what came of it. */
export function assistance(deps: AssistDeps) {
  const { budgets, executions, kernel, measure } = deps;

  /** A usable draft of one provider. Throws `ProviderFailed` and `Unsupported`. */
  async function draftOf<S extends TSchema, Result>(
    provider: AiProvider,
    task: AssistTask<S, Result>,
    context: ProviderContext,
    course: Course,
  ): Promise<Drafted<Result>> {
    let faults: readonly string[] = [];
    for (let attempt = 1; attempt <= provider.attempts; attempt += 1) {
      const ask: ProviderAsk = { task: task.name, input: task.input, output: task.output, faults };
      const answer = await withTokens(context.tenant, provider, ask, course, () => traced(provider, ask, context));
      course.attempts += 1;
      const isShaped = Value.Check(task.output, answer.output);
      const checked = isShaped ? await task.check(answer.output as Static<S>) : undefined;
      if (checked?.result !== undefined) return { provider, answer, checked, attempts: attempt };
      faults = checked?.faults ?? ['schema'];
    }
    throw new ProviderFailed('ai_invalid_output', faults.slice(0, 10).join(', '));
  }

  /** The ask of a model as a span; rules have no span. */
  function traced(provider: AiProvider, ask: ProviderAsk, context: ProviderContext): Promise<ProviderAnswer> {
    if (provider.name === 'embedded') return provider.run(ask, context);
    const attributes = {
      kind: ask.task,
      'gen_ai.operation.name': OPERATION,
      'gen_ai.provider.name': provider.name,
      'gen_ai.request.model': provider.model,
    };
    return kernel.span({ name: `${OPERATION} ${provider.model}`, side: 'client', attributes }, async (note) => {
      const answer = await provider.run(ask, context);
      note({
        'gen_ai.response.model': answer.model,
        'gen_ai.usage.input_tokens': answer.tokens?.input,
        'gen_ai.usage.output_tokens': answer.tokens?.output,
      });
      return answer;
    });
  }

  /** Reserves what an ask may use, and gives back the rest; an ask that ends without an answer has used all of it. */
  async function withTokens(
    tenant: Tenant,
    provider: AiProvider,
    ask: ProviderAsk,
    course: Course,
    work: () => Promise<ProviderAnswer>,
  ): Promise<ProviderAnswer> {
    const reserved = provider.tokensFor(ask);
    if (!(await budgets.tokens(tenant, reserved)))
      throw new ProviderFailed('ai_unavailable', 'the tokens of the day are used up');
    const answer = await work();
    const used = answer.tokens ?? { input: reserved, output: 0 };
    course.tokens.input += used.input;
    course.tokens.output += used.output;
    course.costMicros += answer.costMicros ?? 0;
    await budgets.settle(tenant, reserved, used.input + used.output);
    return answer;
  }

  /** A draft that passed the gate, of the first provider that has one, or why none has. Throws what the tables of the caller are refused with. */
  async function draft<S extends TSchema, Result extends object>(
    context: ProviderContext,
    task: AssistTask<S, Result>,
  ): Promise<Ended<Result>> {
    const began = performance.now();
    const warnings = [...(task.warnings ?? [])];
    const course: Course = { tokens: { input: 0, output: 0 }, costMicros: 0, attempts: 0, warnings };
    const own = embeddedProvider(task.embedded);
    const asked = task.rulesOnly || deps.remote === undefined ? [own] : [deps.remote, own];
    const failures: (ProviderFailed | Unsupported)[] = [];
    let drafted: Drafted<Result> | undefined;
    for (const provider of asked) {
      try {
        drafted = await draftOf(provider, task, context, course);
        break;
      } catch (error) {
        if (!(error instanceof ProviderFailed) && !(error instanceof Unsupported)) throw error;
        failures.push(error);
      }
    }
    const isDegraded = drafted !== undefined && drafted.provider !== asked[0];
    if (isDegraded) warnings.push(...failures.map(warningOf));
    const ended = { task, course, drafted, failures, isDegraded, latencyMs: Math.round(performance.now() - began) };
    const provider = drafted?.provider.name ?? asked[0]?.name ?? own.name;
    const outcome = drafted === undefined ? 'failed' : isDegraded ? 'degraded' : 'succeeded';
    measure({ task: task.name, provider, outcome, tokens: course.tokens, seconds: ended.latencyMs / 1_000 });
    return ended;
  }

  return {
    draft,
    /** The proposal in its envelope. Throws `ai_budget_exceeded`, `unsupported_request` and what says why no provider made a usable draft. */
    async run<S extends TSchema, Result extends object>(
      context: AskContext,
      task: AssistTask<S, Result>,
    ): Promise<Envelope<Result>> {
      const { tenant, principal, traceId } = context;
      await budgets.call(tenant);
      const ended = await draft(context, task);
      const named = {
        executionId: uuidv7(),
        actor: subjectOf(principal),
        traceId,
        runId: null,
        request: null,
        phase: null,
      };
      const own = {
        inputDigest: digestOf(task.input),
        transformId: task.transform?.transform_id ?? null,
        transformEtag: task.transform?.etag ?? null,
        task: task.name,
      };
      const row = await kernel
        .db(tenant)
        .transaction((tx) => executions.insert(tx, { ...named, ...own, ...outcomeOf(ended) }));
      return envelopeOf(row, resultOf(ended));
    },
  };
}
export type Assistance = ReturnType<typeof assistance>;

export interface Ended<Result> {
  task: Pick<AssistTask<TSchema, Result>, 'rulesOnly'>;
  course: Course;
  drafted: Drafted<Result> | undefined;
  failures: readonly (ProviderFailed | Unsupported)[];
  isDegraded: boolean;
  latencyMs: number;
}

/** The result of a draft. Throws what the first provider failed with, or what the rules cannot do. */
export function resultOf<Result>({ drafted, failures, course }: Ended<Result>): Result {
  if (drafted?.checked.result === undefined) throw problemOf(failures, course.attempts);
  return drafted.checked.result;
}

/** What a row keeps of how a draft ended. */
export function outcomeOf<Result extends object>({ task, course, drafted, isDegraded, latencyMs }: Ended<Result>) {
  const { checked, answer, provider } = drafted ?? {};
  const result = checked?.result;
  return {
    provider: provider?.name ?? ('embedded' as const),
    model: answer?.model ?? provider?.model ?? EMBEDDED_MODEL,
    externalId: answer?.externalId ?? null,
    status: drafted === undefined ? ('failed' as const) : ('succeeded' as const),
    proposal: drafted === undefined || task.rulesOnly ? null : ('drafted' as const),
    result: result ?? null,
    digest: result === undefined ? null : canonicalSha256(result),
    confidence: checked?.confidence ?? answer?.confidence ?? null,
    degraded: isDegraded,
    warnings: [...course.warnings, ...(checked?.warnings ?? [])],
    attempts: course.attempts,
    checks: checked?.checks ?? [],
    inputTokens: course.tokens.input,
    outputTokens: course.tokens.output,
    costMicros: course.costMicros,
    latencyMs,
  };
}

/** Shows whether two questions were the same, and nothing of what they said. */
export const digestOf = (input: object): string => createHash('sha256').update(JSON.stringify(input)).digest('hex');

const FAILED = {
  ai_unavailable: aiProblems.unavailable,
  ai_deadline: aiProblems.deadline,
  ai_invalid_output: aiProblems.invalidOutput,
} as const;

function warningOf(failure: ProviderFailed | Unsupported): WarningView {
  if (failure instanceof Unsupported) return { code: 'unsupported_request', detail: failure.message };
  return { code: failure.code, detail: `${FAILED[failure.code].entry.title}: ${failure.message}` };
}

/** What the first provider failed with, or what the rules cannot do. */
function problemOf(failures: readonly (ProviderFailed | Unsupported)[], attempts: number): Problem {
  const [first] = failures;
  if (first instanceof ProviderFailed) {
    const errors = first.message.split(', ').map((code) => ({ pointer: '/result', code: code.replaceAll(' ', '_') }));
    const values = { attempts };
    return first.code === 'ai_invalid_output' ? aiProblems.invalidOutput({ values, errors }) : FAILED[first.code]();
  }
  return aiProblems.unsupportedRequest({ values: { reason: first?.message ?? 'it is not understood' } });
}
