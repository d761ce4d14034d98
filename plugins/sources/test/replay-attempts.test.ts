import t from 'tap';
import { ReplayEntity } from '../src/model/quarantine/entity.ts';
import { type ReplayDeps, replaying } from '../src/work/quarantine/run-replay.ts';

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
      tenants: { byId: async () => ({}) },
      runs: { begin: async () => ({ leaseEpoch: 2 }), find: async () => ({ runId: 'run' }) },
    },
    spare: { drop: async () => undefined },
    // Nothing else is asked of the tables: the lines are where they belong.
    tables: {
      bronze: (_tenant: unknown, table: string) => ({ namespace: 'bronze.demo', table }),
      async resume(_tenant: unknown, lease: unknown, stream: unknown) {
        resumed.push(lease, stream);
        return { checkpoint: { state: outcome, counters: {}, runId: 'run' }, follows: undefined };
      },
    },
  };
  await replaying.attempt(deps as unknown as ReplayDeps, { tenant_id: 'tenant', run_id: 'run' });
  t.strictSame(resumed, [
    { runId: 'run', leaseEpoch: 2 },
    { ref: { namespace: 'bronze.demo', table: 'orders' }, streamId: 'replay-s', key: 'quarantine-replay/run' },
  ]);
  t.strictSame(kept, outcome);
});
