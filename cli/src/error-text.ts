import { faultSentence } from '@weir/kernel/contract';
import type { CliError, CliErrorDetails, PlaceFault } from './cli-error.ts';
import { nextCommands, nextLines } from './command/next-commands.ts';
import { wrapped } from './output/fit.ts';
import { escapeUnseen, plainText } from './plain-text.ts';

/** An error as text for a terminal of so many columns: never a stack trace. Commands stay whole. */
export function errorText(error: CliError, width = Number.POSITIVE_INFINITY): string {
  const { code, traceId, docs, errors } = error.details;
  const said = [`error: ${error.message}`, ...(errors ?? []).map((fault) => `  ${faultText(fault)}`)];
  const help = helpLines(error.details);
  const tail = [
    code === undefined ? undefined : `code: ${code}`,
    traceId === undefined ? undefined : `trace: ${traceId}`,
    docs === undefined ? undefined : `docs: ${docs}`,
  ].filter((part) => part !== undefined);
  const together = tail.join('  ');
  const lines = [
    ...said.map((line) => fitted(line, width)),
    ...help.map((line) => (line.startsWith('    ') ? line : fitted(line, width))),
    ...(together.length <= width ? [together] : tail).filter((line) => line !== ''),
  ];
  return plainText(`${lines.join('\n')}\n`);
}

/** A sentence in lines that fit, the later ones set in. */
function fitted(line: string, width: number): string {
  const indent = line.length - line.trimStart().length;
  if (line.length <= width) return line;
  return wrapped(line.trimStart(), width - indent, 2)
    .map((part) => ' '.repeat(indent) + part)
    .join('\n');
}

/** What helps: commands, else the hint. */
export function helpLines({ hint, next }: Pick<CliErrorDetails, 'hint' | 'next'>): string[] {
  const lines = nextLines(next);
  if (lines.length > 0) return ['next:', ...lines];
  return hint === undefined ? [] : [`hint: ${hint}`];
}

/** A member of a query is the flag of its name; a place in a text is its line and column. */
function faultText(fault: PlaceFault): string {
  const { pointer, message, wanted, line, column, text } = fault;
  const flag = pointer.replace(/^\/query\/(\w+)$/, (_, name: string) => `--${name.replaceAll('_', '-')}`);
  const place = line === undefined ? flag : `Line ${line}, column ${column}`;
  // A pattern says nothing to people.
  const isUnclear = message === undefined || fault.code === 'pattern';
  const said = `${faultSentence(fault, text)}${wanted === undefined || !isUnclear ? '' : ` (${wanted})`}`;
  const isPredicate = message !== undefined && /^[a-z]/.test(message);
  if (place === '') return isPredicate ? `The body ${said}` : said;
  return `${place}${isPredicate ? ' ' : ': '}${said}`;
}

/** An error as one line of JSON, for `-o json` and `-o ndjson`. */
export function errorJson(error: CliError): string {
  const { code, hint, next, traceId, docs, status, errors } = error.details;
  const body = {
    code: code ?? error.exit,
    message: error.message,
    hint,
    next: nextCommands(next),
    trace_id: traceId,
    docs,
    status,
    errors: errors?.map(({ text: _, ...fault }) => fault),
  };
  return `${escapeUnseen(JSON.stringify({ error: body }))}\n`;
}
