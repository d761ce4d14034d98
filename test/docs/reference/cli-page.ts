import type { CommandPage, Reference } from './collect.ts';
import { sharedOptions } from './commands.ts';
import { anchorOf, GENERATED, plain, table } from './markdown.ts';

type Options = CommandPage['options'];

/** `docs/reference/cli.md`: every command, from clipanion's definitions, and the exit codes. */
export function cliPage({ commands, exitCodes }: Reference): string {
  const shared = sharedOptions(commands);
  const groups = Map.groupBy(commands, ({ category }) => category);
  const contents = commands.map(({ words, description }) => [
    `[weir ${words}](#${anchorOf(`weir ${words}`)})`,
    plain(description),
  ]);
  const sections = [...groups].map(([category, own]) =>
    [`## ${category}`, ...own.map((page) => commandSection(page, shared))].join('\n\n'),
  );
  return `# Commands

${GENERATED}

From a checkout, \`./weir <words>\` runs a command; \`alias weir="$PWD/weir"\` lets you write
\`weir <words>\` in any folder. Results go to stdout, progress and errors to stderr.

${table(['command', 'does'], contents)}

## Options of every command

${optionTable(shared)}

An option goes before the environment, the environment before \`weir.yaml\`, that before the profile, and that before the
development server that runs here. The variables are in [configuration](configuration.md#commands).

## Exit codes

${table(
  ['code', 'meaning'],
  exitCodes.map(({ code, meaning }) => [String(code), plain(meaning)]),
)}

${sections.join('\n\n')}
`;
}

function commandSection(
  { words, usage, description, details, examples, options }: CommandPage,
  shared: Options,
): string {
  const told = new Set(shared.map((option) => JSON.stringify(option)));
  const own = options.filter((option) => !told.has(JSON.stringify(option)));
  return [
    `### weir ${words}`,
    `${description}.`,
    `Usage: \`${usage}${own.length > 0 ? ' …' : ''}\``,
    ...(details === undefined ? [] : [details]),
    ...(own.length === 0 ? [] : [optionTable(own)]),
    ...examples.map(({ what, line }) => `${what}: \`${line}\``),
  ].join('\n\n');
}

function optionTable(options: Options): string {
  return table(
    ['option', 'meaning'],
    options.map(({ flags, value, required, description }) => [
      `\`${flags.replaceAll(',', '`, `')}${value ? ' …' : ''}\`${required ? ' (required)' : ''}`,
      plain(description),
    ]),
  );
}
