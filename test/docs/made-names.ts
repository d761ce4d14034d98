import { wantedExit } from './blocks.ts';
import type { Page } from './page.ts';

const HEREDOC = /cat > (\S+) <<'?(\w+)'?\n([\s\S]*?)\n\2$/gm;
const CREATE = /\bweir ((?:[a-z-]+ )+?)create\b(.*)/g;
const OPTION = (name: string) => new RegExp(`--?${name}[ =]("[^"]+"|\\S+)`);

const unquoted = (text = '') => text.replaceAll('"', '');

/** What the commands of a page make in the tenant, as `sources create orders`, and the tables that they name. */
export function madeNames({ blocks }: Pick<Page, 'blocks'>): Set<string> {
  const run = blocks.filter((block) => wantedExit(block) !== undefined).map(({ text }) => text);
  const text = run.join('\n').replaceAll('\\\n', ' ');
  const named = new Map(
    [...text.matchAll(HEREDOC)].map(([, file = '', , body = '']) => [file, /^name: (.+)$/m.exec(body)?.[1]]),
  );
  const made = new Set<string>();
  for (const [, kind = '', rest = ''] of text.matchAll(CREATE)) {
    const name = OPTION('name').exec(rest)?.[1] ?? named.get(OPTION('f').exec(rest)?.[1] ?? '');
    if (name !== undefined) made.add(`${kind}create ${unquoted(name)}`);
    const table = OPTION('to').exec(rest)?.[1];
    if (table !== undefined) made.add(`table ${table}`);
  }
  for (const [, name = ''] of text.matchAll(/\bweir load .*--as (\S+)/g)) made.add(`sources create ${name}`);
  return made;
}

/** What two pages make: a person who follows one after the other fails with `name_taken`. */
export function sharedNames(pages: readonly Page[]): string[] {
  const makers = new Map<string, string[]>();
  for (const page of pages)
    for (const name of madeNames(page)) makers.set(name, [...(makers.get(name) ?? []), page.file]);
  return [...makers].flatMap(([name, files]) => (files.length < 2 ? [] : [`${name}: ${files.join(', ')}`]));
}
