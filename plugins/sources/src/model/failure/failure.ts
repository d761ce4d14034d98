import { createHash } from 'node:crypto';
import { CONNECTOR_ERRORS, MAX_HINT_CHARS, type Scrubber, type Verdict } from '@weir/connector-runtime';
import type { RunFailureRecord } from '@weir/kernel';
import { plainText } from '@weir/run-logs';
import type { Failure } from '@weir/work';
import { SOURCE_FAILURES, type SourceFailureCode } from '../../contract/failures.ts';

/** The most that is looked at of a text to get words for people out of it. */
const MAX_RAW_CHARS = 8 * MAX_HINT_CHARS;

/** A wait that the pauses between attempts reach anyway; milliseconds. */
const SHORT_WAIT_MS = 30_000;
const FAULT_ID_CHARS = 32;
/** The end of the words of a fault by which it is known: what a credential was cut in lies before it. */
const MAX_FAULT_CHARS = 8_192;

/** Hexadecimal runs, with a mark or long enough to be no word, and digits; with the signs between them, as in a time. */
const NUMBERS = /(?:0x[\da-f]+|[\da-f]{8,}|\d+)(?:[-:.,T]?(?:[\da-f]{8,}|\d+)Z?)*/gi;

/** A failure as it was seen, with the unmasked words of a connector that broke. */
export interface SeenFailure extends Failure {
  evidence?: string;
  /** What it says to people. */
  said?: string;
}

/** A failure of this plugin's own table. */
export function sourceFailure(code: SourceFailureCode): RunFailureRecord {
  return { code, ...SOURCE_FAILURES[code] };
}

/** What a connector reported, in the words of a run: a code and a hint, never an input. */
export function verdictFailure(failure: Omit<Extract<Verdict, { outcome: 'failure' }>, 'outcome'>): SeenFailure {
  const { code, origin, retryable, message, reported, retryAt, evidence, said: words } = failure;
  const known = (CONNECTOR_ERRORS as Readonly<Record<string, { message: string; hint: string }>>)[code];
  const said = known?.message ?? message;
  const detail = said === undefined ? `The connector reported ${code}.` : sentenceOf(said);
  const hint = known?.hint ?? failure.hint;
  const own = reported === 'system_error' ? { isOwnFault: true as const } : {};
  const seen = { ...(evidence === undefined ? {} : { evidence }), ...(words === undefined ? {} : { said: words }) };
  const made = { code, origin, retryable, detail, ...(hint === undefined ? {} : { hint }), ...own, ...seen };
  if (retryAt === undefined || Date.parse(retryAt) - Date.now() < SHORT_WAIT_MS) return made;
  return { ...made, detail: `${detail} It takes no work before ${retryAt}.`, isLast: true };
}

/** Words as one line that ends as a sentence does. */
function sentenceOf(words: string): string {
  const line = plainText(words.replace(/\s+/g, ' ')).trim();
  return /[.!?]$/.test(line) ? line : `${line}.`;
}

/**
 * A failure of a connector without the credentials of its source, which its own code, hint and words may hold; the words stand
 * in its detail.
 */
export function scrubbedFailure({ evidence, said, ...failure }: SeenFailure, scrubber: Scrubber): Failure {
  if (scrubber.finds(failure.code)) return sourceFailure('connector_spoke_of_credential');
  const { hint } = failure;
  const { detail } = withWords(failure, said, scrubber);
  return {
    ...failure,
    detail: scrubber.text(detail),
    ...(hint === undefined ? {} : { hint: scrubbedCut(hint, MAX_HINT_CHARS, scrubber) }),
    ...(evidence === undefined ? {} : { faultId: faultId(failure.code, scrubber.text(evidence)) }),
  };
}

/**
 * The digest of masked words: nothing of a credential is in it. Numbers, addresses and identifiers in them are not the fault:
 * each run of digits or of hexadecimal signs is one sign.
 */
function faultId(code: string, words: string): string {
  return createHash('sha256')
    .update(`${code}\n${words.slice(-MAX_FAULT_CHARS).replaceAll(NUMBERS, '#')}`)
    .digest('hex')
    .slice(0, FAULT_ID_CHARS);
}

/** A failure with what the connector says of it to people, as plain text without the credentials of its source. */
export function withWords(failure: Failure, words: string | undefined, scrubber: Scrubber): Failure {
  if (words === undefined) return failure;
  // A credential may be in it as it is, or in pieces between what a terminal does not show.
  const plain = plainText(scrubbedCut(words, MAX_RAW_CHARS, scrubber).replace(/\s+/g, ' ')).trim();
  const said = scrubbedCut(plain, MAX_HINT_CHARS, scrubber);
  // A connector of ours says the same in both places.
  if (said === '' || sentenceOf(said) === failure.detail) return failure;
  const told = plain.length >= MAX_HINT_CHARS ? `${said}…` : sentenceOf(said);
  return { ...failure, detail: `${failure.detail} It says: ${told}` };
}

/** At most so much of a text; what a credential may begin in at the end of one that was cut is left out. */
function scrubbedCut(text: string, maxChars: number, scrubber: Scrubber): string {
  return text.length < maxChars ? scrubber.text(text) : scrubber.pieces().push(text.slice(0, maxChars));
}
