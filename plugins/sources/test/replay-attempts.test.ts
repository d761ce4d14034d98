import t from 'tap';
import { ReplayEntity } from '../src/model/quarantine/entity.ts';
import { type ReplayDeps, runReplay } from '../src/work/quarantine/run-replay.ts';

type LeasedRun = Parameters<typeof runReplay>[1];

t.test('an attempt of a replay first brings to its end what an earlier one has left half done', async (t) => {
  const outcome = { lines: 2, superseded: 0, rows: 2, rejected: 0, reasons: [], snapshot_id: '7' };
  const resumed: unknown[] = [];
  let kept: unknown;
  const tx = {
    findOne: async (entity: unknown) =>
      entity === ReplayEntity ? { streamId: 's', request: {} } : { streamId: 's', destinationTable: 'orders' },
    update: async (_row: unknown, change: { outcome: unknown }) => {
      kept = change.outcome;
    },
  };
  const deps = {
    kernel: {
      db: () => ({ transaction: (work: (given: typeof tx) => unknown) => work(tx) }),
    },
    // Nothing else is asked of the tables: the lines are where they belong.
    tables: {
      bronze: (_tenant: unknown, table: string) => ({ namespace: 'bronze.demo', table }),
      async resume(_tenant: unknown, lease: unknown, stream: unknown) {
        resumed.push(lease, stream);
        return { checkpoint: { state: outcome, counters: {}, runId: 'run' }, follows: undefined };
      },
    },
  };
  const { signal } = new AbortController();
  const given = { tenant: {}, run: { runId: 'run' }, leaseEpoch: 2, signal, log: { write: () => undefined } };
  await runReplay(deps as unknown as ReplayDeps, given as unknown as LeasedRun);
  t.strictSame(resumed, [
    { runId: 'run', leaseEpoch: 2 },
    { ref: { namespace: 'bronze.demo', table: 'orders' }, streamId: 'replay-s', key: 'quarantine-replay/run' },
  ]);
  t.strictSame(kept, outcome);
});
