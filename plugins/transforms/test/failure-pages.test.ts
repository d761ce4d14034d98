import { FAILURE_ORIGINS, filledText } from '@weir/kernel/contract';
import { RunFailed, WORK_FAILURES } from '@weir/work';
import t from 'tap';
import { TRANSFORM_FAILURES, type TransformFailureCode } from '../src/model/failure/failure-table.ts';
import { transformFailed, transformFailures } from '../src/model/failure/transform-failures.ts';
import { SelectFailed, SqlRefused } from '../src/model/select/select-errors.ts';
import plugin from '../src/plugin.ts';
import { statementMiB } from '../src/settings.ts';

const pages = new Map(Object.values(plugin.spec.problems ?? {}).map(({ entry }) => [entry.code, entry]));
const codes = Object.keys(TRANSFORM_FAILURES) as TransformFailureCode[];

t.test('every failure of a run of a transform → a page that says who acts and whether a retry helps', async (t) => {
  for (const code of new Set([...codes, ...Object.keys(WORK_FAILURES)])) {
    const page = pages.get(code);
    t.match(page?.detail, /\. Cause: .+\. A retry (can help|fails the same way)\.$/, code);
    t.ok(page?.hint, code);
  }
});

t.test('errors of a statement → a failure of the table, and others reveal nothing', async (t) => {
  for (const code of codes) {
    const words = TRANSFORM_FAILURES[code];
    t.ok(FAILURE_ORIGINS.includes(words.origin));
    t.strictSame(transformFailures.of(new SelectFailed(code)), { code, ...words, detail: filledText(words.detail) });
  }
  t.match(transformFailures.of(new SelectFailed('out_of_memory', { memory_mib: 320 })), {
    detail: /than the 320 MiB that WEIR_TRANSFORM_MEMORY_MIB gives it/,
  });
  for (const code of ['file_missing', 'toString', 'disk_full']) {
    t.match(transformFailures.of(new SelectFailed(code)), { code: 'statement_failed' });
  }
  t.match(transformFailures.of(new SqlRefused([{ code: 'column_unknown' }])), { code: 'sql_refused' });
  t.ok(pages.has('sql_refused'));
  t.match(transformFailures.of(new Error('value-of-a-row')), { code: 'run_failed' });
  t.match(transformFailures.known('no_lane'), { hint: /WEIR_TRANSFORM_LANES_PER_TENANT/ });
});

t.test(
  'statements share a quarter of the memory, each at least 1 GiB, unless the setting says otherwise',
  async (t) => {
    const given = (slots: number, memoryMiB: number, settings = {}) => statementMiB({ settings }, { slots, memoryMiB });
    t.equal(given(1, 24_576), 6_144);
    t.equal(given(4, 65_536), 4_096);
    t.equal(given(4, 8_192), 1_024);
    t.equal(given(4, 65_536, { WEIR_TRANSFORM_MEMORY_MIB: 512 }), 512);
  },
);

t.test('places of a sentence → filled by the run, and none left', async (t) => {
  const failed = transformFailed('key_doubled', { keys: '3' });
  t.ok(failed instanceof RunFailed);
  t.match(failed.failure, { detail: 'The result has several rows for 3 keys. The table is as before.' });
});

t.test('a value that does not fit → query_failed with column and types, whatever else is known', (t) => {
  const failed = (fault: object) => transformFailures.of(new SqlRefused([{ code: 'value_invalid', ...fault }]));
  t.match(failed({ name: 'note', from: 'VARCHAR', to: 'INT32' }), {
    ...{ code: 'query_failed', origin: 'data', retryable: false },
    detail: 'The statement failed on the rows that it read: a value of type VARCHAR in `note` does not fit INT32.',
  });
  t.match(failed({ to: 'INT128' }).detail, /: a value does not fit INT128\.$/);
  t.match(failed({}).code, 'query_failed');
  t.match(transformFailures.of(new SqlRefused([{ code: 'column_unknown', name: 'x' }])).code, 'sql_refused');
  t.end();
});
