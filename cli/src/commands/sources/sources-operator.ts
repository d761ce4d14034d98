import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { confirm } from '../../command/confirm.ts';
import { askProgram } from '../../command/program.ts';
import { exitCode } from '../../exit-codes.ts';

const PROGRAM = 'workers/src/operator.ts';
const SETTINGS =
  'Reads the settings of the API from the environment, and asks the database and the secret store itself.';

/** What the program prints last, or the line by which it refuses. */
async function operate(command: WeirCommand, words: readonly string[]): Promise<Record<string, unknown>> {
  const { ok, stdout, stderr } = await askProgram(command.context, PROGRAM, words);
  const said = stdout.trim().split('\n').at(-1) ?? '';
  if (ok || said.startsWith('{"told"')) return (JSON.parse(said) as { told: Record<string, unknown> }).told;
  const { msg, faults = [] } = refusalOf(stderr);
  throw new CliError('failed', faults.length === 0 ? msg : faults.join('\n       '), { code: 'operator_refused' });
}

function refusalOf(stderr: string): { msg: string; faults?: string[] } {
  try {
    return JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
  } catch {
    return { msg: 'The program ended without saying why.' };
  }
}

/** Moves the credentials of many tenants into the secret store. */
export class OpsCredentialsMigrate extends WeirCommand {
  static override paths = [['ops', 'credentials', 'migrate']];
  static override usage = Command.Usage({
    category: 'Operation',
    description: 'Move the credentials of sources of all tenants, or of some, from the database into the secret store',
    details: `All are written and verified first; then one transaction turns every source, or none. ${SETTINGS}`,
    examples: [['All of them', 'weir ops credentials migrate --all']],
  });

  all = Option.Boolean('--all', false, { description: 'All tenants' });
  of = Option.Array('--of', [], { description: 'Alias of a tenant; may be repeated' });

  async execute(): Promise<number> {
    if (this.all === this.of.length > 0) throw new CliError('usage', 'Name tenants by --of, or give --all.');
    const whose = this.all ? 'all tenants' : this.of.join(', ');
    await confirm(this, `Move the credentials of ${whose} into the secret store, for good`);
    await this.show(await operate(this, ['credentials-migrate', ...this.of]));
    return exitCode('ok');
  }
}

/** Reads every credential at its exact version. */
export class OpsCredentialsCheck extends WeirCommand {
  static override paths = [['ops', 'credentials', 'check']];
  static override usage = Command.Usage({
    category: 'Operation',
    description: 'Read every credential at its exact version in the secret store, as after both were restored',
    details: `Exits with 1 when the store does not hold what the database knows; nothing that is printed is a secret. ${SETTINGS}`,
    examples: [['After a recovery', 'weir ops credentials check']],
  });

  async execute(): Promise<number> {
    const found = (await operate(this, ['credentials-check'])) as { credentials: number; faults: object[] };
    await this.show(found);
    this.note(`${found.credentials} credentials, ${found.faults.length} not as the database knows them`);
    return exitCode(found.faults.length > 0 ? 'failed' : 'ok');
  }
}
