import type { Static } from '@sinclair/typebox';
import type { SyncResult } from '../contract.ts';
import type { Catalog, Packages } from './catalog.ts';

type Item = Static<typeof SyncResult>['items'][number];

/** Reads the packages again, and says what became of each pattern and SQL transform. */
export async function syncPackages(packages: Packages): Promise<Static<typeof SyncResult>> {
  const { before, after } = await packages.sync();
  return {
    items: [...changes('transform_pattern', before, after), ...changes('sql_transform', before, after)],
    faults: [...after.faults],
  };
}

function changes(kind: Item['kind'], before: Catalog, after: Catalog): Item[] {
  const of = (catalog: Catalog): ReadonlyMap<string, { version: string; document: object }> =>
    kind === 'transform_pattern' ? catalog.patterns : catalog.sqlTransforms;
  const [was, is] = [of(before), of(after)];
  return [...new Set([...was.keys(), ...is.keys()])].sort().map((id) => {
    const [old, now] = [was.get(id), is.get(id)];
    return { kind, pattern_id: id, version: (now ?? old)?.version ?? '', outcome: outcomeOf(old, now) };
  });
}

function outcomeOf(old: object | undefined, now: object | undefined): Item['outcome'] {
  if (old === undefined) return 'created';
  if (now === undefined) return 'removed';
  return contentOf(old) === contentOf(now) ? 'unchanged' : 'updated';
}

const contentOf = (one: object) => JSON.stringify(one);
