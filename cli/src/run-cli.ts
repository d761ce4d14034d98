import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Cli, type Command, UsageError } from 'clipanion';
import { CliError, errorJson, errorText } from './cli-error.ts';
import { type CliContext, WeirCommand } from './command.ts';
import { commands } from './commands.ts';
import { completions, type Known } from './complete.ts';
import { didYouMean } from './did-you-mean.ts';
import { exitCode } from './exit-codes.ts';

const BINARY = 'weir';
/** How clipanion writes the place of a flag's value. */
const VALUE_PLACE = / #\d(?= )/g;

/** Runs one command line and returns its exit code; errors go to stderr, as JSON when JSON was asked for. */
export async function runCli(given: readonly string[], context: CliContext): Promise<number> {
  const argv = descendingOrder(given);
  try {
    return await perform(argv, context);
  } catch (error) {
    const shown = presentable(error, argv, context);
    context.stderr.write(wantsJson(argv, context.env) ? errorJson(shown) : errorText(shown));
    if (argv.includes('--debug')) context.stderr.write(`${error instanceof Error ? stackOf(error) : String(error)}\n`);
    return exitCode(shown.exit);
  }
}

/** `--order -name` as `--order=-name`: the parser takes a value with a dash for another flag. */
function descendingOrder(argv: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of argv) {
    if (joined.at(-1) === '--order' && /^-[a-z]/.test(word)) joined[joined.length - 1] = `--order=${word}`;
    else joined.push(word);
  }
  return joined;
}

async function perform(argv: readonly string[], context: CliContext): Promise<number> {
  const cli = makeCli(argv, context);
  const known = knownCommands(cli);
  if (argv[0] === '__complete') {
    context.stdout.write(
      completions(argv.slice(1), known)
        .map((word) => `${word}\n`)
        .join(''),
    );
    return 0;
  }
  if (argv[0] === '--version') {
    context.stdout.write(`${cli.binaryVersion}\n`);
    return 0;
  }
  const help = groupHelp(argv, known);
  if (help !== undefined) {
    context.stdout.write(help);
    return 0;
  }
  const command = parse(cli, argv, context, known);
  if (command.help || !(command instanceof WeirCommand)) {
    context.stdout.write(usageOf(cli, argv, command).replace(VALUE_PLACE, ' … '));
    return 0;
  }
  command.context = context;
  command.cli = cli as unknown as Command<CliContext>['cli'];
  return command.validateAndExecute();
}

/** The usage of the named command; clipanion answers --help with a command of its own. */
function usageOf(cli: Cli<CliContext>, argv: readonly string[], parsed: Command<CliContext>): string {
  if (parsed instanceof WeirCommand) return cli.usage(parsed, { detailed: true });
  const words = argv.filter((word) => !isFlag(word));
  const named = commands()
    .flatMap((known) => (known.paths ?? []).map((line) => ({ known, line })))
    .filter(({ line }) => line.every((word, i) => words[i] === word))
    .sort((a, b) => b.line.length - a.line.length)[0];
  return cli.usage(named?.known ?? null, { detailed: true });
}

function makeCli(argv: readonly string[], { stdout, env }: CliContext): Cli<CliContext> {
  const manifest = JSON.parse(readFileSync(path.join(import.meta.dirname, '../package.json'), 'utf8')) as {
    version: string;
  };
  const terminal = (stdout as NodeJS.WriteStream).isTTY === true;
  const cli = new Cli<CliContext>({
    binaryLabel: 'Weir',
    binaryName: BINARY,
    binaryVersion: manifest.version,
    enableColors: terminal && !env.NO_COLOR && !argv.includes('--no-color'),
  });
  for (const command of commands()) cli.register(command);
  return cli;
}

/** Every command that has a description, with the flags of each. */
export function knownCommands(cli: Cli<CliContext>): Known[] {
  return cli.definitions().map((definition) => ({
    words: definition.path.split(' ').slice(1),
    description: definition.description?.trim() ?? '',
    flags: definition.options.flatMap((option) => (option.definition.split(' ')[0] ?? '').split(',')),
  }));
}

const isFlag = (word: string) => word.startsWith('-');

