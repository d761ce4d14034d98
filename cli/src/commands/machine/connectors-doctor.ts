import { Command } from 'clipanion';
import { choice } from '../../command/choice.ts';
import { WeirCommand } from '../../command/command.ts';
import { ENGINE_ROLES } from '../../connectors/engine/engine-role.ts';
import { exitCode } from '../../exit-codes.ts';

const COLUMNS = ['role', 'check', 'status', 'found', 'next_step'];

/** Looks at each point of the connector engine's installation, with a next step for each fault. */
export class ConnectorsDoctor extends WeirCommand {
  static override paths = [['connectors', 'doctor']];
  static override usage = Command.Usage({
    category: 'Operation',
    description: 'Check each point of the connector engine, through the socket of each role',
    details:
      'Run it on the machine of the engine with the environment of a worker, as the user of the worker; as root it sees the fence too. Changes nothing but for one small container that tries to break its limits. Exits with 1 when a point is a fault.',
    examples: [
      [
        'As the worker sees it',
        'sudo -u weir-source env $(cat /etc/weir/connectors.env) weir connectors doctor --role source',
      ],
      ['As root', 'sudo env $(cat /etc/weir/connectors.env) weir connectors doctor'],
    ],
  });

  role = choice('--role', ENGINE_ROLES, `${ENGINE_ROLES.join(' | ')}; each that the environment names unless given`);

  async execute(): Promise<number> {
    const { rolePlaces } = await import('../../connectors/engine/engine-role.ts');
    const { examineAll } = await import('../../connectors/engine/examine-all.ts');
    const checks = await examineAll(rolePlaces(this.context.env as NodeJS.ProcessEnv, this.role));
    await this.show({ items: checks }, { columns: COLUMNS });
    const faults = checks.filter(({ status }) => status === 'fault').length;
    this.note(`${checks.length} points, ${faults} not as they must be`);
    return exitCode(faults > 0 ? 'failed' : 'ok');
  }
}
