import { hash } from 'node:crypto';
import { networkOf } from '@weir/kernel';
import type { ArrivingCall, AskedCall, CallLimit, Endpoint } from '@weir/kernel/contract';
import { kernelProblems } from '@weir/kernel/contract';
import { callerRates } from './caller-rates.ts';

/** The groups of routes that have a rate of their own; `guess` is what answers 401 or 403. */
export const RATE_GROUPS = ['read', 'write', 'start', 'costly', 'guess'] as const;
export type RateGroup = (typeof RATE_GROUPS)[number];

export interface RateOptions {
  /** Calls per minute of one caller; 0 lets any number pass. */
  rates: Readonly<Record<RateGroup, number>>;
  /** Told of every call that was refused. */
  refused(group: RateGroup): void;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
}

/**
 * Holds each caller to so many calls a minute for each group of routes, and each address to so many denials
 * for each route, which are guesses of a credential or a right, and each of which is written to the trail. Counted in this process alone. Throws `rate_limited`.
 */
export function callRates({ rates, refused, now = () => performance.now() }: RateOptions): CallLimit {
  const callers = callerRates(now);
  const refuse = (group: RateGroup, waitMs: number) => {
    refused(group);
    return kernelProblems.rateLimited({ retryAfterSeconds: Math.ceil(waitMs / 1_000) });
  };
  return {
    denying(call) {
      const waitMs = callers.waitOf(guesserOf(call), rates.guess);
      if (waitMs > 0) throw refuse('guess', waitMs);
    },
    async allowed(call) {
      const group = groupOf(call.endpoint);
      const waitMs = callers.take(callerOf(call, group), rates[group]);
      if (waitMs > 0) throw refuse(group, waitMs);
    },
    refused(call) {
      callers.take(guesserOf(call), rates.guess);
    },
  };
}

/** Starts are told by their status, as everywhere on the wire: 202; what is asked by POST and changes nothing is costly. */
function groupOf({ method, status, access }: Endpoint): RateGroup {
  if (method === 'GET') return 'read';
  if ('reads' in access && access.reads) return 'costly';
  return status === 202 ? 'start' : 'write';
}

/** Of one length whatever the names are; a NUL stands in none of them. */
function callerOf({ tenant, principal }: AskedCall, group: RateGroup): string {
  const names = [tenant?.tenantId ?? '', group, principal.kind, principal.client, principal.subject];
  return hash('sha256', names.join('\0'), 'base64');
}

function guesserOf({ address, endpoint }: ArrivingCall): string {
  return `${networkOf(address)} ${endpoint.id}`;
}
