import { readFile } from 'node:fs/promises';
import { type RelationFacts, review } from '@weir/sql';
import t from 'tap';
import { parse } from '../../../lib/sql/test/kit.ts';
import { reviewSql } from '../src/contract.ts';
import { setUp } from './kit.ts';

interface Corpus {
  readonly inputs: Record<string, RelationFacts>;
  readonly bad: Record<string, string[]>;
  readonly good: string[];
}

const CORPUS = new URL('../../../lib/sql/test/fixtures/review.json', import.meta.url);
const FOUND = { valid: true, faults: [], inputs: [], columns: [], lineage: [], estimate: null };

t.test('the corpus through the route → recall ≥ .95, false findings ≤ 2 %, and no provider is asked', async (t) => {
  const { inputs, bad, good } = JSON.parse(await readFile(CORPUS, 'utf8')) as Corpus;
  const { call } = await setUp(t, {
    validate: async (_tenant, { sql }) => ({ ...FOUND, findings: review(await parse(sql), { sql, inputs }) }),
    remote: {
      ...{ name: 'remote', model: 'never', attempts: 1, tokensFor: () => 0 },
      run: () => Promise.reject(new Error('a provider was asked')),
    },
  });
  const rulesOf = async (sql: string) => {
    const answer = await call(reviewSql, { body: { sql } });
    if (!answer.ok) throw new Error(answer.problem.code);
    return answer.body.result.findings.map(({ rule_id }) => rule_id);
  };
  const seeded = Object.entries(bad).flatMap(([rule, statements]) => statements.map((sql) => ({ rule, sql })));
  let caught = 0;
  for (const { rule, sql } of seeded) if ((await rulesOf(sql)).includes(rule)) caught += 1;
  let blamed = 0;
  for (const sql of good) if ((await rulesOf(sql)).length > 0) blamed += 1;
  t.ok(seeded.length >= 60 && good.length >= 60);
  t.ok(caught / seeded.length >= 0.95, `${caught} of ${seeded.length}`);
  t.ok(blamed / good.length <= 0.02, `${blamed} of ${good.length}`);
});
