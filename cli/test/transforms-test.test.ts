import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';

const WEIR = path.join(import.meta.dirname, '../bin/weir.mjs');

/** Runs `weir transforms test` in a folder. */
const tester =
  (dir: string) =>
  (...words: string[]) =>
    promisify(execFile)(process.execPath, [WEIR, 'transforms', 'test', ...words], { cwd: dir }).then(
      ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
    );

const SALES = 'bronze.demo.sales';
const DEFINITION = {
  sql: `select day, count(*) as sales, sum(amount) as amount, max(sold) as last from ${SALES} group by day`,
  checks: [{ name: 'some', kind: 'row_count', min: 1 }],
};
const rows = [
  { day: '2026-01-05', amount: 9.9, sold: '2026-01-05T08:00:00Z' },
  { day: '2026-01-05', amount: '4.50', sold: '2026-01-05T09:00:00Z' },
  { day: null, amount: 0.1, sold: null },
];
const types = { day: 'date', amount: 'decimal(9, 2)', sold: 'timestamptz' };
const good = {
  transform: 'sales.yaml',
  inputs: { [SALES]: { types, rows } },
  expect: [
    { day: null, sales: 1, amount: 0.1, last: null },
    { day: '2026-01-05', sales: 2, amount: 14.4, last: '2026-01-05T09:00:00Z' },
  ],
};
const wrong = { ...good, name: 'wrong <&>', expect: [{ ...good.expect[1], sales: 3 }] };
const tests = {
  'sales.yaml': DEFINITION,
  'good.test.yaml': good,
  'ordered.test.yaml': { ...good, sql: `${DEFINITION.sql} order by day desc nulls first`, ordered: true },
  'none.test.yaml': { ...good, inputs: { [SALES]: { types, rows: [] } }, expect: [], broken_checks: ['some'] },
  'wrong.test.yaml': wrong,
  'slip.test.yaml': { sql: `select dya from ${SALES}`, inputs: { [SALES]: [{ day: 'x' }] } },
  'hostile.test.yaml': { sql: "select content as c from read_text('/etc/passwd')" },
  'unchecked.test.yaml': { ...good, inputs: { [SALES]: { types, rows: [] } }, expect: [] },
  'malformed.test.yaml': { ...good, expects: [] },
};
const files = Object.fromEntries(Object.entries(tests).map(([name, test]) => [name, JSON.stringify(test)]));

t.test('tests of transforms in a folder → each passes or says what differs, and CI has a report', async (t) => {
  const dir = t.testdir(files);
  const ran = await tester(dir)('.', '--junit', 'report.xml', '-o', 'json');
  t.equal(ran.code, 1, ran.stderr);
  const results = JSON.parse(ran.stdout) as { file: string; problems: string[] }[];
  t.strictSame(Object.fromEntries(results.map(({ file, problems }) => [file, problems])), {
    'good.test.yaml': [],
    'ordered.test.yaml': [],
    'none.test.yaml': [],
    'wrong.test.yaml': [
      'row {"day":"2026-01-05","sales":3,"amount":14.4,"last":"2026-01-05T09:00:00Z"}: sales is "2", not 3',
      'unexpected row {"day":null,"sales":"1","amount":"0.10","last":null}',
    ],
    'slip.test.yaml': ['column_unknown dya at line 1, column 8; did you mean day?'],
    'hostile.test.yaml': ['function_refused read_text at line 1, column 26'],
    'unchecked.test.yaml': ['check some is broken by 1'],
    'malformed.test.yaml': ['/expects: Unexpected property'],
  });
  const report = await readFile(path.join(dir, 'report.xml'), 'utf8');
  t.match(report, /<testsuite name="transforms" tests="8" failures="5" /);
  t.match(report, /<testcase name="wrong &lt;&amp;&gt;" classname="wrong.test.yaml"[^>]*>\n {4}<failure message="row /);
});

t.test('one test that passes → exit 0, and a folder without tests → usage', async (t) => {
  const weir = tester(t.testdir({ ...files, empty: {} }));
  t.match(await weir('good.test.yaml'), { code: 0, stdout: /^✓ good {2}\S+ s\n1 passed, 0 failed\n$/ });
  t.match(await weir('empty'), { code: 2, stderr: /ends with \.test\.yaml/ });
});
