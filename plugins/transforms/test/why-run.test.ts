import type { InputChange } from '@weir/plugin-datasets/contract';
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
  t.strictSame(why(state('1', '1')), { reason: 'first', moved: [], extent: 'full' });
  t.strictSame(why(state('2', '2'), state('1', '1')), { reason: 'input_moved', moved: [ORDERS], extent: 'full' });
  t.equal(why(state('1', '1'), state('1', '1')), undefined);
  t.equal(why(state('2', '1'), state('1', '1')), undefined, 'a compaction moves no row');
  t.strictSame(why(state('3', '3'), state('2', '1')), { reason: 'input_moved', moved: [ORDERS], extent: 'full' });
  t.strictSame(why(state('2', '1'), state('1', '1'), true), { reason: 'forced', moved: [], extent: 'full' });
  t.strictSame(why(state('2', '1', 'b'), state('1', '1')), { reason: 'definition_changed', moved: [], extent: 'full' });
});

t.test('what became of the incremental input → an increment, or all anew with the reason', async (t) => {
  const [before, now] = [state('1', '1'), state('2', '2')];
  const why = (materialization: 'append' | 'merge', kind: InputChange['kind'], more: object = {}) => {
    const definition = { materialization, incremental: ORDERS };
    const found = whyRun({ now, before, changes: new Map([[ORDERS, kind]]), definition, ...more });
    return found && `${found.reason} ${found.extent}`;
  };
  t.equal(why('append', 'added'), 'input_moved increment');
  t.equal(why('append', 'changed'), 'input_rows_changed full');
  t.equal(why('merge', 'changed'), 'input_moved increment');
  t.equal(why('merge', 'none'), undefined, 'only compacted');
  t.equal(why('merge', 'overwritten'), 'input_overwritten full');
  t.equal(why('append', 'rolled_back'), 'input_rolled_back full');
  t.equal(why('append', 'expired'), 'input_expired full');
  t.equal(why('merge', 'columns_changed'), 'columns_changed full');
  t.equal(why('merge', 'added', { isFullAsked: true }), 'full_asked full');
  t.equal(why('merge', 'none', { isForced: true }), 'forced full');
  t.equal(why('merge', 'added', { now: state('2', '2', 'b') }), 'definition_changed full');
  t.equal(why('merge', 'none', { isOutputMoved: true }), 'output_moved full');
  t.equal(why('append', 'added', { isOutputMoved: true }), 'output_moved full');
  t.equal(why('merge', 'added', { isOutputMoved: true, isFullAsked: true }), 'full_asked full');
  const alone = (definition: object, more: object = {}) => {
    const found = whyRun({ now: before, before, definition: { materialization: 'full', ...definition }, ...more });
    return found && `${found.reason} ${found.extent}`;
  };
  t.equal(alone({}, { isOutputMoved: true }), 'output_moved full');
  t.equal(alone({ materialization: 'append' }, { isOutputMoved: true }), undefined, 'it shares its table');
  t.equal(alone({ materialization: 'partition_overwrite' }, { isOutputMoved: true }), 'output_moved undefined');
  t.equal(alone({ clock: ['now'] }), 'clock full');
  t.equal(alone({ clock: [] }), undefined);
  const other = { dataset_id: 'bronze.acme.other', snapshot_id: '5' };
  t.equal(why('merge', 'added', { now: { ...now, rows_at: [...now.rows_at, other] } }), 'other_input_moved full');
  t.strictSame(whyRun({ now, before: undefined, definition: { materialization: 'append' } }), {
    ...{ reason: 'first', moved: [], extent: undefined },
  });
});
