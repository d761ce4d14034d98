import fc from 'fast-check';
import t from 'tap';
import { inLane } from '../../../test/lane.ts';
import { testSeed } from '../../../test/test-seed.ts';
import { contain, type Outcome, type Policy, sideOf } from '../src/model/containment/judge.ts';
import { lintSchema } from '../src/model/schema/lint.ts';
import { pairs, valuesFor } from './made-up-schemas.ts';

const [PAIRS, VALUES] = inLane('schemas') ? [500, 200] : [60, 40];
const seed = testSeed(process.env);

for (const policy of ['strict', 'optional_friendly'] as Policy[])
  t.test(`${policy}: no value refutes a verdict, and each counter-example holds`, async (t) => {
    const outcomes: Record<Outcome, number> = { compatible: 0, breaking: 0, undetermined: 0 };
    let refuted = 0;
    let tried = 0;
    for (const [one, other] of fc.sample(pairs, { numRuns: PAIRS, seed })) {
      if (lintSchema(one).length + lintSchema(other).length > 0) continue;
      const [a, b] = [sideOf(one), sideOf(other)];
      const { outcome, breaks } = contain(a, b, policy);
      outcomes[outcome] += 1;
      const said = () => `${JSON.stringify(one)} in ${JSON.stringify(other)}`;
      for (const { counterExample } of breaks) {
        if (counterExample === undefined) continue;
        const { value } = counterExample;
        if (!a.validator.accepts('', value)) t.fail(`${said()}: not valid before: ${JSON.stringify(value)}`);
        if (b.validator.accepts('', value)) t.fail(`${said()}: not refused after: ${JSON.stringify(value)}`);
      }
      if (outcome === 'breaking')
        t.ok(
          breaks.some(({ counterExample }) => counterExample !== undefined),
          said(),
        );
      if (outcome !== 'compatible') continue;
      for (const value of fc.sample(valuesFor(one, policy === 'strict'), { numRuns: VALUES, seed })) {
        if (!a.validator.accepts('', value)) continue;
        tried += 1;
        if (b.validator.accepts('', value)) continue;
        refuted += 1;
        t.fail(`${said()} is refuted by ${JSON.stringify(value)}`);
      }
    }
    t.equal(refuted, 0);
    t.comment(`${policy}: ${JSON.stringify(outcomes)}, ${tried} values of compatible pairs`);
    t.ok(outcomes.compatible > 0 && outcomes.breaking > 0 && tried > PAIRS, 'the law was tried');
  });
