import type { Readable } from 'node:stream';

/** An answer in a media type of its own, for endpoints that declare it in `produces`. */
export interface Raw {
  readonly raw: true;
  type: string;
  body: string | Buffer | Readable;
  headers: Record<string, string>;
}

const RAW = new WeakSet<object>();

/** Makes an answer that is sent as it is, past the response schema. */
export function raw(answer: { type: string; body: Raw['body']; headers?: Record<string, string> }): Raw {
  const made: Raw = { raw: true, type: answer.type, body: answer.body, headers: answer.headers ?? {} };
  RAW.add(made);
  return made;
}

const UNCHANGED = new WeakSet<object>();

/** Marks the answer of a call that would have made something and found it there: 200, without a `Location`. */
export function unchanged<T extends object>(answer: T): T {
  UNCHANGED.add(answer);
  return answer;
}

export const isUnchanged = (answer: unknown): boolean => UNCHANGED.has(answer as object);

/** Whether a route's answer was made by `raw`; one that only looks like it is not. */
export function isRaw(answer: unknown): answer is Raw {
  return typeof answer === 'object' && answer !== null && RAW.has(answer);
}
