import type { Fault } from './rounds.ts';

/** What came of each thing that an engine was asked to do, by the column of the table and the shape of the row. */
export type Outcomes = ReadonlyMap<string, readonly Fault[]>;

const cellOf = (faults: readonly Fault[]): string => (faults.length === 0 ? 'yes' : 'no');

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** The table of shapes by engines, as Markdown; each "no" has its reason below. */
export function outcomeTable(shapes: readonly string[], outcomes: Outcomes): string {
  const columns = [...outcomes.keys()];
  const rows = shapes.map((shape) =>
    line([
      shape,
      ...columns.map((column) => cellOf((outcomes.get(column) ?? []).filter((fault) => fault.shape === shape))),
    ]),
  );
  const reasons = [...outcomes].flatMap(([column, faults]) =>
    faults.map(({ shape, words }) => `- ${column}, ${shape}: ${words.replaceAll('\n', ' ')}`),
  );
  const told = [...new Set(reasons)];
  const table = [line(['shape', ...columns]), line(['---', ...columns.map(() => '---')]), ...rows].join('\n');
  return told.length === 0 ? table : `${table}\n\n${told.join('\n')}`;
}
