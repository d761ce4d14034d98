const TWIN = 'snapshot_id_exact';
const SUFFIX = '_exact';

/**
 * Folds every `…snapshot_id_exact` into its `…snapshot_id`, so that a snapshot id is always the exact decimal string
 * and never a number that a double may round. Everything else is kept as it is, in its order.
 */
export function foldExact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(foldExact);
  if (value === null || typeof value !== 'object') return value;
  const record = value as Record<string, unknown>;
  const folded = new Map<string, unknown>();
  for (const [key, inner] of Object.entries(record)) {
    if (!key.endsWith(TWIN))
      folded.set(key, Object.hasOwn(record, key + SUFFIX) ? record[key + SUFFIX] : foldExact(inner));
    else if (!Object.hasOwn(record, key.slice(0, -SUFFIX.length))) folded.set(key.slice(0, -SUFFIX.length), inner);
  }
  return Object.fromEntries(folded);
}
