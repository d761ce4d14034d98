import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { firstSeq, type LoggedRun, type LogLine, type LogPart } from '../log-line.ts';
import { readAll, readPage } from '../read-lines.ts';
import { RunLogError } from '../run-log-error.ts';
import type { ReadRequest, RunLogStore } from '../run-log-store.ts';

const LOOK_EVERY_MS = 500;

/** The part of a tap test that the suite needs. */
export interface LogSuite {
  test(
    name: string,
    body: (t: {
      equal(found: unknown, wanted: unknown): unknown;
      strictSame(found: unknown, wanted: unknown): unknown;
    }) => unknown,
  ): unknown;
}

/** A run of now, as its id tells. */
export function newRun(tenantId: string = randomUUID()): LoggedRun {
  const time = Date.now().toString(16).padStart(12, '0');
  return { tenantId, runId: `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}` };
}

/** Lines of one writer, a millisecond apart. */
function lines(attempt: number, part: LogPart, messages: readonly string[], from = Date.now()): LogLine[] {
  return messages.map((message, n) => ({
    seq: firstSeq(attempt, part) + n + 1,
    at: new Date(from + n).toISOString(),
    level: 'info',
    step: 'connector',
    attempt,
    message,
  }));
}

const forward = (more: Partial<ReadRequest> = {}): ReadRequest => ({
  ...{ filter: {}, direction: 'forward', wanted: 10_000 },
  ...more,
});
const all = async (store: RunLogStore, run: LoggedRun): Promise<LogLine[]> => {
  const found: LogLine[] = [];
  for await (const some of readAll(store, run, {})) found.push(...some);
  return found;
};

/**
 * Runs the rules that every log store keeps, one test each, on runs of their own. What is removed is gone at once, unless the
 * store may take its time.
 */
export function runLogConformance(t: LogSuite, store: RunLogStore, { removesWithinMs = 0 } = {}): void {
  t.test('a line comes back as it was, whatever text is in it', async (t) => {
    const run = newRun();
    const [first] = lines(1, 'work', ['']);
    const messages = [' ', '"quoted" \\ {}', 'ключ 🗝 日本', '%s $1 `', 'a'.repeat(8_000), '{"json":true}'];
    const wanted = messages.map(
      (message, n): LogLine => ({
        ...(first as LogLine),
        seq: firstSeq(1, 'work') + n + 1,
        ...{ level: n % 2 === 0 ? 'warn' : 'fatal', stream: `a "stream" ${n}`, step: 'commit', message },
        ...{ fields: { rows: n, is: true, text: 'x"y' }, untrusted: true },
      }),
    );
    await store.append(run, wanted);
    t.strictSame(await all(store, run), wanted);
    t.strictSame({ ...(await store.count(run)) }, { warn: 3, fatal: 3 });
  });
  t.test('a batch that is appended again is there once', async (t) => {
    const run = newRun();
    const batch = lines(1, 'work', ['one', 'two']);
    await store.append(run, batch);
    await store.append(run, batch);
    t.strictSame(await all(store, run), batch);
  });
  t.test('attempts stand one behind the other, and the end behind its attempt, whoever wrote first', async (t) => {
    const run = newRun();
    const now = Date.now();
    await store.append(run, lines(2, 'end', ['the end'], now));
    await store.append(run, lines(2, 'work', ['c', 'd'], now));
    await store.append(run, lines(1, 'work', ['a'], now + 5));
    await store.append(run, lines(1, 'work', ['a', 'b'], now + 5).slice(1));
    for (const [attempt, part] of [
      [1, 'work'],
      [2, 'work'],
      [2, 'end'],
    ] as const)
      await store.end(run, attempt, part);
    t.strictSame(
      (await all(store, run)).map(({ message }) => message),
      ['a', 'b', 'c', 'd', 'the end'],
    );
    const last = await readPage(store, run, forward({ direction: 'backward', wanted: 2 }));
    t.strictSame(
      last.lines.map(({ message }) => message),
      ['the end', 'd'],
    );
    t.strictSame((await readPage(store, run, forward({ after: last.next, wanted: 9 }))).lines.length, 1);
  });
  t.test('what is behind a place is read while more is written', async (t) => {
    const run = newRun();
    const batch = lines(1, 'work', ['one', 'two', 'three']);
    await store.append(run, batch.slice(0, 1));
    const first = await readPage(store, run, forward());
    t.strictSame([first.lines.length, first.next], [1, undefined]);
    await store.append(run, batch.slice(1));
    const place = first.lines[0]?.seq;
    t.strictSame((await readPage(store, run, forward({ after: place }))).lines, batch.slice(1));
    t.strictSame((await readPage(store, run, forward({ after: batch[2]?.seq }))).lines, []);
  });
  t.test('runs and tenants are apart, and a removed run leaves the others', async (t) => {
    const [run, sister, stranger] = [newRun(), newRun(), newRun()];
    const own = { ...sister, tenantId: run.tenantId };
    for (const one of [run, own, stranger]) await store.append(one, lines(1, 'work', [one.runId]));
    const foreign = { ...run, tenantId: stranger.tenantId };
    t.strictSame(await all(store, foreign), []);
    t.strictSame(await store.count(foreign), {});
    await store.end(run, 1, 'work');
    await store.remove(run);
    await store.remove(newRun());
    const until = performance.now() + removesWithinMs;
    while ((await all(store, run)).length > 0 && performance.now() < until) await delay(LOOK_EVERY_MS);
    t.strictSame(await all(store, run), []);
    for (const one of [own, stranger])
      t.strictSame(
        (await all(store, one)).map(({ message }) => message),
        [one.runId],
      );
  });
  t.test('a pattern that is none is refused', async (t) => {
    const read = readPage(store, newRun(), forward({ filter: { pattern: '(' } }));
    const code = await read.then(
      () => 'taken',
      (error: unknown) => (error instanceof RunLogError ? error.code : inspect(error)),
    );
    t.equal(code, 'refused');
  });
}
