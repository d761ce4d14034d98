import { createTenant } from '@weir/plugin-platform/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { askProgram } from '../../command/program.ts';
import { exitCode } from '../../exit-codes.ts';

const PROGRAM = 'migrations/src/main.ts';

/** Makes a tenant by the API, or, where no platform admin can sign in yet, with the rights of the database owner. */
export class TenantsCreate extends WeirCommand {
  static override paths = [['tenants', 'create']];
  static override usage = Command.Usage({
    category: 'Operation',
    description: createTenant.summary,
    details:
      'A platform admin makes it by the API, which records who did. Before anyone can sign in, --as-owner makes it in the database with the variables of weir migrate; one that exists stays as it is then.',
    examples: [
      ['A tenant of the organization acme', 'weir tenants create acme'],
      ['With a plugin that is opt-in', 'weir tenants create acme --plugins schema-registry'],
      ['The first one of a deployment, before the API runs', 'weir tenants create acme --as-owner'],
    ],
  });

  alias = Option.String({ name: 'alias' });
  plugins = Option.Array('--plugins', { description: 'Opt-in plugin that the tenant gets; may be repeated' });
  asOwner = Option.Boolean('--as-owner', false, {
    description: 'Without the API, as the database owner that DB_HOST and WEIR_DB_OWNER_PASSWORD_FILE name',
  });

  async execute(): Promise<number> {
    const tenant = this.asOwner ? await this.madeByOwner() : await this.madeByApi();
    await this.show(tenant);
    this.note(`next: put people into the organization ${this.alias} at the identity provider`);
    return exitCode('ok');
  }

  private async madeByApi(): Promise<object> {
    const api = await this.api();
    return api.call(createTenant, { body: { alias: this.alias, ...(this.plugins && { plugins: this.plugins }) } });
  }

  private async madeByOwner(): Promise<object> {
    if (this.plugins !== undefined)
      throw new CliError('usage', '`--plugins` needs the API: leave out `--as-owner`.', {
        code: 'flags_exclude',
        hint: 'Make the tenant first, and give it the plugin once the API runs.',
      });
    const { ok, stdout, stderr } = await askProgram(this.context, PROGRAM, ['tenant', 'create', this.alias]);
    if (ok) return JSON.parse(stdout) as object;
    const { msg } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '{}') as { msg?: string };
    throw new CliError('failed', msg ?? 'The tenant was not made.', {
      code: 'tenant_not_made',
      hint: 'Check DB_HOST, WEIR_DB_OWNER_USER and WEIR_DB_OWNER_PASSWORD_FILE, and run weir migrate before.',
    });
  }
}
