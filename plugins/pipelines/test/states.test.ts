import { Problem } from '@weir/kernel/contract';
import t from 'tap';
import {
  assertPausable,
  assertRehearsed,
  assertRunnable,
  assertValidated,
  type Standing,
  statesOf,
} from '../src/model/states.ts';

const FRESH: Standing = { fingerprint: 'a', rehearsed: [] };
const noted = (fingerprint: string) => ({ fingerprint, at: '2026-11-27T00:00:00Z', by: 'ana' });
const VALIDATED: Standing = { ...FRESH, validated: noted('a') };
const SANDBOXED: Standing = { ...VALIDATED, rehearsed: ['a'] };
const ACTIVATED: Standing = { ...SANDBOXED, activeVersion: 1, activeFingerprint: 'a' };
const PAUSED: Standing = { ...ACTIVATED, paused: {} };

type Event = (state: Standing) => Standing;

/** What each call does to a pipeline, as the services do it. */
const EVENTS: Record<string, Event> = {
  validate: (state) => ({ ...state, validated: noted(state.fingerprint) }),
  change: (state) => ({ ...state, fingerprint: 'b' }),
  sandbox(state) {
    assertValidated(state);
    return { ...state, rehearsed: [...state.rehearsed, state.fingerprint] };
  },
  activate(state) {
    assertRehearsed(state, state.fingerprint);
    return { ...state, activeVersion: 1, activeFingerprint: state.fingerprint, paused: null };
  },
  pause(state) {
    assertPausable(state);
    return { ...state, paused: {} };
  },
  run(state) {
    assertRunnable(state);
    return state;
  },
};

/** What becomes of a pipeline: its status, and how far its steps have come; or the code of what refuses it. */
function after(state: Standing, event: Event): string {
  const before = structuredClone(state);
  try {
    const { status, draftState } = statesOf(event(state));
    return `${status} ${draftState}`;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    t.strictSame(state, before, 'nothing has changed');
    return error.code;
  }
}

const NOT_VALIDATED = 'pipeline_not_validated';
const NOT_SANDBOXED = 'pipeline_not_sandboxed';
const NOT_ACTIVATED = 'pipeline_not_activated';

const TABLE: [name: string, state: Standing, answers: Record<string, string>][] = [
  [
    'draft',
    FRESH,
    {
      validate: 'validated validated',
      change: 'draft draft',
      sandbox: NOT_VALIDATED,
      activate: NOT_SANDBOXED,
      pause: NOT_ACTIVATED,
      run: NOT_ACTIVATED,
    },
  ],
  [
    'validated',
    VALIDATED,
    {
      validate: 'validated validated',
      change: 'draft draft',
      sandbox: 'sandboxed sandboxed',
      activate: NOT_SANDBOXED,
      pause: NOT_ACTIVATED,
      run: NOT_ACTIVATED,
    },
  ],
  [
    'sandboxed',
    SANDBOXED,
    {
      validate: 'sandboxed sandboxed',
      change: 'draft draft',
      sandbox: 'sandboxed sandboxed',
      activate: 'activated same_as_active',
      pause: NOT_ACTIVATED,
      run: NOT_ACTIVATED,
    },
  ],
  [
    'activated',
    ACTIVATED,
    {
      validate: 'activated same_as_active',
      change: 'activated draft',
      sandbox: 'activated same_as_active',
      activate: 'activated same_as_active',
      pause: 'paused same_as_active',
      run: 'activated same_as_active',
    },
  ],
  [
    'activated, with other steps since',
    { ...ACTIVATED, fingerprint: 'b' },
    {
      validate: 'activated validated',
      change: 'activated draft',
      sandbox: NOT_VALIDATED,
      activate: NOT_SANDBOXED,
      pause: 'paused draft',
      run: 'activated draft',
    },
  ],
  [
    'paused',
    PAUSED,
    {
      validate: 'paused same_as_active',
      change: 'paused draft',
      sandbox: 'paused same_as_active',
      activate: 'activated same_as_active',
      pause: NOT_ACTIVATED,
      run: 'pipeline_paused',
    },
  ],
];

t.test('every event of every state → the state that follows, or the code that refuses it', async (t) => {
  for (const [name, state, answers] of TABLE)
    for (const [event, answer] of Object.entries(answers))
      t.equal(after(state, EVENTS[event] as Event), answer, `${name}: ${event}`);
});

t.test('a version that was rehearsed once is the way back; another one is refused', async (t) => {
  const moved = { ...ACTIVATED, fingerprint: 'c', rehearsed: ['a', 'b'] };
  t.doesNotThrow(() => assertRehearsed(moved, 'b'));
  t.throws(() => assertRehearsed(moved, 'c'), { code: NOT_SANDBOXED });
});
