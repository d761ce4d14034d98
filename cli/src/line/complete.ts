import type { CommandClass } from 'clipanion';
import { offeredBy } from '../command/choice.ts';
import type { CliContext } from '../command/command.ts';
import { isFlag } from './known-command.ts';

/** The names of the things that an argument such as `source_id` is; `flags` are those of the line, `begun` its start. */
export type Names = (argument: string, flags: ReadonlyMap<string, string>, begun: string) => Promise<readonly string[]>;

/** An option or an argument of a command, as the command declares it to its parser. */
interface Taken {
  flags: readonly string[];
  takesValue: boolean;
  words?: readonly string[];
  names?: string;
}

interface Shape {
  options: Taken[];
  arguments: Taken[];
  /** The last argument may be repeated. */
  isOpen: boolean;
}

/** What a command says of itself to a parser of clipanion. */
interface Declared {
  definition?: (parser: object, field: string) => void;
}

/** What may follow the typed words; the last one is the word under the cursor and may be empty. */
export async function completions(
  typed: readonly string[],
  commands: readonly CommandClass<CliContext>[],
  names: Names,
): Promise<string[]> {
  const { before, current } = readLine(typed);
  const read = readWords(before, commands);
  const found =
    read.pending !== undefined
      ? await valuesOf(read.pending, read.flags, current, names)
      : isFlag(current)
        ? await optionsFor(current, read, names)
        : [...nextWords(read.words, commands), ...(await argumentsFor(read, current, names))];
  return [...new Set(found)].filter((word) => word.startsWith(current)).sort();
}

/** The words before the cursor and the one at it; bash takes `--status=failed` apart into three. */
function readLine(typed: readonly string[]): { before: string[]; current: string } {
  const words = typed.filter((word, at) => word !== '=' || at === typed.length - 1);
  const last = words.at(-1) ?? '';
  return { before: words.slice(0, -1), current: last === '=' ? '' : last };
}

interface Read {
  /** Words that are neither options nor values of such. */
  words: string[];
  flags: Map<string, string>;
  shape: Shape | undefined;
  /** How many of the words name the command. */
  depth: number;
  /** The option whose value is next. */
  pending: Taken | undefined;
}

/** Reads the words before the cursor, with the options of the command that they name so far. */
function readWords(before: readonly string[], commands: readonly CommandClass<CliContext>[]): Read {
  const read: Read = { words: [], flags: new Map(), shape: undefined, depth: 0, pending: undefined };
  for (const word of before) {
    if (read.pending !== undefined) {
      for (const flag of read.pending.flags) read.flags.set(flag, word);
      read.pending = undefined;
      continue;
    }
    if (!isFlag(word)) {
      read.words.push(word);
      const named = commandOf(read.words, commands);
      if (named !== undefined) Object.assign(read, { shape: shapeOf(named), depth: read.words.length });
      continue;
    }
    const [flag = '', ...value] = word.split('=');
    const option = optionOf(read.shape, flag);
    for (const name of option?.flags ?? [flag]) read.flags.set(name, value.join('='));
    if (option?.takesValue === true && !word.includes('=')) read.pending = option;
  }
  return read;
}

const optionOf = (shape: Shape | undefined, flag: string) => shape?.options.find(({ flags }) => flags.includes(flag));

const commandOf = (words: readonly string[], commands: readonly CommandClass<CliContext>[]) =>
  commands.find(({ paths = [] }) =>
    paths.some((path) => path.length === words.length && path.every((word, at) => word === words[at])),
  );

/** The options and arguments of a command, in their order. */
function shapeOf(command: CommandClass<CliContext>): Shape {
  const shape: Shape = { options: [], arguments: [], isOpen: false };
  for (const [field, value] of Object.entries(new command())) {
    const { definition } = (value ?? {}) as Declared;
    if (typeof definition !== 'function') continue;
    const offered = offeredBy(value as object);
    definition(
      {
        addOption: ({ names, arity }: { names: string[]; arity: number }) =>
          shape.options.push({ flags: names, takesValue: arity > 0, ...offered }),
        addPositional: ({ name }: { name: string }) =>
          shape.arguments.push({ flags: [], takesValue: true, names: name, ...offered }),
        addRest: ({ name }: { name: string }) => {
          shape.arguments.push({ flags: [], takesValue: true, names: name, ...offered });
          shape.isOpen = true;
        },
      },
      field,
    );
  }
  return shape;
}

/** The words by which commands go on from those that are typed. */
function nextWords(words: readonly string[], commands: readonly CommandClass<CliContext>[]): string[] {
  const paths = commands.flatMap(({ paths = [] }) => paths.slice(0, 1));
  return paths.flatMap((path) =>
    words.every((word, at) => path[at] === word) ? (path.slice(words.length)[0] ?? []) : [],
  );
}

async function optionsFor(current: string, { shape, flags }: Read, names: Names): Promise<string[]> {
  const at = current.indexOf('=');
  if (at === -1) return (shape?.options ?? []).flatMap((option) => option.flags);
  const flag = current.slice(0, at);
  const option = optionOf(shape, flag);
  if (option === undefined) return [];
  const values = await valuesOf(option, flags, current.slice(at + 1), names);
  return values.map((value) => `${flag}=${value}`);
}

async function argumentsFor({ words, depth, shape, flags }: Read, current: string, names: Names): Promise<string[]> {
  const place = words.length - depth;
  const taken = shape?.arguments[place] ?? (shape?.isOpen === true ? shape.arguments.at(-1) : undefined);
  if (taken === undefined) return [];
  const given = new Set(words.slice(depth));
  return (await valuesOf(taken, flags, current, names)).filter((value) => !given.has(value));
}

async function valuesOf(taken: Taken, flags: Read['flags'], begun: string, names: Names): Promise<readonly string[]> {
  if (taken.words !== undefined) return taken.words;
  return taken.names === undefined ? [] : names(taken.names, flags, begun);
}

const SCRIPTS: Record<string, string> = {
  // Words that a shell would read otherwise, such as names with spaces, are quoted; the word at the cursor comes as typed.
  bash: `_weir() {
  local IFS=$'\\n' word
  COMPREPLY=()
  while read -r word; do COMPREPLY+=("$(printf %q "$word")"); done < <(weir __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _weir weir
`,
  zsh: `#compdef weir
_weir() { local -a found; found=(\${(f)"$(weir __complete "\${(@Q)words[2,CURRENT]}" 2>/dev/null)"}); compadd -a found }
compdef _weir weir
`,
  fish: `complete -c weir -f -a '(set -l typed (commandline -opc) (commandline -ct); weir __complete $typed[2..-1] 2>/dev/null)'
`,
};

/** The shells that have a completion script. */
export const SHELLS = Object.keys(SCRIPTS);

/** The completion script of a shell; undefined for a shell that is not known. */
export const completionScript = (shell: string): string | undefined =>
  Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
