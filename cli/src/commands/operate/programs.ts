import { Command } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { askProgram, runProgram } from '../../command/program.ts';

/** Brings the database to the newest schema. */
export class Migrate extends WeirCommand {
  static override paths = [['migrate']];
  static override usage = Command.Usage({
    category: 'Operation',
    description: 'Apply the migrations that the database lacks',
    details:
      'Reads DB_HOST, DB_PORT, DB_NAME, WEIR_DB_SSL_*, WEIR_DB_OWNER_USER and WEIR_DB_OWNER_PASSWORD or WEIR_DB_OWNER_PASSWORD_FILE.',
  });

  async execute(): Promise<number> {
    return runProgram(this.context, 'migrations/src/main.ts', ['up']);
  }
}

/** The line of a program that refuses to start. */
interface Refused {
  msg?: string;
  faults?: string[];
}

/** A plugin as the plan names it. */
interface Planned {
  prefixes: string[];
  provides?: string[];
  requires?: string[];
}

/** Prints the order in which the plugins would start, or every reason why they would not. */
export class PluginsPlan extends WeirCommand {
  static override paths = [['plugins', 'plan']];
  static override usage = Command.Usage({
    category: 'Operation',
    description: 'Print the start order of the plugins, or every fault of it',
  });

  async execute(): Promise<number> {
    const { ok, stdout, stderr } = await askProgram(this.context, 'kernel/src/main.ts', ['--plan']);
    if (!ok) {
      const { faults = [], msg } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '{}') as Refused;
      throw new CliError('failed', faults.length === 0 ? (msg ?? 'The plan failed.') : faults.join('\n       '), {
        code: 'plugins_refused',
        hint: 'Mend platform.json or the manifests that are named, then plan again.',
      });
    }
    const { order } = JSON.parse(stdout) as { order: Planned[] };
    const names = (list: readonly string[] = []) => list.join(', ');
    const items = order.map(({ prefixes, provides, requires, ...plugin }) => ({
      ...plugin,
      prefixes: names(prefixes),
      provides: names(provides),
      requires: names(requires),
    }));
    await this.show({ items }, { columns: ['id', 'version', 'kernel', 'tenancy', 'prefixes', 'provides', 'requires'] });
    return 0;
  }
}
