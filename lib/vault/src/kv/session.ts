import type { StoreToken } from './login.ts';

/** Part of a token's life after which the next one is fetched: it may not renew itself. */
const RENEW_AT = 2 / 3;
/** Each process differs by up to this part, so that many do not log in at once. */
const JITTER = 0.1;
/** While a login fails and the token is still good, how long it is used before the next try. */
const RETRY_MS = 5_000;
/** A token that the store never took is not exchanged again before this: what it was refused is no matter of its age. */
const FORCE_MS = 10_000;

export interface SessionDeps {
  logIn(): Promise<StoreToken>;
  /** Milliseconds that only go forward. */
  now(): number;
  /** 0 to 1. */
  random(): number;
}

/** The token with which a process speaks to the store; however many ask, one login at a time is under way. */
export interface StoreSession {
  /** A good token; fails as the login does, unless the present one is still good. */
  token(): Promise<string>;
  /** The store took the token. */
  accepted(token: string): void;
  /** Another token than the one that was refused; undefined when a new login cannot help. */
  instead(token: string): Promise<string | undefined>;
}

interface Held extends StoreToken {
  readonly since: number;
  readonly renewAt: number;
  accepted: boolean;
}

export function storeSession({ logIn, now, random }: SessionDeps): StoreSession {
  let held: Held | undefined;
  let flying: Promise<Held> | undefined;
  let retryAt = 0;
  const renew = async (): Promise<Held> => {
    const since = now();
    const fresh = await logIn();
    const share = RENEW_AT * (1 + JITTER * (2 * random() - 1));
    held = { ...fresh, since, renewAt: since + fresh.lifeMs * share, accepted: false };
    return held;
  };
  const next = (): Promise<Held> => {
    flying ??= renew().finally(() => {
      flying = undefined;
    });
    return flying;
  };
  return {
    async token() {
      const [at, present] = [now(), held];
      if (present === undefined || at >= present.since + present.lifeMs) return (await next()).token;
      if (at < present.renewAt || at < retryAt) return present.token;
      try {
        return (await next()).token;
      } catch {
        retryAt = now() + RETRY_MS;
        return present.token;
      }
    },
    accepted(token) {
      if (held?.token === token) held.accepted = true;
    },
    async instead(token) {
      if (held !== undefined && held.token !== token) return held.token;
      if (held !== undefined && !held.accepted && now() - held.since < FORCE_MS) return undefined;
      return (await next()).token;
    },
  };
}
