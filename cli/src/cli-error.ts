import type { TSchema } from '@sinclair/typebox';
import type { CallResult, Endpoint } from '@weir/kernel/contract';
import { type ExitName, exitOfStatus } from './exit-codes.ts';
import { inCommands } from './hint-commands.ts';
import { escapeUnseen, plainText } from './plain-text.ts';

/** A place that is wrong, the rule it breaks, and what the endpoint says of the place. */
interface PlaceFault {
  pointer: string;
  code: string;
  message?: string;
  known?: string[];
  wanted?: string;
  line?: number;
  column?: number;
}

/** What an error tells beyond its sentence. */
export interface CliErrorDetails {
  code?: string;
  /** The next step, best a command. */
  hint?: string;
  traceId?: string;
  docs?: string;
  status?: number;
  errors?: PlaceFault[];
  cause?: unknown;
}

/** Beside `errors`, the places of faults in a statement, in the same order. */
type ProblemDocument = Extract<CallResult<Endpoint>, { ok: false }>['problem'] & {
  faults?: { line?: number; column?: number }[];
};

/** An error that a user is meant to see: one sentence, a next step, and the ending of the command. */
export class CliError extends Error {
  readonly exit: ExitName;
  readonly details: CliErrorDetails;

  constructor(exit: ExitName, message: string, details: CliErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.name = 'CliError';
    this.exit = exit;
    this.details = details;
  }
}

/** The problem document of a failed call as an error; `url` makes its documentation address absolute. */
export function errorOfProblem(problem: ProblemDocument, url: string, endpoint: Endpoint, sentBody: boolean): CliError {
  const errors = problem.errors?.map((fault, at) => {
    const { line, column } = problem.faults?.[at] ?? {};
    const place = line === undefined || column === undefined ? wantedAt(endpoint, fault.pointer) : { line, column };
    return { ...fault, ...place };
  });
  return new CliError(exitOfStatus(problem.status, sentBody), problem.detail, {
    code: problem.code,
    status: problem.status,
    traceId: problem.trace_id,
    docs: URL.canParse(problem.type, url) ? new URL(problem.type, url).href : problem.type,
    ...(problem.hint === undefined ? {} : { hint: problem.hint }),
    ...(errors === undefined ? {} : { errors }),
  });
}

/** What the schema of an endpoint says of the place that a pointer names, where it says something. */
function wantedAt({ params, query, body }: Endpoint, pointer: string): { wanted?: string } {
  const [first = '', ...rest] = pointer.split('/').slice(1);
  const place = { params, query }[first];
  let schema: TSchema | undefined = place ?? body;
  for (const name of place === undefined ? [first, ...rest] : rest) schema = schema?.properties?.[name];
  return schema?.description === undefined ? {} : { wanted: schema.description };
}

/** An error as text for a terminal: never a stack trace. */
export function errorText(error: CliError): string {
  const { code, hint, traceId, docs, errors } = error.details;
  const lines = [`error: ${error.message}`];
  for (const fault of errors ?? []) lines.push(`  ${faultText(fault)}`);
  if (hint !== undefined) lines.push(`hint: ${inCommands(hint, code)}`);
  const tail = [
    code === undefined ? undefined : `code: ${code}`,
    traceId === undefined ? undefined : `trace: ${traceId}`,
    docs === undefined ? undefined : `docs: ${docs}`,
  ].filter((part) => part !== undefined);
  if (tail.length > 0) lines.push(tail.join('  '));
  return plainText(`${lines.join('\n')}\n`);
}

/** A member of a query is the flag of its name. */
function faultText({ pointer, code, message, wanted, line, column }: PlaceFault): string {
  const flag = pointer.replace(/^\/query\/(\w+)$/, (_, name: string) => `--${name.replaceAll('_', '-')}`);
  const place = line === undefined ? flag : `${flag}, line ${line}, column ${column}`;
  const remark = wanted === undefined ? '' : ` (${wanted})`;
  return message === undefined ? `${place || '/'}: ${code}${remark}` : `${place || 'The body'} ${message}${remark}`;
}

/** An error as one line of JSON, for `-o json` and `-o ndjson`. */
export function errorJson(error: CliError): string {
  const { code, hint, traceId, docs, status, errors } = error.details;
  const body = {
    code: code ?? error.exit,
    message: error.message,
    hint: hint && inCommands(hint, code),
    trace_id: traceId,
    docs,
    status,
    errors,
  };
  return `${escapeUnseen(JSON.stringify({ error: body }))}\n`;
}
