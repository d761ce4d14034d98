import { CliError } from '../cli-error.ts';
import { UnacceptableAnswer } from './bounded-fetch.ts';
import { sessionEnded } from './not-signed-in.ts';

const AGAIN = 'weir login begins again';

/** What an error of the provider's own says: RFC 6749 and RFC 8628. */
const OWN_ERRORS: Record<string, () => CliError> = {
  access_denied: () => new CliError('refused', 'The sign-in was declined.', { code: 'sign_in_declined', hint: AGAIN }),
  expired_token: codeExpired,
  invalid_grant: sessionEnded,
  invalid_client: clientRefused,
  unauthorized_client: clientRefused,
  unsupported_grant_type: clientRefused,
};

function codeExpired(): CliError {
  return new CliError('refused', 'The code expired before you signed in.', { code: 'sign_in_expired', hint: AGAIN });
}

function clientRefused(): CliError {
  return new CliError('failed', 'The identity provider does not let this client sign in from a terminal.', {
    code: 'provider_refused',
    hint: 'Ask the operator of the provider to allow the device flow for the client that IDP_CLIENT_ID names.',
  });
}

/** What is known of a failed call. */
export interface FaultSetting {
  issuer: string;
  interrupted: AbortSignal;
  /** The time for a device code is over. */
  expired?: boolean;
}

/** What went wrong at a provider, for the person who signs in: never a value that it answered. */
export function providerFault(error: unknown, { issuer, interrupted, expired }: FaultSetting): CliError {
  if (interrupted.aborted) return new CliError('interrupted', 'Interrupted.');
  if (error instanceof CliError) return error;
  if (expired === true) return codeExpired();
  const own = ownErrorOf(error);
  const known = own === undefined || !Object.hasOwn(OWN_ERRORS, own) ? undefined : OWN_ERRORS[own];
  if (known !== undefined) return known();
  const at = new URL(issuer).origin;
  const why = own === undefined ? reasonOf(error) : 'it refuses the request';
  if (why === undefined) {
    return new CliError('unreachable', `The identity provider at ${at} does not answer.`, {
      code: 'provider_unavailable',
      hint: 'Try again when it does; WEIR_TOKEN carries a token meanwhile.',
      cause: error,
    });
  }
  return new CliError('failed', `The identity provider at ${at} answered what it must not: ${why}.`, {
    code: 'provider_invalid',
    hint: 'Ask the operator of the server to compare IDP_ISSUER and IDP_CLIENT_ID with the provider.',
  });
}

/** Each error with the errors that caused it. */
function chain(error: unknown): Error[] {
  const found: Error[] = [];
  for (let at = error; at instanceof Error && found.length < 8; at = at.cause) found.push(at);
  return found;
}

/** The `error` of an answer of the OAuth protocol. */
function ownErrorOf(error: unknown): string | undefined {
  const found = chain(error).find(
    (each): each is Error & { error: string } => typeof (each as { error?: unknown }).error === 'string',
  );
  return found?.error;
}

/** Why an answer is no use; undefined when there was none, or one that says that the provider is out of order. */
function reasonOf(error: unknown): string | undefined {
  const errors = chain(error);
  const unacceptable = errors.find((each) => each instanceof UnacceptableAnswer);
  if (unacceptable !== undefined) return unacceptable.message;
  const status = statusOf(error);
  if (status !== undefined && status >= 500) return undefined;
  const codes = errors.map((each) => String((each as { code?: unknown }).code ?? ''));
  if (codes.includes('OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED')) return 'it names another issuer';
  if (codes.includes('OAUTH_JWT_TIMESTAMP_CHECK_FAILED'))
    return 'its tokens are of another time, or the clock of this machine is wrong';
  if (status !== undefined) return `status ${status}`;
  return codes.some((code) => code.startsWith('OAUTH_') && code !== 'OAUTH_TIMEOUT' && code !== 'OAUTH_ABORT')
    ? 'it is no answer of OpenID Connect'
    : undefined;
}

/** The status of an answer that was not one of the protocol. */
function statusOf(error: unknown): number | undefined {
  const { cause } = (error ?? {}) as { cause?: unknown };
  return cause instanceof Response && cause.status !== 200 ? cause.status : undefined;
}
