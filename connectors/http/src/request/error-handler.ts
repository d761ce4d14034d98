import type { FailureType, SourceError } from '@weir/connector-sdk';
import { parseExact } from '@weir/connector-sdk';
import { type FaultCode, fault } from '../fault.ts';
import { conditionIn, numberIn, type Part, partsIn, placeOf, templateIn } from '../manifest/part.ts';
import type { Dictionary, Value } from '../template/value.ts';
import { type Answer, isOk } from './answer.ts';
import { type Backoff, backoffOf } from './backoff.ts';

export type Action = 'SUCCESS' | 'FAIL' | 'RETRY' | 'IGNORE' | 'RATE_LIMITED' | 'REFRESH_TOKEN_THEN_RETRY';
const ACTIONS: readonly string[] = ['SUCCESS', 'FAIL', 'RETRY', 'IGNORE', 'RATE_LIMITED', 'REFRESH_TOKEN_THEN_RETRY'];
const TYPES: readonly string[] = ['system_error', 'config_error', 'transient_error'];
const DEFAULT_RETRIES = 5;

export type Verdict = {
  readonly action: Action;
  /** What the run fails with, if it comes to that. */
  readonly failure: SourceError;
  readonly maxRetries: number;
  readonly backoffs: readonly Backoff[];
};
export type ErrorHandler = (answer: Answer) => Verdict;
/** One filter's or handler's word on an answer; undefined when it has none. */
type Judge = (answer: Answer) => { action: Action; failure: SourceError } | undefined;

/** What to do about an answer: the filters of the manifest in their order, then by its status. */
export function errorHandlerOf(part: Part | undefined, config: Dictionary, at: string): ErrorHandler {
  if (part?.type === 'CompositeErrorHandler') {
    const handlers = partsIn(part, 'error_handlers').map((inner) => {
      return { judge: judgeOf(inner, config), handle: errorHandlerOf(inner, config, at) };
    });
    const byStatus = errorHandlerOf(undefined, config, at);
    // As the reference: the first handler whose filters speak decides; else the first one treats the status.
    return (answer) => {
      const speaking = handlers.find(({ judge }) => judge(answer) !== undefined);
      return (speaking?.handle ?? handlers[0]?.handle ?? byStatus)(answer);
    };
  }
  const judge = judgeOf(part, config);
  const maxRetries = (part === undefined ? undefined : numberIn(part, 'max_retries', config)) ?? DEFAULT_RETRIES;
  const backoffs = part === undefined ? [] : partsIn(part, 'backoff_strategies').map((item) => backoffOf(item, config));
  return (answer) => ({ ...(judge(answer) ?? statusVerdict(answer, at)), maxRetries, backoffs });
}

function judgeOf(part: Part | undefined, config: Dictionary): Judge {
  if (part === undefined) return () => undefined;
  if (part.type === 'CompositeErrorHandler') {
    const inner = partsIn(part, 'error_handlers').map((item) => judgeOf(item, config));
    return (answer) => inner.map((judge) => judge(answer)).find((verdict) => verdict !== undefined);
  }
  const filters = partsIn(part, 'response_filters').map((filter) => filterOf(filter, config));
  return (answer) => filters.map((filter) => filter(answer)).find((verdict) => verdict !== undefined);
}

function filterOf(part: Part, config: Dictionary): Judge {
  const action = part.fields.action;
  if (typeof action !== 'string' || !ACTIONS.includes(action))
    throw fault('manifest_unsupported', { at: placeOf(part, 'action'), what: 'an action that is not done here' });
  const type = part.fields.failure_type;
  if (type !== undefined && !TYPES.includes(String(type)))
    throw fault('manifest_invalid', { at: placeOf(part, 'failure_type'), what: 'it is none' });
  const codes = new Set(Array.isArray(part.fields.http_codes) ? part.fields.http_codes.map(Number) : []);
  const holds = conditionIn(part, 'predicate', ['response', 'headers']);
  const words = templateIn(part, 'error_message_contains')?.text({ config });
  return (answer) => {
    const matches =
      codes.has(answer.status) ||
      (holds?.({ config, response: bodyValue(answer), headers: answer.headers }) ?? false) ||
      (words !== undefined && words !== '' && answer.body.toString('utf8').includes(words));
    if (!matches) return undefined;
    return { action: action as Action, failure: failureOf(answer, part.at, type as FailureType | undefined) };
  };
}

/** The body as JSON, for expressions; an object with nothing in it when it is none. */
export function bodyValue({ body }: Answer): Value {
  try {
    return parseExact(body.toString('utf8')) as Value;
  } catch {
    return {};
  }
}

function statusVerdict(answer: Answer, at: string): { action: Action; failure: SourceError } {
  const failure = failureOf(answer, at, undefined);
  if (isOk(answer)) return { action: 'SUCCESS', failure };
  if (answer.status === 429) return { action: 'RATE_LIMITED', failure };
  return { action: answer.status >= 500 || answer.status === 408 ? 'RETRY' : 'FAIL', failure };
}

function failureOf({ status }: Answer, at: string, type: FailureType | undefined): SourceError {
  const what = `the answer has status ${status}`;
  return fault(codeOf(status), { at, what, ...(type === undefined ? {} : { type }) });
}

function codeOf(status: number): FaultCode {
  if (status === 401 || status === 403) return 'request_unauthorized';
  if (status === 404 || status === 410) return 'address_not_found';
  if (status === 429) return 'server_busy';
  return status >= 500 || status === 408 ? 'server_failed' : 'request_refused';
}
