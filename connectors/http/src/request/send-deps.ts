import type { SourceError } from '@weir/connector-sdk';
import type { Egress } from '@weir/egress';
import type { RateLimits } from './rate-limits.ts';

/** What was sent and answered, for one who tests a manifest. */
export type Seen = {
  readonly at: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly status: number | undefined;
  readonly bytes: number;
};

/** A wait before a retry; without a status the server gave no complete answer. */
export type Wait = {
  readonly at: string;
  readonly ms: number;
  readonly status: number | undefined;
  readonly code: string;
  /** The number of the attempt that follows. */
  readonly attempt: number;
};

/** What requests are sent with. */
export type SendDeps = {
  readonly egress: () => Egress;
  /** Waits for milliseconds, or until the signal is aborted; before another try with what the last one failed with. */
  readonly sleep: (ms: number, signal: AbortSignal, failure?: SourceError) => Promise<void>;
  readonly now: () => number;
  /** How long one request is waited for in all, tries together, in milliseconds; as long as a sync may wait unless set. */
  readonly patienceMs?: number;
  /** Every secret that was used or received. */
  readonly secrets: Set<string>;
  readonly limits: RateLimits;
  readonly onExchange?: (seen: Seen) => void;
  /** Reports a wait before a retry. */
  readonly onWait?: (wait: Wait) => Promise<void>;
  /** Takes the configuration after a token of it was replaced by the server; the old one may be void already. */
  readonly onRotated: (config: Record<string, unknown>) => Promise<void>;
};
