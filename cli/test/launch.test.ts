import { execFile } from 'node:child_process';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';

const BIN = path.resolve(import.meta.dirname, '../bin');

t.test('a package of the workspace without its link in node_modules → npm install before the start', async (t) => {
  const root = t.testdir({ 'start.ts': "console.log('started')", 'npm.js': '', lib: { one: {} }, node_modules: {} });
  await mkdir(path.join(root, 'cli'));
  await cp(BIN, path.join(root, 'cli/bin'), { recursive: true });
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
  await mkdir(path.join(root, 'cli'));
  await cp(BIN, path.join(root, 'cli/bin'), { recursive: true });
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
