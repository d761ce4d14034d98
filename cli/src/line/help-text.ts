import stringWidth from 'string-width';
import { NARROW, wrapped } from '../output/fit.ts';
import { BINARY, isFlag, type Known } from './known-command.ts';

/** What people do day by day; `weir help --all` lists the rest. */
const EVERYDAY: Readonly<Record<string, readonly string[]>> = {
  'Start here': ['load', 'dev up', 'doctor'],
  'Bring data in': ['sources list', 'sources create', 'sources sync', 'sources logs', 'sources history'],
  'Use it': ['datasets list', 'datasets preview', 'sql'],
  'Sign in': ['login', 'whoami', 'tenants use'],
};
const ANSI = /\u001b\[[\d;]*m/g;
/** The last column at which the second column of a list may begin. */
const MAX_INDENT = 40;

/** The list of commands below a group such as `sources`, or of all; undefined when a command itself is named. */
export function groupHelp(words: readonly string[], known: readonly Known[], isAll = false): string | undefined {
  if (words.some(isFlag)) return undefined;
  const below = known.filter((command) => words.every((word, i) => command.words[i] === word));
  if (below.length === 0 || below.some((command) => command.words.length === words.length)) return undefined;
  if (words.length === 0 && !isAll) return everydayHelp(known);
  const items = below.map(({ words: own, description }) => ({ name: own.join(' '), description }));
  const title = `${[BINARY, ...words].join(' ')} commands:`;
  return [title, ...listed(items), '', 'Each takes --help. Exit codes: weir help exit-codes', ''].join('\n');
}

function everydayHelp(known: readonly Known[]): string {
  const groups = Object.entries(EVERYDAY).flatMap(([title, names]) => [
    `${title}:`,
    ...listed(
      known.map(({ words, description }) => ({ name: words.join(' '), description })),
      names,
    ),
    '',
  ]);
  const end = 'All commands: weir help --all. Each takes --help. Exit codes: weir help exit-codes';
  return [`${BINARY} commands, the everyday ones:`, '', ...groups, ...wrapped(end, NARROW), ''].join('\n');
}

/** Names beside their descriptions, in the order of `names`, else of the alphabet. */
function listed(items: readonly { name: string; description: string }[], names?: readonly string[]): string[] {
  const shown =
    names?.flatMap((name) => items.find((item) => item.name === name) ?? []) ??
    items.toSorted((a, b) => a.name.localeCompare(b.name));
  const width = Math.min(MAX_INDENT - 4, Math.max(...shown.map(({ name }) => name.length)));
  return shown.flatMap(({ name, description }) =>
    wrapped(`  ${name.padEnd(width)}  ${description}`.trimEnd(), NARROW, width + 4),
  );
}

/** Help of which no line is longer than 80 columns; commands to copy are continued with a backslash. */
export const narrowHelp = (text: string): string => ownFirst(text.split('\n')).flatMap(narrowLine).join('\n');

/** Options of every command, by the first name of each. */
const GLOBAL = [
  ...['--url', '--tenant', '--profile', '-o', '--query', '--no-color', '-q', '-v', '--debug', '--no-input', '--yes'],
  '--timeout',
];

/** The options of the command itself before those that every command has. */
function ownFirst(lines: readonly string[]): string[] {
  const isOption = (line: string) => /^ {2}-/.test(line.replace(ANSI, ''));
  const isGlobal = (line: string) => GLOBAL.includes(/^ {2}([\w-]+)/.exec(line.replace(ANSI, ''))?.[1] ?? '');
  const first = lines.findIndex(isOption);
  const options = lines.filter(isOption);
  const own = options.filter((line) => !isGlobal(line));
  if (first === -1 || own.length === 0) return [...lines];
  const last = lines.findLastIndex(isOption);
  return [
    ...lines.slice(0, first),
    ...own,
    ...['', 'Options of every command:', ''],
    ...options.filter(isGlobal),
    ...lines.slice(last + 1),
  ];
}

function narrowLine(line: string): string[] {
  if (stringWidth(line) <= NARROW) return [line];
  if (/^ *(\u001b\[\d+m)*\$ /.test(line)) {
    const lines = wrapped(line, NARROW - 2, 4);
    return lines.map((each, at) => (at === lines.length - 1 ? each : `${each} \\`));
  }
  const columns = /^(\s+\S.*?\s{2,})\S/.exec(line);
  const indent = columns === null ? 0 : stringWidth(columns[1] ?? '');
  return wrapped(line, NARROW, Math.min(indent, MAX_INDENT));
}
