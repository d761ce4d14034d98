import { CliError } from '../cli-error.ts';
import { boundedBody, isGuarded } from './bounded-fetch.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** What the API says of where its people sign in. */
export interface SignInFacts {
  issuer: string;
  clientId: string;
  organizationClaim: string;
}

/** Asks the API at an address where its people sign in; throws when it does not answer or does not say. */
export async function signInFacts(url: string, interrupted: AbortSignal): Promise<SignInFacts> {
  const signal = AbortSignal.any([interrupted, AbortSignal.timeout(TIMEOUT_MS)]);
  const document = await fetch(new URL('/openapi.json', url), { redirect: 'error', signal })
    .then(async (answer) => (answer.ok ? new TextDecoder().decode(await boundedBody(answer, MAX_BYTES)) : ''))
    .catch((cause: unknown) => {
      if (interrupted.aborted) throw new CliError('interrupted', 'Interrupted.');
      throw new CliError('unreachable', `${url} does not answer.`, { cause, hint: 'weir doctor looks for the reason' });
    });
  const facts = factsOf(document);
  if (facts === undefined) {
    throw new CliError('failed', `${new URL(url).origin} does not say where its people sign in.`, {
      code: 'sign_in_unknown',
      hint: 'Is this the Weir API, of this release or a later one? WEIR_TOKEN carries a token meanwhile.',
    });
  }
  if (!isGuarded(facts.issuer)) {
    throw new CliError('failed', 'The identity provider of this server has an address without https.', {
      code: 'provider_invalid',
      hint: 'Ask the operator of the server to correct IDP_ISSUER.',
    });
  }
  return facts;
}

type Document = { components?: { securitySchemes?: { bearer?: { 'x-sign-in'?: Record<string, unknown> } } } } | null;

function factsOf(text: string): SignInFacts | undefined {
  let document: Document;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { issuer, client_id, organization_claim } = document?.components?.securitySchemes?.bearer?.['x-sign-in'] ?? {};
  return typeof issuer === 'string' && typeof client_id === 'string' && typeof organization_claim === 'string'
    ? { issuer, clientId: client_id, organizationClaim: organization_claim }
    : undefined;
}
