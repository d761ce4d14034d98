import { Command, Option } from 'clipanion';
import { WeirCommand } from '../../command/command.ts';
import { exitCode } from '../../exit-codes.ts';

/** Looks for what keeps a development server or a command from working. */
export class Doctor extends WeirCommand {
  static override paths = [['doctor']];
  static override usage = Command.Usage({
    category: 'Operation',
    description: 'Check this machine and the server, with a next step for each fault',
  });

  dataDir = Option.String('--data-dir', { description: 'Data folder of dev up; .weir of the checkout unless given' });

  async execute(): Promise<number> {
    const { examine } = await import('../../dev/doctor.ts');
    const { dataFolder } = await import('../../dev/dev-up.ts');
    const checks = await examine(this.context, dataFolder(this.context, this.dataDir), () => this.api());
    await this.show({ items: checks }, { columns: ['check', 'status', 'found', 'next_step'] });
    return exitCode(checks.some((check) => check.status === 'fault') ? 'failed' : 'ok');
  }
}
