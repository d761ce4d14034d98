import type { RunRecord } from '@weir/kernel';
import { RUN_STATUSES } from '@weir/kernel/contract';
import fc from 'fast-check';
import t from 'tap';
import { statsOf } from '../src/model/sync/stats.ts';

const START = Date.parse('2024-01-01T00:00:00Z');

const run: fc.Arbitrary<RunRecord> = fc
  .record({
    runId: fc.uuid(),
    status: fc.constantFrom(...RUN_STATUSES),
    seconds: fc.integer({ min: 0, max: 10_000 }),
  })
  .map(({ runId, status, seconds }) => ({
    ...{ runId, status, kind: 'source-sync', subjectId: 's', workflowId: runId, requestedBy: 'ada', leaseEpoch: 1 },
    carriedBy: 'workflow' as const,
    ...{ createdAt: new Date(START), startedAt: new Date(START), endedAt: new Date(START + seconds * 1_000) },
  }));
const runs = fc.array(run, { maxLength: 30 });
const stats = (list: readonly RunRecord[]) =>
  statsOf({ sourceId: 's', since: undefined, runs: list, counters: new Map(), truncated: false });

t.test('statistics count every run once, and their measures lie where they must', async (t) => {
  const cases = fc.property(runs, (list) => {
    const { by_status: counts, duration_seconds: durations, success_rate: rate, streak, last_success } = stats(list);
    const judged = list.filter(({ status }) => status === 'succeeded' || status === 'failed');
    const sum = Object.values(counts).reduce<number>((total, count) => total + Number(count), 0);
    const longest = Math.max(...judged.map(({ endedAt }) => ((endedAt?.getTime() ?? 0) - START) / 1_000));
    return (
      sum === list.length &&
      (rate === null) === (judged.length === 0) &&
      (durations === null
        ? judged.length === 0
        : durations.p50 <= durations.p95 && durations.p95 <= durations.max && durations.max === longest) &&
      judged.slice(0, streak?.length ?? 0).every(({ status }) => status === streak?.status) &&
      judged.slice(streak?.length ?? 0, (streak?.length ?? 0) + 1).every(({ status }) => status !== streak?.status) &&
      last_success?.run_id === list.find(({ status }) => status === 'succeeded')?.runId
    );
  });
  fc.assert(cases, { numRuns: 1_000 });
  t.pass('holds in every case');
});

t.test('percentiles are of the nearest rank, and rows are those of the runs', async (t) => {
  const ended = (seconds: number, status: RunRecord['status'] = 'succeeded'): RunRecord => ({
    ...{ runId: `${seconds}`, kind: 'k', subjectId: 's', workflowId: 'w', requestedBy: 'ada', leaseEpoch: 1, status },
    carriedBy: 'workflow',
    ...{ createdAt: new Date(START), startedAt: new Date(START), endedAt: new Date(START + seconds * 1_000) },
  });
  const list = Array.from({ length: 20 }, (_, at) => ended(at + 1));
  t.strictSame(stats(list).duration_seconds, { p50: 10, p95: 19, max: 20 });
  t.strictSame(stats([ended(3)]).duration_seconds, { p50: 3, p95: 3, max: 3 });
  t.strictSame(stats([ended(1, 'cancelled'), ended(2), ended(3)]).streak, { status: 'succeeded', length: 2 });
  const LEFT = { filesLeftOut: 7, rowsLeftOut: 8 };
  const one = {
    rowsRead: 5,
    rowsWritten: 4,
    rowsWithErrors: 3,
    rowsWithExtra: 2,
    rowsRejected: 1,
    bytesRead: 9,
    ...LEFT,
  };
  const counters = new Map([['1', one]]);
  t.match(statsOf({ sourceId: 's', since: undefined, runs: [ended(1), ended(2)], counters, truncated: true }), {
    ...{ rows_read: 5, rows_written: 4, rows_with_errors: 3, rows_with_extra: 2, rows_rejected: 1, bytes_read: 9 },
    ...{ files_left_out: 7, rows_left_out: 8 },
    truncated: true,
  });
});
