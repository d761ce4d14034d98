import { type EgressCode, EgressError } from './egress-error.ts';

/**
 * Runs one step of a fetch for at most `ms` milliseconds, then fails with `code`; an abort of `signal` fails with its
 * reason. The step gets a signal of both and must let go of what it holds when that is aborted: nobody waits for it.
 */
export async function within<T>(
  { ms, code }: { readonly ms: number; readonly code: EgressCode },
  signal: AbortSignal,
  step: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new EgressError(code)), ms);
  const either = AbortSignal.any([signal, limit.signal]);
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = () => reject(either.reason);
  either.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([ended, step(either)]);
  } finally {
    clearTimeout(timer);
    either.removeEventListener('abort', end);
  }
}
