import { fault } from '../fault.ts';
import { membersOf, numberIn, type Part, partIn, partsIn, placeOf, textIn, valueIn } from '../manifest/part.ts';
import type { Dictionary } from '../template/value.ts';
import { textOf } from '../template/value.ts';
import { parseDuration } from '../time/parse-time.ts';
import type { Answer } from './answer.ts';
import type { HttpRequest } from './build-request.ts';

/** How often a server may be asked. */
export type RateLimits = {
  /** How many milliseconds a request has to wait, now counted if it is 0. */
  readonly take: (request: HttpRequest, now: number) => number;
  /** Learns from an answer how many requests are left, and until when. */
  readonly learn: (request: HttpRequest, answer: Answer, now: number) => void;
};

export const NO_LIMITS: RateLimits = { take: () => 0, learn: () => undefined };

type Rate = { readonly limit: number; readonly ms: number };
type Policy = {
  readonly matches: (request: HttpRequest) => boolean;
  readonly rates: readonly Rate[];
  readonly isFixed: boolean;
  /** The times of the requests that still count, oldest first. */
  times: number[];
  /** The beginning of the window, of fixed ones. */
  begun: number | undefined;
  /** Nothing is sent before this time, as the server said so. */
  closedUntil: number;
};

/** The limits that a manifest sets; the first policy that fits a request counts it. */
export function rateLimitsOf(part: Part | undefined, config: Dictionary): RateLimits {
  if (part === undefined) return NO_LIMITS;
  const policies = partsIn(part, 'policies').map((policy) => policyOf(policy, config));
  const resetName = (textIn(part, 'ratelimit_reset_header', config) ?? 'ratelimit-reset').toLowerCase();
  const leftName = (textIn(part, 'ratelimit_remaining_header', config) ?? 'ratelimit-remaining').toLowerCase();
  const find = (request: HttpRequest) => policies.find(({ matches }) => matches(request));
  return {
    take(request, now) {
      const policy = find(request);
      return policy === undefined ? 0 : takeFrom(policy, now);
    },
    learn(request, { headers, status }, now) {
      const policy = find(request);
      const [left, reset] = [headers[leftName], headers[resetName]].map((text) => (text ? Number(text) : Number.NaN));
      const isSpent = left === 0 || status === 429;
      if (policy === undefined || reset === undefined || !Number.isFinite(reset) || !isSpent) return;
      policy.closedUntil = Math.max(policy.closedUntil, resetTime(reset, now));
    },
  };
}

/** Servers say when the window ends as seconds since 1970, or from now. */
const resetTime = (reset: number, now: number) => (reset > 1_000_000_000 ? reset * 1000 : now + reset * 1000);

function takeFrom(policy: Policy, now: number): number {
  if (now < policy.closedUntil) return policy.closedUntil - now;
  const longest = Math.max(...policy.rates.map(({ ms }) => ms), 0);
  policy.times = policy.times.filter((time) => time > now - longest);
  if (policy.isFixed) return takeFixed(policy, now);
  for (const { limit, ms } of policy.rates) {
    const within = policy.times.filter((time) => time > now - ms);
    const oldest = within[within.length - limit];
    if (oldest !== undefined) return oldest + ms - now;
  }
  policy.times.push(now);
  return 0;
}

function takeFixed(policy: Policy, now: number): number {
  const [rate] = policy.rates;
  if (rate === undefined) return 0;
  if (policy.begun === undefined || now >= policy.begun + rate.ms) {
    policy.begun = now;
    policy.times = [];
  }
  if (policy.times.length >= rate.limit) return policy.begun + rate.ms - now;
  policy.times.push(now);
  return 0;
}

function policyOf(part: Part, config: Dictionary): Policy {
  const isFixed = part.type === 'FixedWindowCallRatePolicy';
  const rates = isFixed
    ? [rateOf(part, ['call_limit', 'period'], config)]
    : partsIn(part, 'rates').map((rate) => rateOf(rate, ['limit', 'interval'], config));
  const matchers = partsIn(part, 'matchers').map((matcher) => matcherOf(matcher, config));
  const matches = (request: HttpRequest) => matchers.length === 0 || matchers.some((fits) => fits(request));
  return { matches, rates, isFixed, times: [], begun: undefined, closedUntil: 0 };
}

function rateOf(part: Part, [limitName, spanName]: readonly [string, string], config: Dictionary): Rate {
  const limit = numberIn(part, limitName, config) ?? 0;
  const length = parseDuration(textIn(part, spanName, config) ?? '');
  if (limit < 1 || length === undefined || length.micros <= 0n)
    throw fault('manifest_invalid', {
      at: placeOf(part, spanName),
      what: 'a limit of at least 1 and an ISO 8601 duration are expected',
    });
  return { limit, ms: Number(length.micros / 1000n) };
}

function matcherOf(part: Part, config: Dictionary): (request: HttpRequest) => boolean {
  const method = textIn(part, 'method', config)?.toUpperCase();
  const base = textIn(part, 'url_base', config)?.replace(/\/+$/, '');
  const path = patternIn(part, 'url_path_pattern', config);
  const [params, headers] = ['params', 'headers'].map((name) => membersOf(valueIn(part, name, [])?.({ config })));
  return (request) => {
    const url = new URL(request.url);
    const hasAll = (wanted: Dictionary | undefined, held: (name: string) => string | null | undefined) =>
      Object.entries(wanted ?? {}).every(([name, value]) => held(name) === textOf(value));
    return (
      (method === undefined || request.method === method) &&
      (base === undefined || request.url.startsWith(base)) &&
      (path?.test(url.pathname) ?? true) &&
      hasAll(params, (name) => url.searchParams.get(name)) &&
      hasAll(headers, (name) => request.headers[name.toLowerCase()])
    );
  };
}

/** A regular expression of a manifest. */
export function patternIn(part: Part, name: string, config: Dictionary): RegExp | undefined {
  const text = textIn(part, name, config);
  if (text === undefined) return undefined;
  try {
    return new RegExp(text.replaceAll('(?P<', '(?<'));
  } catch {
    throw fault('manifest_invalid', { at: placeOf(part, name), what: 'it is no regular expression' });
  }
}

/** How many partitions may be read at once. */
export function concurrencyOf(manifest: Part, config: Dictionary): number {
  const level = partIn(manifest, 'concurrency_level');
  if (level === undefined) return 1;
  const most = numberIn(level, 'max_concurrency', config) ?? MAX_CONCURRENCY;
  const wanted = numberIn(level, 'default_concurrency', config) ?? 1;
  return Math.max(1, Math.min(wanted, most, MAX_CONCURRENCY));
}

const MAX_CONCURRENCY = 16;
