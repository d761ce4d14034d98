import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { unlessClean } from '../checks/cache.ts';
import { commitSubjects } from '../checks/commit-subjects.ts';
import { hashAll, listFiles } from '../checks/files.ts';
import { lint } from '../checks/lint.ts';
import { type RoomExceptions, rooms } from '../checks/rooms.ts';
import { tenantLoops } from '../checks/tenant-loops.ts';
import { timeInTests } from '../checks/time-in-tests.ts';
import { types } from '../checks/types.ts';
import { type Counted, words } from '../checks/words.ts';

type Files = Record<string, string>;

const BIOME = {
  files: { includes: ['*.ts'] },
  json: { formatter: { enabled: false } },
  formatter: { indentStyle: 'space' },
  javascript: { formatter: { quoteStyle: 'single' } },
  linter: { rules: { suspicious: { noImportCycles: 'error' }, correctness: { noUndeclaredDependencies: 'error' } } },
};
const TSCONFIG = {
  compilerOptions: { strict: true, noEmit: true, module: 'nodenext', allowImportingTsExtensions: true, types: [] },
  include: ['*.ts'],
};

/** A checkout of its own with these files; `put` writes further ones. */
function checkout(t: Test, files: Files) {
  const root = t.testdir({ '.gitignore': 'node_modules/\n' });
  const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' }).trim();
  const put = (more: Files) => {
    for (const [file, text] of Object.entries(more)) {
      mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
      writeFileSync(path.join(root, file), text);
    }
  };
  git('init', '-q');
  put(files);
  return { root, git, put };
}

t.test('lint: a changed file alone is looked at → each fault of a whole run is found, again and again', async (t) => {
  const { root, put } = checkout(t, {
    'biome.json': `${JSON.stringify(BIOME, undefined, 2)}\n`,
    'package.json': '{ "dependencies": { "left": "1.0.0" } }\n',
    'a.ts': "import { b } from './b.ts';\n\nexport const a = () => b;\n",
    'b.ts': 'export const b = 1;\n',
    'c.ts': "import left from 'left';\n\nexport const c = left;\n",
  });
  t.match(await lint(root), /^6 files$/);
  t.match(await lint(root), /unchanged/);

  put({ 'b.ts': 'export const b  = 1;\n' });
  for (const again of [1, 2]) await t.rejects(lint(root), /b\.ts format/, `format, look ${again}`);
  put({ 'b.ts': "import { a } from './a.ts';\n\nexport const b = () => a;\n" });
  await t.rejects(lint(root), /b\.ts.*noImportCycles/s, 'a cycle through a file that did not change');
  put({ 'b.ts': 'export const b = 2;\n' });
  t.match(await lint(root), /^1 changed of 6 files$/);

  put({ 'package.json': '{ "dependencies": {} }\n' });
  await t.rejects(lint(root), /c\.ts.*noUndeclaredDependencies/s, 'a manifest decides on files that did not change');
  put({ 'c.ts': 'export const c = 1;\n', 'a.ts': 'export const a = 1;\n' });
  t.match(await lint(root), /^6 files$/, 'the manifest changed, so all are looked at');
  put({ 'biome.json': `${JSON.stringify({ ...BIOME, javascript: { formatter: { semicolons: 'asNeeded' } } })}\n` });
  await t.rejects(lint(root), /format/, 'so does the configuration');
});

t.test('types: a changed file breaks one that did not change → found, again and again', async (t) => {
  const { root, put } = checkout(t, {
    'tsconfig.json': JSON.stringify(TSCONFIG),
    'ui/tsconfig.json': JSON.stringify({ ...TSCONFIG, include: ['../*.ts'] }),
    'package.json': '{ "type": "module" }\n',
    'a.ts': "import { b } from './b.ts';\nexport const a: number = b;\n",
    'b.ts': 'export const b = 1;\n',
  });
  t.equal(await types(root), 'clean');
  put({ 'b.ts': "export const b = 'one';\n" });
  for (const again of [1, 2]) await t.rejects(types(root), /a\.ts\(2,14\).*TS2322/, `look ${again}`);
  put({ 'b.ts': 'export const b = 2;\n' });
  t.match(await types(root), /reach/);
  put({
    'tsconfig.json': JSON.stringify({ ...TSCONFIG, include: ['a.ts', 'none.ts'] }),
    'a.ts': 'export const a = c;\n',
  });
  await t.rejects(types(root), /TS2304/, 'another configuration begins from nothing');
});

