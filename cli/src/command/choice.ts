import { Option } from 'clipanion';
import * as t from 'typanion';

/** What an option keeps for completion until the line is read. */
interface Offered {
  /** Every word that its value may be. */
  words?: readonly string[];
  /** What its value names, as a positional of that name does: `pattern_id`. */
  names?: string;
}

const OFFERED = Symbol('offered');

const offering = <T>(option: T, offered: Offered): T => Object.assign(option as object, { [OFFERED]: offered }) as T;

/** What completion offers as the value of an option that is not read yet. */
export const offeredBy = (option: object): Offered => (option as { [OFFERED]?: Offered })[OFFERED] ?? {};

/** An option whose value completion takes from these words. */
export const withWords = <T>(option: T, words: readonly unknown[]): T => offering(option, { words: words.map(String) });

/** An option whose value completion takes from the names of the things that a positional of this name is. */
export const withNames = <T>(option: T, names: string): T => offering(option, { names });

/** An option whose value is one of a few words; another one is a usage error. */
export const choice = <const W extends string>(
  flag: string,
  words: readonly W[],
  description: string = words.join(' | '),
) => withWords(Option.String(flag, { description, validator: t.isEnum([...words]) }), words) as W | undefined;
