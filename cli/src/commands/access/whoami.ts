import { Command } from 'clipanion';
import { WeirCommand } from '../../command/command.ts';
import { holderOf } from '../../command/holder.ts';
import { rolesFor } from '../../connection/token-facts.ts';
import { exitCode } from '../../exit-codes.ts';

/** Where the token of a command comes from, as people know it. */
const LAYERS = {
  environment: 'WEIR_TOKEN or WEIR_TOKEN_FILE',
  profile: 'profile',
  running: 'the development server that runs here',
} as const;

/** Who one is for the server, what one may do there, and until when. */
export class WhoAmI extends WeirCommand {
  static override paths = [['whoami']];
  static override usage = Command.Usage({
    category: 'Signing in',
    description: 'Show who you are signed in as, your roles and tenants, and where the token comes from',
    details:
      'Read from the token, which is never printed. The API is asked about one that says nothing of itself, such as an API token.',
  });

  async execute(): Promise<number> {
    const { facts, told, connection, renewed } = await holderOf(this);
    const { url, tenant, profile, tokenFrom } = connection;
    const used = tenant ?? (facts.tenants.length === 1 ? facts.tenants[0] : undefined);
    await this.show({
      url,
      ...(profile === undefined ? {} : { profile }),
      ...(tokenFrom === undefined ? {} : { token_from: LAYERS[tokenFrom] }),
      ...told,
      ...(facts.subject === undefined ? {} : { subject: facts.subject }),
      ...(facts.name === undefined ? {} : { name: facts.name }),
      ...(facts.client === undefined ? {} : { client: facts.client }),
      ...(used === undefined ? {} : { tenant: used }),
      roles: used === undefined ? facts.roles : rolesFor(facts, used),
      tenants: facts.tenants,
      ...(facts.expiresAt === undefined ? {} : { expires_at: facts.expiresAt }),
      renewed,
    });
    return exitCode('ok');
  }
}
