import { createScrubber, traceFailure } from '@weir/connector-runtime';
import fc from 'fast-check';
import t from 'tap';
import { scrubbedFailure, verdictFailure } from '../src/sync/failure.ts';

const RUNS = 1_000;
/** The longest hint that a failure keeps. */
const HINT_CHARS = 500;
const SHOWN_CHARS = 6;
const secret = 'Xq7!"\\/Zr-9kPw=Lm3';
const spelled = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];

t.test('a hint that was cut in the middle of a credential shows no part of it', async () => {
  const property = fc.property(fc.integer({ min: 0, max: 2 * HINT_CHARS }), fc.constantFrom(...spelled), (at, text) => {
    const hint = `${'.'.repeat(at)}${text}${'.'.repeat(HINT_CHARS)}`;
    const error = { message: 'refused', internal_message: 'refused_it', failure_type: 'config_error', hint } as const;
    const shown = scrubbedFailure(verdictFailure(traceFailure(error)), createScrubber([secret]));
    return !shown.hint?.includes(text.slice(0, SHOWN_CHARS)) && shown.hint?.startsWith('.'.repeat(Math.min(at, 400)));
  });
  fc.assert(property, { numRuns: RUNS });
});

t.test('a hint without a credential stays whole', async (t) => {
  const hint = 'Look at the password: it may have expired. X';
  const failure = verdictFailure(traceFailure({ message: 'no', internal_message: 'refused_it', hint }));
  t.equal(scrubbedFailure(failure, createScrubber([secret])).hint, hint);
});

t.test('a hint that holds a credential as Go or HTML writes it shows no part of it', async (t) => {
  const hint = 'refused: {"password":"p\\u0026ss\\u003cw\\u003eord"} or p&amp;ss&lt;w&gt;ord';
  const failure = verdictFailure(traceFailure({ message: 'no', internal_message: 'refused_it', hint }));
  const shown = scrubbedFailure(failure, createScrubber(['p&ss<w>ord'])).hint;
  t.equal(shown, 'refused: {"password":"[secret]"} or [secret]');
});
