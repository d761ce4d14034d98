import { idsAt } from '../deployed-examples.ts';
import type { Ids } from '../examples.ts';
import type { TestPlatform } from '../platform.ts';
import { ask, fill, type Said } from './ask.ts';
import type { MatrixRoute } from './matrix-platform.ts';
import { tenantRows } from './tenant-rows.ts';

/** Concurrent requests. */
const AT_ONCE = 20;
const OWN_SHARE = 0.8;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

interface Side {
  ids: Ids;
  headers: Record<string, string>;
  /** Every id that only rows of this tenant hold, and the planted name of its source. */
  canaries: ReadonlySet<string>;
}

/** What two tenants saw of each other. */
export interface Sighting {
  /** Leaks and server errors; empty when the wall holds. */
  found: readonly string[];
  /** Answers that showed rows of the caller's own tenant. */
  shown: number;
  /** The number of canaries of the tenant that has fewer. */
  canaries: number;
}

/** Sends reads of two tenants at once, the same ones in every run, and looks in each answer for rows of the other. */
export async function lookForForeignRows(
  world: TestPlatform,
  routes: readonly MatrixRoute[],
  { aliases, furnished, requests }: { aliases: readonly string[]; furnished: readonly Ids[]; requests: number },
): Promise<Sighting> {
  const sides = await sidesOf(world, aliases, furnished);
  const telltale = new RegExp(`(?=(${[UUID.source, ...aliases.map(planted)].join('|')}))`, 'g');
  const telltales = ({ all }: Said) => new Set(Array.from(all.matchAll(telltale), ([, found = '']) => found));
  const reads = routes.filter(({ method, access }) => method === 'GET' && access.kind === 'tenant');
  const random = seeded(4711);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const found: string[] = [];
  let [sent, shown] = [0, 0];
  const walker = async () => {
    while (sent < requests) {
      // Every read is sent at least once a round.
      const route = reads[sent % reads.length] as MatrixRoute;
      sent += 1;
      const mine = pick(sides);
      const theirs = sides.find((side) => side !== mine) as Side;
      const ids = random() < OWN_SHARE ? mine.ids : theirs.ids;
      const said = await ask(world.api.app, route, fill(route.path, idsAt(route.label, ids)), mine.headers);
      const told = telltales(said);
      if (!told.isDisjointFrom(mine.canaries)) shown += 1;
      for (const canary of told.intersection(theirs.canaries)) found.push(`${route.label}: ${canary}`);
      if (said.status >= 500) found.push(`${route.label}: ${said.status} ${said.code}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, walker));
  return { found, shown, canaries: Math.min(...sides.map(({ canaries }) => canaries.size)) };
}

const planted = (alias: string) => `zz-canary-${alias}`;

async function sidesOf(world: TestPlatform, aliases: readonly string[], furnished: readonly Ids[]): Promise<Side[]> {
  for (const [at, alias] of aliases.entries())
    await world.database.peek(
      `update sources.source set name = $3
       where tenant_id = (select tenant_id from kernel.tenant where alias = $1) and source_id = $2`,
      [alias, furnished[at]?.source_id, planted(alias)],
    );
  const rows = await Promise.all(aliases.map((alias) => tenantRows(world.database, alias)));
  const held = rows.map((tables) => new Set(JSON.stringify(tables).match(UUID)));
  return Promise.all(
    aliases.map(async (alias, at) => {
      const own = [...(held[at] ?? [])].filter((id) => held.every((ids, other) => other === at || !ids.has(id)));
      const headers = { authorization: `Bearer ${await world.token(alias)}`, 'x-tenant-id': alias };
      return { ids: furnished[at] ?? {}, headers, canaries: new Set([...own, planted(alias)]) };
    }),
  );
}

/** Random numbers that are the same in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
