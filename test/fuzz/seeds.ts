import { idsAt } from '../deployed-examples.ts';
import type { ExampleCall, Ids } from '../examples.ts';

/** What calls of one tenant may name. */
export interface Seeds {
  alias: string;
  /** One of everything that paths name; only read. */
  ids: Ids;
  /** Further ids for reads. */
  more: Readonly<Record<string, readonly string[]>>;
  /** What each call that writes may spoil, and its body, by `METHOD /path/{id}`. */
  calls: ReadonlyMap<string, ExampleCall>;
}

const lists = (ids: NonNullable<ExampleCall['params']>): Record<string, readonly string[]> =>
  Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, [id].flat()]));

/** The ids of existing things that an operation may name, by parameter. */
export function idsOf({ alias, ids, more, calls }: Seeds, label: string): Record<string, readonly string[]> {
  const named = lists(idsAt(label, ids));
  for (const [name, also] of Object.entries(more))
    if (ids[name] === idsAt(label, ids)[name]) named[name] = [...(named[name] ?? []), ...also];
  const { params = {}, headers = {} } = calls.get(label) ?? {};
  const etag = headers['if-match'];
  return { ...named, 'X-Tenant-ID': [alias], ...lists(params), ...(etag === undefined ? {} : { 'If-Match': [etag] }) };
}

/** The ids that an operation alone may name. */
export function ownIdsOf(seeds: Seeds, label: string): Record<string, readonly string[]> {
  const ids = idsOf(seeds, label);
  const meant = Object.keys(idsAt(label, seeds.ids)).filter(
    (name) => idsAt(label, seeds.ids)[name] !== seeds.ids[name],
  );
  const names = [...Object.keys(seeds.calls.get(label)?.params ?? {}), ...meant];
  return Object.fromEntries(names.map((name) => [name, ids[name] ?? []]));
}
