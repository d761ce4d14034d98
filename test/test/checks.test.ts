import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { unlessClean } from '../checks/cache.ts';
import { commitSubjects } from '../checks/commit-subjects.ts';
import { hashAll, listFiles } from '../checks/files.ts';
import { lint } from '../checks/lint.ts';
import { timeInTests } from '../checks/time-in-tests.ts';
import { types } from '../checks/types.ts';

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
