import { createScrubber, traceFailure } from '@weir/connector-runtime';
import { recordOf } from '@weir/work';
import fc from 'fast-check';
import t from 'tap';
import { scrubbedFailure, verdictFailure, withWords } from '../src/model/failure/failure.ts';

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

t.test('a fault that comes again as it is → one digest, the same with another credential in it', async (t) => {
  const of = (stack_trace: string, failure_type = 'system_error', credential = secret) =>
    scrubbedFailure(
      verdictFailure(traceFailure({ message: 'broke', stack_trace, failure_type: failure_type as 'system_error' })),
      createScrubber([credential]),
    );
  const first = of(`at main.py with ${secret}`);
  t.match(first.faultId, /^[0-9a-f]{32}$/);
  t.equal(of(`at main.py with ${secret}`).faultId, first.faultId);
  t.equal(of('at main.py with 0therCredential-1', 'system_error', '0therCredential-1').faultId, first.faultId);
  t.not(of('at other.py').faultId, first.faultId);
  t.equal(of('at main.py', 'transient_error').faultId, undefined, 'what may pass is none');
  t.strictSame(Object.keys(recordOf(first)), ['code', 'origin', 'retryable', 'detail', 'hint']);
});

t.test(
  'a source that says when it takes work again → the run ends, with the time; a pause is no such time',
  async (t) => {
    const of = (retry_at: unknown) =>
      verdictFailure(
        traceFailure({
          message: 'The source rests',
          internal_message: 'wait_too_long',
          failure_type: 'transient_error',
          retry_at,
        } as never),
      );
    const at = new Date(Date.now() + 86_400_000).toISOString();
    const detail = `The source rests. It takes no work before ${at}.`;
    t.match(of(at), { code: 'wait_too_long', retryable: true, isLast: true, detail });
    for (const none of [undefined, 7, 'later', '2026-13-41T00:00:00Z', new Date().toISOString()])
      t.match(of(none), { isLast: undefined, detail: 'The source rests.' }, String(none));
  },
);

t.test('a code with a sentence → the sentence is the detail; one that is too long to show is left out', async (t) => {
  const of = (message: string) => verdictFailure(traceFailure({ message, internal_message: 'schema_changed' })).detail;
  t.equal(of('A file has no column\nof the stream'), 'A file has no column of the stream.');
  for (const message of ['', ' ', 'x'.repeat(10_000)]) t.equal(of(message), 'The connector reported schema_changed.');
});

t.test('a connector that says its sentence in both places → it stands once', async (t) => {
  const failure = verdictFailure(
    traceFailure({ message: 'The folder cannot be read', internal_message: 'refused_it' }),
  );
  const detail = (words: string) => withWords(failure, words, createScrubber([])).detail;
  t.equal(detail('The folder cannot be read'), 'The folder cannot be read.');
  t.equal(detail('EACCES'), 'The folder cannot be read. It says: EACCES.');
});
