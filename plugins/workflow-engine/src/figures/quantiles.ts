/** One bucket of a histogram: how many values are at most `edge`, which is infinite for the last. */
export interface Bucket {
  edge: number;
  cumulative: number;
}

/**
 * The value below which a share `q` of a histogram's values lie, taking them as spread evenly within their bucket, as
 * Prometheus' `histogram_quantile` does; undefined when there are none. Values above the last finite edge count as it.
 * `buckets` are in the order of their edges.
 */
export function quantile(buckets: readonly Bucket[], q: number): number | undefined {
  const count = buckets.at(-1)?.cumulative ?? 0;
  if (count === 0) return undefined;
  const rank = q * count;
  const at = buckets.findIndex(({ cumulative }) => cumulative >= rank);
  const { edge = Number.POSITIVE_INFINITY, cumulative = count } = buckets[at] ?? {};
  const below = buckets[at - 1] ?? { edge: 0, cumulative: 0 };
  if (!Number.isFinite(edge)) return below.edge;
  const within = cumulative - below.cumulative;
  return within === 0 ? below.edge : below.edge + ((edge - below.edge) * (rank - below.cumulative)) / within;
}

/** The edge of the highest bucket that holds a value; undefined when there are none, infinite beyond the last edge. */
export function highestEdge(buckets: readonly Bucket[]): number | undefined {
  const count = buckets.at(-1)?.cumulative ?? 0;
  return count === 0 ? undefined : buckets.find(({ cumulative }) => cumulative === count)?.edge;
}
