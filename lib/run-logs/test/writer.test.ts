import fc from 'fast-check';
import t from 'tap';
import { boundedLines, type LogLine, openRunLog, plainLines, RunLogError, type RunLogStore } from '../src/index.ts';
import { newRun } from '../src/testing/run-log-conformance.ts';

const RUNS = 1_000;
const BOUNDS = { lines: fc.integer({ min: 1, max: 12 }), bytes: fc.integer({ min: 1, max: 60 }) };

t.test('of what passes a bounded queue every line is there in order, or counted where it is missing', async () => {
  const bounds = fc.record({ waiting: fc.record(BOUNDS), total: fc.record(BOUNDS), last: fc.record(BOUNDS) });
  const steps = fc.array(
    fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 9 }) }, fc.constant('take' as const)),
  );
  const property = fc.property(bounds, steps, (given, pushes) => {
    type Line = { n: number; size: number } | { dropped: number };
    const queue = boundedLines<Line>(given, {
      sizeOf: (line) => ('size' in line ? line.size : 1),
      marker: (dropped) => ({ dropped }),
    });
    const seen: Line[] = [];
    let n = 0;
    for (const step of pushes) {
      if (step === 'take') seen.push(...queue.take());
      else queue.push({ n: ++n, size: step });
    }
    seen.push(...queue.rest());
    let next = 1;
    for (const line of seen) {
      if ('dropped' in line) next += line.dropped;
      else if (line.n !== next++) return false;
    }
    return next === n + 1;
  });
  fc.assert(property, { numRuns: RUNS });
});

t.test('whatever text comes, its lines hold no control character and none of another line', async () => {
  const text = fc.array(
    fc.oneof(
      fc.array(fc.nat(0x2fff), { maxLength: 4 }).map((codes) => String.fromCharCode(...codes)),
      fc.constantFrom(
        '\u001b[31m',
        '\u001b]0;title\u0007',
        '\u009b1A',
        '\u001b',
        '\r',
        '\n',
        '\u2028',
        '\u202e',
        '\ud800',
      ),
    ),
    { maxLength: 8 },
  );
  const property = fc.property(text, (parts) =>
    plainLines(parts.join('')).every(
      (line) =>
        line.trim() !== '' && line.isWellFormed() && !/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(line),
    ),
  );
  fc.assert(property, { numRuns: RUNS });
});

t.test('texts lose what steers a terminal, and nothing else', async (t) => {
  t.strictSame(plainLines('\u001b[1;31mred\u001b[0m \u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\ \u009b2Jend'), [
    'red link end',
  ]);
  t.strictSame(plainLines('a\tb\r\n\r\nc\u2028d\u0085e\u0000f'), ['a b', 'c', 'd', 'ef']);
  t.strictSame(plainLines('Ünï → 字 🗝 [0m'), ['Ünï → 字 🗝 [0m']);
  const [long] = plainLines('x'.repeat(10_000));
  t.match(long, /^x{8192} \(1808 more characters are not kept\)$/);
  t.equal(plainLines('y\n'.repeat(1_000)).at(-1), '(800 more lines of this message are not kept)');
});

/** A store that keeps what it is given, and fails as it is told to. */
function memoryStore() {
  const lines: LogLine[] = [];
  const told = { fault: undefined as RunLogError | undefined, ends: 0 };
  const store: RunLogStore = {
    async append(_run, batch) {
      if (told.fault !== undefined) throw told.fault;
      lines.push(...batch);
    },
    async end() {
      told.ends += 1;
    },
    async *read() {},
    count: async () => ({}),
    remove: async () => undefined,
  };
  return { lines, told, store };
}

t.test('a writer gives places that rise and times that never fall, and brings all of it into the store', async (t) => {
  const { lines, told, store } = memoryStore();
  const clock = [50, 40, 60];
  const now = () => clock.shift() ?? 55;
  const log = openRunLog({
    store,
    run: newRun(),
    attempt: 3,
    part: 'work',
    now,
    onTrouble: () => t.fail('there is none'),
  });
  for (const message of ['one', 'two', 'three']) log.write({ level: 'info', step: 'plan', message });
  await log.take([{ level: 'warn', step: 'connector', message: 'four', untrusted: true }]);
  await log.close();
  t.strictSame(
    lines.map(({ seq }) => seq),
    [3_000_000_001, 3_000_000_002, 3_000_000_003, 3_000_000_004],
  );
  t.strictSame(
    lines.map(({ at }) => Date.parse(at)),
    [50, 50, 60, 60],
  );
  t.equal(told.ends, 1);
});

t.test('a store that is away for a while gets every line when it is back; what it refuses is left out', async (t) => {
  const { lines, told, store } = memoryStore();
  const troubles: unknown[] = [];
  const log = openRunLog({
    store,
    run: newRun(),
    attempt: 1,
    part: 'work',
    onTrouble: (error) => troubles.push(error),
  });
  told.fault = new RunLogError('unavailable', 'away');
  const many = Array.from({ length: 3_000 }, (_, n) => ({
    level: 'info' as const,
    step: 'connector',
    message: `line ${n}`,
  }));
  await log.take(many);
  t.equal(lines.length, 0);
  t.equal(troubles.length, 1);
  told.fault = undefined;
  await log.take([]);
  await log.close();
  t.strictSame(
    lines.map(({ message }) => message),
    many.map(({ message }) => message),
  );
  t.equal(troubles.length, 1, 'one trouble is told once');

  const refusing = memoryStore();
  refusing.told.fault = new RunLogError('refused', 'too long');
  const refused = openRunLog({
    store: refusing.store,
    run: newRun(),
    attempt: 1,
    part: 'work',
    onTrouble: () => undefined,
  });
  refused.write({ level: 'info', step: 'plan', message: 'x' });
  await refused.close();
  t.strictSame(refusing.lines, [], 'and it does not wait for what will not come');
});
