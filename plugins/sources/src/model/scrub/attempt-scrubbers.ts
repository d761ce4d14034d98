import { leaves, type Scrubber } from '@weir/connector-runtime';
import { growingScrubber } from './growing-scrubber.ts';

/**
 * Credentials shorter than this are words that names and states have anyway (`postgres`, `public`), so only longer ones are
 * looked for in what must be right to the letter.
 */
const MIN_SURE_CHARS = 12;

/** Two scrubbers of the credentials of an attempt. */
export interface AttemptScrubbers {
  /** For what is read by people. */
  text: Scrubber;
  /** For what is stored as it is: a credential in it is a fault, as it cannot be masked. */
  sure: Scrubber;
  /** From here on these are found too. */
  learn(secrets: Iterable<string>): void;
}

/** What finds and masks the credentials of an attempt. */
export function attemptScrubbers(secrets: readonly string[]): AttemptScrubbers {
  const [text, sure] = [growingScrubber(secrets), growingScrubber(secrets, MIN_SURE_CHARS)];
  return {
    text,
    sure,
    learn(more) {
      text.learn(more);
      sure.learn(more);
    },
  };
}

/**
 * Has every learner know the texts of a configuration that a connector has renewed, except those that it was given: these
 * are no secrets, or known ones.
 */
export function learnRenewed(
  given: object,
  learners: readonly Pick<AttemptScrubbers, 'learn'>[],
): (renewed: object) => void {
  const known = new Set(leaves(given));
  return (renewed) => {
    const texts = leaves(renewed).filter((text) => !known.has(text));
    for (const learner of learners) learner.learn(texts);
  };
}
