import * as oidc from 'openid-client';

/** How these pages sign in; the server writes it into the page. */
export interface SignInConfig {
  issuer: string;
  client_id: string;
}

export interface Tokens {
  access: string;
  refresh?: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** What must be known again when the provider sends the browser back. */
interface Pending {
  verifier: string;
  state: string;
  returnTo: string;
}

/** Where the provider sends the browser back to. */
export const RETURN_PATH = '/signed-in';
/** The only thing that is ever stored, and only while the browser is away at the provider. */
const PENDING = 'weir.sign-in';
const CHANNEL = 'weir-sign-in';
const SCOPE = 'openid';
const DEFAULT_LIFETIME_S = 300;
/** Renewal is due this long before a token ends. */
const EARLY_MS = 30_000;

export function signInConfig(): SignInConfig {
  const text = document.querySelector<HTMLMetaElement>('meta[name="weir-sign-in"]')?.content ?? '';
  return JSON.parse(text) as SignInConfig;
}

let discovered: Promise<oidc.Configuration> | undefined;

/** The provider as its discovery document describes it. */
function provider({ issuer, client_id }: SignInConfig): Promise<oidc.Configuration> {
  const options = issuer.startsWith('http://') ? { execute: [oidc.allowInsecureRequests] } : {};
  discovered ??= oidc.discovery(new URL(issuer), client_id, undefined, oidc.None(), options).catch((error) => {
    discovered = undefined;
    throw error;
  });
  return discovered;
}

const returnUri = () => new URL(RETURN_PATH, location.origin).href;

async function authorization(
  config: SignInConfig,
  prompt?: 'login',
): Promise<{ url: URL } & Omit<Pending, 'returnTo'>> {
  const verifier = oidc.randomPKCECodeVerifier();
  const state = oidc.randomState();
  const url = oidc.buildAuthorizationUrl(await provider(config), {
    redirect_uri: returnUri(),
    scope: SCOPE,
    state,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(prompt === undefined ? {} : { prompt }),
  });
  return { url, verifier, state };
}

/**
 * Leaves for the provider. The verifier has to outlive this page: it lies in the storage of this tab until the browser
 * comes back, is worth nothing without the code, and is removed before the code is used.
 */
export async function leaveToSignIn(config: SignInConfig, returnTo: string, prompt?: 'login'): Promise<void> {
  const { url, verifier, state } = await authorization(config, prompt);
  sessionStorage.setItem(PENDING, JSON.stringify({ verifier, state, returnTo } satisfies Pending));
  location.assign(url);
}

/** Takes the browser back in: tokens and the page to show. Undefined in a window that another page opened. */
export async function takeReturn(config: SignInConfig): Promise<{ tokens: Tokens; returnTo: string } | undefined> {
  const came = new URL(location.href);
  // Neither the code nor the state stays in the address or its history.
  history.replaceState(null, '', RETURN_PATH);
  const stored = sessionStorage.getItem(PENDING);
  sessionStorage.removeItem(PENDING);
  if (stored === null) {
    const channel = new BroadcastChannel(CHANNEL);
    channel.postMessage(came.search);
    channel.close();
    window.close();
    return undefined;
  }
  const { verifier, state, returnTo } = JSON.parse(stored) as Pending;
  return { tokens: await exchange(config, came, { verifier, state }), returnTo };
}

/** Signs in in a window of its own, so that this page keeps what was typed into it. */
export async function signInBeside(config: SignInConfig, signal: AbortSignal): Promise<Tokens> {
  // Opened at once: a browser blocks a window that opens later than the click.
  const opened = window.open('about:blank', '_blank', 'popup,width=480,height=640');
  const { url, verifier, state } = await authorization(config);
  const channel = new BroadcastChannel(CHANNEL);
  try {
    const search = await new Promise<string>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      channel.onmessage = ({ data }) => {
        if (new URLSearchParams(String(data)).get('state') === state) resolve(String(data));
      };
      if (opened === null) reject(new Error('The browser blocked the window of the sign-in.'));
      else opened.location.assign(url);
    });
    return await exchange(config, new URL(search, returnUri()), { verifier, state });
  } finally {
    channel.close();
  }
}

async function exchange(config: SignInConfig, came: URL, pending: Omit<Pending, 'returnTo'>): Promise<Tokens> {
  const checks = { pkceCodeVerifier: pending.verifier, expectedState: pending.state };
  return tokensOf(await oidc.authorizationCodeGrant(await provider(config), came, checks));
}

/** New tokens for a refresh token, which is used once. */
export async function renew(config: SignInConfig, refresh: string): Promise<Tokens> {
  const tokens = tokensOf(await oidc.refreshTokenGrant(await provider(config), refresh));
  return { refresh, ...tokens };
}

/** Takes back what the provider gave; a provider without revocation forgets it in time. */
export async function revoke(config: SignInConfig, tokens: Tokens): Promise<void> {
  await oidc.tokenRevocation(await provider(config), tokens.refresh ?? tokens.access).catch(() => undefined);
}

function tokensOf(answer: oidc.TokenEndpointResponse): Tokens {
  const { access_token: access, refresh_token: refresh, expires_in: seconds = DEFAULT_LIFETIME_S } = answer;
  const expiresAt = Date.now() + seconds * 1_000;
  return { access, expiresAt, ...(refresh === undefined ? {} : { refresh }) };
}

export const isDue = (tokens: Tokens): boolean => tokens.expiresAt - EARLY_MS < Date.now();
