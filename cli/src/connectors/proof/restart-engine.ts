import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { CliError } from '../../cli-error.ts';

const TIMEOUT_MS = 180_000;

/** An operator's own command, run by the shell with what it says on stderr; throws when it does not end well. */
export function restartBy(command: string): () => Promise<void> {
  return async () => {
    const child = spawn(command, { shell: true, stdio: ['ignore', 'inherit', 'inherit'], timeout: TIMEOUT_MS });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0)
      throw new CliError('failed', 'The engine could not be restarted.', { hint: 'See the command of --restart.' });
  };
}
