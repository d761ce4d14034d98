import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import t from 'tap';
import { loadPackage } from '../src/load-package.ts';
import { makeDefinition } from '../src/make.ts';
import { openSession } from '../src/testing.ts';

interface Seen {
  id: number;
  /** Days since the first one. */
  at: number;
  n: number;
  city: string | null;
  plan: string | null;
  gone: boolean | null;
}

const INPUT = 'bronze.demo.customers';
const day = (at: number | undefined) =>
  at === undefined ? null : new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10);

/** The history by a walk over each key's observations: what SQL says with windows, said without them. */
function historyOf(seen: readonly Seen[]): (string | null)[][] {
  const rows: (string | null)[][] = [];
  for (const id of new Set(seen.map((one) => one.id))) {
    const byDay = new Map<number, Seen>();
    for (const one of seen.filter((other) => other.id === id)) {
      const known = byDay.get(one.at);
      if (known === undefined || one.n > known.n) byDay.set(one.at, one);
    }
    let open: { from: number; city: string | null; plan: string | null } | undefined;
    const close = (to?: number) => {
      if (open) rows.push([String(id), open.city, open.plan, day(open.from), day(to), String(to === undefined)]);
    };
    for (const { at, city, plan, gone } of [...byDay.values()].sort((one, other) => one.at - other.at)) {
      if (open !== undefined && gone !== true && open.city === city && open.plan === plan) continue;
      close(at);
      open = gone === true ? undefined : { from: at, city, plan };
    }
    close();
  }
  return rows;
}

const word = fc.option(fc.constantFrom('a', 'b'), { nil: null });
const observation = fc.record({
  id: fc.integer({ min: 1, max: 3 }),
  at: fc.integer({ min: 0, max: 8 }),
  city: word,
  plan: word,
  gone: fc.option(fc.boolean(), { nil: null }),
});
/** Observations in any order, some of them twice; `n` tells apart those of one day. */
const histories = fc
  .array(observation, { minLength: 4, maxLength: 25 })
  .map((list) => list.map((one, n): Seen => ({ ...one, n })))
  .chain((list) => fc.tuple(fc.shuffledSubarray(list, { minLength: list.length }), fc.subarray(list)))
  .map(([all, doubled]) => [...all, ...doubled]);

t.test('late, doubled and changed rows in any order → the history of a walk over them', async (t) => {
  const { pattern } = await loadPackage(fileURLToPath(new URL('../../slowly-changing-dimension-2', import.meta.url)));
  const made = makeDefinition(pattern!, {
    ...{ input: INPUT, key: ['id'], attributes: ['city', 'plan'], observed_at: 'at', sequence: 'n', deleted: 'gone' },
  });
  const sql = 'made' in made ? made.made.sql : '';
  const session = await openSession();
  t.teardown(() => session.close());
  const columns = { id: 'bigint', at: 'date', n: 'bigint', city: 'varchar', plan: 'varchar', gone: 'boolean' };
  let rowsSeen = 0;
  await fc.assert(
    fc.asyncProperty(histories, async (seen) => {
      const rows = seen.map(({ id, at, n, city, plan, gone }) => [id, day(at), n, city, plan, gone]);
      await session.load({ [INPUT]: { columns, rows } });
      const found = (await session.rows(sql)).rows;
      rowsSeen += found.length;
      t.strictSame(found.map(textOf).sort(), historyOf(seen).map(textOf).sort());
    }),
    { seed: Number(process.env.WEIR_TEST_SEED ?? 42), numRuns: 60 },
  );
  t.ok(rowsSeen > 200, 'histories had rows');
});

const textOf = (row: readonly unknown[]) => JSON.stringify(row);
