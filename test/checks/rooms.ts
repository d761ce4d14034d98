import path from 'node:path';
import { readCached, writeCached } from './cache.ts';
import { type Check, judge } from './check.ts';
import { circlesOf, type Imports } from './circles.ts';
import {
  CIRCLES,
  countFaults,
  type Exceptions,
  FOLDER_SIZES,
  FUNCTION_SIZES,
  judgeLimit,
  type Measured,
  SMALL_FILES,
} from './exceptions.ts';
import { hashAll, hashFiles, listFiles, readTexts } from './files.ts';
import { readSource, type SourceFacts } from './read-source.ts';

const MAX_FILES = 15;
const MAX_OWN_LINES = 60;
const FEW_LINES = 40;
const NINE_TENTHS = 0.9;

/** Tests, and what they need; their folders may know each other. */
const TEST = /(^|\/)test\//;
/** Below `src` of a package; migrations are one history and stay together. */
const SOURCE = /^(?!migrations\/)(.+\/)?src\//;

type Facts = readonly (readonly [file: string, facts: SourceFacts])[];
interface Kept {
  readonly key: string;
  readonly files: Record<string, { readonly hash: string; readonly facts: SourceFacts }>;
}

/** What the parser says of each file; only files that changed since the last time are parsed. */
async function readFacts(root: string): Promise<Facts> {
  const files = await listFiles(root, '*.ts', '*.tsx', '*.mjs');
  const key = await hashAll(
    root,
    files.filter((file) => file === 'test/checks/read-source.ts'),
  );
  const hashes = await hashFiles(root, files);
  const cached = await readCached<Kept>(root, 'facts');
  const kept = cached?.key === key ? cached.files : {};
  const changed = files.filter((file) => kept[file]?.hash !== hashes.get(file));
  const read = new Map((await readTexts(root, changed)).map(([file, text]) => [file, factsOf(file, text)]));
  const all = files.map((file) => [file, read.get(file) ?? (kept[file]?.facts as SourceFacts)] as const);
  const stored = all.map(([file, facts]) => [file, { hash: hashes.get(file), facts }] as const);
  if (changed.length > 0) await writeCached(root, 'facts', { key, files: Object.fromEntries(stored) });
  return all;
}

function factsOf(file: string, text: string): SourceFacts {
  try {
    return readSource(text, file.endsWith('.tsx'));
  } catch (error) {
    throw new Error(`${file} cannot be parsed: ${(error as Error).message}`);
  }
}

/** The imports of each package between its rooms: its folders, and the files that lie directly in `src`. */
async function roomImports(root: string, facts: Facts): Promise<ReadonlyMap<string, Imports>> {
  const packages = (await listFiles(root, '**/package.json')).map((file) => path.dirname(file)).sort();
  const packageOf = (file: string) => packages.findLast((one) => file.startsWith(`${one}/`));
  const known = new Map<string, Map<string, Map<string, string>>>();
  for (const [file, { imports }] of facts) {
    const home = packageOf(file);
    if (home === undefined || TEST.test(file)) continue;
    const room = (one: string) => (/^(src\/)?[^/]+$/.test(path.relative(home, one)) ? one : path.dirname(one));
    const all = known.get(home) ?? new Map<string, Map<string, string>>();
    known.set(home, all);
    for (const specifier of imports) {
      const to = path.join(path.dirname(file), specifier);
      if (packageOf(to) !== home || room(to) === room(file)) continue;
      const rooms = all.get(room(file)) ?? new Map<string, string>();
      all.set(room(file), rooms.set(room(to), rooms.get(room(to)) ?? `${file} imports ${to}`));
    }
  }
  return known;
}

function measureCircles(known: ReadonlyMap<string, Imports>): Map<string, Measured> {
  return new Map(
    [...known].map(([home, imports]) => {
      const circles = circlesOf(imports);
      const number = circles.reduce((sum, { rooms }) => sum + rooms.length, 0);
      const lines = circles.flatMap((circle) => circle.imports);
      return [home, { number, words: `${number} folders or files of src in circles`, lines }];
    }),
  );
}

