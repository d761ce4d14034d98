import { CliError } from '../cli-error.ts';
import type { WeirCommand } from './command.ts';

/** Asks before something is destroyed. Without a terminal, or with --no-input, only --yes lets it pass. */
export async function confirm(command: WeirCommand, what: string): Promise<void> {
  if (command.yes) return;
  const { stdin, stderr, interrupted } = command.context;
  const terminal = (stdin as NodeJS.ReadStream).isTTY === true && (stderr as NodeJS.WriteStream).isTTY === true;
  if (command.noInput || !terminal) {
    throw new CliError('usage', `This asks first: ${what}.`, { hint: 'Add --yes to go on without a question.' });
  }
  const { createInterface } = await import('node:readline/promises');
  const asker = createInterface({ input: stdin, output: stderr });
  const answer = await asker.question(`${what}. Go on? [y/N] `, { signal: interrupted }).catch(() => '');
  asker.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError('usage', 'Nothing was done.');
}
