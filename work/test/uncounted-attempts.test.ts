import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { attempt, boundedAttempt, failures, RunFailed, type UncountedAttempts, uncountedAttempts } from '@weir/work';
import { pino } from 'pino';
import t from 'tap';

const words = failures();
const fault = () => new RunFailed(words.known('run_failed'));

/** The words of an attempt that fails, to which the one before it told something. */
async function toldBy(
  before: unknown,
  work: (given: { told: unknown; beat(details: unknown): void }) => Promise<never>,
) {
  const beats: unknown[] = [];
  const context = {
    info: { workflowExecution: { workflowId: 'w' }, attempt: 2, heartbeatDetails: before },
    cancellationSignal: new AbortController().signal,
    heartbeat: (details: unknown) => void beats.push(details),
  } as unknown as Context;
  const input = { tenant_id: 'tenant', run_id: 'run' };
  const end = asyncLocalStorage.run(context, () =>
    attempt({ log: pino({ level: 'silent' }), failures: words }, input, work),
  );
  await end.catch(() => undefined);
  return beats;
}

t.test('heartbeat details: progress is dropped, uncounted attempts are kept', async (t) => {
  const before = { rowsRead: 7, pull: { bytes: 1 }, uncounted: [1] };
  const fails = async () => {
    throw fault();
  };
  t.strictSame(await toldBy(before, fails), [undefined]);
  const failsAsSync = async ({ told, beat }: Parameters<Parameters<typeof toldBy>[1]>[0]) => {
    uncountedAttempts(told, beat);
    throw fault();
  };
  t.strictSame(await toldBy(before, failsAsSync), [{ uncounted: [1] }], 'however soon it ends');
});

t.test('those up to the last attempt that got on are forgotten, and of the rest a thousand are told', async (t) => {
  let told: unknown;
  const given = (numbers: readonly number[]) =>
    uncountedAttempts({ uncounted: numbers }, (details) => {
      told = details;
    });
  const many = given([]);
  for (let number = 1; number <= 1_003; number += 1) many.add(number);
  t.equal(many.numbers().length, 1_000);
  t.strictSame([many.numbers().at(0), many.numbers().at(-1)], [4, 1_003], 'the newest');
  const judged = async (gotOnAt: number, uncounted: UncountedAttempts) => {
    const { signal } = new AbortController();
    const lastProgress = async () => gotOnAt;
    return boundedAttempt({ failures: words, leaseEpoch: 9, signal, uncounted, lastProgress }, async () => 'done');
  };
  t.equal(await judged(4, given([2, 3, 4, 6, 8])), 'done');
  t.strictSame(told, { uncounted: [6, 8] });
  t.equal(await judged(0, given([2, 3, 4, 6, 8])), 'done');
  t.strictSame(told, { uncounted: [2, 3, 4, 6, 8] });
});