function measureFolders(facts: Facts): Map<string, Measured> {
  const counts = new Map<string, number>();
  for (const [file] of facts) {
    const folder = path.dirname(file);
    if (SOURCE.test(file) && !TEST.test(file)) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return new Map([...counts].map(([folder, number]) => [folder, { number, words: `${number} files` }]));
}

function measureFunctions(facts: Facts): Map<string, Measured> {
  const found = facts.flatMap(([file, { functions }]) =>
    functions.map(({ name, line, own }) => ({ place: `${file} ${name}`, line, own })),
  );
  // The longest of one name comes last and stays.
  const measured = found.toSorted((a, b) => a.own - b.own);
  return new Map(
    measured.map(({ place, line, own }) => [place, { number: own, words: `${own} own lines from line ${line}` }]),
  );
}

/** The short files of `src` that one file alone imports, which lies beside them; tests do not count. */
function smallFiles(facts: Facts): string[] {
  const source = facts.filter(([file]) => SOURCE.test(file) && !TEST.test(file));
  const importers = new Map<string, string[]>();
  for (const [file, { imports }] of source)
    for (const specifier of imports) {
      const to = path.join(path.dirname(file), specifier);
      importers.set(to, [...(importers.get(to) ?? []), file]);
    }
  return source.flatMap(([file, { lines }]) => {
    const [one, other] = importers.get(file) ?? [];
    const isBeside = one !== undefined && other === undefined && path.dirname(one) === path.dirname(file);
    return isBeside && lines <= FEW_LINES ? [`  ${file} of ${path.basename(one)}`] : [];
  });
}

/** The median and the ninth decile of some numbers. */
function spread(numbers: readonly number[]): string {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return `median ${at(1 / 2)}, p90 ${at(NINE_TENTHS)}`;
}

export interface RoomExceptions {
  readonly circles: Exceptions;
  readonly folders: Exceptions;
  readonly functions: Exceptions;
  readonly small: number;
}
const OURS: RoomExceptions = {
  circles: CIRCLES,
  folders: FOLDER_SIZES,
  functions: FUNCTION_SIZES,
  small: SMALL_FILES,
};

/** How folders know each other, how many files they hold, and how long files and functions are. */
export function rooms(root: string, except: RoomExceptions = OURS): Check[] {
  let read: Promise<Facts> | undefined;
  const facts = (): Promise<Facts> => {
    read ??= readFacts(root);
    return read;
  };
  return [
    {
      name: 'circles of folders',
      async look() {
        const known = await roomImports(root, await facts());
        return judgeLimit(measureCircles(known), 0, except.circles, `${known.size} packages`);
      },
    },
    {
      name: 'folder sizes',
      async look() {
        const folders = measureFolders(await facts());
        const word = `${folders.size} folders of src, at most ${MAX_FILES} files each`;
        return judgeLimit(folders, MAX_FILES, except.folders, word);
      },
    },
    {
      name: 'function sizes',
      async look() {
        const measured = measureFunctions(await facts());
        return judgeLimit(measured, MAX_OWN_LINES, except.functions, `at most ${MAX_OWN_LINES} own lines each`);
      },
    },
    {
      name: 'small files',
      async look() {
        const small = smallFiles(await facts());
        const count = { name: `files of at most ${FEW_LINES} lines with one importer beside them`, most: except.small };
        const faults = countFaults({ ...count, at: 'test/checks/exceptions.ts' }, small.length, small);
        return judge(faults, `${small.length} with one importer beside them`);
      },
    },
    {
      name: 'lengths in src',
      async look() {
        const source = (await facts()).filter(([file]) => SOURCE.test(file) && !TEST.test(file));
        const functions = source.flatMap(([, one]) => one.functions.map(({ own }) => own));
        return `files ${spread(source.map(([, { lines }]) => lines))} lines; functions ${spread(functions)} own lines`;
      },
    },
  ];
}
