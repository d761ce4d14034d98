import type { CallContext } from '@weir/kernel';
import { type AppliedView, isRef, type Json, type PlannedCall, type Ref } from '../contract.ts';
import { inApplyOrder } from '../model/apply-order.ts';
import { given } from '../model/given.ts';
import { callView, type PlannedDocument } from './plan.ts';

const FIRST_ERROR_STATUS = 400;
/** Time after which no further document is begun: with a line for each result, and in one answer, which must come while its connection may be silent. */
export const APPLY_MS = { lines: 600_000, whole: 30_000 };

export interface CarryOutDeps {
  call: CallContext['call'];
  now: () => number;
  /** Milliseconds after which no further document is begun. */
  within: number;
  /** Called with each result as its document ends. */
  ended?: (result: AppliedView) => void;
}

/** What calls have answered, by documents. */
type Answers = Map<string, { id: string; answer: Json }>;

/**
 * Makes the calls of a plan, one after the other; the first that is refused, or the end of the time, leaves the rest undone.
 * Results are in the order of the documents, whatever order these were applied in.
 */
export async function carryOut(
  planned: readonly PlannedDocument[],
  { call, now, within, ended }: CarryOutDeps,
): Promise<{ status: 'applied' | 'stopped'; results: AppliedView[] }> {
  const answers: Answers = new Map(
    planned.flatMap(({ key, id }) => (id === undefined ? [] : [[key, { id, answer: {} }] as const])),
  );
  const until = now() + within;
  const results: AppliedView[] = [];
  let isStopped = false;
  for (const one of inApplyOrder(planned)) {
    isStopped ||= one.calls.length > 0 && now() >= until;
    const result: AppliedView = isStopped
      ? resultOf(one, { outcome: 'not_reached', calls: 0 })
      : await applyOne(one, call, answers);
    isStopped ||= result.outcome === 'failed';
    results.push(result);
    ended?.(result);
  }
  return { status: isStopped ? 'stopped' : 'applied', results: results.toSorted((a, b) => a.index - b.index) };
}

async function applyOne(one: PlannedDocument, call: CallContext['call'], answers: Answers): Promise<AppliedView> {
  const warnings: NonNullable<AppliedView['warnings']> = [];
  let calls = 0;
  for (const planned of one.calls) {
    const input = inputOf(planned, answers);
    const { status, body } = await call(planned.endpoint, input);
    if (status < FIRST_ERROR_STATUS) {
      calls += 1;
      const doubt = planned.doubt?.(body as Json);
      if (doubt !== undefined) warnings.push({ ...doubt, call: callView({ ...planned, params: input.params }) });
      const answer = body as Json | undefined;
      const id = planned.id === undefined ? undefined : answer?.[planned.id];
      if (answer !== undefined && id !== undefined) answers.set(one.key, { id: String(id), answer });
      continue;
    }
    const { code, detail } = body as { code: string; detail: string };
    const error = { code, detail, call: callView({ ...planned, params: input.params }) };
    if (planned.optional !== true)
      return resultOf(one, { outcome: 'failed', calls, id: answers.get(one.key)?.id, error, warnings });
    warnings.push(error);
  }
  const outcome = one.view.action === 'noop' ? 'noop' : 'applied';
  return resultOf(one, { outcome, calls, id: answers.get(one.key)?.id, warnings });
}

function inputOf({ params = {}, body, ifMatch }: PlannedCall, answers: Answers) {
  const filledParams = Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? value : answered(value, answers)]),
  );
  const match = ifMatch && `"${ifMatch}"`;
  return { params: filledParams, ...given({ body: filled(body, answers) as object | undefined, ifMatch: match }) };
}

/** A body with what earlier calls have answered in the place of its refs. */
function filled(value: unknown, answers: Answers): unknown {
  if (isRef(value)) return answered(value, answers);
  if (Array.isArray(value)) return value.map((item) => filled(item, answers));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member, answers)]));
}

function answered({ document, member }: Ref, answers: Answers): string {
  const found = answers.get(document);
  const value = member === undefined ? found?.id : found?.answer[member];
  if (typeof value !== 'string') throw new Error('a call names a document that no earlier call has made');
  return value;
}

type Ended = Pick<AppliedView, 'outcome' | 'calls' | 'error' | 'warnings'> & { id?: string | undefined };

function resultOf(one: PlannedDocument, { id, error, warnings = [], ...rest }: Ended): AppliedView {
  const { index, kind, name } = one.view;
  const named = { index, kind: String(kind), name: String(name), id: id ?? one.id ?? null };
  return given({ ...named, ...rest, error, warnings: warnings.length === 0 ? undefined : warnings }) as AppliedView;
}