/** The list of commands below a group such as `sources`, or of all; undefined when a command itself is named. */
function groupHelp(argv: readonly string[], known: readonly Known[]): string | undefined {
  const words = argv.filter((word) => word !== '-h' && word !== '--help');
  if (words.some(isFlag)) return undefined;
  const below = known.filter((command) => words.every((word, i) => command.words[i] === word));
  if (below.length === 0 || below.some((command) => command.words.length === words.length)) return undefined;
  const width = Math.max(...below.map((command) => command.words.join(' ').length));
  const lines = below
    .map((command) => ({ name: command.words.join(' '), description: command.description }))
    .sort((a, b) => a.name.localeCompare(b.name))
    .map(({ name, description }) => `  ${name.padEnd(width)}  ${description}\n`);
  return `${[BINARY, ...words].join(' ')} commands:\n${lines.join('')}\nEach takes --help. Exit codes: weir help exit-codes\n`;
}

function parse(
  cli: Cli<CliContext>,
  argv: readonly string[],
  context: CliContext,
  known: readonly Known[],
): Command<CliContext> {
  try {
    return cli.process([...argv], context);
  } catch (cause) {
    throw usageError(argv, known, cause);
  }
}

/** What was wrong with a command line: an unknown word with the nearest one, or clipanion's own reason. */
function usageError(argv: readonly string[], known: readonly Known[], cause: unknown): CliError {
  const words = argv.slice(0, argv.findIndex(isFlag) === -1 ? argv.length : argv.findIndex(isFlag));
  const depth = words.findIndex(
    (_, i) => !known.some((command) => words.slice(0, i + 1).every((word, j) => command.words[j] === word)),
  );
  const named = known.filter(
    (command) => command.words.length <= words.length && command.words.every((word, i) => words[i] === word),
  );
  if (named.length === 0 && depth !== -1) {
    const typed = words[depth] ?? '';
    const candidates = known
      .filter((command) => words.slice(0, depth).every((word, i) => command.words[i] === word))
      .map((command) => command.words[depth] ?? '');
    const near = didYouMean(typed, candidates);
    const prefix = [BINARY, ...words.slice(0, depth)].join(' ');
    const hint = near === undefined ? `${prefix} --help` : `Did you mean: ${prefix} ${near}`;
    return new CliError('usage', `There is no command ${prefix} ${typed}.`, { code: 'usage', hint, cause });
  }
  const command = named.sort((a, b) => b.words.length - a.words.length)[0];
  const flag = argv.find(
    (word) => isFlag(word) && word.length > 1 && !command?.flags.includes(word.split('=')[0] ?? ''),
  );
  const near = flag === undefined ? undefined : didYouMean(flag.split('=')[0] ?? '', command?.flags ?? []);
  const help = [BINARY, ...(command?.words ?? []), '--help'].join(' ');
  return new CliError('usage', plainMessage(cause), {
    code: 'usage',
    hint: near === undefined ? help : `Did you mean ${near}? See ${help}`,
    cause,
  });
}

const ANSI = /\u001b\[[0-9;]*m/g;
const plainMessage = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).replace(ANSI, '').split('\n')[0] ?? '';

function presentable(error: unknown, argv: readonly string[], { interrupted }: CliContext): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof UsageError) {
    const words = argv.slice(0, argv.findIndex(isFlag) === -1 ? 2 : argv.findIndex(isFlag));
    return new CliError('usage', plainMessage(error), { code: 'usage', hint: [BINARY, ...words, '--help'].join(' ') });
  }
  if (interrupted.aborted) return new CliError('interrupted', 'Interrupted.');
  return new CliError('bug', plainMessage(error), {
    code: 'internal',
    hint: 'Run it again with --debug for the stack trace; weir doctor checks the surroundings.',
    cause: error,
  });
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by: ${stackOf(error.cause)}` : '';
  return `${error.stack ?? error.message}${cause}`;
}

/** Whether errors are to be JSON; read from the raw words, since parsing them may be what failed. */
function wantsJson(argv: readonly string[], env: Record<string, string | undefined>): boolean {
  const at = argv.findIndex((word) => word === '-o' || word === '--output');
  const joined = argv.find((word) => word.startsWith('--output=') || word.startsWith('-o='));
  const wanted = joined?.split('=')[1] ?? (at === -1 ? env.WEIR_OUTPUT : argv[at + 1]);
  return wanted === 'json' || wanted === 'ndjson';
}
