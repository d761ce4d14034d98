import { didYouMean } from '@weir/documents/did-you-mean';
import { CliError } from '../cli-error.ts';
import { BINARY, isFlag, type Known, namedCommand, usageLine } from './known-command.ts';

/** What clipanion says of a line that is complete but for options that must be given; it does not say which. */
const NO_REASON = 'Command not found';
/** What it says of a line that lacks arguments; it does not say which. */
const TOO_FEW = 'Not enough positional arguments';
const ARGUMENT = /<[^>]+>/g;
const ANSI = /\u001b\[[0-9;]*m/g;

/** The first line of what an error says, without colours. */
export const plainMessage = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).replace(ANSI, '').split('\n')[0] ?? '';

/** What was wrong with a command line: an unknown word with the nearest one, what is missing, or clipanion's own reason. */
export function usageError(argv: readonly string[], known: readonly Known[], cause: unknown): CliError {
  const command = namedCommand(argv, known);
  if (command === undefined) return unknownCommand(argv, known, cause);
  const help = `${[BINARY, ...command.words].join(' ')} --help`;
  const flag = argv.find((word) => isFlag(word) && word.length > 1 && !command.flags.includes(nameOf(word)));
  const near = flag === undefined ? undefined : didYouMean(nameOf(flag), command.flags);
  const hint = near === undefined ? `${usageLine(command)}; all options: ${help}` : `Did you mean ${near}? See ${help}`;
  return new CliError('usage', reasonOf(argv, command, cause), { code: 'usage', hint, cause });
}

const nameOf = (word: string) => word.split('=')[0] ?? '';

function reasonOf(argv: readonly string[], { words, usage, required }: Known, cause: unknown): string {
  const message = plainMessage(cause);
  if (message.startsWith(TOO_FEW))
    return `${[BINARY, ...words].join(' ')} needs ${listed(usage.match(ARGUMENT) ?? [])}.`;
  const missing = required.filter((names) => !argv.some((word) => names.includes(nameOf(word))));
  if (!message.startsWith(NO_REASON) || missing.length === 0) return message;
  return `${listed(missing.map((each) => each.join(',')))} ${missing.length === 1 ? 'is' : 'are'} missing.`;
}

const listed = (names: readonly string[]) =>
  [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' and ');

function unknownCommand(argv: readonly string[], known: readonly Known[], cause: unknown): CliError {
  const words = argv.slice(0, argv.findIndex(isFlag) === -1 ? argv.length : argv.findIndex(isFlag));
  const depth = words.findIndex(
    (_, i) => !known.some((command) => words.slice(0, i + 1).every((word, j) => command.words[j] === word)),
  );
  const typed = words[depth] ?? '';
  const candidates = known
    .filter((command) => words.slice(0, depth).every((word, i) => command.words[i] === word))
    .map((command) => command.words[depth] ?? '');
  const near = didYouMean(typed, candidates);
  const prefix = [BINARY, ...words.slice(0, depth)].join(' ');
  const hint = near === undefined ? `${prefix} --help` : `Did you mean: ${prefix} ${near}`;
  return new CliError('usage', `There is no command ${prefix} ${typed}.`, { code: 'usage', hint, cause });
}
