import fc from 'fast-check';
import t from 'tap';
import {
  type CommitEffect,
  type CommitEvent,
  type CommitInput,
  commitMachine,
  type FoundTable,
  MAX_COMMIT_TRIES,
} from '../src/index.ts';

const TABLE = { commitId: 'r:s:1', isIdle: false, base: undefined, follows: undefined };
const INPUT: CommitInput = { tables: [TABLE], isAtomic: true, storesCheckpointsApart: false, seed: 7 };
const EMPTY: FoundTable = { snapshotId: null, settled: undefined, newest: null };
const DRAFT = { table: 0, snapshotId: '1', files: ['a'] };

/** Tells a commit what happens, and answers what it asked for and how it ended. */
function play(input: CommitInput, events: readonly CommitEvent[]) {
  const machine = commitMachine(input);
  let state = machine.initial;
  const asked: CommitEffect[] = [];
  for (const event of events) {
    const step = machine.step(state, event);
    state = step.state;
    asked.push(...step.effects);
  }
  return { asked: asked.map(({ type }) => type), result: state.result, hasEnded: machine.hasEnded(state) };
}

const START: CommitEvent = { type: 'start' };
const loaded = (table: Partial<FoundTable> = {}): CommitEvent => ({ type: 'loaded', tables: [{ ...EMPTY, ...table }] });
const PREPARED: CommitEvent = { type: 'prepared', drafts: [DRAFT] };
const MADE: CommitEvent[] = [START, loaded(), PREPARED, { type: 'intended' }, { type: 'written' }];

t.test('a commit looks, is written down, is written, and moves', async (t) => {
  t.strictSame(play(INPUT, [...MADE, { type: 'moved' }]), {
    asked: ['load', 'prepare', 'intend', 'write', 'move'],
    result: { outcome: 'committed', snapshots: ['1'] },
    hasEnded: true,
  });
});

t.test('a commit id that the table carries settles it, for just these files', async (t) => {
  const settled = { snapshotId: '9', sameFiles: true };
  t.match(play(INPUT, [START, loaded({ settled })]), { asked: ['load'], result: { snapshots: ['9'] } });
  const other = loaded({ settled: { ...settled, sameFiles: false } });
  t.match(play(INPUT, [START, other]).result, { outcome: 'reused' });
});

t.test('what was written is removed after a race that was lost, and never after an unknown outcome', async (t) => {
  t.strictSame(play(INPUT, [...MADE, { type: 'lost' }, { type: 'removed' }]).asked.slice(-2), ['remove', 'wait']);
  t.strictSame(play(INPUT, [...MADE, { type: 'unknown', reason: 1 }]).asked.slice(-2), ['move', 'wait']);
  const refused: CommitEvent = { type: 'refused', reason: 'why' };
  t.match(play(INPUT, [...MADE, refused, { type: 'removed' }]).result, { outcome: 'refused', reason: 'why' });
});

t.test('a commit stands on the base and behind the commit that it asks for, or is not made', async (t) => {
  const based = { ...INPUT, tables: [{ ...TABLE, base: '5' }] };
  t.match(play(based, [START, loaded({ snapshotId: '6' })]).result, { outcome: 'base_moved' });
  t.equal(play(based, [START, loaded({ snapshotId: '5' })]).result, undefined);
  const behind = { ...INPUT, tables: [{ ...TABLE, follows: null }] };
  t.match(play(behind, [START, loaded({ newest: 'r:s:0' })]).result, { outcome: 'superseded' });
});

t.test('where tables move one by one, those that have moved are not touched again', async (t) => {
  const apart: CommitInput = { ...INPUT, tables: [TABLE, TABLE], isAtomic: false, storesCheckpointsApart: true };
  const drafts = [DRAFT, { table: 1, snapshotId: '2', files: ['b'] }];
  const machine = commitMachine(apart);
  let state = machine.initial;
  let last: readonly CommitEffect[] = [];
  const events: CommitEvent[] = [
    START,
    { type: 'loaded', tables: [EMPTY, EMPTY] },
    { type: 'prepared', drafts },
    { type: 'intended' },
    { type: 'written' },
    { type: 'moved' },
    { type: 'lost' },
  ];
  for (const event of events) ({ state, effects: last } = machine.step(state, event));
  t.match(last, [{ type: 'remove', drafts: [{ files: ['b'] }] }]);
});

t.test('law: whatever is answered, a commit asks for a bounded number of things and then ends', async (t) => {
  const answers = fc.array(fc.constantFrom('lost', 'unknown', 'good'), { minLength: 1_000, maxLength: 1_000 });
  fc.assert(
    fc.property(answers, fc.integer(), (fates, seed) => {
      const machine = commitMachine({ ...INPUT, seed });
      let { state, effects } = machine.step(machine.initial, START);
      let loads = 0;
      for (const fate of fates) {
        const [effect] = effects;
        if (effect === undefined) break;
        if (effect.type === 'load') loads += 1;
        if (effect.type === 'wait' && (effect.ms < 0 || effect.ms > 1_000)) return false;
        ({ state, effects } = machine.step(state, answerTo(effect, fate)));
      }
      return machine.hasEnded(state) && loads <= MAX_COMMIT_TRIES;
    }),
    { numRuns: 1_000 },
  );
  t.pass();
});

function answerTo({ type }: CommitEffect, fate: string): CommitEvent {
  if (type === 'wait') return { type: 'waited' };
  if (type === 'remove') return { type: 'removed' };
  if (fate === 'unknown') return { type: 'unknown', reason: 'gone' };
  if (type === 'load') return loaded();
  if (type === 'prepare') return PREPARED;
  if (type === 'intend') return { type: 'intended' };
  if (type === 'write') return { type: 'written' };
  if (fate === 'lost') return { type: 'lost' };
  return type === 'promote' ? { type: 'promoted' } : { type: 'moved' };
}
