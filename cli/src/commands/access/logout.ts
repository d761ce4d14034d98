import { Command } from 'clipanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { changeProfile, profileNamed, profilesFile, readProfiles, type Session } from '../../connection/profiles.ts';
import { exitCode } from '../../exit-codes.ts';

/** Ends a session: at the identity provider, and here. */
export class Logout extends WeirCommand {
  static override paths = [['logout']];
  static override usage = Command.Usage({
    category: 'Signing in',
    description: 'End the session of a profile, at the identity provider and here',
    details:
      'The tokens are removed here in any case. An access token that was copied elsewhere is good until it ends by itself, within minutes with most providers.',
  });

  async execute(): Promise<number> {
    const { env, interrupted } = this.context;
    const file = profilesFile(env);
    const { profile: name } = await this.connection();
    const before = name === undefined ? undefined : profileNamed(await readProfiles(file), name);
    if (name === undefined || (before?.session ?? before?.token) === undefined) {
      this.note('you were not signed in');
      return exitCode('ok');
    }
    let session: Session | undefined;
    await changeProfile(file, name, async (profile) => {
      if (profile === undefined) return undefined;
      const { session: ended, token: _token, ...kept } = profile;
      session = ended;
      return kept;
    });
    const revoked = session === undefined ? true : await revoke(session, interrupted);
    this.note(`signed out of the profile ${name}`);
    if (!revoked) this.note('the identity provider takes no session back; it ends there by itself');
    if (env.WEIR_TOKEN || env.WEIR_TOKEN_FILE) this.note('WEIR_TOKEN or WEIR_TOKEN_FILE is still set');
    return exitCode('ok');
  }
}

async function revoke(session: Session, interrupted: AbortSignal): Promise<boolean> {
  const { issuer, client_id: clientId, refresh_token: token } = session;
  if (token === undefined) return false;
  try {
    const { openProvider } = await import('../../connection/provider.ts');
    return await (await openProvider({ issuer, clientId }, interrupted)).revoke(token);
  } catch (error) {
    if (!(error instanceof CliError) || error.exit === 'interrupted') throw error;
    throw new CliError(error.exit, `You are signed out here, but not at the identity provider. ${error.message}`, {
      ...error.details,
      hint: 'The session ends there by itself; the page of your account there may end it sooner.',
    });
  }
}
