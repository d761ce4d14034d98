import { Command, Option } from 'clipanion';
import { CliError } from '../cli-error.ts';
import { WeirCommand } from '../command/command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { completionScript, SHELLS } from './complete.ts';

/** The table of exit codes. */
export class HelpExitCodes extends WeirCommand {
  static override paths = [['help', 'exit-codes']];
  static override usage = Command.Usage({ category: 'Help', description: 'Show what each exit code means' });

  async execute(): Promise<number> {
    const items = Object.entries(EXIT_CODES).map(([name, { code, meaning }]) => ({ code, name, meaning }));
    await this.show({ items });
    return 0;
  }
}

/** Completion scripts for shells. */
export class Completion extends WeirCommand {
  static override paths = [['completion']];
  static override usage = Command.Usage({
    category: 'Help',
    description: 'Print the completion script of a shell',
    examples: [['Switch completion on in this bash', 'source <(weir completion bash)']],
  });

  shell = Option.String({ name: 'shell' });

  async execute(): Promise<number> {
    const script = completionScript(this.shell);
    if (script === undefined) throw new CliError('usage', `Completion knows ${SHELLS.join(', ')}.`);
    this.context.stdout.write(script);
    return 0;
  }
}
