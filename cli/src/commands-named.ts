import type { CommandClass } from 'clipanion';
import type { CliContext } from './command/command.ts';

/**
 * The commands that a line can mean by the words that it begins with; none when that takes a look at all of them: its
 * words name no command, or one that other commands go on from. A parser of all takes a tenth of
 * a second to be made, one of a few next to nothing.
 */
export function commandsNamed(
  argv: readonly string[],
  all: readonly CommandClass<CliContext>[],
): readonly CommandClass<CliContext>[] {
  const flags = argv.findIndex((word) => word.startsWith('-'));
  const words = flags < 0 ? argv : argv.slice(0, flags);
  const lines = (command: CommandClass<CliContext>) => command.paths ?? [];
  const goesOn = (line: readonly string[]) =>
    line.length > words.length && words.every((word, at) => line[at] === word);
  if (all.some((command) => lines(command).some(goesOn))) return [];
  return all.filter((command) => lines(command).some((line) => line.every((word, at) => words[at] === word)));
}
