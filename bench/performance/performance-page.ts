import { type Bar, type BenchCase, barFigure, meets } from '../bench-result.ts';
import type { Figures } from '../measure/paired.ts';
import type { StoredResult } from './stored-result.ts';

const MIB_DIGITS = 0;
const HEAD = `# Performance

Written by \`npm run docs\` from the results in \`bench/results/\`; each table names the command that measures it again.
Everything is measured on one machine with both sides in the same run, in turn: first one side, then the other, again and
again. A figure is the median of its runs, with the least and the most behind it; a ratio is the median over the pairs.
Processor seconds (CPU-s) are user and system time of all processes of a side, memory is the highest sum of their
proportional set sizes, sampled ten times a second. Where connectors run in containers, what the container engine uses
itself is in the processor seconds too and told beside them, and ratios are given with it and without. Starting a program
is inside unless a figure says otherwise. Cases that we lose stand beside those that we win.
`;

/** \`docs/performance.md\` from the stored results. */
export function performancePage(results: readonly StoredResult[]): string {
  return [HEAD, ...results.map(suiteSection)].join('\n');
}

function suiteSection(result: StoredResult): string {
  const { suite, command, date, machine, cases } = result;
  const { cores, processor, memory_gib, system } = machine;
  const place = `${date}, ${cores} cores (${processor}), ${memory_gib} GiB, ${system}`;
  const sided = cases.filter(({ cpu_s }) => cpu_s !== undefined);
  const marked = cases.filter(({ marks_ms }) => marks_ms !== undefined);
  const parts = [`## ${suite}\n`, `\`${command}\` on ${place}.\n`];
  if (sided.length > 0) parts.push(sidesTable(sided));
  if (marked.length > 0) parts.push(marksTable(marked));
  const barred = cases.filter(({ bars = [] }) => bars.length > 0);
  if (barred.length > 0) parts.push(barsTable(barred));
  return [...parts, notes(cases), versionsLine(result)].join('\n');
}

function sidesTable(cases: readonly BenchCase[]): string {
  const head = ['case', 'side', 'rows', 'CPU-s', 'seconds', 'MiB', 'rows per CPU-s', 'ratio', 'ratio without start'];
  const rows = cases.flatMap((found) => {
    const without = found.ratio_without_engine;
    const more = without === undefined ? '' : ` (${without.toFixed(2)} without the engine)`;
    const ratios = [`${found.ratio?.toFixed(2) ?? ''}${more}`, found.ratio_without_start?.toFixed(2) ?? ''];
    const own = [`\`${found.case}\``, 'ours', ...sideCells(found), ...ratios];
    return found.peer === undefined ? [own] : [own, ['', found.peer.name, ...sideCells(found.peer), '', '']];
  });
  return table(head, rows);
}

function sideCells({ rows, engine_cpu_s, cpu_s, wall_s, rss_mb, rows_per_cpu_s, spread }: Partial<Figures>): string[] {
  const cell = (value: number | undefined, range: [number, number] | undefined, digits: number) =>
    value === undefined
      ? ''
      : `${value.toFixed(digits)}${range === undefined ? '' : ` (${range.map((end) => end.toFixed(digits)).join('–')})`}`;
  return [
    rows?.toLocaleString('en') ?? '',
    `${cell(cpu_s, spread?.cpu_s, 2)}${engine_cpu_s === undefined ? '' : `, of which engine ${engine_cpu_s.toFixed(2)}`}`,
    cell(wall_s, spread?.wall_s, 2),
    cell(rss_mb, spread?.rss_mb, MIB_DIGITS),
    rows_per_cpu_s === undefined ? '' : Math.round(rows_per_cpu_s).toLocaleString('en'),
  ];
}

function marksTable(cases: readonly BenchCase[]): string {
  const marks = [...new Set(cases.flatMap(({ marks_ms = {} }) => Object.keys(marks_ms)))];
  const rows = cases.map(({ case: name, marks_ms = {}, ratio }) => [
    `\`${name}\``,
    ...marks.map((mark) => marks_ms[mark]?.toFixed(1) ?? ''),
    ratio?.toFixed(2) ?? '',
  ]);
  return table(['case', ...marks.map((mark) => `${mark}, ms`), 'ratio'], rows);
}

function barsTable(cases: readonly BenchCase[]): string {
  const rows = cases.flatMap((found) => (found.bars ?? []).map((bar) => barCells(found, bar)));
  return table(['bar', 'wanted', 'measured', ''], rows);
}

function barCells(found: BenchCase, bar: Bar): string[] {
  const wanted = bar.least === undefined ? `at most ${bar.most}` : `at least ${bar.least}`;
  const measured = barFigure(found, bar)?.toFixed(2) ?? 'not measured';
  return [`\`${found.case}\` ${bar.figure}`, wanted, measured, meets(found, bar) ? 'met' : '**missed**'];
}

/** One line for each note; cases that share one are named together. */
function notes(cases: readonly BenchCase[]): string {
  const byNote = Map.groupBy(
    cases.filter(({ note }) => note !== undefined),
    ({ note }) => note,
  );
  const lines = [...byNote].map(([note, of]) => {
    const [first] = of;
    const runs = first?.runs === undefined ? '' : ` ${first.runs} counted runs.`;
    return `- ${of.map(({ case: name }) => `\`${name}\``).join(', ')}: ${note}${runs}`;
  });
  return `${lines.join('\n')}\n`;
}

function versionsLine({ versions }: StoredResult): string {
  return `Versions: ${Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')}.\n`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return `${[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')}\n`;
}
