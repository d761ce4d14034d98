import { Problem } from '@weir/kernel/contract';
import { tenantScope } from '@weir/migrations';
import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../../test/lane.ts';
import { getDataset } from '../src/contract.ts';
import { assertWritable, parseDatasetId } from '../src/dataset/dataset-id.ts';
import { mayRead, readableBy } from '../src/dataset/readable.ts';
import { batch, lake, SCHEMA } from './kit.ts';

const alias = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,20}$/);
const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    'bronze',
    'silver',
    'gold',
    'raw',
    'registry',
    'shared',
    'acme',
    'other',
    '..',
    '*',
    '"',
    "'",
    '--',
    ';',
    'bronze.other',
    '',
    'ACME',
    'acme\u0000',
    'ａｃｍｅ',
  ),
  fc.stringMatching(/^[A-Za-z0-9_]{1,12}$/),
);
const tenantOf = (name: string, taken: Set<string>) => {
  const scope = tenantScope(name, taken);
  taken.add(scope);
  return { tenantId: name, alias: name, scope };
};

t.test('distinct aliases get distinct scopes of the decided form, in whatever order they come', async (t) => {
  fc.assert(
    fc.property(fc.uniqueArray(alias, { maxLength: 40 }), (aliases) => {
      const taken = new Set<string>();
      const scopes = aliases.map((name) => tenantOf(name, taken).scope);
      return new Set(scopes).size === aliases.length && scopes.every((scope) => /^[a-z][a-z0-9_]{0,47}$/.test(scope));
    }),
    { numRuns: 1000 },
  );
  t.pass('holds');
});

t.test('for any two tenants and any names, no write lands in and no read comes from outside the scope', async (t) => {
  const producers = fc.array(
    fc.record({
      namespace: hostile,
      table: hostile,
      kind: fc.constantFrom('source' as const, 'transform' as const),
    }),
  );
  fc.assert(
    fc.property(alias, alias, hostile, hostile, hostile, producers, (a, b, layer, scope, table, rows) => {
      if (a === b) return true;
      const taken = new Set<string>();
      const [mine, theirs] = [tenantOf(a, taken), tenantOf(b, taken)];
      // Rows that the other tenant could plant never count, because row security hides them; even if they did:
      const planted = [...rows, { namespace: `bronze.${theirs.scope}`, table, kind: 'source' as const }];
      for (const namespace of [`${layer}.${scope}`, `bronze.${theirs.scope}`, `${layer}.${theirs.scope}`, layer]) {
        const ref = { namespace, table };
        if (writes(() => assertWritable(mine.scope, ref)) && namespace.split('.')[1] !== mine.scope) return false;
        const shared = namespace === 'raw.shared' || namespace === 'registry.shared';
        if (mayRead(readableBy(mine.scope, planted), ref) && !shared && namespace.split('.')[1] !== mine.scope)
          return false;
      }
      return true;
    }),
    { numRuns: 1000 },
  );
  t.pass('holds for 1,000 cases');
});

t.test('what parses as a dataset id prints as it was, and nothing else parses', async (t) => {
  fc.assert(
    fc.property(
      fc.oneof(
        hostile,
        fc.array(hostile, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.')),
      ),
      (text) => {
        const legal = /^[A-Za-z0-9_]{1,200}\.[A-Za-z0-9_]{1,200}\.[A-Za-z0-9_]{1,200}$/.test(text);
        return writes(() => parseDatasetId(text)) === legal;
      },
    ),
    { numRuns: 1000 },
  );
  t.pass('holds');
});

t.test('through the services and the wire too: a foreign table is neither made, moved nor read', async (t) => {
  const world = await lake(t);
  const [acme, other] = [await world.tenant('acme'), await world.tenant('other')];
  await world.land(other, 'orders', [{ id: 1 }]);
  const before = await world.database.peek('select * from catalog.iceberg_tables order by 1, 2, 3');
  const { call } = world.as('acme');
  const { runId, leaseEpoch } = await world.run(acme);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('bronze', 'silver', 'raw', 'registry'),
      fc.constantFrom('other', 'shared', 'acme.x', 'ACME', ''),
      hostile,
      async (layer, scope, table) => {
        const ref = { namespace: `${layer}.${scope}`, table };
        const made = await settles(world.tables.prepare(acme, ref, SCHEMA));
        const moved = await settles(
          world.tables.commit(acme, { runId, leaseEpoch, tables: [batch(ref, [])], checkpoints: [] }),
        );
        const taken = await settles(
          world.kernel
            .db(acme)
            .transaction((tx) => world.producers.register(tx, { ref, kind: 'source', producerId: runId })),
        );
        const read = await call(getDataset, { params: { dataset_id: `${ref.namespace}.${table}` } }).catch(() => ({
          ok: false,
        }));
        return !made && !moved && !taken && !read.ok;
      },
    ),
    { numRuns: cases(100) },
  );
  t.strictSame(await world.database.peek('select * from catalog.iceberg_tables order by 1, 2, 3'), before);
});

function writes(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

async function settles(attempt: Promise<unknown>): Promise<boolean> {
  return attempt.then(
    () => true,
    () => false,
  );
}

t.test('a table belongs to one producer, and names that differ by case alone are one name', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const [one, two] = ['018f4a6e-0000-7000-8000-000000000001', '018f4a6e-0000-7000-8000-000000000002'];
  const register = (table: string, producerId: string) =>
    world.kernel
      .db(acme)
      .transaction((tx) =>
        world.producers.register(tx, { ref: world.tables.bronze(acme, table), kind: 'source', producerId }),
      );
  t.equal(await register('orders', one), true);
  t.equal(await register('orders', one), true, 'again by the same');
  t.equal(await register('orders', two), false);
  t.equal(await register('ORDERS', one), false, 'by the same, in another case');
  t.equal(await register('Orders', two), false);
});
