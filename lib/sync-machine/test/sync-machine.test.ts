import t from 'tap';
import {
  type CommitBatch,
  MAX_MERGES,
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

const NONE: readonly (string | null)[] = [];
const PLAN: PlannedStream<Words> = {
  ...{ id: 's', isStateful: true, atEnd: false, replaces: false, merges: false, marksMissing: false },
  changesTable: false,
  ...{ policy: 'capture', maxRejected: 2, batch: 0, rejected: 0, state: undefined },
};

/** A machine of one stream whose effects all succeed; segments reject as many lines as they are given. */
function attempt(plan: Partial<PlannedStream<Words>>) {
  const { commits, sealed, read, failures } = attemptOf([{ ...PLAN, ...plan }]);
  return {
    commits,
    sealed: (state: string | undefined, more?: Parameters<typeof sealed>[2]) => sealed('s', state, more),
    read: (failure?: string) => read({ s: failure }),
    failure: () => failures().s,
  };
}

/** A machine of several streams whose effects all succeed but the first commits, of as many whose base has moved. */
function attemptOf(plans: readonly PlannedStream<Words>[], moves = 0) {
  const machine = syncMachine<Words>(plans);
  let state = machine.initial;
  let segments = 0;
  let moved = 0;
  const asked: string[] = [];
  const commits: CommitBatch<Words>[] = [];
  const steps: (readonly CommitBatch<Words>[])[] = [];
  const send = (event: SyncEvent<Words>, rejected: number): void => {
    const step = machine.step(state, event);
    state = step.state;
    for (const effect of step.effects) {
      asked.push(effect.type);
      const isLost = effect.type === 'commit' && moved++ < moves;
      if (effect.type === 'commit' && !isLost) {
        commits.push(...effect.batches);
        steps.push(effect.batches);
      }
      const answer = isLost ? ({ type: 'base_moved' } as const) : answerTo(effect, rejected);
      if (answer !== undefined) send(answer, rejected);
    }
  };
  return {
    ...{ asked, commits, steps },
    sealed(
      stream: string,
      stored: string | undefined,
      { rejected = 0, hasRows = true, isShared = false, replacedFiles = NONE } = {},
    ) {
      segments += 1;
      const segment = { id: segments, stream, hasRows, state: stored, isShared, replacedFiles, isFinal: false };
      send({ type: 'sealed', segment }, rejected);
    },
    read: (failures: Record<string, string | undefined> = {}) => send({ type: 'read', failures }, 0),
    failures: () => Object.fromEntries(streamsOf(state).map(({ plan, failure }) => [plan.id, failure])),
  };
}

function answerTo(effect: SyncEffect<Words>, rejected: number): SyncEvent<Words> | undefined {
  if (effect.type === 'intend') return { type: 'intended' };
  if (effect.type === 'stage') return { type: 'staged', part: `part ${effect.segment.id}`, rejected, unknown: [] };
  if (effect.type === 'quarantine') return { type: 'quarantined', part: 'lines' };
  if (effect.type === 'merge') return { type: 'merged', merged: `merged ${effect.place}` };
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

t.test(
  'rows of a file are replaced with the state behind its new ones, were there none, and never before',
  async (t) => {
    const { commits, sealed, steps, asked } = attemptOf([PLAN]);
    sealed('s', undefined, { replacedFiles: ['a.csv'] });
    t.strictSame(steps, [], 'the new rows may not be all');
    sealed('s', 'one');
    sealed('s', 'two');
    sealed('s', 'three', { hasRows: false, replacedFiles: ['b.csv', null] });
    t.match(commits, [
      { batch: { parts: ['part 1', 'part 2'], state: 'one', replacedFiles: ['a.csv'] }, merged: 'merged 3' },
      { batch: { parts: ['part 3'], state: 'two', replacedFiles: [] }, merged: undefined },
      { batch: { parts: [], state: 'three', replacedFiles: ['b.csv', null] }, merged: 'merged 5' },
    ]);
    t.equal(asked.filter((type) => type === 'merge').length, 2, 'only these are looked up in the table');
  },
);

t.test('a stream that fails behind a file replaces the rows of that file alone', async (t) => {
  const { commits, sealed, read } = attempt({});
  sealed('one', { replacedFiles: ['a.csv'] });
  sealed(undefined, { replacedFiles: ['b.csv'] });
  read('crashed');
  t.match(commits, [{ batch: { parts: ['part 1'], state: 'one', replacedFiles: ['a.csv'] } }]);
  t.equal(commits.length, 1);
});

t.test('where all rows of the table go, no file is looked for', async (t) => {
  const { commits, sealed, read } = attempt({ atEnd: true, replaces: true });
  sealed('one', { replacedFiles: ['a.csv'] });
  read();
  t.match(commits, [{ replaces: true, merged: undefined }]);
});

const SHARED = { isShared: true };
const [A, B, C] = ['a', 'b', 'c'].map((id) => ({ ...PLAN, id })) as [typeof PLAN, typeof PLAN, typeof PLAN];

t.test('a state for all streams is committed with the rows of all of them in one step', async (t) => {
  const { sealed, read, steps, failures } = attemptOf([A, B, { ...C, isStateful: false, atEnd: true }]);
  sealed('a', undefined);
  sealed('a', 'one', SHARED);
  sealed('c', 'one', SHARED);
  t.strictSame(steps, [], 'nothing before it covers all of them');
  sealed('b', 'one', { ...SHARED, hasRows: false });
  t.match(steps, [
    [
      { stream: 'a', number: 1, isWhole: false, batch: { parts: ['part 1', 'part 2'], state: 'one' } },
      { stream: 'b', number: 1, isWhole: false, batch: { parts: [], state: 'one' } },
    ],
  ]);
  sealed('b', 'two', SHARED);
  sealed('a', 'two', { ...SHARED, hasRows: false });
  sealed('a', 'three', { ...SHARED, hasRows: false });
  t.equal(steps.length, 2);
  sealed('b', 'three', { ...SHARED, hasRows: false });
  read();
  t.match(steps.slice(2), [
    [
      { stream: 'a', number: 3, batch: { state: 'three' } },
      { stream: 'b', number: 3, batch: { state: 'three' } },
    ],
    [{ stream: 'c', number: 1, isWhole: true, batch: { parts: ['part 3'], state: undefined } }],
  ]);
  t.strictSame(failures(), { a: undefined, b: undefined, c: undefined });
});

t.test('streams that share a state are whole together, or none of them is', async (t) => {
  const both = attemptOf([{ ...A, atEnd: true, replaces: true }, B]);
  for (const id of ['a', 'b']) both.sealed(id, 'one', SHARED);
  t.strictSame(both.steps, [], 'one that is committed at its end holds the others');
  both.read();
  t.match(both.steps, [
    [
      { stream: 'a', isWhole: true, replaces: true },
      { stream: 'b', isWhole: true },
    ],
  ]);
});

t.test(
  'when one of them fails the others are committed as far as their state covers them, and not whole',
  async (t) => {
    const { sealed, read, steps, failures } = attemptOf([A, B]);
    for (const id of ['a', 'b']) sealed(id, 'one', SHARED);
    sealed('a', undefined);
    read({ a: 'crashed' });
    t.equal(steps.length, 1);
    t.match(failures(), { a: { reported: 'crashed' }, b: undefined });
  },
);

t.test('when one of them cannot go on none of them does, and the rest is untouched', async (t) => {
  const whole = { ...C, isStateful: false, atEnd: true };
  const { sealed, read, steps, failures } = attemptOf([A, B, whole]);
  for (const id of ['a', 'b']) sealed(id, 'one', SHARED);
  sealed('a', 'two', SHARED);
  sealed('c', undefined);
  sealed('b', 'two', { ...SHARED, rejected: 3 });
  sealed('a', 'three', SHARED);
  sealed('b', 'three', SHARED);
  read();
  t.match(failures(), { a: { rule: 'state_held' }, b: { rule: 'too_many_rejects' }, c: undefined });
  t.match(steps.slice(1), [[{ stream: 'c', isWhole: true }]]);
});

t.test('each of them that merges is merged before the commit, and again when a table has moved', async (t) => {
  const merging = (plan: typeof PLAN) => ({ ...plan, merges: true });
  const { sealed, steps, asked } = attemptOf([merging(A), B, merging(C)], 1);
  for (const id of ['a', 'b', 'c']) sealed(id, 'one', SHARED);
  const round = ['intend', 'merge', 'intend', 'merge', 'commit'];
  t.strictSame(asked.slice(-10), [...round, ...round]);
  t.match(steps, [[{ merged: 'merged 6' }, { merged: undefined }, { merged: 'merged 7' }]]);
  const lost = attemptOf([merging(A), B], MAX_MERGES);
  for (const id of ['a', 'b']) lost.sealed(id, 'one', SHARED);
  t.match(lost.failures(), { a: { rule: 'table_contended', tries: MAX_MERGES }, b: { rule: 'table_contended' } });
});

t.test('a table that is not there yet → made by a commit of rows, or by one that ends the stream well', async (t) => {
  const empty = attempt({ changesTable: true });
  empty.read();
  t.match(empty.commits, [{ isWhole: true, changesTable: true, batch: { parts: [] } }]);
  const failing = attempt({ changesTable: true });
  failing.sealed('one', { hasRows: false });
  failing.read('crashed');
  t.match(failing.commits, [{ isWhole: false, changesTable: false, batch: { state: 'one' } }], 'not by a state alone');
  const late = attempt({ changesTable: true });
  late.sealed('one', { hasRows: false });
  late.read();
  t.strictSame(
    late.commits.map(({ changesTable }) => changesTable),
    [false, true],
  );
  const there = attempt({});
  there.read();
  t.strictSame(there.commits, [], 'one that is as it is to be needs no commit');
});

t.test('a stream whose table waits beside one that failed is not done', async (t) => {
  const plans = ['a', 'b'].map((id) => ({ ...PLAN, id, changesTable: true }));
  const { commits, sealed, read, failures } = attemptOf(plans);
  sealed('a', undefined, { isShared: true, hasRows: false });
  read({ a: 'crashed' });
  t.strictSame(commits, []);
  t.match(failures(), { a: { reported: 'crashed' }, b: Object });
});
