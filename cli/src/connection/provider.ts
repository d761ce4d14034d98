import type { Configuration, DeviceAuthorizationResponse, TokenEndpointResponse } from 'openid-client';
import { CliError } from '../cli-error.ts';
import { boundedFetch, isGuarded } from './bounded-fetch.ts';
import { providerFault } from './provider-fault.ts';
import type { SignInFacts } from './sign-in-facts.ts';

const CALL_TIMEOUT_S = 10;
/** Once in so long at most, whatever a provider says. */
const MIN_INTERVAL_S = 0.1;
const USUAL_INTERVAL_S = 5;
const MAX_INTERVAL_S = 300;
const MAX_CODE_LIFETIME_S = 24 * 60 * 60;
const MAX_TOKEN_LIFETIME_S = 24 * 60 * 60;
/** When a provider does not say it; the API refuses the token when that is too long. */
const USUAL_LIFETIME_S = 60 * 60;
/** An ID token comes with the others and is used for nothing: the clock of this machine may be wrong. */
const ANY_CLOCK_S = 10 * 365 * 24 * 60 * 60;
/** A provider may be away for a moment while somebody signs in; so many failures in a row are more than that. */
const MAX_FAILURES = 5;

/** What a person does at another screen, and until when. */
export interface DeviceCode {
  userCode: string;
  /** Where it is typed. */
  address: string;
  /** The same with the code in it, when the provider has such a one. */
  completeAddress: string | undefined;
  expiresInS: number;
}

/** The tokens that a provider gave; `expiresInS` from now. */
export interface Tokens {
  accessToken: string;
  refreshToken: string | undefined;
  expiresInS: number;
}

/** One identity provider as one public client of it. Each call throws `CliError`, and no value of an answer with it. */
export interface Provider {
  /** Asks for a code, and then for the tokens of whoever says yes to it. */
  startDevice(): Promise<{ code: DeviceCode; tokens(): Promise<Tokens> }>;
  renew(refreshToken: string): Promise<Tokens>;
  /** Whether the provider took it back; false when it has no way to. */
  revoke(refreshToken: string): Promise<boolean>;
}

type Facts = Pick<SignInFacts, 'issuer' | 'clientId'>;

/** Opens a provider by its own description, which must name exactly this issuer. */
export async function openProvider({ issuer, clientId }: Facts, interrupted: AbortSignal): Promise<Provider> {
  const client = await import('openid-client');
  const judged = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw providerFault(error, { issuer, interrupted });
    });
  const config = await judged(
    client.discovery(new URL(issuer), clientId, { [client.clockTolerance]: ANY_CLOCK_S }, client.None(), {
      timeout: CALL_TIMEOUT_S,
      [client.customFetch]: boundedFetch(interrupted) as never,
      // The fetch above lets plain HTTP through to this machine alone.
      execute: [client.allowInsecureRequests],
    }),
  );
  if (config.serverMetadata().issuer !== issuer) throw invalid('it names another issuer');

  return {
    async startDevice() {
      const answer = await judged(client.initiateDeviceAuthorization(config, { scope: scopeOf(config) }));
      const code = deviceCodeOf(answer);
      return { code, tokens: () => pollTokens(answer) };
    },
    renew: async (refreshToken) => tokensOf(await judged(client.refreshTokenGrant(config, refreshToken))),
    async revoke(refreshToken) {
      if (config.serverMetadata().revocation_endpoint === undefined) return false;
      await judged(client.tokenRevocation(config, refreshToken, { token_type_hint: 'refresh_token' }));
      return true;
    },
  };

  /** Asks by the interval; a provider that is away is asked more seldom, as RFC 8628 wants, and given up at last. */
  async function pollTokens(answer: DeviceAuthorizationResponse): Promise<Tokens> {
    const expiry = AbortSignal.timeout(answer.expires_in * 1_000);
    let interval = Math.max(MIN_INTERVAL_S, answer.interval ?? USUAL_INTERVAL_S);
    for (let failures = 0; ; ) {
      const signal = AbortSignal.any([interrupted, expiry]);
      try {
        return tokensOf(
          await client.pollDeviceAuthorizationGrant(config, { ...answer, interval }, undefined, { signal }),
        );
      } catch (error) {
        const fault = providerFault(error, { issuer, interrupted, expired: expiry.aborted });
        if (fault.exit !== 'unreachable' || ++failures === MAX_FAILURES) throw fault;
        interval = Math.min(MAX_INTERVAL_S, interval * 2);
      }
    }
  }
}

function invalid(why: string): CliError {
  return new CliError('failed', `The identity provider cannot be used: ${why}.`, {
    code: 'provider_invalid',
    hint: 'Ask the operator of the server to compare IDP_ISSUER with the issuer that the provider names.',
  });
}

/** All organizations of the caller where the provider is asked for them, as Keycloak is; the token alone otherwise. */
function scopeOf(config: Configuration): string {
  const supported = config.serverMetadata().scopes_supported ?? [];
  return supported.includes('organization') ? 'openid organization:*' : 'openid';
}

/** What may be shown on a terminal: no control characters, and addresses that browsers may be sent to. */
function deviceCodeOf(answer: DeviceAuthorizationResponse): DeviceCode {
  const { user_code, verification_uri, verification_uri_complete, expires_in, interval = 1 } = answer;
  const addresses = [verification_uri, ...(verification_uri_complete === undefined ? [] : [verification_uri_complete])];
  const isFit =
    /^[\x21-\x7e]{1,64}$/.test(user_code) &&
    addresses.every((address) => isGuarded(address)) &&
    expires_in <= MAX_CODE_LIFETIME_S &&
    interval <= MAX_INTERVAL_S;
  if (!isFit) throw invalid('its answer to a device is no use');
  return {
    userCode: user_code,
    address: new URL(verification_uri).href,
    completeAddress: verification_uri_complete === undefined ? undefined : new URL(verification_uri_complete).href,
    expiresInS: expires_in,
  };
}

function tokensOf({ access_token, refresh_token, expires_in }: TokenEndpointResponse): Tokens {
  if (!/^[\x21-\x7e]+$/.test(access_token)) throw invalid('its token is invalid');
  return {
    accessToken: access_token,
    refreshToken: refresh_token,
    expiresInS: Math.min(expires_in ?? USUAL_LIFETIME_S, MAX_TOKEN_LIFETIME_S),
  };
}
