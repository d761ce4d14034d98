import t from 'tap';
import { DRIVES, PLACES } from '../prove/contributions.ts';
import { stopping } from '../prove/platform/stopping.ts';
import { MODES } from '../prove/proof.ts';
import { runProof } from '../prove/run-proof.ts';
import { identitiesOf } from '../prove/secret-store-identities.ts';

/** Far beyond what a proof takes; only a hang reaches it. */
const HANG_LIMIT_MS = 900_000;
t.setTimeout(HANG_LIMIT_MS);

t.test(
  'no value of a credential is found anywhere in either mode, and every leak that is made on purpose is',
  async (t) => {
    const ending = stopping();
    t.teardown(() => ending.stop());
    const report = await runProof({
      ...{ modes: MODES, effort: 'short', stopping: ending, places: PLACES, drives: DRIVES },
      ...{ prepare: identitiesOf, say: (line) => t.comment(line) },
    });
    t.same(report.findings, []);
    t.same(report.faults, []);
    t.same(report.not_run, []);
    t.same(
      report.places.filter(({ control }) => control !== 'found').map(({ place }) => place),
      [],
    );
    t.equal(report.verdict, 'proved');
  },
);
