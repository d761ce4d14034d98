import type { TSchema } from '@sinclair/typebox';
import { type CallResult, type Endpoint, type NextStepView, type ShownFault, shownFaults } from '@weir/kernel/contract';
import { type ExitName, exitOfStatus } from './exit-codes.ts';

/** A fault with what the endpoint says of its place, or what was sent there. */
export type PlaceFault = ShownFault & { wanted?: string; text?: string };

/** What an error tells beyond its sentence. */
export interface CliErrorDetails {
  code?: string;
  /** The next step; of ours best a command. */
  hint?: string;
  /** What helps: shown as commands in place of the hint. */
  next?: readonly NextStepView[];
  traceId?: string;
  docs?: string;
  status?: number;
  errors?: PlaceFault[];
  cause?: unknown;
}

type ProblemDocument = Extract<CallResult<Endpoint>, { ok: false }>['problem'];

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
export function errorOfProblem(problem: ProblemDocument, url: string, endpoint: Endpoint, body: unknown): CliError {
  const errors = shownFaults(problem).map((fault) => ({
    ...fault,
    ...(fault.line === undefined ? wantedAt(endpoint, fault.pointer) : sentAt(body, fault.pointer)),
  }));
  return new CliError(exitOfStatus(problem.status, body !== undefined), problem.detail, {
    code: problem.code,
    status: problem.status,
    traceId: problem.trace_id,
    docs: URL.canParse(problem.type, url) ? new URL(problem.type, url).href : problem.type,
    ...(problem.hint === undefined ? {} : { hint: problem.hint }),
    ...(problem.next === undefined ? {} : { next: problem.next }),
    ...(errors.length === 0 ? {} : { errors }),
  });
}

/** The text that was sent at a place. */
function sentAt(body: unknown, pointer: string): { text?: string } {
  const text = (body as Record<string, unknown> | undefined)?.[pointer.slice(1)];
  return typeof text === 'string' ? { text } : {};
}

/** What the schema of an endpoint says of the place that a pointer names, where it says something. */
function wantedAt({ params, query, body }: Endpoint, pointer: string): { wanted?: string } {
  const [first = '', ...rest] = pointer.split('/').slice(1);
  const place = { params, query }[first];
  let schema: TSchema | undefined = place ?? body;
  for (const name of place === undefined ? [first, ...rest] : rest) schema = schema?.properties?.[name];
  return schema?.description === undefined ? {} : { wanted: schema.description };
}
