import { Command } from 'clipanion';
import { WeirCommand } from '../command.ts';
import { runProgram } from '../program.ts';

/** Brings the database to the newest schema. */
export class Migrate extends WeirCommand {
  static override paths = [['migrate']];
  static override usage = Command.Usage({
    category: 'Operation',
    description: 'Apply the migrations that the database lacks',
    details:
      'Reads DB_HOST, DB_PORT, DB_NAME, WEIR_DB_OWNER_USER and WEIR_DB_OWNER_PASSWORD or WEIR_DB_OWNER_PASSWORD_FILE.',
  });

  async execute(): Promise<number> {
    return runProgram(this.context, 'migrations/src/main.ts', ['up']);
  }
}

/** Prints the order in which the plugins would start, or every reason why they would not. */
export class PluginsPlan extends WeirCommand {
  static override paths = [['plugins', 'plan']];
  static override usage = Command.Usage({
    category: 'Operation',
    description: 'Print the start order of the plugins, or every fault of it',
  });

  async execute(): Promise<number> {
    return runProgram(this.context, 'kernel/src/main.ts', ['--plan']);
  }
}
