import { fault } from '../fault.ts';
import { numberIn, type Part, placeOf, textIn } from '../manifest/part.ts';
import type { Dictionary } from '../template/value.ts';
import type { Answer } from './answer.ts';
import { patternIn } from './rate-limits.ts';

/** How many milliseconds to wait before another try; undefined when the answer says nothing to it. */
export type Backoff = (answer: Answer | undefined, attempt: number, now: number) => number | undefined;

/** The longest wait that one answer can ask for, in milliseconds. */
export const MAX_WAIT_MS = 3_600_000;
const DEFAULT_FACTOR = 5;

/** 5 s, 10 s, 20 s and so on; what `Retry-After` says is longer or shorter comes first. */
export const defaultBackoff: Backoff = (answer, attempt, now) =>
  retryAfter(answer, now) ?? DEFAULT_FACTOR * 2 ** attempt * 1000;

/** The latest time that is passed on: what a server says beyond it is no time to plan by. */
const MAX_TOLD_MS = 10 * 365 * 24 * 3_600_000;

/** The end of a run that would have to wait for longer than it may; it tells when the server takes requests again. */
export function waitTooLong(at: string, ms: number, now: number) {
  const retryAt = new Date(now + Math.min(ms, MAX_TOLD_MS));
  return fault('wait_too_long', { at, what: `the server asks to wait for ${Math.ceil(ms / 1000)} s`, retryAt });
}

/** A wait that a manifest describes. */
export function backoffOf(part: Part, config: Dictionary): Backoff {
  const header = (textIn(part, 'header', config) ?? '').toLowerCase();
  const pattern = patternIn(part, 'regex', config);
  const seconds = (name: string) => (part.fields[name] === undefined ? undefined : numberIn(part, name, config));
  const most = seconds('max_waiting_time_in_seconds');
  const capped = (ms: number | undefined, now: number) => {
    if (ms !== undefined && most !== undefined && ms >= most * 1000)
      throw waitTooLong(placeOf(part, 'max_waiting_time_in_seconds'), ms, now);
    return ms;
  };
  switch (part.type) {
    case 'ConstantBackoffStrategy': {
      const wait = seconds('backoff_time_in_seconds') ?? 0;
      return () => wait * 1000;
    }
    case 'ExponentialBackoffStrategy': {
      const factor = seconds('factor') ?? DEFAULT_FACTOR;
      return (_answer, attempt) => factor * 2 ** (attempt + 1) * 1000;
    }
    case 'WaitTimeFromHeader':
      return (answer, _attempt, now) => {
        const wait = headerNumber(answer, header, pattern);
        return wait === undefined || wait <= 0 ? undefined : capped(wait * 1000, now);
      };
    default: {
      const least = seconds('min_wait');
      return (answer, _attempt, now) => {
        const until = headerNumber(answer, header, pattern);
        const wait = until === undefined ? undefined : until * 1000 - now;
        if (least !== undefined) return capped(Math.max(wait ?? 0, least * 1000), now);
        return wait === undefined || wait < 0 ? undefined : capped(wait, now);
      };
    }
  }
}

function headerNumber(answer: Answer | undefined, header: string, pattern: RegExp | undefined): number | undefined {
  const text = answer?.headers[header];
  const found = pattern === undefined ? text : text === undefined ? undefined : pattern.exec(text)?.[0];
  const number = found === undefined || found.trim() === '' ? Number.NaN : Number(found);
  return Number.isFinite(number) ? number : undefined;
}

function retryAfter(answer: Answer | undefined, now: number): number | undefined {
  const text = answer?.headers['retry-after'];
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
