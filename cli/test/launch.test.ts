import { execFile } from 'node:child_process';
import { cp, readdir, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { programFile } from '@weir/processes';
import t from 'tap';
import { BUNDLES, bundleOf } from '../../lib/processes/src/program/bundle-of.mjs';
import { buildPrograms } from '../build.ts';

const FLAGS = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning'];
const ROOT = path.resolve(import.meta.dirname, '../..');
/** What the launcher is made of, as paths from the root. */
const LAUNCHER = ['cli/bin', 'lib/processes/src/program'];

/** Brings the launcher to a checkout of a test's own. */
async function bring(root: string): Promise<void> {
  for (const part of LAUNCHER) await cp(path.join(ROOT, part), path.join(root, part), { recursive: true });
}

t.test('a package of the workspace without its link in node_modules → npm install before the start', async (t) => {
  const root = t.testdir({ 'start.ts': "console.log('started')", 'npm.js': '', lib: { one: {} }, node_modules: {} });
  await bring(root);
  const packages = { 'lib/one': { version: '1.0.0' }, 'node_modules/one': { resolved: 'lib/one', link: true } };
  for (const lock of ['package-lock.json', 'node_modules/.package-lock.json'])
    await writeFile(path.join(root, lock), JSON.stringify({ packages }));
  const env = { PATH: process.env.PATH, npm_execpath: path.join(root, 'npm.js') };
  const launch = () =>
    promisify(execFile)(process.execPath, [path.join(root, 'cli/bin/node24.mjs'), 'start.ts'], { env });
  t.match(await launch(), { stdout: 'started\n', stderr: /npm install/ });
  await symlink('../lib/one', path.join(root, 'node_modules/one'));
  t.strictSame(await launch(), { stdout: 'started\n', stderr: '' });
  // Nothing that an installation does would change it: every start would install again.
  const changed = { ...packages, 'lib/one': { version: '1.1.0' } };
  await writeFile(path.join(root, 'package-lock.json'), JSON.stringify({ packages: changed }));
  t.strictSame(await launch(), { stdout: 'started\n', stderr: '' }, 'a package of the workspace with another version');
});

t.test('npm that reaches no registry → its address and what to set; any other fault → what npm says', async (t) => {
  const root = t.testdir({ 'start.ts': '', 'package-lock.json': '{"packages":{}}' });
  await bring(root);
  const npm = path.join(root, 'npm.js');
  const fails = async (words: string) => {
    await writeFile(npm, `console.error(${JSON.stringify(words)}); process.exit(1)`);
    const env = { PATH: process.env.PATH, npm_execpath: npm };
    const bin = path.join(root, 'cli/bin/node24.mjs');
    return promisify(execFile)(process.execPath, [bin, 'start.ts'], { env }).catch((error: object) => error);
  };
  const stack = 'npm error code ENOTFOUND\nnpm error network request to https://npm.example/tap failed';
  const offline = (await fails(stack)) as { stderr: string };
  t.match(offline, { code: 78, stderr: /no connection to https:\/\/npm\.example \(ENOTFOUND\)\n.*npm_config_proxy/ });
  t.notMatch(offline.stderr, 'npm error');
  t.match(await fails('npm error code E404'), {
    code: 78,
    stderr: /npm install failed \(exit 1\)\nnpm error code E404/,
  });
});

t.test(
  'a program whose sources are as they were → its bundle; one that changed, or other packages → the source',
  async (t) => {
    const root = t.testdir({
      ...{ node_modules: { '.package-lock.json': '{"packages":{}}' }, 'package-lock.json': '{"packages":{}}' },
      'start.ts': "import { word } from './word.ts';\nconsole.log(word, import.meta.url, process.argv[1]);",
      'word.ts': "export const word = 'Müller & Söhne';",
    });
    await bring(root);
    const launch = async (flags: readonly string[] = []) => {
      const program = [...flags, path.join(root, 'cli/bin/node24.mjs'), 'start.ts'];
      const { stdout } = await promisify(execFile)(process.execPath, program, { env: { PATH: process.env.PATH } });
      const [, word, url, file = ''] = /^(.*) (\S+) (\S+)\n$/.exec(stdout) ?? [];
      return { word, url, from: path.relative(root, file).startsWith(BUNDLES) ? 'bundle' : path.relative(root, file) };
    };
    const url = pathToFileURL(path.join(root, 'start.ts')).href;
    const source = { word: 'Müller & Söhne', url, from: 'start.ts' };
    t.strictSame(await launch(), source);
    t.equal(await buildPrograms(root, ['start.ts']), true);
    t.strictSame(await launch(), { ...source, from: 'bundle' });
    t.strictSame(await launch(FLAGS), { ...source, from: 'bundle' }, 'in the process of the launcher');
    t.equal(programFile(path.join(root, 'start.ts')), bundleOf(root, 'start.ts'));
    t.equal(await buildPrograms(root, ['start.ts']), false, 'nothing has changed');
    await writeFile(path.join(root, 'word.ts'), "export const word = 'Søren';");
    t.strictSame(await launch(), { ...source, word: 'Søren' });
    // As old as a file that is there when a build begins.
    await utimes(path.join(root, 'word.ts'), 1, 1);
    t.equal(await buildPrograms(root, ['start.ts']), true);
    t.strictSame(await launch(), { ...source, word: 'Søren', from: 'bundle' });
    await writeFile(path.join(root, 'node_modules/.package-lock.json'), '{"packages":{"x":{}}}');
    t.match(await launch(), { from: 'start.ts' });
  },
);

t.test('a bundle of what does not parse → refused, and the one before stays', async (t) => {
  const root = t.testdir({ 'start.ts': 'console.log(1);', 'package-lock.json': '{}', node_modules: {} });
  await utimes(path.join(root, 'start.ts'), 1, 1);
  await writeFile(path.join(root, 'node_modules/.package-lock.json'), '{}');
  await buildPrograms(root, ['start.ts']);
  await writeFile(path.join(root, 'start.ts'), 'console.log(');
  await t.rejects(buildPrograms(root, ['start.ts']));
  const left = await readdir(path.join(root, BUNDLES));
  t.strictSame(
    left.filter((name) => !/^[0-9a-f]{16}$/.test(name)),
    ['programs.json'],
  );
  t.equal(left.length, 2);
});

t.test('the programs of this checkout → every part of their bundles loads', async (t) => {
  await buildPrograms();
  const folder = path.dirname(String(bundleOf(ROOT, 'cli/src/main.ts')));
  // The programs themselves begin their work where they are loaded.
  const parts = (await readdir(folder)).filter((name) => !/^(cli|lakehouse|plugins)-.*-(main|child)\.js$/.test(name));
  t.ok(parts.length > 10);
  const load = `for (const part of ${JSON.stringify(parts)}) await import(${JSON.stringify(`${folder}/`)} + part);`;
  const args = [...FLAGS, '--input-type=module', '--eval', `${load} console.log('loaded'); process.exit();`];
  t.match(await promisify(execFile)(process.execPath, args), { stdout: 'loaded\n', stderr: '' });
});
