import { faultSentence } from '@weir/kernel/contract';
import type { CliError, CliErrorDetails, PlaceFault } from './cli-error.ts';
import { nextCommands, nextLines } from './command/next-commands.ts';
import { escapeUnseen, plainText } from './plain-text.ts';

/** An error as text for a terminal: never a stack trace. */
export function errorText(error: CliError): string {
  const { code, traceId, docs, errors } = error.details;
  const lines = [`error: ${error.message}`];
  for (const fault of errors ?? []) lines.push(`  ${faultText(fault)}`);
  lines.push(...helpLines(error.details));
  const tail = [
    code === undefined ? undefined : `code: ${code}`,
    traceId === undefined ? undefined : `trace: ${traceId}`,
    docs === undefined ? undefined : `docs: ${docs}`,
  ].filter((part) => part !== undefined);
  if (tail.length > 0) lines.push(tail.join('  '));
  return plainText(`${lines.join('\n')}\n`);
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
  const said = `${faultSentence(fault, text)}${wanted === undefined ? '' : ` (${wanted})`}`;
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
