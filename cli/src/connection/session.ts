import type { FoundConnection } from './find-connection.ts';
import { sessionEnded } from './not-signed-in.ts';
import { changeProfile, type Profile, profilesFile, type Session } from './profiles.ts';
import type { Tokens } from './provider.ts';
import type { Connection } from './resolve-connection.ts';

/** A token that ends sooner is renewed before it is used. */
const LEEWAY_MS = 30_000;

/** A connection whose token, where it is of a session, is good for a while. */
export interface SignedIn extends Connection {
  /** A token in the place of one that the API does not take any more; throws when the session has ended. */
  renew?: (refused: string) => Promise<string>;
}

export interface SessionDeps {
  env: Record<string, string | undefined>;
  interrupted: AbortSignal;
}

/** What a profile keeps of the tokens that a provider gave just now. */
export function sessionOf(
  tokens: Tokens,
  provider: Pick<Session, 'issuer' | 'client_id' | 'organization_claim'>,
  now: number = Date.now(),
): Session {
  const { issuer, client_id, organization_claim } = provider;
  return {
    issuer,
    client_id,
    organization_claim,
    access_token: tokens.accessToken,
    ...(tokens.refreshToken === undefined ? {} : { refresh_token: tokens.refreshToken }),
    expires_at: new Date(now + tokens.expiresInS * 1_000).toISOString(),
  };
}

/** Renews the token of a session that ends soon, and again when the API refuses it; other tokens go as they are. */
export async function signedIn(found: FoundConnection, deps: SessionDeps): Promise<SignedIn> {
  const { session, profile, ...connection } = found;
  if (session === undefined || profile === undefined) return found;
  const renew = async (refused: string) => {
    const file = profilesFile(deps.env);
    const change = (current: Profile | undefined) => renewed(current, refused, deps.interrupted);
    const after = await changeProfile(file, profile, change, { interrupted: deps.interrupted });
    if (after?.session === undefined) throw sessionEnded();
    return after.session.access_token;
  };
  const isFresh = Date.parse(session.expires_at) - Date.now() > LEEWAY_MS;
  return { ...connection, profile, token: isFresh ? session.access_token : await renew(session.access_token), renew };
}

/**
 * The profile with a new token, while nobody else changes it; undefined when another command has renewed it since, so
 * that of any number of commands at once one alone asks the provider.
 */
async function renewed(
  profile: Profile | undefined,
  refused: string,
  interrupted: AbortSignal,
): Promise<Profile | undefined> {
  const session = profile?.session;
  if (profile === undefined || session === undefined) throw sessionEnded();
  if (session.access_token !== refused) return undefined;
  if (session.refresh_token === undefined) throw sessionEnded();
  const { openProvider } = await import('./provider.ts');
  const provider = await openProvider({ issuer: session.issuer, clientId: session.client_id }, interrupted);
  const tokens = await provider.renew(session.refresh_token);
  // A provider whose refresh tokens are good more than once does not send the same one again.
  const kept = { ...tokens, refreshToken: tokens.refreshToken ?? session.refresh_token };
  return { ...profile, session: sessionOf(kept, session) };
}
