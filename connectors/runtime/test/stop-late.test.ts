import t from 'tap';
import type { ConnectorErrorCode } from '../src/connector-error.ts';
import { stopLate } from '../src/stop-late.ts';

t.test('one that waits at its bound of processes is told of by it, unless it ran too long', async (t) => {
  const full = async () => 'connector_processes_exhausted' as const;
  const free = async () => undefined;
  for (const [passed, boundNow, told] of [
    ['connector_silent', full, 'connector_processes_exhausted'],
    ['connector_never_spoke', full, 'connector_processes_exhausted'],
    ['connector_silent', free, 'connector_silent'],
    ['connector_silent', undefined, 'connector_silent'],
    ['connector_run_too_long', full, 'connector_run_too_long'],
  ] as const) {
    const seen: (ConnectorErrorCode | 'stopped')[] = [];
    const stop = async () => {
      seen.push('stopped');
      return { code: 143, signal: undefined, oomKilled: false, stopped: true };
    };
    await stopLate({ stop, ...(boundNow === undefined ? {} : { boundNow }) }, passed, (code) => seen.push(code));
    t.strictSame(seen, told === passed ? [passed, 'stopped'] : [passed, told, 'stopped']);
  }
});
