import t from 'tap';
import { engineComment, engineLines } from '../engine-uses.ts';
import { type Ending, tapResults } from '../tap-results.ts';

const FILE = 'a.test.ts';
const WELL: Ending = { code: 0, signal: null };
const GOOD = `# Subtest: a rule
    ok 1 - one
    ok 2 - later # SKIP
    1..2
ok 1 - a rule
1..1
# time=1500ms
# cpu=1.25
`;

function count(text: string, ending = WELL) {
  const results = tapResults(FILE);
  for (const character of `TAP version 14\n${text}`) results.write(character);
  return results.end(ending);
}

t.test('assertions are counted, not the tests around them, and skipped ones are neither', async (t) => {
  const wanted = { file: FILE, passed: 1, skipped: 1, failed: 0, failures: [], cpuSeconds: 1.25, engines: [] };
  t.strictSame(await count(GOOD), wanted);
});

t.test('a failed assertion is told with where it stands and what tap says of it', async (t) => {
  const text = GOOD.replace(
    '    ok 1 - one',
    '    not ok 1 - one\n      ---\n      diff: |\n        -1\n        +2\n      ...',
  ).replace('\nok 1', '\nnot ok 1');
  const { passed, failed, failures } = await count(text, { code: 1, signal: null });
  t.strictSame({ passed, failed }, { passed: 0, failed: 1 });
  t.strictSame(failures, [{ name: `${FILE} > a rule > one`, diagnosis: 'diff:\n  -1\n  +2' }]);
});

t.test('a file that dies, one that is killed and one that stops before its end are each one failure', async (t) => {
  const died = await count(GOOD, { code: 3, signal: null });
  t.match(died, { passed: 1, failed: 1, failures: [{ name: FILE, diagnosis: 'exit 3' }] });
  const killed = await count(GOOD, { code: null, signal: 'SIGKILL' });
  t.match(killed, { passed: 1, failed: 1, failures: [{ name: FILE, diagnosis: 'exit SIGKILL' }] });
  const stopped = await count('ok 1 - one\n');
  t.match(stopped, { passed: 1, failed: 1, failures: [{ name: /^a\.test\.ts/ }] });
  t.match(await count('', { code: 1, signal: null }), { passed: 0, failed: 1 });
});

t.test(
  'a file in which nothing was tested has failed, and one that says why it tests nothing is skipped',
  async (t) => {
    const empty = await count('1..0 # no tests found\n');
    t.match(empty, { passed: 0, failed: 1, failures: [{ name: FILE, diagnosis: 'no tests found' }] });
    t.match(await count('1..0\n'), { passed: 0, failed: 1 });
    t.match(await count('1..0 # SKIP no such engine\n'), { passed: 0, failed: 0, skipped: 1 });
  },
);

t.test('a run ends by saying what was shown on which engine, and what was not and why', async (t) => {
  const test = (title: string, said: string, ok = 'ok') =>
    `# Subtest: ${title}\n${said}    ${ok} 1 - one\n    1..1\n${ok} - ${title}\n`;
  const on = (kind: string, missing?: string) => `    # ${engineComment(kind, missing)}\n`;
  const each = `${test('a', on('rootless') + on('rootless'))}${test('b', on('rootful'))}${test('c', '')}`;
  const tests = `${each}${test('d', on('rootless'), 'not ok')}1..4\n`;
  const whole = `# ${engineComment('rootful')}\n${test('a', '')}${test('b', '')}1..2\n`;
  const none = `# Subtest: a\n${on('rootless', 'no tunnel')}    1..0 # no tunnel\nok 1 - a # SKIP no tunnel\n1..1\n`;
  const later = none.replace(on('rootless', 'no tunnel'), on('rootful'));
  const results = [
    { ...(await count(tests, { code: 1, signal: null })), file: 'a/test/loopback.test.ts' },
    { ...(await count(whole)), file: 'a/test/verdicts.test.ts' },
    { ...(await count(none)), file: 'b/test/probe.test.ts' },
    { ...(await count(later)), file: 'b/test/unit.test.ts' },
    { ...(await count(GOOD)), file: 'b/test/other.test.ts' },
  ];
  t.strictSame(engineLines(results), [
    'rootful engine: tests passed: 3 (loopback, verdicts)',
    'rootless engine: tests passed: 1 (loopback); skipped: probe (no tunnel)',
  ]);
  t.strictSame(engineLines(results.slice(-1)), []);
});
