/** A map that forgets what was used longest ago once the weights of its entries pass a bound. */
export type Lru<V> = { get(key: string): V | undefined; set(key: string, value: V, weight: number): void };

/** An empty one; an entry that alone outweighs the bound is not kept. */
export function createLru<V>(maxWeight: number): Lru<V> {
  const entries = new Map<string, { value: V; weight: number }>();
  let total = 0;
  const drop = (key: string): void => {
    total -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, weight) {
      drop(key);
      entries.set(key, { value, weight });
      total += weight;
      for (const oldest of entries.keys()) {
        if (total <= maxWeight) return;
        drop(oldest);
      }
    },
  };
}
