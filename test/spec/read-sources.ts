import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { variables } from './variables.ts';

/** What the sources of all packages say, tests apart. */
export interface SourceFacts {
  /** Each variable that is read, with the folders of the packages that read it. */
  variables: Map<string, Set<string>>;
  /** Names made at run time, such as `WORKFLOW_${role}_TASK_QUEUE`, with the folders of their packages. */
  templates: Map<string, Set<string>>;
  /** All sources in one text, to ask whether a name occurs. */
  text: string;
}

const SOURCES = ['*/{src,bin}/**/*.{ts,mjs}', '{plugins,connectors,lib}/*/src/**/*.ts'];
const NAME = '[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*';
/** How names of variables begin. `TABLE` alone begins words of SQL too. */
const FAMILIES = [...new Set(['WEIR', ...variables.map(({ name }) => /^TABLE_CATALOG|^[A-Z]+/.exec(name)?.[0])])].join(
  '|',
);
/** The ways in which a variable is read here: member, key, destructured, key of a settings schema, name in a list. */
const READS = [
  new RegExp(`\\b(?:env|environment)\\??\\.(${NAME})\\b`, 'g'),
  new RegExp(`\\b(?:env|environment)\\[['"\`](${NAME})['"\`]\\]`, 'g'),
  new RegExp(`^\\s*(${NAME}): (?:Type\\.|OneOf\\(|(?:SecretSetting|count|text|file)\\()`, 'gm'),
  new RegExp(`['"\`]((?:${FAMILIES})_[A-Z0-9_]*[A-Z0-9])['"\`]`, 'g'),
];
const DESTRUCTURED = /\{([^{}]*)\} = (?:[\w.]*\.)?(?:env|environment)\b/g;
const TEMPLATE = /`([A-Z][A-Z0-9_]*_\$\{[^`]*|\$\{prefix\}_[A-Z0-9_]*)`/g;

const folderOf = (file: string): string =>
  file
    .split('/')
    .slice(0, /^(plugins|connectors|lib)\//.test(file) ? 2 : 1)
    .join('/');

function add(map: Map<string, Set<string>>, name: string, folder: string): void {
  map.set(name, (map.get(name) ?? new Set()).add(folder));
}

/** Reads every source file below `root`; throws when there is none, as then nothing would have been checked. */
export async function readSources(root: string): Promise<SourceFacts> {
  const exclude = (name: string) => name === 'node_modules' || name === 'dist';
  const files = await Array.fromAsync(glob(SOURCES, { cwd: root, exclude }));
  const own = [...new Set(files)].filter((file) => !file.startsWith('test/')).sort();
  if (own.length === 0) throw new Error(`no sources below ${root}: nothing was read`);
  const facts: SourceFacts = { variables: new Map(), templates: new Map(), text: '' };
  for (const file of own) {
    const text = await readFile(path.join(root, file), 'utf8');
    facts.text += text;
    const folder = folderOf(file);
    for (const pattern of READS) for (const [, name = ''] of text.matchAll(pattern)) add(facts.variables, name, folder);
    for (const [, inside = ''] of text.matchAll(DESTRUCTURED))
      for (const [name] of inside.matchAll(new RegExp(`\\b${NAME}\\b`, 'g'))) add(facts.variables, name, folder);
    for (const [, name = ''] of text.matchAll(TEMPLATE)) add(facts.templates, name, folder);
  }
  return facts;
}
