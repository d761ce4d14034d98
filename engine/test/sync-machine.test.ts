import t from 'tap';
import {
  type PlannedStream,
  type SyncEffect,
  type SyncEvent,
  type SyncTypes,
  streamsOf,
  syncMachine,
} from '../src/index.ts';

interface Words extends SyncTypes {
  readonly state: string;
  readonly part: string;
  readonly failure: string;
  readonly merged: string;
}

const PLAN: PlannedStream<Words> = {
  ...{ id: 's', isStateful: true, atEnd: false, replaces: false, merges: false, marksMissing: false },
  ...{ policy: 'capture', maxRejected: 2, batch: 0, rejected: 0, state: undefined },
};

/** A machine of one stream whose effects all succeed; segments reject as many lines as they are given. */
function attempt(plan: Partial<PlannedStream<Words>>) {
  const machine = syncMachine<Words>([{ ...PLAN, ...plan }]);
  let state = machine.initial;
  let segments = 0;
  const commits: Extract<SyncEffect<Words>, { type: 'commit' }>[] = [];
  const send = (event: SyncEvent<Words>, rejected: number): void => {
    const step = machine.step(state, event);
    state = step.state;
    for (const effect of step.effects) {
      if (effect.type === 'commit') commits.push(effect);
      const answer = answerTo(effect, rejected);
      if (answer !== undefined) send(answer, rejected);
    }
  };
  return {
    commits,
    sealed(stored: string | undefined, { rejected = 0, hasRows = true } = {}) {
      segments += 1;
      const segment = { id: segments, stream: 's', hasRows, state: stored, isFinal: false };
      send({ type: 'sealed', segment }, rejected);
    },
    read: (failure?: string) => send({ type: 'read', failures: { s: failure } }, 0),
    failure: () => streamsOf(state)[0]?.failure,
  };
}

function answerTo(effect: SyncEffect<Words>, rejected: number): SyncEvent<Words> | undefined {
  if (effect.type === 'intend') return { type: 'intended' };
  if (effect.type === 'stage') return { type: 'staged', part: `part ${effect.segment.id}`, rejected, unknown: [] };
  if (effect.type === 'quarantine') return { type: 'quarantined', part: 'lines' };
  return effect.type === 'commit' ? { type: 'committed' } : undefined;
}

t.test('a stream that replaces its table commits nothing when it fails, whatever states it told', async (t) => {
  const { commits, sealed, read, failure } = attempt({ atEnd: true, replaces: true });
  sealed('one');
  sealed('two');
  read('crashed');
  t.strictSame(commits, []);
  t.match(failure(), { reported: 'crashed' });
});

t.test('a stream that fails commits what a state covers, unless it is committed at its end', async (t) => {
  const { commits, sealed, read } = attempt({});
  sealed('one');
  sealed(undefined);
  read('crashed');
  t.match(commits, [{ number: 1, isWhole: false, batch: { parts: ['part 1'], state: 'one' } }]);
});

t.test('rejected lines count over the segments and attempts of a run', async (t) => {
  const one = attempt({});
  one.sealed('a', { rejected: 2 });
  one.sealed('b', { rejected: 1 });
  one.read();
  t.match(one.failure(), { rule: 'too_many_rejects', limit: 2 });
  t.match(one.commits, [{ batch: { rejected: 2, state: 'a' } }]);
  const later = attempt({ rejected: 2 });
  later.sealed('b', { rejected: 1 });
  t.match(later.failure(), { rule: 'too_many_rejects' });
});

t.test('a state that is stored is not stored again', async (t) => {
  const { commits, sealed, read } = attempt({ state: 'before' });
  sealed('before', { hasRows: false });
  sealed('one');
  sealed('one', { hasRows: false });
  read();
  t.match(commits, [{ number: 1, batch: { state: 'one' } }]);
  t.equal(commits.length, 1);
});