t.test('a clean result is kept for its key only, and a fault never', async (t) => {
  const { root, put } = checkout(t, { 'a.ts': '1' });
  const key = async () => hashAll(root, await listFiles(root, '*.ts'));
  const done: string[] = [];
  const work = (word: string) => async () => {
    done.push(word);
    return word === 'fault' ? Promise.reject(new Error(word)) : word;
  };
  t.equal(await unlessClean(root, 'it', await key(), work('first')), 'first');
  t.equal(await unlessClean(root, 'it', await key(), work('second')), 'first, unchanged');
  for (const [file, text] of [
    ['a.ts', '2'],
    ['new.ts', '1'],
    ['node_modules/.package-lock.json', '{}'],
  ] as const) {
    const before = await key();
    put({ [file]: text });
    t.not(await key(), before, file);
  }
  for (const _ of [1, 2]) await t.rejects(unlessClean(root, 'it', await key(), work('fault')), /fault/);
  t.equal(await unlessClean(root, 'it', await key(), work('third')), 'third');
  t.strictSame(done, ['first', 'fault', 'fault', 'third']);
  await t.rejects(listFiles(root, '*.py'), /nothing was checked/);
});

t.test('commit subjects: a long one since the base is a fault, and without history nothing is said', async (t) => {
  const { root, git } = checkout(t, {});
  const commit = (subject: string) =>
    git(
      '-c',
      'user.name=A',
      '-c',
      'user.email=a@b.example',
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      subject,
      '-m',
      'b'.repeat(99),
    );
  commit('x'.repeat(90));
  const base = git('rev-parse', 'HEAD');
  commit(`a: ${'ü'.repeat(69)}`);
  t.match(await commitSubjects(root, base), /^1 commits/);
  commit(`a: ${'b'.repeat(70)}`);
  await t.rejects(commitSubjects(root, base), /a: b{70}: 73 characters, at most 72/);
  t.match(await commitSubjects(root, 'f'.repeat(40)), /^skipped/);
});

t.test('time in tests: each way to wait by the clock is a fault, by file and line', async (t) => {
  const limit = ['time', 'out'].join('');
  const timer = ['set', 'Timeout'].join('');
  const planted = [
    `t.${timer}(LONG);`,
    `import { ${timer} as delay } from 'node:timers/promises';`,
    `t.test('x', { ${limit}: 30_000 }, async () => {});`,
    `run('x', { ${limit}: SOME_MS });`,
    `const HANG${'_'}MS = 1;`,
    `export const MAX_WAIT${'_'}SECONDS = '60';`,
    `await new Promise((resolve) => ${timer}(resolve, 1_000));`,
    `${timer}(() => {\n  stop(a, b);\n}, 50);`,
  ];
  const fine = [
    `call({ ${limit}: PATIENT_MS, other: 5 });`,
    `call({ ${limit}: HASTY_MS });`,
    `const DAY${'_'}MS = 86_400_000;`,
    `import { setImmediate as turn } from 'node:timers/promises';`,
    `${timer}(() => later(1, 2), pause);`,
  ];
  const { root, put } = checkout(t, { 'a/test/fine.test.ts': fine.join('\n') });
  t.equal(await timeInTests(root), '1 files');
  put({
    'test/until.ts': planted.join('\n'),
    'a/test/fixtures/slow.ts': planted.join('\n'),
    'test/x/connectors/y/main.ts': planted.join('\n'),
    'a/src/product.ts': planted.join('\n'),
  });
  t.equal(await timeInTests(root), '1 files', 'the runner, fixtures and the product are not looked at');
  for (const [at, line] of planted.entries()) {
    put({ 'a/b/test/deep/x.ts': `\n${line}\n` });
    await t.rejects(timeInTests(root), /^a\/b\/test\/deep\/x\.ts:2: no /, `fault ${at}`);
  }
});

t.test('loops over tenants: each way to list them is found, outside of duties and tests', async (t) => {
  const planted = [
    'for (const tenant of await kernel.tenants.list()) await sweep(tenant);',
    'const all = await deps.tenants?.list();',
    "const all = await kernel.tenants['list']();",
    'const { byId, list } = kernel.tenants;',
    "await sql('select tenant_id from kernel.tenant where disabled_at is null', []);",
  ];
  const fine = [
    'const tenant = await kernel.tenants.byId(id);',
    'await sources.list(tenant);',
    "await sql('select * from kernel.tenant where alias = $1', [alias]);",
    'tenants: async (all) => [...(await all())],',
  ];
  const { root, put } = checkout(t, { 'p/src/fine.ts': fine.join('\n'), 'p/test/x.ts': planted.join('\n') });
  put({ 'kernel/src/duties/duty.ts': planted.join('\n'), 'kernel/src/testing/x.ts': planted.join('\n') });
  t.equal(await tenantLoops(root), '1 files');
  for (const [at, line] of planted.entries()) {
    put({ 'plugins/p/src/service/sweep.ts': `\n${line}\n` });
    await t.rejects(tenantLoops(root), /^plugins\/p\/src\/service\/sweep\.ts:2: lists tenants/, `fault ${at}`);
  }
});

