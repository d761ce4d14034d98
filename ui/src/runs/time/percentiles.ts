/** Median and 95th percentile by the nearest rank; undefined without a value. */
export function percentiles(values: readonly number[]): { p50: number; p95: number } | undefined {
  const sorted = values.toSorted((one, other) => one - other);
  const rank = (of: number) => sorted[Math.max(0, Math.ceil(of * sorted.length) - 1)] ?? 0;
  return sorted.length === 0 ? undefined : { p50: rank(0.5), p95: rank(0.95) };
}
