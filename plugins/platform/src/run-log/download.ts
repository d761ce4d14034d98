import { type LineFilter, type LoggedRun, type LogLine, type RunLogStore, readAll } from '@weir/run-logs';
import { LOG_LINES, LOG_TEXT } from '../contract.ts';
import { lineView } from './line-view.ts';

const LEVEL_WIDTH = 5;

/** All lines that fit, in the wanted form, a bounded number at a time; as a file that a browser does not open. */
export function downloadOf(
  store: RunLogStore,
  run: LoggedRun,
  { filter, mediaType }: { filter: LineFilter; mediaType: string },
) {
  const isText = mediaType !== LOG_LINES;
  const name = `run-${run.runId}.${isText ? 'log' : 'ndjson'}`;
  return {
    type: isText ? LOG_TEXT : LOG_LINES,
    headers: { 'content-disposition': `attachment; filename="${name}"` },
    body: texts(store, run, { filter, form: isText ? textLine : jsonLine }),
  };
}

async function* texts(
  store: RunLogStore,
  run: LoggedRun,
  { filter, form }: { filter: LineFilter; form(line: LogLine): string },
): AsyncGenerator<string> {
  for await (const lines of readAll(store, run, filter)) yield lines.map(form).join('');
}

const jsonLine = (line: LogLine): string => `${JSON.stringify(lineView(line))}\n`;

/** A line for people; whatever a connector says stands behind a mark. */
function textLine({ at, level, attempt, step, stream, message, fields = {}, untrusted }: LogLine): string {
  const words = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const where = [step, ...(stream === undefined ? [] : [stream])].join(' ');
  const text = [untrusted ? `| ${message}` : message, ...words].join(' ');
  return `${at} ${level.toUpperCase().padEnd(LEVEL_WIDTH)} #${attempt} ${where}: ${text}\n`;
}
