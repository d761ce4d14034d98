import { Command, Option } from 'clipanion';
import { CliError } from '../cli-error.ts';
import { withWords } from '../command/choice.ts';
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
    details:
      'It completes commands, options, the words that an option takes, and names of sources, transforms, pipelines, tables and tenants. Names come from the server of the line; without an answer in a second none are offered.',
    examples: [
      ['Switch completion on in this bash', 'source <(weir completion bash)'],
      ['In this zsh', 'source <(weir completion zsh)'],
      ['In every fish', 'weir completion fish > ~/.config/fish/completions/weir.fish'],
    ],
  });

  shell = withWords(Option.String({ name: 'shell' }), SHELLS);

  async execute(): Promise<number> {
    const script = completionScript(this.shell);
    if (script === undefined) throw new CliError('usage', `Completion knows ${SHELLS.join(', ')}.`);
    this.context.stdout.write(script);
    return 0;
  }
}
