import t from 'tap';
import { type CommittedState, whyRun } from '../src/model/why-run.ts';

const ORDERS = 'bronze.acme.orders';

/** A state over one dataset: the snapshot that is read, and the newest one that changed rows. */
const state = (snapshot: string, rows: string, artifact_id = 'a'): CommittedState => ({
  ...{ artifact_id, inputs: [{ dataset_id: ORDERS, snapshot_id: snapshot }] },
  rows_at: [{ dataset_id: ORDERS, snapshot_id: rows }],
});

t.test('what moved since the last commit → why a run does its work', async (t) => {
  const why = (now: CommittedState, before?: CommittedState, isForced = false) => whyRun({ now, before, isForced });
  t.strictSame(why(state('1', '1')), { reason: 'first', moved: [] });
  t.strictSame(why(state('2', '2'), state('1', '1')), { reason: 'input_moved', moved: [ORDERS] });
  t.equal(why(state('1', '1'), state('1', '1')), undefined);
  t.equal(why(state('2', '1'), state('1', '1')), undefined, 'a compaction moves no row');
  t.strictSame(why(state('3', '3'), state('2', '1')), { reason: 'input_moved', moved: [ORDERS] });
  t.strictSame(why(state('2', '1'), state('1', '1'), true), { reason: 'forced', moved: [] });
  t.strictSame(why(state('2', '1', 'b'), state('1', '1')), { reason: 'definition_changed', moved: [] });
});
