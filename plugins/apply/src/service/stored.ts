import type { ApplyKind, Json, Reader } from '../contract.ts';

/** Up to so many names are asked for one by one; more are looked up in the whole list. */
const MAX_SINGLE_NAMES = 50;

export type Item = Json & { name: string };

/** The resources of a kind: those of these names, or all. Throws a `ReadRefused`. */
export async function listed(kind: ApplyKind, reader: Reader, names?: readonly string[]): Promise<Item[]> {
  // The filter is by names for people.
  const hasFilter = kind.nameOf === undefined && kind.list.query?.properties?.name !== undefined;
  if (names !== undefined && hasFilter && names.length <= MAX_SINGLE_NAMES) {
    const found: Item[] = [];
    for (const name of names) found.push(...(await reader.all<Item>(kind.list, { query: { name } })));
    return found;
  }
  const found = await reader.all<Item>(kind.list);
  for (const query of names === undefined ? [] : (kind.alsoListed ?? []))
    found.push(...(await reader.all<Item>(kind.list, { query })));
  const { nameOf } = kind;
  const named = nameOf === undefined ? found : found.map((item) => ({ ...item, name: nameOf(item) }));
  const wanted = new Set(names);
  return names === undefined ? named : named.filter(({ name }) => wanted.has(name));
}
