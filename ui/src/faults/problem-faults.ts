import { ProblemError } from '../api/problem-error.ts';

/** One thing that is wrong: where, by its pointer and in a text by line and column, and the sentence about it. */
export interface ProblemFault {
  pointer: string;
  code: string;
  message?: string;
  line?: number;
  column?: number;
  /** The table that is at fault. */
  dataset_id?: string;
  /** The name that may have been meant. */
  nearest?: string;
}

/** Every fault that a refusal names; `faults` has places in a text beside `errors`, in the same order. */
export function problemFaults(error: unknown): ProblemFault[] {
  if (!(error instanceof ProblemError)) return [];
  const { errors = [], faults } = error.problem as { errors?: ProblemFault[]; faults?: Partial<ProblemFault>[] };
  return errors.map((fault, at) => ({ ...fault, ...faults?.[at], pointer: fault.pointer }));
}

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
  return text === '' ? undefined : `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

const singular = (noun: string): string => noun.replace(/ies$/, 'y').replace(/s$/, '');

/** A code in words, where nothing better is said. */
export function codeWords(code: string): string {
  const words = code.replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** What is wrong, after its place; `word` is what stands at that place in the text that was sent. */
export function faultSentence({ code, message, dataset_id: table, nearest }: ProblemFault, word?: string): string {
  const name = table ?? word;
  const said = message ?? codeWords(code);
  const named = name === undefined || said.includes(name) ? '' : ` (\`${name}\`)`;
  const meant = nearest === undefined || said.includes(nearest) ? '' : ` Did you mean \`${nearest}\`?`;
  return `${said}${named}${meant === '' || /[.?!]$/.test(`${said}${named}`) ? '' : '.'}${meant}`;
}

const NAME_AT = /^[\w.]+|^"[^"\n]+"(?:\."[^"\n]+")*/;

/** The name at a line and column of a text, both counted from 1. */
export function wordAt(text: string, line: number, column: number): string | undefined {
  const rest = [...(text.split('\n')[line - 1] ?? '')].slice(column - 1).join('');
  return NAME_AT.exec(rest)?.[0];
}
