import { Command } from 'clipanion';
import { WeirCommand } from '../command.ts';
import { notSignedIn } from '../connection/not-signed-in.ts';
import { signedIn } from '../connection/session.ts';
import { rolesFor, tokenFacts } from '../connection/token-facts.ts';
import { exitCode } from '../exit-codes.ts';

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
      'Read from the token, which is never printed. A token that says nothing, such as an API token, is good for one tenant.',
  });

  async execute(): Promise<number> {
    const { env, interrupted } = this.context;
    const found = await this.connection();
    const { url, tenant, profile, token, tokenFrom } = await signedIn(found, { env, interrupted });
    if (token === undefined || tokenFrom === undefined) throw notSignedIn();
    const facts = tokenFacts(token, found.session?.organization_claim);
    const used = tenant ?? (facts?.tenants.length === 1 ? facts.tenants[0] : undefined);
    await this.show({
      url,
      ...(profile === undefined ? {} : { profile }),
      token_from: LAYERS[tokenFrom],
      ...(facts === undefined ? { token: 'says nothing of its holder' } : {}),
      ...(facts?.subject === undefined ? {} : { subject: facts.subject }),
      ...(facts?.name === undefined ? {} : { name: facts.name }),
      ...(facts?.client === undefined ? {} : { client: facts.client }),
      ...(used === undefined ? {} : { tenant: used }),
      ...(facts === undefined ? {} : { roles: used === undefined ? facts.roles : rolesFor(facts, used) }),
      ...(facts === undefined ? {} : { tenants: facts.tenants }),
      ...(facts?.expiresAt === undefined ? {} : { expires_at: facts.expiresAt }),
      renewed: found.session?.refresh_token !== undefined,
    });
    return exitCode('ok');
  }
}
