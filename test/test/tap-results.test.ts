import t from 'tap';
import { type FileResult, tapResults } from '../tap-results.ts';

const GOOD = `# Subtest: a.test.ts
    # Subtest: a rule
        ok 1 - one
        ok 2 - later # SKIP
        1..2
    ok 1 - a rule
    1..1
ok 1 - a.test.ts # time=1500ms
`;

async function count(files: string[], text: string) {
  const told: FileResult[] = [];
  const results = tapResults(files, (result) => told.push(result));
  for (const character of `TAP version 14\n${text}`) results.write(character);
  return { told, ...(await results.end()) };
}

t.test('assertions are counted, not the tests around them, and skipped ones are neither', async (t) => {
  const { passed, failed, skipped, told } = await count(['a.test.ts'], `${GOOD}1..1\n`);
  t.strictSame({ passed, failed, skipped }, { passed: 1, failed: 0, skipped: 1 });
  t.strictSame(told, [{ file: 'a.test.ts', passed: 1, failed: 0, seconds: 1.5 }]);
});

t.test('a failed assertion is told with where it stands and what tap says of it', async (t) => {
  const text = GOOD.replace(
    '        ok 1 - one',
    '        not ok 1 - one\n          ---\n          diff: |\n            -1\n            +2\n          ...',
  )
    .replace('    ok 1 - a rule', '    not ok 1 - a rule')
    .replace('\nok 1', '\nnot ok 1');
  const { passed, failed, failures } = await count(['a.test.ts'], `${text}1..1\n`);
  t.strictSame({ passed, failed }, { passed: 0, failed: 1 });
  t.strictSame(failures, [{ name: 'a.test.ts > a rule > one', diagnosis: 'diff:\n  -1\n  +2' }]);
});

t.test(
  'a file that dies and one that holds nothing are each one failure, and one that never ran is named',
  async (t) => {
    const text = `${GOOD}# Subtest: dead.test.ts
    1..0
not ok 2 - dead.test.ts
  ---
  exitCode: 3
  ...
# Subtest: empty.test.ts
    1..0 # no tests found
ok 3 - empty.test.ts # SKIP no tests found
1..3
`;
    const { passed, failed, failures, unseen, told } = await count(
      ['a.test.ts', 'dead.test.ts', 'empty.test.ts', 'unseen.test.ts'],
      text,
    );
    t.strictSame({ passed, failed }, { passed: 1, failed: 2 });
    t.strictSame(failures, [
      { name: 'dead.test.ts', diagnosis: 'exitCode: 3' },
      { name: 'empty.test.ts', diagnosis: 'no tests found' },
    ]);
    t.strictSame(unseen, ['unseen.test.ts']);
    t.strictSame(
      told.map(({ file, failed }) => [file, failed]),
      [
        ['a.test.ts', 0],
        ['dead.test.ts', 1],
        ['empty.test.ts', 1],
      ],
    );
  },
);

t.test('a run in which nothing was tested has failed', async (t) => {
  const { passed, failed } = await count([], '1..0\n');
  t.strictSame({ passed, failed }, { passed: 0, failed: 1 });
});
