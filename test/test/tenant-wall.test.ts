import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as tools from '@weir/migrations';
import t from 'tap';
import { ask, fill, type Said } from '../access/ask.ts';
import { furnish, type Ids, idsAt } from '../access/furnish.ts';
import { type MatrixRoute, matrixPlatform } from '../access/matrix-platform.ts';
import { tenantRows } from '../access/tenant-rows.ts';

const HANG_LIMIT_MS = 360_000;
const REQUESTS = 2_000;
/** Requests on their way at once. */
const AT_ONCE = 20;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const ALIASES = ['acme', 'other'] as const;
const planted = (alias: string) => `zz-canary-${alias}`;
/** Matches wherever an id or a planted text begins, within another too. */
const TELLTALE = new RegExp(`(?=(${[UUID.source, ...ALIASES.map(planted)].join('|')}))`, 'g');

/** Numbers that are the same in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Side {
  alias: string;
  ids: Ids;
  headers: Record<string, string>;
  /** Every id in every row of the tenant that no row of the other holds, and the text that was planted. */
  canaries: ReadonlySet<string>;
}

/** Every id and every planted text that an answer holds. */
const telltales = ({ all }: Said): ReadonlySet<string> =>
  new Set(Array.from(all.matchAll(TELLTALE), ([, found = '']) => found));

// Not tap's own folder, which has the name of the file: the file is run on Postgres 15 at the same time.
const folder = await mkdtemp(join(tmpdir(), 'weir-wall-'));
t.teardown(() => rm(folder, { recursive: true, force: true }));
await mkdir(join(folder, 'warehouse'));
const { world, routes } = await matrixPlatform(t, folder, { WEIR_DB_POOL_SIZE: '2' });

t.test(
  'of 2,000 requests of two tenants at once over two connections, none shows a row of the other',
  {
    timeout: HANG_LIMIT_MS,
  },
  async (t) => {
    const furnished = await furnish(world, routes, ALIASES);
    for (const alias of ALIASES)
      await world.database.peek(
        `update sources.source set name = $3
       where tenant_id = (select tenant_id from kernel.tenant where alias = $1) and source_id = $2`,
        [alias, furnished[ALIASES.indexOf(alias)]?.source_id, planted(alias)],
      );
    const rows = await Promise.all(ALIASES.map((alias) => tenantRows(world.database, alias)));
    const held = rows.map((tables) => new Set(JSON.stringify(tables).match(UUID)));
    const sides = await Promise.all(
      ALIASES.map(async (alias, at): Promise<Side> => {
        const own = [...(held[at] ?? [])].filter((id) => !held[1 - at]?.has(id));
        const headers = { authorization: `Bearer ${await world.token(alias)}`, 'x-tenant-id': alias };
        return { alias, ids: furnished[at] ?? {}, headers, canaries: new Set([...own, planted(alias)]) };
      }),
    );
    const reads = routes.filter(({ method, access }) => method === 'GET' && access.kind === 'tenant');
    const random = seeded(4711);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const found: string[] = [];
    let sent = 0;
    let shown = 0;
    const one = async (route: MatrixRoute, mine: Side, theirs: Side, ids: Ids) => {
      const said = await ask(world.api.app, route, fill(route.path, idsAt(route.label, ids)), mine.headers);
      const told = telltales(said);
      if (!told.isDisjointFrom(mine.canaries)) shown += 1;
      for (const canary of told.intersection(theirs.canaries)) found.push(`${route.label}: ${canary}`);
      if (said.status >= 500) found.push(`${route.label}: ${said.status} ${said.code}`);
    };
    const walker = async () => {
      while (sent < REQUESTS) {
        sent += 1;
        const [mine, theirs] = random() < 0.5 ? sides : sides.toReversed();
        if (mine === undefined || theirs === undefined) return;
        await one(pick(reads), mine, theirs, random() < 0.8 ? mine.ids : theirs.ids);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, walker));
    t.equal(sent, REQUESTS);
    t.strictSame(found, []);
    t.ok(shown > REQUESTS / 4, `${shown} answers showed rows of the one who asked`);
    for (const { alias, canaries } of sides) t.ok(canaries.size > 10, `${alias}: ${canaries.size} canaries`);
  },
);

t.test('the catalogue of the deployed database shows no hole in the tenant wall', async (t) => {
  const catalogue = { query: async (text: string) => ({ rows: await world.database.peek(text) }) } as never;
  t.strictSame(await tools.auditTables(catalogue), []);
});
