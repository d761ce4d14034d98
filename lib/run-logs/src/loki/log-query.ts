import type { LineFilter } from '../line-filter.ts';
import { escaped } from '../linear-search.ts';
import { levelsFrom } from '../log-line.ts';

/** Labels of everything that we store; `level` is the third, so that a tenant has six streams and no more. */
export const LABELS = { app: 'weir', kind: 'run' } as const;

/** A text of LogQL, which is one of Go. */
const quoted = (text: string): string => JSON.stringify(text.toWellFormed());

/** The lines of a run that fit, and only those of one writer when it is given, behind a place. */
export function lineQuery(
  runId: string,
  { level, stream, step, attempt, text, pattern }: LineFilter,
  { writer, after, before }: { writer?: number; after?: number | undefined; before?: number | undefined } = {},
): string {
  const levels = level === undefined ? [] : [`level=~${quoted(levelsFrom(level).join('|'))}`];
  const labels = [...Object.entries(LABELS).map(([name, value]) => `${name}=${quoted(value)}`), ...levels];
  const searches = [
    ...(text === undefined || text === '' ? [] : [`(?i)${escaped(text)}`]),
    ...(pattern === undefined ? [] : [pattern]),
  ];
  const facts: [name: string, test: string | undefined][] = [
    ['run_id', `=${quoted(runId)}`],
    ['writer', writer === undefined ? undefined : `=${quoted(String(writer))}`],
    ['attempt', attempt === undefined ? undefined : `=${quoted(String(attempt))}`],
    ['seq', after === undefined ? undefined : ` > ${after}`],
    ['seq', before === undefined ? undefined : ` < ${before}`],
    ['log_stream', stream === undefined ? undefined : `=${quoted(stream)}`],
    ['step', step === undefined ? undefined : `=${quoted(step)}`],
  ];
  return [
    `{${labels.join(', ')}}`,
    ...searches.map((search) => `|~ ${quoted(search)}`),
    ...facts.filter(([, test]) => test !== undefined).map(([name, test]) => `| ${name}${test}`),
  ].join(' ');
}

/** How many lines of each level each writer of a run has written in the last so many seconds. */
export function countQuery(runId: string, seconds: number): string {
  return `sum by (writer, level) (count_over_time(${lineQuery(runId, {})} [${seconds}s]))`;
}
