const BARS = '▁▂▃▄▅▆▇█';

/** Numbers as one line of bars between their least and greatest; numbers that are not finite are a gap. */
export function sparkline(values: readonly number[]): string {
  const finite = values.filter(Number.isFinite);
  const least = Math.min(...finite);
  const range = Math.max(...finite) - least;
  return values
    .map((value) => {
      if (!Number.isFinite(value)) return ' ';
      const step = range === 0 ? 0 : Math.round(((value - least) / range) * (BARS.length - 1));
      return BARS[step];
    })
    .join('');
}

/** Means of equal runs of values, at most `width` of them, so that a long series fits a line. */
export function condense(values: readonly number[], width: number): number[] {
  if (values.length <= width) return [...values];
  return Array.from({ length: width }, (_, i) => {
    const part = values.slice(Math.floor((i * values.length) / width), Math.floor(((i + 1) * values.length) / width));
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
}
