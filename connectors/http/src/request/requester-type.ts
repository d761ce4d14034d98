import type { Dictionary } from '../template/value.ts';
import type { Answer } from './answer.ts';
import type { Options } from './request-options.ts';

/** A request of a component for a slice and a page. */
export type Wanted = {
  readonly scope: Dictionary;
  readonly signal: AbortSignal;
  readonly extra?: Options;
  /** An address to ask instead of the manifest's own. */
  readonly address?: string;
};

export type Requester = {
  readonly at: string;
  /** Sends a request until there is an answer to work with; undefined when the manifest says to ignore what came. */
  readonly send: (wanted: Wanted) => Promise<Answer | undefined>;
};
