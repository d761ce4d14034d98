import type { Cli } from 'clipanion';
import { SHORT_WORDS } from '../command/cli-of.ts';
import type { CliContext } from '../command/command.ts';

/** A command as help, completion and errors see it. */
export interface Known {
  words: string[];
  description: string;
  flags: string[];
  /** Its line with its arguments and without its options, as clipanion writes it. */
  usage: string;
  /** The names of each option that must be given. */
  required: string[][];
}

export const BINARY = 'weir';
export const isFlag = (word: string) => word.startsWith('-');

const namesOf = (definition: string) => (definition.split(' ')[0] ?? '').split(',');

/** Every command that has a description, with the flags of each. */
export function knownCommands(cli: Cli<CliContext>): Known[] {
  return cli.definitions().map(({ path, description, options, usage }) => ({
    words: path.split(' ').slice(1),
    description: description?.trim() ?? '',
    flags: options.flatMap(({ definition }) => namesOf(definition)),
    usage,
    required: options.filter(({ required }) => required).map(({ definition }) => namesOf(definition)),
  }));
}

/** The command that a line names, whatever options stand before its words; the longest of several. */
export function namedCommand(argv: readonly string[], known: readonly Known[]): Known | undefined {
  const typed = argv.filter((word) => !isFlag(word));
  for (let from = 0; from < typed.length; from++) {
    const named = known.filter(({ words }) => words.every((word, i) => isWord(word, typed[from + i])));
    if (named.length > 0) return named.reduce((a, b) => (b.words.length > a.words.length ? b : a));
  }
  return undefined;
}

const isWord = (word: string, typed = '') => typed === word || typed === SHORT_WORDS[word];

/** The line of a command with the options that must be given: `weir connectors test <manifest> --config …`. */
export function usageLine({ usage, required }: Known): string {
  return [usage, ...required.map((names) => `${names.join(',')} …`)].join(' ');
}
