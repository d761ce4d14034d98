import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** The stages of a sync, in the order in which the tour must tell them. */
export const STAGES = [
  ...['HTTP', 'Endpoint', 'Auth', 'Tenant', 'Service', 'Run row', 'Workflow', 'Activity', 'Child', 'Connector'],
  ...['Router', 'Spool', 'Stage', 'Commit', 'Snapshot', 'Status'],
] as const;

/** What a reader can follow: files, and how often the next one is in another package. */
const MOST = { files: 50, changes: 24 };

interface Look {
  stage: string;
  file: string;
  functions: string[];
}

const STAGE = /^## (\d+)\. (.+)$/;
const LOOK = /^- \[([^\]]+)\]\(\.\.\/([^)]+)\)(?:: (.+))?$/;

/** What is wrong with the tour: a stage out of order, a file or a function that is not there, a gap in the chain. */
export async function tourFaults(root: string, text: string): Promise<string[]> {
  const stages: string[] = [];
  const looks: Look[] = [];
  const faults: string[] = [];
  for (const line of text.split('\n')) {
    const [, number, stage] = STAGE.exec(line) ?? [];
    if (stage !== undefined) {
      stages.push(stage);
      if (Number(number) !== stages.length) faults.push(`${stage} is numbered ${number}, not ${stages.length}`);
    }
    const [, shown, file = '', names = ''] = LOOK.exec(line) ?? [];
    if (shown === undefined) continue;
    if (shown !== file) faults.push(`${shown} leads to ${file}`);
    looks.push({
      stage: stages.at(-1) ?? '',
      file,
      functions: [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
    });
  }
  if (stages.join() !== STAGES.join()) faults.push(`the stages are ${stages.join(', ')}`);
  const empty = stages.filter((stage) => !looks.some((look) => look.stage === stage));
  faults.push(...empty.map((stage) => `${stage} names no file`));
  const packages = looks.map(({ file }) => /^((plugins|lib|connectors)\/)?[^/]+/.exec(file)?.[0]);
  const changes = packages.filter((name, at) => at > 0 && name !== packages[at - 1]).length;
  if (looks.length > MOST.files) faults.push(`it names ${looks.length} files, at most ${MOST.files}`);
  if (changes > MOST.changes) faults.push(`it changes package ${changes} times, at most ${MOST.changes}`);
  return [...faults, ...(await chainFaults(root, looks))];
}

/**
 * Each function is defined in its file. The first one of a file is mentioned in a file that was named before, and so is
 * a file without functions, by its name or its folder; the very first has nobody before it.
 */
async function chainFaults(root: string, looks: readonly Look[]): Promise<string[]> {
  const faults: string[] = [];
  let before = '';
  for (const { file, functions } of looks) {
    const source = await readFile(path.join(root, file), 'utf8').catch(() => undefined);
    if (source === undefined) {
      faults.push(`${file} is not there`);
      continue;
    }
    faults.push(...functions.flatMap((name) => (defines(source, name) ? [] : [`${file} does not define ${name}`])));
    const ways = functions.length > 0 ? functions.slice(0, 1) : [path.basename(file), file.replace(/\/src\/.*$/, '')];
    const known = before === '' || ways.some((way) => new RegExp(`\\b${RegExp.escape(way)}\\b`).test(before));
    if (!known) faults.push(`nothing before ${file} mentions ${ways.join(' or ')}`);
    before += source;
  }
  return faults;
}

/** A declaration, a method, a member that is a function, or a name that a door hands on. */
function defines(source: string, name: string): boolean {
  return [
    new RegExp(`\\b(?:function\\*?|const) ${name}\\b`),
    new RegExp(`^\\s*(?:async )?${name}\\(`, 'm'),
    new RegExp(`^\\s*${name}: (?:async )?\\(`, 'm'),
    new RegExp(`^export \\{[^}]*\\b${name}\\b`, 'm'),
  ].some((pattern) => pattern.test(source));
}
