import { faultSentence, type ShownFault, shownFaults } from '@weir/kernel/contract';
import { ProblemError } from '../api/problem-error.ts';

/** Every fault that a refusal names. */
export const problemFaults = (error: unknown): ShownFault[] =>
  error instanceof ProblemError ? shownFaults(error.problem) : [];

/** The sentences of a refusal by the JSON pointer of their field. */
export const faultsByField = (error: unknown): Map<string, string> =>
  new Map(problemFaults(error).map((fault) => [fault.pointer, aloneSentence(fault)]));

/** `/streams/2/cursor_field` as `Stream 3, cursor field`; of the whole request nothing is said. */
export function placeWords(pointer: string): string | undefined {
  const words: string[] = [];
  for (const part of pointer.split('/').slice(1)) {
    const plain = part.replaceAll('~1', '/').replaceAll('~0', '~').replaceAll('_', ' ');
    const list = words.at(-1);
    if (/^\d+$/.test(plain) && list !== undefined) words[words.length - 1] = `${singular(list)} ${Number(plain) + 1}`;
    else if (!['query', 'params', 'headers'].includes(part) || words.length > 0) words.push(plain);
  }
  const text = words.join(', ');
  return text === '' ? undefined : capital(text);
}

const singular = (noun: string): string => noun.replace(/ies$/, 'y').replace(/s$/, '');
const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Whether the sentence goes on from its place: `must be …`, `is required`. */
export const isPredicate = ({ message }: ShownFault): boolean => message !== undefined && /^[a-z]/.test(message);

/** A sentence that has no place before it. */
export function aloneSentence(fault: ShownFault, text?: string): string {
  const said = faultSentence(fault, text);
  return endsAlready(said) ? begun(fault, said) : `${begun(fault, said)}.`;
}

const endsAlready = (said: string) => /[.?!]$/.test(said);
const begun = (fault: ShownFault, said: string) => (isPredicate(fault) ? `This ${said}` : capital(said));
