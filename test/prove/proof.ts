import type { Ledger, Look } from './look.ts';
import type { ProofPlatform } from './platform/proof-platform.ts';
import type { Canary } from './search/canary.ts';

/** Where credentials are kept, as `SOURCE_CREDENTIAL_MODE` says. */
export const MODES = ['legacy_inline', 'secret_store'] as const;
export type ProofMode = (typeof MODES)[number];

export type Effort = 'full' | 'short';

/** One platform that lives through a drive, and everything that is known of it. */
export interface Proof {
  /** `short` enters one branch of every pattern, and reads as fewer callers. */
  readonly effort: Effort;
  readonly platform: ProofPlatform;
  readonly ledger: Ledger;
  /** Something that did not go as the drive needs it: without it, finding nothing would prove nothing. */
  fault(what: string): void;
}

/**
 * Somewhere a secret could come to light. A later subsystem adds its own to `contributions.ts`: containers, exports,
 * prompts.
 */
export interface Place {
  readonly name: string;
  /** What is looked through, and what may hold a credential all the same. */
  readonly about: string;
  /** Makes the control, where not every text can get there; any canary unless given. */
  control?(place: string): Canary;
  /** Puts the control where a real leak would go; the place must find it. */
  leak(proof: Proof, control: Canary): Promise<void>;
  /** Begins to look while the platform lives; what it answers ends that. For places that do not keep what they held. */
  watch?(proof: Proof, look: Look): Promise<() => Promise<void>>;
  /** Looks while everything still runs, at the end of each mode. */
  lookAlive?(proof: Proof, look: Look): Promise<void>;
  /** Looks when everything has stopped. */
  lookAfter?(proof: Proof, look: Look): Promise<void>;
}

/** What is done with a platform while a mode lasts, with canaries wherever a credential is given. */
export interface Drive {
  readonly name: string;
  readonly modes: readonly ProofMode[];
  /** What must be there before the mode begins, such as what an older mode has left. */
  before?(proof: Proof, mode: ProofMode): Promise<void>;
  run(proof: Proof, mode: ProofMode): Promise<void>;
}
