import { MAX_PAGE_SIZE } from '@weir/kernel/contract';
import { listTenants, type TenantView } from '@weir/plugin-platform/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { holderOf } from '../../command/holder.ts';
import { changeProfile, profilesFile } from '../../connection/profiles.ts';
import { rolesFor } from '../../connection/token-facts.ts';
import { exitCode } from '../../exit-codes.ts';

const CATEGORY = 'Signing in';

/** The tenants of whoever is signed in, with the roles there. */
export class TenantsList extends WeirCommand {
  static override paths = [['tenants', 'list']];
  static override usage = Command.Usage({
    category: CATEGORY,
    description: 'List the tenants that your token names, and your roles in each',
    examples: [['As a platform admin, those of the whole deployment', 'weir tenants list --all']],
  });

  all = Option.Boolean('--all', false, { description: 'Every tenant that there is; platform admins only' });

  async execute(): Promise<number> {
    if (this.all) return this.everyTenant();
    const { facts, connection } = await holderOf(this);
    const only = facts.tenants.length === 1 ? facts.tenants[0] : undefined;
    const items = facts.tenants.map((alias) => ({
      alias,
      roles: rolesFor(facts, alias).join(', '),
      used: alias === (connection.tenant ?? only),
    }));
    await this.show({ items }, { columns: ['alias', 'roles', 'used'] });
    return exitCode('ok');
  }

  private async everyTenant(): Promise<number> {
    const api = await this.api();
    const items: TenantView[] = [];
    for (let token: string | null | undefined; token !== null; ) {
      const query: { limit: number; page_token?: string } = { limit: MAX_PAGE_SIZE };
      if (token !== undefined) query.page_token = token;
      const page = await api.call(listTenants, { query });
      items.push(...page.items);
      token = page.next_page_token;
    }
    await this.show({ items }, { columns: ['alias', 'scope', 'created_at', 'tenant_id'] });
    return exitCode('ok');
  }
}

/** Chooses the tenant that commands of a profile are for. */
export class TenantsUse extends WeirCommand {
  static override paths = [['tenants', 'use']];
  static override usage = Command.Usage({
    category: CATEGORY,
    description: 'Choose the tenant that commands are for, in the profile that is used',
    examples: [['From now on', 'weir tenants use acme']],
  });

  alias = Option.String({ name: 'tenant' });

  async execute(): Promise<number> {
    const { env, interrupted } = this.context;
    const { facts, connection } = await holderOf(this);
    if (!facts.tenants.includes(this.alias)) {
      throw new CliError('refused', 'Your token does not name this tenant.', {
        code: 'tenant_not_allowed',
        hint: 'weir tenants list shows those that it names; after a change of them, weir login',
      });
    }
    const { profile } = connection;
    if (profile === undefined) {
      throw new CliError('usage', 'No profile is used that could keep it.', {
        hint: 'weir login makes one; WEIR_TENANT and --tenant say it without one',
      });
    }
    const change = async (before: Parameters<Parameters<typeof changeProfile>[2]>[0]) =>
      before === undefined ? undefined : { ...before, tenant: this.alias };
    await changeProfile(profilesFile(env), profile, change, { interrupted });
    this.note(`commands of the profile ${profile} are for the tenant ${this.alias}`);
    if (env.WEIR_TENANT && env.WEIR_TENANT !== this.alias) this.note('WEIR_TENANT is set and goes before it');
    return exitCode('ok');
  }
}
