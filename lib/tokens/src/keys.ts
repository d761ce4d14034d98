import { createLocalJWKSet, type JSONWebKeySet, type JWTHeaderParameters, type JWTVerifyGetKey } from 'jose';

const FETCH_TIMEOUT_MS = 3_000;
const FRESH_MS = 10 * 60_000;
const STALE_MS = 24 * 60 * 60_000;
const BACK_OFF_MS = 30_000;
const MAX_BYTES = 256 * 1024;

/** Where the identity provider's documents are read from; `now` and `fetch` are ports for tests. */
export interface KeySetOptions {
  /** `IDP_URL`, with `/realms/<realm>` appended when a realm is set. */
  providerUrl: string;
  log: { warn(details: object, message: string): void };
  now?: () => number;
  fetch?: typeof globalThis.fetch;
}

/**
 * The provider's signing keys with last-good memory: read at most once in 30 s (success or failure), one read at a
 * time, kept for 10 minutes, and used stale for up to 24 hours while the provider is down, so that an outage there
 * does not sign anybody out here.
 */
export function providerKeys(options: KeySetOptions): JWTVerifyGetKey {
  const now = options.now ?? Date.now;
  let keys: { set: ReturnType<typeof createLocalJWKSet>; readAt: number; kids: ReadonlySet<string> } | undefined;
  let lastTry = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  const refresh = () => {
    if (now() - lastTry < BACK_OFF_MS) return reading ?? Promise.resolve();
    lastTry = now();
    reading = readKeys(options)
      .then((set) => {
        // The last good ones are kept rather than none.
        if (set.keys.length === 0) throw new Error('the identity provider publishes no keys');
        const kids = new Set(set.keys.map((key) => String(key.kid)));
        keys = { set: createLocalJWKSet(set), readAt: now(), kids };
      })
      .catch((error: unknown) => options.log.warn({ err: error }, 'the identity provider keys cannot be read'))
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };

  return async (header: JWTHeaderParameters, token) => {
    const age = keys ? now() - keys.readAt : Number.POSITIVE_INFINITY;
    if (!keys || age > STALE_MS || (header.kid !== undefined && !keys.kids.has(header.kid))) await refresh();
    else if (age > FRESH_MS) void refresh();
    if (!keys || now() - keys.readAt > STALE_MS) throw new KeysUnavailable();
    return keys.set(header, token);
  };
}

/** No signing keys were ever read, or the last good ones are too old. */
export class KeysUnavailable extends Error {
  constructor() {
    super('the identity provider keys are unavailable');
    this.name = 'KeysUnavailable';
  }
}

async function readKeys(options: KeySetOptions): Promise<JSONWebKeySet> {
  const base = options.providerUrl.replace(/\/$/, '');
  const discovery = (await readJson(`${base}/.well-known/openid-configuration`, options)) as { jwks_uri?: unknown };
  if (typeof discovery.jwks_uri !== 'string') throw new Error('the discovery document names no jwks_uri');
  return (await readJson(discovery.jwks_uri, options)) as JSONWebKeySet;
}

async function readJson(address: string, options: KeySetOptions): Promise<unknown> {
  const url = new URL(address);
  const loopback = ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (url.protocol !== 'https:' && !loopback) throw new Error('identity provider addresses must be https');
  const answer = await (options.fetch ?? fetch)(url, {
    redirect: 'error',
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
  });
  if (!answer.ok) throw new Error(`the identity provider answered ${answer.status}`);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of answer.body ?? []) {
    bytes += part.byteLength;
    if (bytes > MAX_BYTES) throw new Error('the identity provider answered too much');
    parts.push(part);
  }
  return JSON.parse(Buffer.concat(parts).toString());
}
