import type { CallContext } from '@weir/kernel';
import type { AppliedView, PlannedCall, Ref } from '../contract.ts';
import { given } from '../model/given.ts';
import { callView, type PlannedDocument } from './plan.ts';

const FIRST_ERROR_STATUS = 400;
/** Time after which no further document is begun. */
export const APPLY_MS = 600_000;

export interface CarryOutDeps {
  call: CallContext['call'];
  now: () => number;
  /** Called with each result as its document ends. */
  ended?: (result: AppliedView) => void;
}

/** Makes the calls of a plan, one after the other; the first that is refused, or ten minutes, leave the rest undone. */
export async function carryOut(
  planned: readonly PlannedDocument[],
  { call, now, ended }: CarryOutDeps,
): Promise<{ status: 'applied' | 'stopped'; results: AppliedView[] }> {
  const ids = new Map(planned.flatMap(({ key, id }) => (id === undefined ? [] : [[key, id] as const])));
  const until = now() + APPLY_MS;
  const results: AppliedView[] = [];
  let isStopped = false;
  for (const one of planned) {
    isStopped ||= one.calls.length > 0 && now() >= until;
    const result: AppliedView = isStopped
      ? resultOf(one, { outcome: 'not_reached', calls: 0 })
      : await applyOne(one, call, ids);
    isStopped ||= result.outcome === 'failed';
    results.push(result);
    ended?.(result);
  }
  return { status: isStopped ? 'stopped' : 'applied', results };
}

async function applyOne(
  one: PlannedDocument,
  call: CallContext['call'],
  ids: Map<string, string>,
): Promise<AppliedView> {
  const warnings: NonNullable<AppliedView['warnings']> = [];
  let calls = 0;
  for (const planned of one.calls) {
    const input = inputOf(planned, ids);
    const { status, body } = await call(planned.endpoint, input);
    if (status < FIRST_ERROR_STATUS) {
      calls += 1;
      const id = planned.id === undefined ? undefined : (body as Record<string, unknown>)[planned.id];
      if (id !== undefined) ids.set(one.key, String(id));
      continue;
    }
    const { code, detail } = body as { code: string; detail: string };
    const error = { code, detail, call: callView({ ...planned, params: input.params }) };
    if (planned.optional !== true)
      return resultOf(one, { outcome: 'failed', calls, id: ids.get(one.key), error, warnings });
    warnings.push(error);
  }
  const outcome = one.view.action === 'noop' ? 'noop' : 'applied';
  return resultOf(one, { outcome, calls, id: ids.get(one.key), warnings });
}

function inputOf({ params = {}, body, ifMatch }: PlannedCall, ids: ReadonlyMap<string, string>) {
  const filled = Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? value : idOf(value, ids)]),
  );
  return { params: filled, ...given({ body, ifMatch: ifMatch && `"${ifMatch}"` }) };
}

function idOf({ $ref }: Ref, ids: ReadonlyMap<string, string>): string {
  const id = ids.get($ref);
  if (id === undefined) throw new Error('a call names a document that no earlier call has made');
  return id;
}

type Ended = Pick<AppliedView, 'outcome' | 'calls' | 'error' | 'warnings'> & { id?: string | undefined };

function resultOf(one: PlannedDocument, { id, error, warnings = [], ...rest }: Ended): AppliedView {
  const { index, kind, name } = one.view;
  const named = { index, kind: String(kind), name: String(name), id: id ?? one.id ?? null };
  return given({ ...named, ...rest, error, warnings: warnings.length === 0 ? undefined : warnings }) as AppliedView;
}
