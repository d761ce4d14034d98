import t from 'tap';
import { type Effort, fuzzPlatform } from '../fuzz/fuzz-platform.ts';
import { enough, reasonOf, unreached } from '../fuzz/reached.ts';

/** Schemathesis asks for a bound; only a hang reaches this one. `npm run fuzz` is the long form. */
const NO_BOUND = 3_600;
const EFFORT: Effort = {
  ...{ phases: ['examples'], examples: 1, seed: 1, maxSeconds: NO_BOUND },
  roles: ['admin'],
  tenants: ['acme'],
};
/** Each must be answered by a 2xx; the other operations may have exceptions. */
const CREDENTIALS = /credentials/;

t.test('the example of every operation: no server error, answers as documented, and 2xx from 95 in 100', async (t) => {
  const { runs, operations } = await fuzzPlatform(t, t.testdir(), { mode: 'secret_store', efforts: [EFFORT] }, (line) =>
    t.comment(line),
  );
  for (const { caller, passed, said } of runs) t.ok(passed, caller, { diagnostic: !passed, said });
  const missed = unreached(operations);
  const reasons = missed.map(({ name, statuses }) => `${name} ${JSON.stringify(statuses)} (${reasonOf(name)})`);
  t.comment(`${operations.length - missed.length} of ${operations.length} reached a 2xx; not: ${reasons.join(', ')}`);
  t.ok(enough(operations), reasons.join(', '));
  t.equal(operations.filter(({ name }) => CREDENTIALS.test(name)).length, 7);
  t.strictSame(
    missed.filter(({ name }) => CREDENTIALS.test(name)),
    [],
  );
});
