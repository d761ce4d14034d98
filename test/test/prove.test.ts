import t from 'tap';
import { inLane } from '../lane.ts';
import { DRIVES, PLACES } from '../prove/contributions.ts';
import { stopping } from '../prove/platform/stopping.ts';
import { MODES, type ProofMode } from '../prove/proof.ts';
import { runProof } from '../prove/run-proof.ts';
import { identitiesOf } from '../prove/secret-store-identities.ts';

/** The proof of the store also creates sources with inline credentials and migrates them, so it shows more than the other. */
const SHORT: readonly ProofMode[] = ['secret_store'];

t.test(
  'credentials in every place that takes one → no value is found anywhere, and every leak on purpose is',
  async (t) => {
    const ending = stopping();
    t.teardown(() => ending.stop());
    const report = await runProof({
      ...{
        modes: inLane('proof-both') ? MODES : SHORT,
        effort: 'short',
        stopping: ending,
        places: PLACES,
        drives: DRIVES,
      },
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