t.test(
  'words: each place that people read is counted, a count may not rise, and one that fell is lowered',
  async (t) => {
    const places = {
      'p/src/comment.ts': '/** What the user was told. */\nexport {};\n',
      'p/src/message.ts': "export const message = 'You were told';\n",
      'p/src/names.ts': 'export const wasTold = true;\nexport const told_at = 1;\n',
      'p/src/told-names.ts': 'export {};\n',
      'p/test/x.test.ts': "t.test('a user is told', () => {});\n",
      'docs/how-to/page.md': 'You are told.\n',
    };
    const { root, put } = checkout(t, { ...places, 'p/src/golden.ts': '// A retold tale of the tolldoll.\n' });
    const told = (most: number): Counted[] => [{ name: 'told', pattern: /\btold\b/g, most }];
    const spreads = (most: number): Counted[] => [{ name: 'spreads', pattern: /\.\.\.\{ /g, most }];
    const look = async (most: number, forms = 0) =>
      Promise.all(words(root, { words: told(most), forms: spreads(forms) }).map((check) => check.look()));
    t.strictSame(await look(7), ['told 7', 'spreads 0']);
    await t.rejects(look(6), /^told: 7, at most 6$/);
    await t.rejects(look(8), /^told: lower its number to 7 in test\/checks\/words\.ts$/);
    put({ 'p/src/form.ts': 'export const both = { ...{ a: 1 } };\n' });
    await t.rejects(look(7), /^spreads: 1, at most 0$/);
    t.strictSame(await look(7, 1), ['told 7', 'spreads 1']);
  },
);

const NO_EXCEPTIONS: RoomExceptions = { circles: {}, folders: {}, functions: {}, small: 0 };
/** Looks by one of the checks of rooms. */
async function look(root: string, name: string, except: Partial<RoomExceptions> = {}): Promise<string> {
  const check = rooms(root, { ...NO_EXCEPTIONS, ...except }).find((one) => one.name === name);
  return check?.look() ?? 'there is no such check';
}
const linesOf = (count: number, line = 'x();') => `${line}\n`.repeat(count);

t.test('circles of folders: each way to import closes a circle, within one package and outside of tests', async (t) => {
  const { root, put } = checkout(t, {
    'p/package.json': '{}',
    'p/src/index.ts': "export { a } from './a/a.ts';\n",
    'p/src/word.ts': "export const word = 'w';\n",
    'p/src/a/a.ts': "import { b } from '../b/b.ts';\nimport { word } from '../word.ts';\nexport const a = b + word;\n",
    'p/src/b/b.ts': "import { word } from '../word.ts';\nexport const b = word;\n",
    'q/package.json': '{}',
    'q/src/b/b.ts': "import type { a } from '../../../p/src/a/a.ts';\n",
  });
  t.equal(await look(root, 'circles of folders'), '2 packages');
  const planted = [
    "import { a } from '../a/other.ts';",
    "import type { a } from '../a/other.ts';",
    "export { a } from '../a/other.ts';",
    "export * from '../a/other.ts';",
    "const a = import('../a/other.ts');",
    "type A = import('../a/other.ts').A;",
  ];
  for (const line of planted) {
    put({ 'p/src/b/c.ts': `${line}\n` });
    const fault = /^p: 2 folders .* at most 0\n {2}p\/src\/a\/a\.ts imports p\/src\/b\/b\.ts\n {2}p\/src\/b\/c\.ts/;
    await t.rejects(look(root, 'circles of folders'), fault, line);
  }
  t.equal(await look(root, 'circles of folders', { circles: { p: 2 } }), '2 packages; 1 exceptions');
  await t.rejects(look(root, 'circles of folders', { circles: { p: 3 } }), /^p: lower its exception to 2 in/);
  put({ 'p/src/b/c.ts': '', 'p/test/b/c.ts': "import '../a/a.ts';", 'p/test/a/a.ts': "import '../b/c.ts';" });
  t.equal(await look(root, 'circles of folders'), '2 packages', 'the folders of tests');
  await t.rejects(look(root, 'circles of folders', { circles: { p: 2 } }), /^p: remove its exception in/);
  put({ 'p/src/word.ts': "export { b as word } from './b/b.ts';\n" });
  await t.rejects(look(root, 'circles of folders'), /^p: 2 folders/, 'a file that lies directly in src');
});

t.test(
  'small files: a short file with one importer beside it is counted, and one with two or elsewhere is not',
  async (t) => {
    const importing = (name: string) => `import { x } from '${name}';\nexport const y = x;\n`;
    const { root, put } = checkout(t, {
      'p/src/a/short.ts': linesOf(40),
      'p/src/a/long.ts': linesOf(41),
      'p/src/a/shared.ts': linesOf(2),
      'p/src/a/one.ts': `${importing('./short.ts')}${importing('./long.ts')}${importing('./shared.ts')}`,
      'p/src/b/far.ts': importing('../a/shared.ts'),
      'p/test/short.test.ts': importing('../src/a/short.ts'),
    });
    const counted = '1 with one importer beside them';
    t.equal(await look(root, 'small files', { small: 1 }), counted);
    await t.rejects(look(root, 'small files'), /: 1, at most 0\n {2}p\/src\/a\/short\.ts of one\.ts$/);
    await t.rejects(
      look(root, 'small files', { small: 2 }),
      /: lower its number to 1 in test\/checks\/exceptions\.ts$/,
    );
    put({ 'p/src/a/two.ts': importing('./short.ts') });
    t.equal(await look(root, 'small files'), '0 with one importer beside them');
  },
);

t.test('folder sizes: the sixteenth file of a folder of src is a fault, and of a folder of tests none', async (t) => {
  const folder = (name: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}/${at}.ts`, '']));
  const { root, put } = checkout(t, { ...folder('p/src/a', 15), ...folder('p/src', 15), ...folder('p/test/src', 16) });
  t.match(await look(root, 'folder sizes'), /^2 folders/);
  put({ 'p/src/a/more.mjs': '' });
  await t.rejects(look(root, 'folder sizes'), /^p\/src\/a: 16 files, at most 15$/);
  t.match(await look(root, 'folder sizes', { folders: { 'p/src/a': 16 } }), /1 exceptions$/);
  await t.rejects(look(root, 'folder sizes', { folders: { 'p/src/a': 17 } }), /^p\/src\/a: lower its exception to 16/);
  await t.rejects(look(root, 'folder sizes', { folders: { 'p/src/a': 16, 'p/src': 16 } }), /^p\/src: remove its/);
  put({ 'p/src/a/another.ts': '' });
  await t.rejects(look(root, 'folder sizes', { folders: { 'p/src/a': 16 } }), /a: 17 files, at most 16$/);
});

t.test('function sizes: a function with 61 lines of its own is a fault in each form that it may have', async (t) => {
  const inner = `const inner = () => {\n${linesOf(58)}};\n`;
  const { root, put } = checkout(t, {
    'p/src/a.ts': `#!/usr/bin/env node\n// größer\nexport function outer() {\n${linesOf(56)}\n\n${inner}}\n`,
  });
  t.match(
    await look(root, 'function sizes'),
    /^at most 60/,
    'blank lines and those of a function within count for none',
  );
  const long = linesOf(59);
  const planted = {
    outer: `/* größer */ export function outer() {\n${long}}`,
    arrow: `const arrow = async (a: string) => {\n${long}};`,
    method: `class A {\n  method() {\n${long}}\n}`,
    constructor: `class A {\n  constructor() {\n${long}}\n}`,
    member: `const a = { member() {\n${long}} };`,
    'a title': `test('a title', () => {\n${long}});`,
    deep: `function outer() {\n  const deep = function () {\n${long}};\n}`,
    text: `const text = () =>\n  \`${linesOf(59, 'text')}\`;`,
    around: `function around() {\n${linesOf(55)}first(() => {\n1;\n});\nconst b = () => {\n1;\n};\n}`,
  };
  for (const [name, text] of Object.entries(planted)) {
    put({ 'p/src/b.ts': `${text}\n` });
    const fault = new RegExp(`^p/src/b\\.ts ${name}: 61 own lines from line \\d, at most 60$`);
    await t.rejects(look(root, 'function sizes'), fault, name);
  }
  const functions = { 'p/src/b.ts around': 62 };
  await t.rejects(look(root, 'function sizes', { functions }), /lower its exception to 61/);
  put({ 'p/src/b.ts': 'export const b = 1;\n' });
  await t.rejects(look(root, 'function sizes', { functions }), /remove its exception/);
  put({ 'p/src/b.ts': 'export const = 1;\n' });
  await t.rejects(look(root, 'function sizes'), /^p\/src\/b\.ts cannot be parsed/);
});

t.test('lengths: the median and the ninth decile of files and functions of src', async (t) => {
  const files = Array.from({ length: 11 }, (_, at) => [`p/src/${at}.ts`, `const f = () => {\n${linesOf(at)}};\n`]);
  const { root } = checkout(t, { ...Object.fromEntries(files), 'p/test/a.ts': linesOf(300) });
  t.equal(await look(root, 'lengths in src'), 'files median 7, p90 11 lines; functions median 7, p90 11 own lines');
});
