import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import {
  fileStore,
  type LineFilter,
  LOG_LEVELS,
  type LogLine,
  lokiStore,
  type RunLogStore,
  readPage,
} from '../src/index.ts';
import { newRun } from '../src/testing/run-log-conformance.ts';
import { fakeLoki, memoryIndex } from '../src/testing.ts';

const RUNS = { files: 1_000, loki: 250 };
const LOGS = 6;
const NOW = Date.now();
const SEQ_PER_ATTEMPT = 1_000_000_000;
const SEQ_OF_END = 900_000_000;

/** Few letters, so that searches find something; and those that a search must not take for its own. */
const letter = fc.constantFrom('a', 'B', 'b', 'É', 'é', '.', '*', '"', '\\', '[', '$', ' ', '%', '字');
const text = (max: number) => fc.array(letter, { minLength: 1, maxLength: max }).map((letters) => letters.join(''));
const name = fc.constantFrom('orders', 'a "b"', 'c\\d');
const step = fc.constantFrom('plan', 'commit', 'connector');

const draft = fc.record({
  level: fc.constantFrom(...LOG_LEVELS),
  stream: fc.option(name, { nil: undefined }),
  step,
  message: text(12).map((message) => `x${message}`),
  later: fc.constantFrom(0, 0, 1, 40),
});
const part = fc.record({
  lines: fc.array(draft, { minLength: 1, maxLength: 40 }),
  batch: fc.integer({ min: 1, max: 9 }),
});

/** A log: for each attempt the work and its end, each with times that never fall. */
const log = fc.array(fc.tuple(part, part), { minLength: 1, maxLength: 3 });

/** Patterns that mean the same to RE2 and to JavaScript. */
const pattern = fc.constantFrom('^xa', 'b$', '[ab]+[.]', '(a|é)b?', 'a{2}', '^x.$', '\\\\', '字|\\[');

const filter: fc.Arbitrary<LineFilter> = fc.record(
  {
    level: fc.constantFrom(...LOG_LEVELS),
    stream: name,
    step,
    attempt: fc.integer({ min: 0, max: 4 }),
    from: fc.integer({ min: NOW - 5, max: NOW + 400 }),
    to: fc.integer({ min: NOW, max: NOW + 800 }),
    text: text(2),
    pattern,
  },
  { requiredKeys: [] },
);
const question = fc.record({
  filter,
  direction: fc.constantFrom('forward' as const, 'backward' as const),
  wanted: fc.integer({ min: 1, max: 30 }),
});

type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never;

/** What a search is to find: every word of the filter said over a plain list. */
function expected(
  lines: readonly LogLine[],
  { filter, direction }: { filter: LineFilter; direction: string },
): LogLine[] {
  const {
    level = 'trace',
    stream,
    step,
    attempt,
    from = 0,
    to = Number.MAX_SAFE_INTEGER,
    text = '',
    pattern = '',
  } = filter;
  const expression = new RegExp(pattern, 'u');
  const found = lines.filter(
    (line) =>
      LOG_LEVELS.indexOf(line.level) >= LOG_LEVELS.indexOf(level) &&
      (stream === undefined || line.stream === stream) &&
      (step === undefined || line.step === step) &&
      (attempt === undefined || line.attempt === attempt) &&
      Date.parse(line.at) >= from &&
      Date.parse(line.at) < to &&
      line.message.toLowerCase().includes(text.toLowerCase()) &&
      expression.test(line.message),
  );
  return direction === 'forward' ? found : found.reverse();
}

/** Every page of an answer, one behind the other. */
async function pages(
  store: RunLogStore,
  run: ReturnType<typeof newRun>,
  asked: Drawn<typeof question>,
): Promise<LogLine[]> {
  const found: LogLine[] = [];
  for (let after: number | undefined; ; ) {
    const { lines, next } = await readPage(store, run, { ...asked, after });
    found.push(...lines);
    if (next === undefined) return found;
    after = next;
  }
}

/** Stores a log, batch by batch, and answers it as a list in the order of the places. */
async function stored(
  store: RunLogStore,
  run: ReturnType<typeof newRun>,
  parts: Drawn<typeof log>,
): Promise<LogLine[]> {
  const all: LogLine[] = [];
  for (const [n, pair] of parts.entries())
    for (const [k, { lines, batch }] of pair.entries()) {
      const attempt = n + 1;
      let at = NOW;
      const written = lines.map(({ later, stream, ...line }, i): LogLine => {
        at += later;
        const seq = attempt * SEQ_PER_ATTEMPT + (k === 0 ? 0 : SEQ_OF_END) + i + 1;
        return { seq, at: new Date(at).toISOString(), attempt, ...line, ...(stream === undefined ? {} : { stream }) };
      });
      for (let from = 0; from < written.length; from += batch)
        await store.append(run, written.slice(from, from + batch));
      if (n % 2 === 0) await store.end(run, attempt, k === 0 ? 'work' : 'end');
      all.push(...written);
    }
  return all;
}

async function searchIsThatOfAList(store: RunLogStore, numRuns: number): Promise<void> {
  const logs = await Promise.all(
    fc.sample(log, LOGS).map(async (parts) => {
      const run = newRun();
      return { run, lines: await stored(store, run, parts) };
    }),
  );
  const plain = (lines: readonly LogLine[]) => lines.map((line) => JSON.stringify(Object.entries(line).sort()));
  const property = fc.asyncProperty(fc.constantFrom(...logs), question, async ({ run, lines }, asked) => {
    const [found, wanted] = [await pages(store, run, asked), expected(lines, asked)];
    return JSON.stringify(plain(found)) === JSON.stringify(plain(wanted));
  });
  await fc.assert(property, { numRuns });
}

t.test('a search in files finds what the same search finds in a plain list, in the same order', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'weir-run-logs-'));
  t.teardown(() => rm(root, { recursive: true }));
  await searchIsThatOfAList(fileStore({ root, index: memoryIndex(), segmentBytes: 500 }), RUNS.files);
});

t.test('a search in Loki finds what the same search finds in a plain list, in the same order', async (t) => {
  const loki = await fakeLoki();
  t.teardown(() => loki.close());
  await searchIsThatOfAList(lokiStore({ url: loki.url }), RUNS.loki);
});
