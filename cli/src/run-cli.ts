import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Cli, type Command, type CommandClass, UsageError } from 'clipanion';
import { CliError } from './cli-error.ts';
import { type CliContext, WeirCommand, widthOf } from './command/command.ts';
import { commands } from './commands.ts';
import { commandsNamed } from './commands-named.ts';
import { errorJson, errorText } from './error-text.ts';
import { exitCode } from './exit-codes.ts';
import { foreignCommands } from './foreign/foreign-commands.ts';
import { completions } from './line/complete.ts';
import { groupHelp, narrowHelp } from './line/help-text.ts';
import { BINARY, isFlag, type Known, knownCommands, namedCommand, usageLine } from './line/known-command.ts';
import { namedThings } from './line/named-things.ts';
import { plainMessage, usageError } from './line/usage-error.ts';

/** How clipanion writes the place of a flag's value. */
const VALUE_PLACE = / #\d(?= )/g;
const HELP = ['-h', '--help'];

/** Runs one command line and returns its exit code; errors go to stderr, as JSON when JSON was asked for. */
export async function runCli(given: readonly string[], context: CliContext): Promise<number> {
  const argv = descendingOrder(given);
  try {
    return await perform(argv, context);
  } catch (error) {
    const shown = presentable(error, argv, context);
    const { env, stderr } = context;
    stderr.write(wantsJson(argv, env) ? errorJson(shown) : errorText(shown, widthOf({ env, stdout: stderr })));
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
  const named = parseNamed(argv, context, commands());
  if (named !== undefined) return named.validateAndExecute();
  const all = [...commands(), ...(await foreignCommands(argv, context, commands()))];
  const foreign = all.length > commands().length ? parseNamed(argv, context, all) : undefined;
  if (foreign !== undefined) return foreign.validateAndExecute();
  if (argv[0] === '__complete') {
    const found = await completions(argv.slice(1), all, namedThings(context));
    context.stdout.write(found.map((word) => `${word}\n`).join(''));
    return 0;
  }
  const cli = makeCli(argv, context, all);
  const known = knownCommands(cli);
  if (isVersionAsked(argv)) {
    context.stdout.write(`${cli.binaryVersion}\n`);
    return 0;
  }
  const help = groupHelp(helpWords(argv), known, argv.includes('--all'));
  if (help !== undefined) {
    context.stdout.write(help);
    return 0;
  }
  const asked = isHelpAsked(argv) ? namedCommand(helpWords(argv), known) : undefined;
  if (asked !== undefined) {
    context.stdout.write(narrowHelp(helpOf(cli, asked, all)));
    return 0;
  }
  const command = parse(cli, argv, context, known);
  command.context = context;
  command.cli = cli as unknown as Command<CliContext>['cli'];
  return command.validateAndExecute();
}

const isVersionAsked = ([first, ...rest]: readonly string[]) =>
  rest.length === 0 && ['--version', '-v', 'version'].includes(first ?? '');

/** The words of a line without those that ask for help: `help sources sync` is `sources sync --help`. */
function helpWords(argv: readonly string[]): string[] {
  const words = argv.filter((word) => !HELP.includes(word) && word !== '--all');
  return words[0] === 'help' && words[1] !== 'exit-codes' ? words.slice(1) : words;
}

/** Help is asked for wherever its flag stands, up to a `--`; clipanion knows it only right behind the words of a command. */
function isHelpAsked(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  if (argv[0] === 'help' && argv[1] !== 'exit-codes') return true;
  return argv.slice(0, end === -1 ? argv.length : end).some((word) => HELP.includes(word));
}

/** The help of a command; its usage line names the options that must be given. */
function helpOf(cli: Cli<CliContext>, known: Known, all: readonly CommandClass<CliContext>[]): string {
  const path = known.words.join(' ');
  const command = all.find((each) => each.paths?.some((line) => line.join(' ') === path)) ?? null;
  const help = cli.usage(command, { detailed: true });
  return help.replace(known.usage, () => usageLine(known)).replace(VALUE_PLACE, ' … ');
}

/** The command that a line names by its first words; undefined when it asks for help, or is none that can be done. */
function parseNamed(
  argv: readonly string[],
  context: CliContext,
  all: readonly CommandClass<CliContext>[],
): WeirCommand | undefined {
  const named = isHelpAsked(argv) ? [] : commandsNamed(argv, all);
  if (named.length === 0) return undefined;
  const cli = makeCli(argv, context, named);
  try {
    const command = cli.process([...argv], context);
    if (!(command instanceof WeirCommand)) return undefined;
    command.context = context;
    command.cli = cli as unknown as Command<CliContext>['cli'];
    return command;
  } catch {
    // What is wrong is said by the parser that knows every command.
    return undefined;
  }
}

function makeCli(
  argv: readonly string[],
  { stdout, env }: CliContext,
  known: readonly CommandClass<CliContext>[],
): Cli<CliContext> {
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
  for (const command of known) cli.register(command);
  return cli;
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
    throw usageError(isHelpAsked(argv) ? helpWords(argv) : argv, known, cause);
  }
}

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
