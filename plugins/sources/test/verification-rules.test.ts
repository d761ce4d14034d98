import type { TableSnapshot } from '@weir/plugin-datasets/contract';
import fc from 'fast-check';
import t from 'tap';
import type { ReceiptStreamView } from '../src/contract.ts';
import { compareStream, type StreamEvidence, supersededBy, worstOf } from '../src/model/verification/compare.ts';

const RECEIPT: ReceiptStreamView = {
  ...{ stream_id: 's', name: 'orders', namespace: null, dataset_id: 'bronze.demo.orders', status: 'succeeded' },
  ...{ quarantine_dataset_id: 'bronze.demo.orders__quarantine', schema_id: 0, commits: 1, state_sha256: null },
  ...{ rows_read: 12, rows_written: 10, rows_with_errors: 3, rows_with_extra: 1, rows_quarantined: 2, bytes_read: 9 },
  ...{ rows_in_table: 10, checksum: 'sum64:0a', snapshot_ids: ['7', '8'], schema_changes: [], failure: null },
};
const FIGURES = { rows: 10, rowsWithErrors: 3, checksum: 'sum64:0a' };
const counted = (change: Partial<typeof FIGURES> = {}) =>
  ({ outcome: 'counted', snapshotId: '8', figures: { ...FIGURES, ...change } }) as const;
const WHOLE: StreamEvidence = {
  atCommit: counted(),
  now: counted(),
  rejected: { outcome: 'counted', snapshotId: '9', lines: 2, now: 2 },
  supersededBy: undefined,
};
const look = (evidence: Partial<StreamEvidence>, receipt: Partial<ReceiptStreamView> = {}) => {
  const { verdict, reason, figures } = compareStream({ ...RECEIPT, ...receipt }, { ...WHOLE, ...evidence });
  return [verdict, reason, ...figures.filter(({ equal }) => !equal).map(({ figure }) => figure)];
};

t.test('a stream is equal when every figure of its receipt is found in its tables', async (t) => {
  t.strictSame(look({}), ['equal', null]);
  t.strictSame(look({ atCommit: counted({ rows: 9 }) }), ['different', null, 'rows']);
  t.strictSame(look({ atCommit: counted({ checksum: 'sum64:0b' }) }), ['different', null, 'checksum']);
  t.strictSame(look({ atCommit: counted({ rowsWithErrors: 4 }) }), ['different', null, 'rows_with_errors']);
  t.strictSame(look({ now: counted({ rows: 11, checksum: 'x' }) }), ['different', null, 'rows_now', 'checksum_now']);
  const lines = { outcome: 'counted', snapshotId: '9', lines: 1, now: 1 } as const;
  t.strictSame(look({ rejected: lines }), ['different', null, 'rows_quarantined']);
  t.strictSame(look({ rejected: { ...lines, lines: 2, now: 0 } }), ['equal', null], 'lines that were replayed since');
  t.match(compareStream(RECEIPT, { ...WHOLE, atCommit: counted({ rows: 9 }) }), {
    ...{ stream_id: 's', dataset_id: 'bronze.demo.orders', snapshot_id: '8', superseded_by: null },
    figures: [{ figure: 'rows', receipt: '10', table: '9', equal: false }],
  });
});

t.test('lines in quarantine that the receipt does not tell of are named', async (t) => {
  const none = { rows_quarantined: 0 };
  const counted = (snapshotId: string | null, lines: number, now: number) =>
    ({ rejected: { outcome: 'counted', snapshotId, lines, now } }) as const;
  t.strictSame(look({ rejected: { outcome: 'table_missing' } }, none), ['equal', null], 'there need be no table');
  t.strictSame(look(counted(null, 0, 0), none), ['equal', null]);
  t.strictSame(look(counted(null, 0, 3), none), ['different', null, 'rows_quarantined'], 'put there by nobody of ours');
  t.strictSame(look(counted('9', 2, 5)), ['different', null, 'rows_quarantined'], 'more than there were');
  t.strictSame(look(counted(null, 0, 0)), ['unverifiable', 'snapshot_missing'], 'told of, and its snapshot is gone');
  t.strictSame(look({ rejected: { outcome: 'unreadable' } }, none), ['unverifiable', 'unreadable']);
});

t.test('what cannot be looked at is said, and never taken for equal', async (t) => {
  for (const outcome of ['table_missing', 'snapshot_missing', 'unreadable'] as const) {
    const nothing = { atCommit: { outcome }, now: undefined, rejected: undefined };
    t.strictSame(look(nothing), ['unverifiable', outcome]);
    t.strictSame(look({ rejected: { outcome } }), ['unverifiable', outcome]);
  }
  const gone = { outcome: 'snapshot_missing' } as const;
  t.strictSame(look({ atCommit: gone, now: counted({ rows: 3 }) }), ['different', 'snapshot_missing', 'rows_now']);
  const silent = { rows_in_table: null, checksum: null, rows_quarantined: 0 };
  t.strictSame(look({ atCommit: undefined, now: undefined, rejected: undefined }, silent), [
    'unverifiable',
    'no_figures',
  ]);
  const nothing = { snapshot_ids: [], rows_in_table: null, checksum: null, rows_quarantined: 0 };
  const none = { atCommit: undefined, now: undefined, rejected: undefined };
  t.strictSame(look(none, nothing), ['equal', null], 'a stream that wrote nothing');
});

t.test('rows that a merge has replaced within its own run are no difference', async (t) => {
  const merged = { rows_written: 14, rows_in_table: 10, rows_with_errors: 5 };
  t.strictSame(look({}, merged), ['equal', null]);
});

t.test('only a later run of ours that did more than add takes rows away by right', async (t) => {
  const snapshot = (runId: string | undefined, operation: string): TableSnapshot => ({
    ...{ snapshotId: '1', runId, operation, committedAt: '2026-01-01T00:00:00Z', addedRecords: undefined },
  });
  t.equal(supersededBy('a', []), undefined);
  t.equal(supersededBy('a', [snapshot('b', 'append'), snapshot(undefined, 'delete')]), undefined);
  t.equal(supersededBy('a', [snapshot('c', 'overwrite'), snapshot('b', 'overwrite')]), 'b', 'the first of them');
  t.equal(supersededBy('a', [snapshot('b', 'replace'), snapshot('a', 'overwrite')]), undefined);
});

t.test('the verdict of a whole is the worst of its parts', async (t) => {
  const verdicts = fc.array(fc.constantFrom('equal' as const, 'unverifiable' as const, 'different' as const));
  const law = fc.property(verdicts, (parts) => {
    const whole = worstOf(parts);
    if (parts.includes('different')) return whole === 'different';
    return whole === (parts.includes('unverifiable') ? 'unverifiable' : 'equal');
  });
  fc.assert(law, { numRuns: 1_000 });
  t.pass('holds for every list tried');
});
