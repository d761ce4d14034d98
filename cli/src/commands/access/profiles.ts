import { Command, Option } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { confirm } from '../../command/confirm.ts';
import {
  changeProfile,
  type Profile,
  profileNamed,
  profilesFile,
  readProfiles,
  removeProfile,
} from '../../connection/profiles.ts';
import { exitCode } from '../../exit-codes.ts';

const category = 'Signing in';
const PROFILE = { name: 'profile' };

/** The profiles of this user. */
export class ProfilesList extends WeirCommand {
  static override paths = [['profiles', 'list']];
  static override usage = Command.Usage({
    category,
    description: 'List your profiles, and which one this command used',
  });

  async execute(): Promise<number> {
    const { profile: used } = await this.connection();
    const { current, profiles } = await readProfiles(profilesFile(this.context.env));
    const items = Object.entries(profiles).map(([name, { url, tenant, token, session }]) => ({
      ...{ name, url, tenant: tenant ?? null, signed_in: (token ?? session) !== undefined },
      ...{ current: name === current, used: name === used },
    }));
    await this.show({ items }, { columns: ['name', 'url', 'tenant', 'signed_in', 'current', 'used'] });
    if (current !== undefined && used !== current) this.note(`the profile ${current} is current, and not used here`);
    return exitCode('ok');
  }
}

/** Makes a profile the current one. */
export class ProfilesUse extends WeirCommand {
  static override paths = [['profiles', 'use']];
  static override usage = Command.Usage({
    category,
    description: 'Use a profile from now on',
    details:
      'In a checkout whose development server runs, commands go to that server, unless --profile or WEIR_PROFILE names another.',
    examples: [['From now on', 'weir profiles use work']],
  });

  name = Option.String(PROFILE);

  async execute(): Promise<number> {
    const { env, interrupted } = this.context;
    const { url } = await known(env, this.name);
    const options = { makeCurrent: true, interrupted };
    await changeProfile(profilesFile(env), this.name, async (profile) => profile, options);
    this.note(`commands use the profile ${this.name} for ${url}`);
    const { profile: used, url: reached } = await this.connection();
    if (used !== this.name) this.note(`here they go to ${reached} all the same; --profile ${this.name} says otherwise`);
    return exitCode('ok');
  }
}

/** Forgets a profile. */
export class ProfilesRemove extends WeirCommand {
  static override paths = [['profiles', 'remove']];
  static override usage = Command.Usage({
    category,
    description: 'Remove a profile with its tokens; weir logout ends a session at the provider too',
  });

  name = Option.String(PROFILE);

  async execute(): Promise<number> {
    const { env, interrupted } = this.context;
    const { url } = await known(env, this.name);
    await confirm(this, `Remove the profile ${this.name} for ${url}`);
    await removeProfile(profilesFile(env), this.name, interrupted);
    this.note(`removed ${this.name}`);
    return exitCode('ok');
  }
}

async function known(env: Record<string, string | undefined>, name: string): Promise<Profile> {
  const found = profileNamed(await readProfiles(profilesFile(env)), name);
  if (found !== undefined) return found;
  throw new CliError('notFound', `There is no profile ${name}.`, {
    code: 'not_found',
    hint: 'weir profiles list shows them',
  });
}
