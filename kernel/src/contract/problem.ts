import type { NextStepEntry } from './next-steps.ts';

/** One field that a request or document got wrong: where, which rule, and what it knows. Never the value itself. */
export interface FieldFault {
  /** JSON pointer into the body, or `/query/x`, `/params/x`, `/headers/x`. */
  pointer: string;
  code: string;
  message?: string;
  known?: string[];
}

/** What a thrown problem may add to its table entry; no member may hold input values. */
export interface ProblemDetails {
  /** Fills the `{name}` places of the detail template; only our own words (states, codes, counts), never input. */
  values?: Record<string, string | number>;
  errors?: FieldFault[];
  hint?: string;
  /** In place of the steps of the table entry; a hint of its own takes them away. */
  next?: readonly NextStepEntry[];
  retryAfterSeconds?: number;
  /** Members that the code documents, such as `run_id`. */
  members?: Record<string, unknown>;
  cause?: unknown;
}

/** The table entry of one stable error code. */
export interface ProblemEntry {
  code: string;
  status: number;
  title: string;
  /** Fixed text, with `{name}` places for our own words and `{name:noun}` places for counts of things. */
  detail: string;
  /** What to do, in words that hold on every surface: no call of the API and no command. */
  hint: string;
  /** What is said of a place by the code of its fault in `errors`: `must be chosen`. */
  faults?: Readonly<Record<string, string>>;
  /** Operations that help; places are filled from `values`, `members` and the parameters of the call's path. */
  next?: readonly NextStepEntry[];
  /** Only an operator can help: no time to try again is told. */
  lasting?: true;
}

/** `1 row`, `2 rows`. */
export const counted = (count: number | string, noun: string): string =>
  `${count} ${noun}${Number(count) === 1 ? '' : 's'}`;

/** Fills `{name}` places, and `{name:noun}` by the number and the noun in its number; `?` for what is missing. */
export function filledText(template: string, values: Readonly<Record<string, string | number>> = {}): string {
  return template.replace(/\{(\w+)(?::([\w ]+))?\}/g, (_, name: string, noun?: string) => {
    const value = values[name] ?? '?';
    return noun === undefined ? String(value) : counted(value, noun);
  });
}

/** An error that a client may see; everything else that is thrown becomes `internal`. */
export class Problem extends Error {
  readonly entry: ProblemEntry;
  readonly details: ProblemDetails;

  constructor(entry: ProblemEntry, details: ProblemDetails = {}) {
    super(filledText(entry.detail, details.values), details.cause === undefined ? {} : { cause: details.cause });
    this.name = 'Problem';
    this.entry = entry;
    this.details = details;
  }

  get code(): string {
    return this.entry.code;
  }

  get status(): number {
    return this.entry.status;
  }
}

/** Makes the `Problem` of its entry; carries the entry so that contracts, docs and tests can read it. */
export type ProblemType = ((details?: ProblemDetails) => Problem) & { readonly entry: ProblemEntry };

/** Declares one error code. Codes are lower snake case and unique over the whole platform (checked at boot). */
export function problem(entry: ProblemEntry): ProblemType {
  return Object.assign((details?: ProblemDetails) => new Problem(entry, details), { entry });
}
