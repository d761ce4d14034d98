import { type Check, judge } from './check.ts';
import { countFaults } from './exceptions.ts';
import { git, listFiles, readTexts } from './files.ts';

/** What is counted, with its number of today: it may only fall. The list is in CONTRIBUTING.md, "Words". */
export interface Counted {
  readonly name: string;
  readonly pattern: RegExp;
  readonly most: number;
}

/** Words of no field, in comments, messages, names of tests, identifiers, file names and pages. */
export const WORDS: readonly Counted[] = [
  { name: 'told, tell', pattern: /\b(told|tells?|telling)\b/g, most: 1541 },
  {
    name: 'nobody, somebody, anybody, everybody, whoever',
    pattern: /\b((no|some|any|every)body|whoever)\b/g,
    most: 790,
  },
  { name: 'is none, has none', pattern: /\b(is|are|has|have|was|were) none\b/g, most: 310 },
  { name: 'is no X', pattern: /\b(is|are) no (?!longer\b|more\b)\w/g, most: 449 },
  { name: 'goes on', pattern: /\b(go|goes|going|went|gone) on\b/g, most: 262 },
  { name: 'gets on', pattern: /\b(get|gets|getting|got|gotten) on\b/g, most: 55 },
  { name: 'brings on', pattern: /\b(bring|brings|brought) (\w+ ){0,3}(on|forward)\b/g, most: 7 },
  { name: 'anew', pattern: /\banew\b/g, most: 109 },
  { name: 'mend', pattern: /\bmend(s|ed|ing)?\b/g, most: 15 },
  { name: 'in line, in turn of', pattern: /\bin (line|turn of)\b/g, most: 45 },
  { name: 'a try', pattern: /\b(a|one|each|every|no) (try|tries)\b/g, most: 3 },
  { name: 'stands', pattern: /\b(stands|stood)\b/g, most: 276 },
];

/** Ways to write that are to be replaced. */
export const FORMS: readonly Counted[] = [
  { name: 'conditional spreads', pattern: /\.\.\.\([^;]*?(\? \{\} : \{|: \{\}\))/g, most: 465 },
  { name: 'spreads of literals', pattern: /\.\.\.\{ /g, most: 219 },
  { name: 'bounded loops by hand', pattern: /Promise\.all\(\s*Array\.from\(\{ length/g, most: 5 },
];

/** A text as words: names in camel case, with dashes and with underscores are several. */
export const inWords = (text: string): string =>
  text
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .toLowerCase();

/** A count of a check: the files that it reads, and how. */
interface Counting {
  readonly files: readonly string[];
  readonly counted: readonly Counted[];
  read(text: string): string;
}

/** The lines since the upstream that hold what is counted. */
async function newLines(root: string, pattern: RegExp, { files, read }: Counting): Promise<string[]> {
  const diff = await git(root, 'diff', '-U0', '@{upstream}', '--', ...files).catch(() => '');
  const added = diff.split('\n').filter((line) => line.startsWith('+') && !line.startsWith('+++'));
  return added.filter((line) => read(line).match(pattern) !== null).map((line) => `  ${line.slice(1).trim()}`);
}

async function judgeCounts(root: string, counting: Counting): Promise<string> {
  const { files, counted, read } = counting;
  const texts = (await readTexts(root, await listFiles(root, ...files))).map(([file, text]) =>
    read(`${file}\n${text}`),
  );
  const faults: string[] = [];
  const words: string[] = [];
  for (const { name, pattern, most } of counted) {
    const number = texts.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0);
    words.push(`${name} ${number}`);
    const lines = number > most ? await newLines(root, pattern, counting) : [];
    faults.push(...countFaults({ name, most, at: 'test/checks/words.ts' }, number, lines));
  }
  return judge(faults, words.join('; '));
}

const OWN = [':!test/checks/words.ts', ':!test/test/checks.test.ts', ':!docs/reference', ':!docs/adr'];
const READ = ['*.ts', '*.tsx', ':(glob)docs/**/*.md', ...OWN];
const SOURCE = [':(glob)**/src/**/*.ts', ':(glob)**/src/**/*.tsx'];

/** Counts that may only fall: words that people read, and forms that are to be replaced. */
export const words = (root: string, known = { words: WORDS, forms: FORMS }): Check[] => [
  { name: 'words', look: () => judgeCounts(root, { files: READ, counted: known.words, read: inWords }) },
  { name: 'forms', look: () => judgeCounts(root, { files: SOURCE, counted: known.forms, read: (text) => text }) },
];
