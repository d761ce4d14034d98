import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  fileStore,
  type LineFilter,
  type LogLine,
  lokiStore,
  openRunLog,
  RunLogError,
  type RunLogStore,
  readAll,
  readPage,
} from '@weir/run-logs';
import { memoryIndex, newRun, runLogConformance } from '@weir/run-logs/testing';
import t from 'tap';
import { runLogLaws } from '../../plugins/sources/test/run-log-laws.ts';
import { PATIENT_MS, until } from '../until.ts';
import { startGateway } from './gateway.ts';
import { lokiProgram } from './loki-program.ts';
import { startLoki } from './start-loki.ts';

const TOKEN = 'let-me-in';
const [LINES, PAGE] = [8_000, 1_500];
/** What a tenant may send at once, and lines that are more than that. */
const BURST_MIB = 3;
const [MANY, LONG] = [900, 8_000];

const folder = await mkdtemp(path.join(tmpdir(), 'weir-loki-'));
const program = await lokiProgram((line) => process.stderr.write(`${line}\n`));
const loki = await startLoki({ program, folder, limits: { ingestion_burst_size_mb: BURST_MIB } });
const gateway = await startGateway(loki.url, TOKEN);
t.teardown(async () => {
  await gateway.close();
  await loki.stop();
  await rm(folder, { recursive: true, force: true });
});
const store = lokiStore({ url: gateway.url, token: TOKEN });

const line = (n: number, message: string, more: Partial<LogLine> = {}): LogLine => ({
  ...{ seq: 1_000_000_000 + n, at: new Date().toISOString(), level: 'info', step: 'plan', attempt: 1, message },
  ...more,
});
async function all(of: RunLogStore, run: ReturnType<typeof newRun>, filter: LineFilter = {}): Promise<LogLine[]> {
  const found: LogLine[] = [];
  for await (const some of readAll(of, run, filter)) found.push(...some);
  return found;
}
/** All of it page by page, as a reader gets it who follows each page to the next. */
async function paged(of: RunLogStore, run: ReturnType<typeof newRun>, asked: Parameters<typeof readPage>[2]) {
  const found: LogLine[] = [];
  let after: number | undefined;
  do {
    const { lines, next } = await readPage(of, run, { ...asked, after });
    found.push(...lines);
    after = next;
  } while (after !== undefined);
  return found;
}
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'taken',
    (error: unknown) => (error instanceof RunLogError ? error.code : String(error)),
  );

t.test('a real Loki keeps the rules of a log store', async (t) =>
  runLogConformance(t, store, { removesWithinMs: PATIENT_MS }),
);

t.test('whatever is looked for, a real Loki and files give the same lines on the same pages', async (t) => {
  const files = fileStore({ root: path.join(folder, 'files'), index: memoryIndex() });
  const run = newRun();
  const began = Date.now();
  const lines = Array.from({ length: LINES }, (_, n) =>
    line(n + 1, `Row ${n} of "${n % 7}" \\ ключ`, {
      at: new Date(began + Math.floor(n / 40)).toISOString(),
      level: (['debug', 'info', 'warn', 'error'] as const)[n % 4] ?? 'info',
      ...(n % 3 === 0 ? { stream: `a "b" ${n % 5}` } : {}),
      step: n % 2 === 0 ? 'connector' : 'commit',
    }),
  );
  for (const one of [files, store])
    for (let from = 0; from < LINES; from += 2_000) await one.append(run, lines.slice(from, from + 2_000));
  const filters: LineFilter[] = [
    {},
    { text: 'ROW 7999 OF' },
    { text: '"3" \\ КЛЮЧ' },
    { pattern: '^Row 1[0-9]{3} ' },
    { pattern: '(?i)ROW \\d*77 ' },
    { level: 'warn' },
    { stream: 'a "b" 3', step: 'commit' },
    { attempt: 2 },
    { from: began + 100, to: began + 200 },
    { level: 'error', text: '"6"', from: began + 50 },
  ];
  for (const filter of filters) {
    const [wanted, found] = [await all(files, run, filter), await all(store, run, filter)];
    t.strictSame(found, wanted, JSON.stringify(filter));
    for (const direction of ['forward', 'backward'] as const) {
      const listed = direction === 'forward' ? wanted : wanted.toReversed();
      t.strictSame(await paged(store, run, { filter, direction, wanted: PAGE }), listed, direction);
    }
  }
  t.strictSame({ ...(await store.count(run)) }, { ...(await files.count(run)) });
  await files.end(run, 1, 'work');
});

t.test('what is more than Loki takes at a time waits, and all of it comes', async (t) => {
  const run = newRun();
  const troubles: unknown[] = [];
  const log = openRunLog({ store, run, attempt: 1, part: 'work', onTrouble: (error) => troubles.push(error) });
  const draft = { level: 'info', step: 'connector' } as const;
  const long = 'x'.repeat(LONG);
  for (let n = 0; n < MANY; n += 100) {
    await log.take(Array.from({ length: 100 }, (_, at) => ({ ...draft, message: `${n + at} ${long}` })));
    await new Promise((done) => setImmediate(done));
  }
  await log.close();
  const numbers = (await all(store, run)).map(({ message }) => Number.parseInt(message, 10));
  t.ok((gateway.answers.get(429) ?? 0) > 0, 'it was told to wait');
  t.ok(troubles.length > 0);
  t.strictSame(
    numbers.toSorted((one, other) => one - other),
    Array.from({ length: MANY }, (_, n) => n),
  );
});

t.test('long lines behind short ones are read, though one answer could not hold them', async (t) => {
  const run = newRun();
  const lines = Array.from({ length: 1_700 }, (_, n) => line(n + 1, n < 1_000 ? 'short' : `${n} ${'ж'.repeat(LONG)}`));
  for (let from = 0; from < lines.length; ) {
    await until(
      'a Loki that takes lines',
      async () => (await codeOf(store.append(run, lines.slice(from, from + 100)))) === 'taken',
    );
    from += 100;
  }
  t.strictSame(
    (await all(store, run)).map(({ seq }) => seq),
    lines.map(({ seq }) => seq),
  );
});

t.test('a line that Loki refuses takes no other with it, and the run goes on', async (t) => {
  const run = newRun();
  const late = line(3, 'late', { at: new Date(Date.now() - 9 * 86_400_000).toISOString() });
  const refused = [line(1, 'before'), late, line(4, 'y'.repeat(300_000)), line(5, 'after')];
  t.equal(await codeOf(store.append(run, refused)), 'refused');
  t.strictSame(
    (await all(store, run)).map(({ message }) => message),
    ['before', 'after'],
  );
});

t.test('without its token, or away, a store is told apart', async (t) => {
  const run = newRun();
  t.equal(await codeOf(lokiStore({ url: gateway.url, token: 'wrong' }).append(run, [line(1, 'x')])), 'refused');
  t.equal(await codeOf(lokiStore({ url: gateway.url }).append(run, [line(1, 'x')])), 'refused');
  t.equal(await codeOf(lokiStore({ url: 'http://127.0.0.1:1' }).append(run, [line(1, 'x')])), 'unavailable');
  t.strictSame(await all(store, run), []);
});

t.test('the log of a run is the same through the API as it is from files', (t) =>
  runLogLaws(t, () => ({ LOG_STORE_URL: gateway.url, LOG_STORE_AUTH_TOKEN: TOKEN })),
);
