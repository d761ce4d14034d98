import { NO_OPTIONS, type Options } from './request-options.ts';

/** What proves to a server who asks. */
export type Authenticator = {
  /** What a request carries for it; may fetch a token first. */
  readonly options: (signal: AbortSignal) => Promise<Options>;
  /** Forgets a token, so that the next request fetches another. False when there is none to forget. */
  readonly renew: () => boolean;
};

/** A bearer token among the headers. */
export const bearer = (token: string): Options => ({ ...NO_OPTIONS, headers: { authorization: `Bearer ${token}` } });
