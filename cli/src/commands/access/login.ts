import { Command } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import type { FoundConnection } from '../../connection/find-connection.ts';
import {
  changeProfile,
  type Profiles,
  profileNamed,
  profilesFile,
  readProfiles,
  type Session,
} from '../../connection/profiles.ts';
import type { DeviceCode } from '../../connection/provider.ts';
import { sessionOf } from '../../connection/session.ts';
import { signInFacts } from '../../connection/sign-in-facts.ts';
import { type TokenFacts, tokenFacts } from '../../connection/token-facts.ts';
import { durationText } from '../../duration.ts';
import { exitCode } from '../../exit-codes.ts';

const PROFILE_NAME = /^[a-z0-9][a-z0-9._:@-]{0,63}$/i;

/** Signs in by another screen: the terminal shows an address and a code, and waits. */
export class Login extends WeirCommand {
  static override paths = [['login']];
  static override usage = Command.Usage({
    category: 'Signing in',
    description: 'Sign in at the identity provider of a server, in a browser anywhere',
    details:
      'Prints an address and a code, waits until somebody has signed in there, and keeps the tokens in the profile, readable by you alone. The profile is the one that is used, or that of --profile; it is the current one from then on. Tokens are renewed as they end.',
    examples: [
      ['The server that is running or configured', 'weir login'],
      ['Another one, as a profile of its own', 'weir login --url https://weir.example.com --profile work'],
    ],
  });

  async execute(): Promise<number> {
    const { env } = this.context;
    const found = await this.connection(true);
    const url = addressOf(found);
    const file = profilesFile(env);
    const known = await readProfiles(file);
    if (found.urlOfProject === true) refuseStranger(known, url);
    const name = this.profileName(found, url, known);
    const session = await this.signIn(url);
    const facts = tokenFacts(session.access_token, session.organization_claim);
    const profile = await changeProfile(
      file,
      name,
      async (before) => {
        const tenant = tenantOf(facts, [this.tenant, env.WEIR_TENANT, before?.tenant]);
        return { url, ...(tenant === undefined ? {} : { tenant }), session };
      },
      { makeCurrent: true },
    );
    this.remark(name, facts, profile?.tenant);
    await this.show({
      profile: name,
      url,
      tenant: profile?.tenant,
      subject: facts?.subject,
      name: facts?.name,
      tenants: facts?.tenants ?? [],
      expires_at: session.expires_at,
    });
    return exitCode('ok');
  }

  /** Waits until somebody has signed in: until the code expires, or for --timeout when that is shorter. */
  private async signIn(url: string): Promise<Session> {
    const { interrupted, stderr } = this.context;
    const limitMs = this.timeout === undefined ? undefined : this.timeoutMs();
    const limit = limitMs === undefined ? undefined : AbortSignal.timeout(limitMs);
    const ended = limit === undefined ? interrupted : AbortSignal.any([interrupted, limit]);
    try {
      const where = await signInFacts(url, ended);
      const { openProvider } = await import('../../connection/provider.ts');
      const { code, tokens } = await (await openProvider(where, ended)).startDevice();
      stderr.write(invitation(code, url, limitMs));
      const { issuer, clientId: client_id, organizationClaim: organization_claim } = where;
      return sessionOf(await tokens(), { issuer, client_id, organization_claim });
    } catch (error) {
      if (limit?.aborted !== true || interrupted.aborted) throw error;
      throw new CliError('timedOut', 'You did not sign in within --timeout.', {
        code: 'sign_in_timed_out',
        hint: 'weir login begins again',
        cause: error,
      });
    }
  }

  /** The profile to sign in to: the one that was asked for, else the one of this server, else one named as its host. */
  private profileName(found: FoundConnection, url: string, known: Profiles): string {
    const { missingProfile, profile } = found;
    const asked = this.profile ?? missingProfile;
    const kept = profile === undefined ? undefined : profileNamed(known, profile);
    const ofServer = kept !== undefined && isSameServer(kept.url, url) ? profile : undefined;
    const name = asked ?? ofServer ?? new URL(url).host.replace(/[^\w.:-]/g, '-');
    if (!PROFILE_NAME.test(name)) {
      throw new CliError('usage', 'This cannot be the name of a profile.', { hint: 'Letters, digits and . _ : @ -' });
    }
    return name;
  }

  private remark(name: string, facts: TokenFacts | undefined, tenant: string | undefined): void {
    this.note(`signed in; commands use the profile ${name} from now on`);
    if (facts !== undefined && facts.tenants.length > 1 && tenant === undefined)
      this.note('you are in several tenants: weir tenants use <alias> chooses one');
    if (facts?.tenants.length === 0)
      this.note('your token names no tenant: the operator of the provider can change that');
    if (this.context.env.WEIR_TOKEN || this.context.env.WEIR_TOKEN_FILE)
      this.note('WEIR_TOKEN or WEIR_TOKEN_FILE is set and goes before this session');
  }
}

function addressOf({ url }: FoundConnection): string {
  if (url !== undefined && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new CliError(
    'usage',
    url === undefined ? 'No server is configured and none is running here.' : 'The address of the API is not a URL.',
    {
      hint: 'weir login --url https://weir.example.com',
    },
  );
}

const isSameServer = (a: string, b: string) => URL.canParse(a) && new URL(a).origin === new URL(b).origin;

/** A checkout of somebody else may name a server that collects tokens: only a person can say that it is a good one. */
function refuseStranger({ profiles }: Profiles, url: string): void {
  if (Object.values(profiles).some((profile) => isSameServer(profile.url, url))) return;
  throw new CliError('usage', `weir.yaml names ${new URL(url).origin}, where you have never signed in.`, {
    code: 'server_unknown',
    hint: `If you know this server: weir login --url ${new URL(url).origin}`,
  });
}

/** What is shown on the terminal while the browser is asked; needed, hence not silenced by -q. */
function invitation(
  { userCode, address, completeAddress, expiresInS }: DeviceCode,
  url: string,
  limitMs = Number.POSITIVE_INFINITY,
): string {
  return [
    '',
    `  Sign in to ${new URL(url).host}`,
    '',
    `  Open   ${completeAddress ?? address}`,
    `  Code   ${userCode}`,
    '',
    `  waiting until somebody signs in there; the code is good for ${durationText(Math.min(expiresInS * 1_000, limitMs))}`,
    '',
  ]
    .map((line) => `${line}\n`)
    .join('');
}

/** The tenant to work in: the first wish that is one of theirs, else the only one there is. */
function tenantOf(facts: TokenFacts | undefined, wishes: readonly (string | undefined)[]): string | undefined {
  const tenants = facts?.tenants ?? [];
  return (
    wishes.find((wish) => wish !== undefined && tenants.includes(wish)) ??
    (tenants.length === 1 ? tenants[0] : undefined)
  );
}
