import t from 'tap';
import { HASTY_MS, PATIENT_MS } from '../../../test/until.ts';
import { type EndDeps, endOfContainer } from '../src/container/container-end.ts';

const ENDED = { Running: false, ExitCode: 0, OOMKilled: false, FinishedAt: '2026-01-01T00:00:00Z' };
const RUNS = { ...ENDED, Running: true };
const never = new Promise<never>(() => undefined);
const away = () => Promise.reject(new Error('the engine is away'));
const whole = Promise.resolve('whole' as const);
const LOST = { code: undefined, oomKilled: false, failure: 'runtime_lost' };

/** How a container ends whose engine tells of its end, still knows it, and has given all of its output. */
const end = (more: Partial<EndDeps>) =>
  endOfContainer({
    ...{ waited: Promise.resolve(), output: whole, inspect: async () => ({ State: ENDED }), isStopped: () => false },
    lostAfterMs: PATIENT_MS,
    ...more,
  });

t.test(
  'an exit code counts when the engine told of the end, is there to be asked, and gave the whole output',
  async (t) => {
    t.strictSame(await end({}), { code: 0, oomKilled: false });
    const killed = async () => ({ State: { ...ENDED, ExitCode: 137, OOMKilled: true } });
    t.strictSame(await end({ inspect: killed }), { code: 137, oomKilled: true });
  },
);

t.test('an engine that goes away is a lost run, never an end that counts', async (t) => {
  const waited = away();
  waited.catch(() => undefined);
  t.strictSame(await end({ waited, output: never }), LOST, 'it was asked to tell of the end');
  t.strictSame(await end({ waited }), LOST, 'and it ended the output first, as one that restarts does');
  t.strictSame(await end({ inspect: away }), LOST, 'it told of the end and cannot be asked');
  t.strictSame(await end({ inspect: async () => ({ State: RUNS }) }), LOST, 'it says that the container runs');
});

t.test('an engine that says nothing any more is asked, and what it does not know is lost', async (t) => {
  const silent = { waited: never, lostAfterMs: HASTY_MS };
  t.strictSame(await end(silent), LOST, 'behind the end of the output');
  const runs = async () => ({ State: RUNS });
  t.strictSame(await end({ ...silent, inspect: runs }), LOST, 'also when it says that the container runs');
  t.strictSame(await end({ ...silent, output: never, inspect: away }), LOST, 'while the output may go on');
  const waited = Promise.withResolvers<void>();
  let asked = 0;
  const inspect = async () => {
    asked += 1;
    if (asked < 4) return { State: RUNS };
    waited.resolve();
    return { State: ENDED };
  };
  const slow = end({ waited: waited.promise, output: new Promise(() => undefined), lostAfterMs: HASTY_MS, inspect });
  t.strictSame(await slow, { code: 0, oomKilled: false }, 'a connector that is still for long is not lost');
});

t.test('an output that was cut off counts for no end unless it was us who stopped the container', async (t) => {
  const cut = { output: Promise.resolve('cut' as const) };
  t.strictSame(await end(cut), LOST);
  t.strictSame(await end({ ...cut, isStopped: () => true }), { code: 0, oomKilled: false });
  const later = { State: { ...ENDED, FinishedAt: '9999-01-01T00:00:00Z' } };
  const early = Promise.withResolvers<void>();
  const ended = end({ waited: early.promise, inspect: async () => later });
  setImmediate(early.resolve);
  t.strictSame(await ended, LOST, 'one that ran on after its output ended');
});
