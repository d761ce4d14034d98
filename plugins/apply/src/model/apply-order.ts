/** What a document makes and needs, by names that kinds agree on, such as ids of tables. */
export interface Linked {
  readonly makes: readonly string[];
  readonly needs: readonly string[];
}

/** Documents in the order sent, but each after those that make what it needs; in a circle the order sent holds. Pure. */
export function inApplyOrder<T extends Linked>(documents: readonly T[]): T[] {
  const makers = new Map<string, T[]>();
  for (const one of documents) for (const made of one.makes) makers.set(made, [...(makers.get(made) ?? []), one]);
  const ordered = new Set<T>();
  const begun = new Set<T>();
  const visit = (one: T): void => {
    if (begun.has(one)) return;
    begun.add(one);
    for (const needed of one.needs) for (const maker of makers.get(needed) ?? []) visit(maker);
    ordered.add(one);
  };
  for (const one of documents) visit(one);
  return [...ordered];
}
