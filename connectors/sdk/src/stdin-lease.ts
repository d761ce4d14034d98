/** Set by a runtime whose stdin pipe to us is closed exactly when the runtime is gone. */
const LEASE = 'WEIR_STDIN_LEASE';

/**
 * Ends this process when the one that started it is gone. Only on request, as a stdin that is closed from the
 * start is ordinary elsewhere. By SIGKILL to ourselves: an ordinary exit waits for threads that may be in the
 * middle of a long query.
 */
export function watchStdinLease(environment: NodeJS.ProcessEnv = process.env): void {
  if (environment[LEASE] !== '1') return;
  const end = () => process.kill(process.pid, 'SIGKILL');
  process.stdin.on('end', end).on('close', end).on('error', end);
  process.stdin.resume();
  if ('unref' in process.stdin) process.stdin.unref();
}
