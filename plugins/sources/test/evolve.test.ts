import type { SyncEffect } from '@weir/engine';
import t from 'tap';
import type { Sync } from '../src/model/process/sync-types.ts';
import { attemptEffects, type EffectDeps } from '../src/work/sync/attempt-effects.ts';

type Properties = { properties?: Record<string, unknown> };

t.test('a field that differs by case alone from a column of an earlier segment stays apart', async (t) => {
  const columns = ['id'];
  const asked: string[][] = [];
  const prepared = () => ({
    schema: { fields: columns.map((name) => ({ name })) },
    brings: {},
    extraColumns: [],
    jsonColumns: [],
  });
  const deps = {
    kernel: { db: () => ({ transaction: async () => undefined }) },
    tables: {
      async prepare(_tenant: unknown, _ref: unknown, { properties = {} }: Properties) {
        asked.push(Object.keys(properties));
        columns.push(...Object.keys(properties));
        return prepared();
      },
    },
    streams: new Map([['s', { row: { streamId: 's' }, ref: {}, options: {}, prepared: prepared() }]]),
    ledger: { evolved: () => undefined },
    log: { evolved: () => undefined },
  };
  const perform = attemptEffects(deps as unknown as EffectDeps);
  const evolve = (name: string): SyncEffect<Sync> => ({
    type: 'evolve',
    stream: 's',
    columns: [{ name, type: 'string' }],
  });
  t.match(await perform(evolve('note')), { type: 'evolved' });
  t.match(await perform(evolve('Note')), { type: 'evolved' });
  t.strictSame(asked, [['note'], []]);
});
