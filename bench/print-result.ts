import { type BenchCase, type BenchResult, barFigure, meets } from './bench-result.ts';
import type { Figures } from './measure/paired.ts';

const MS_PER_SECOND = 1_000;

/** A result as lines for people: a head with the ratio, one line a side, the marks, and how the bars stand. */
export function* resultLines({ cases }: BenchResult): Generator<string> {
  for (const found of cases) {
    const { case: title, note, ratio, ratio_without_start: without, marks_ms = {}, peer, bars = [] } = found;
    const more = without === undefined ? '' : ` (${without.toFixed(2)} without start-up)`;
    yield `${title}${ratio === undefined ? '' : `: ${ratio.toFixed(2)} times${more}`}`;
    if (note !== undefined) yield `  ${note}`;
    if (found.cpu_s !== undefined || found.rss_mb !== undefined) yield side('ours', found);
    if (peer !== undefined) yield side(peer.name, peer);
    if (found.ratio_without_engine !== undefined) {
      yield `  without the engine: ${found.ratio_without_engine.toFixed(2)} times`;
    }
    for (const [mark, ms] of Object.entries(marks_ms)) {
      const [value, unit] = ms < MS_PER_SECOND ? [ms.toFixed(2), 'ms'] : [(ms / MS_PER_SECOND).toFixed(1), 's'];
      yield `  ${mark.padEnd(40)}${value.padStart(8)} ${unit}`;
    }
    for (const bar of bars) yield `  ${barLine(found, bar)}`;
  }
}

function barLine(found: BenchCase, bar: NonNullable<BenchCase['bars']>[number]): string {
  const bound = bar.least === undefined ? `at most ${bar.most}` : `at least ${bar.least}`;
  const value = barFigure(found, bar);
  return `${meets(found, bar) ? '✓' : '✗'} ${bar.figure} ${bound}: ${value === undefined ? 'not measured' : value.toFixed(2)}`;
}

function side(name: string, figures: Partial<Figures>): string {
  const { rows, cpu_s, engine_cpu_s, wall_s, rss_mb, rows_per_cpu_s, spread } = figures;
  const range = (of: 'cpu_s' | 'wall_s' | 'rss_mb', digits: number) =>
    spread === undefined ? '' : ` (${spread[of].map((value) => value.toFixed(digits)).join('-')})`;
  const parts = [
    rows === undefined ? '' : `${rows} rows`,
    cpu_s === undefined ? '' : `${cpu_s.toFixed(2)}${range('cpu_s', 2)} CPU-s`,
    engine_cpu_s === undefined ? '' : `of which engine ${engine_cpu_s.toFixed(2)}`,
    wall_s === undefined ? '' : `${wall_s.toFixed(2)}${range('wall_s', 2)} s`,
    rss_mb === undefined ? '' : `${rss_mb.toFixed(0)}${range('rss_mb', 0)} MiB`,
    rows_per_cpu_s === undefined ? '' : `${Math.round(rows_per_cpu_s)} rows/CPU-s`,
  ];
  return `  ${name.padEnd(12)}${parts.filter((part) => part !== '').join('  ')}`;
}
