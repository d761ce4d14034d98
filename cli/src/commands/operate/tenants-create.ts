import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { type CliContext, WeirCommand } from '../../command/command.ts';
import { askProgram } from '../../command/program.ts';

/** As the database takes it; the scope of the datasets is made of it. */
const ALIAS = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;
const PROGRAM = 'migrations/src/main.ts';

/** Makes a tenant with the rights of the owner of the database, which no running process has. */
export class TenantsCreate extends WeirCommand {
  static override paths = [['tenants', 'create']];
  static override usage = Command.Usage({
    category: 'Operation',
    description: 'Make a tenant; one that is there stays as it is',
    details:
      'Done by the owner of the database, as no running process may: reads the variables of weir migrate, or the development server of this checkout where DB_HOST is not set.',
    examples: [['A tenant of the organization acme', 'weir tenants create acme']],
  });

  alias = Option.String({ name: 'alias' });
  dataDir = Option.String('--data-dir', { description: 'Data folder of dev up; .weir of the checkout unless given' });

  async execute(): Promise<number> {
    if (!ALIAS.test(this.alias)) {
      throw new CliError(
        'usage',
        'An alias has at most 63 letters, digits, - and _, and begins with none of these two.',
        {
          code: 'usage',
          hint: 'Take the name that the identity provider gives the organization.',
        },
      );
    }
    const { env } = this.context;
    const owner = env.DB_HOST === undefined ? await developmentOwner(this.context, this.dataDir) : {};
    const program = { ...this.context, env: { ...env, ...owner } };
    const { ok, stdout, stderr } = await askProgram(program, PROGRAM, ['tenant', 'create', this.alias]);
    if (!ok) {
      const { msg } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '{}') as { msg?: string };
      throw new CliError('failed', msg ?? 'The tenant was not made.', {
        code: 'tenant_not_made',
        hint: 'Check DB_HOST, WEIR_DB_OWNER_USER and WEIR_DB_OWNER_PASSWORD_FILE, and run weir migrate before.',
      });
    }
    const tenant = JSON.parse(stdout) as { created: boolean };
    await this.show(tenant);
    if (tenant.created) this.note(`next: put people into the organization ${this.alias} at the identity provider`);
    return 0;
  }
}

/** How the owner of the database of the running development server signs in there. */
async function developmentOwner(context: CliContext, dataDir: string | undefined): Promise<Record<string, string>> {
  const { dataFolder } = await import('../../dev/dev-up.ts');
  const { devFolder, devSecrets } = await import('../../dev/folder/folder.ts');
  const { runningState } = await import('../../dev/status.ts');
  const folder = dataFolder(context, dataDir);
  const state = await runningState(folder);
  if (state === undefined) {
    throw new CliError('notFound', 'No database is named, and no development server runs here.', {
      code: 'not_running',
      hint: 'Set DB_HOST, DB_NAME and WEIR_DB_OWNER_PASSWORD_FILE, or start weir dev up.',
    });
  }
  const { owner } = await devSecrets(devFolder(folder));
  const { host, port, name } = state.database;
  const place = { DB_HOST: host, DB_PORT: String(port), DB_NAME: name, WEIR_MODE: 'development' };
  return { ...place, WEIR_DB_OWNER_USER: 'weir_owner', WEIR_DB_OWNER_PASSWORD: owner };
}
