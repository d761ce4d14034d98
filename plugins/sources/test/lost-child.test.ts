import { copyTokens } from '@weir/work';
import t from 'tap';
import type { ChildPlan } from '../src/model/process/messages.ts';
import { attemptEffects, type EffectDeps } from '../src/work/sync/attempt-effects.ts';
import { beginSyncChild, startChild } from '../src/work/sync/run-child.ts';

const NOBODY = { started: () => undefined, ended: () => undefined };
const ignore = () => undefined;
const LOST = { type: 'failed', failure: { code: 'sync_process_lost' } };

t.test('work for a process that is gone fails, whenever it is asked for, and keeps nobody from a turn', async (t) => {
  const begun = beginSyncChild(NOBODY, { inContainers: false });
  const told: unknown[] = [];
  const child = startChild({
    begun,
    plan: {} as ChildPlan,
    children: NOBODY,
    onEvent: (event) => told.push(event),
    onProgress: ignore,
    onNoted: ignore,
    onCovered: ignore,
    onPull: ignore,
    onLog: async () => undefined,
    onImage: ignore,
    onRotated: ignore,
  });
  const tokens = copyTokens(1);
  const prepared = { schema: { fields: [] }, spec: {}, dataLocation: 'file:///nowhere' };
  const deps = { child, tokens, runId: 'run', leaseEpoch: 1, streams: new Map([['rows', { prepared }]]) };
  const perform = attemptEffects(deps as unknown as EffectDeps);
  const stage = () => perform({ type: 'stage', segment: { id: 1, stream: 'rows' }, place: 1 } as never);
  const [atWork, inLine] = [stage(), stage()];
  await begun.discard();
  const late = stage();
  t.match(await Promise.all([atWork, inLine, late]), [LOST, LOST, LOST]);
  await tokens.take();
  t.match(told, [LOST], 'the attempt is told once');
});
