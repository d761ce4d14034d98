import t from 'tap';
import { type Decision, decide, SNAPSHOT_CHANGES } from '../src/model/sync/decide.ts';

const is = (
  mode: Decision['mode'],
  replayReason: Decision['replayReason'],
  effectiveSpecChanged = false,
): Decision => ({
  ...{ mode, replayReason, effectiveSpecChanged },
});

/** The table of the contract, by its first row that fits: applied, same fingerprint, force, dirty. */
const EXPECTED = (applied: boolean, same: boolean, snapshot: string, force: boolean, dirty: boolean): Decision => {
  if (!applied) return is('full', 'initial');
  if (force) return is('full', 'forced', !same);
  if (!same) return is('full', 'effective_spec_changed', true);
  if (dirty) return is('diff', 'recover_partial_run');
  if (snapshot === 'same') return is('skip', null);
  if (snapshot === 'added') return is('append', null);
  return is('diff', snapshot === 'changed' ? null : 'snapshot_lineage');
};

t.test('what a run does follows from fingerprints, snapshot, force and dirt, for every input', async (t) => {
  const both = [false, true];
  let inputs = 0;
  for (const applied of both)
    for (const same of both)
      for (const snapshot of SNAPSHOT_CHANGES)
        for (const force of both)
          for (const dirty of both) {
            const before = applied ? (same ? 'v2:a' : 'v2:b') : null;
            const found = decide(before, 'v2:a', snapshot, { force, dirty });
            const at = JSON.stringify({ applied, same, snapshot, force, dirty });
            t.strictSame(found, EXPECTED(applied, same, snapshot, force, dirty), at);
            inputs += 1;
          }
  t.equal(inputs, 2 ** 4 * SNAPSHOT_CHANGES.length);
});

t.test('nothing is skipped or only appended unless what is applied is whole and of the same fingerprint', async (t) => {
  for (const snapshot of SNAPSHOT_CHANGES)
    for (const [applied, force, dirty] of [
      [null, false, false],
      ['b', false, false],
      ['a', true, false],
      ['a', false, true],
    ] as const) {
      const { mode } = decide(applied, 'a', snapshot, { force, dirty });
      t.ok(mode === 'full' || mode === 'diff', `${applied} ${force} ${dirty} ${snapshot}`);
    }
});
