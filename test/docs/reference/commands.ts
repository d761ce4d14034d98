import { type BaseContext, Cli } from 'clipanion';
import { commands } from '../../../cli/src/commands.ts';

/** One command as its help tells it. */
export interface CommandPage {
  /** `sources create`. */
  words: string;
  /** With its positional parameters, `weir sources get <source_id>`. */
  usage: string;
  category: string;
  description: string;
  details: string | undefined;
  examples: { what: string; line: string }[];
  options: { flags: string; value: boolean; required: boolean; description: string }[];
}

/** Every command of `weir` that has a description, by category and name, from clipanion's own definitions. */
export function commandPages(): CommandPage[] {
  const cli = new Cli<BaseContext>({ binaryName: 'weir', binaryLabel: 'Weir', enableColors: false });
  for (const command of commands()) cli.register(command as never);
  const pages = cli.definitions().map(
    (found): CommandPage => ({
      words: found.path.replace(/^weir /, ''),
      usage: found.usage,
      category: found.category?.trim() ?? 'Other',
      description: found.description?.trim() ?? '',
      details: found.details?.trim(),
      examples: (found.examples ?? []).map(([what, line]) => ({ what: what.trim(), line: line.trim() })),
      options: found.options.map(({ definition, description = '', required }) => ({
        flags: definition.replace(/ #\d+$/, ''),
        value: / #\d+$/.test(definition),
        required,
        description,
      })),
    }),
  );
  const key = ({ category, words }: CommandPage) => `${category} ${words}`;
  return pages.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** The options that every command has; they are told once. */
export function sharedOptions(pages: readonly CommandPage[]): CommandPage['options'] {
  const [first, ...rest] = pages;
  const has = (page: CommandPage, text: string) => page.options.some((option) => JSON.stringify(option) === text);
  return (first?.options ?? []).filter((option) => rest.every((page) => has(page, JSON.stringify(option))));
}
