import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { loadLater } from '../src/container/engine-library.ts';

const CLIENT = fileURLToPath(new URL('../src/container/engine-client.ts', import.meta.url));
/** Makes a client in a process of its own, and tells what of the library it has, and which CommonJS modules are loaded. */
const TELL = `
  import Module from 'node:module';
  const { engineClient } = await import(process.argv[1]);
  const client = await engineClient('/nowhere/docker.sock');
  const loaded = Object.values(Module._cache).filter(({ children }) => children !== undefined).map(({ id }) => id);
  process.stdout.write(JSON.stringify({ has: typeof client.createContainer, loaded }));
`;
const FLAGS = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning', '--input-type=module'];

t.test('an engine is used without gRPC and SSH, which the library would load in every process of a sync', async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, '--eval', TELL, CLIENT]);
  const { has, loaded } = JSON.parse(stdout) as { has: string; loaded: string[] };
  t.equal(has, 'function');
  const of = (name: string) => loaded.filter((file) => file.includes(join('node_modules', name)));
  t.not(of('docker-modem').length, 0, 'its modules are told');
  for (const name of ['@grpc', 'protobufjs', 'ssh2']) t.strictSame(of(name), []);
});

t.test('what is loaded later is loaded by its first call, once, and called as it is', async (t) => {
  const folder = t.testdir({
    'owner.cjs': `const part = require('./part.cjs'); exports.add = (a, b) => part(a, b);`,
    'part.cjs': `globalThis.loads = (globalThis.loads ?? 0) + 1; module.exports = (a, b) => a + b;`,
  });
  const loads = () => (globalThis as { loads?: number }).loads ?? 0;
  const require = createRequire(join(folder, 'anything.cjs'));
  loadLater(require, './part.cjs');
  const { add } = require('./owner.cjs') as { add: (a: number, b: number) => number };
  t.equal(loads(), 0);
  t.strictSame([add(1, 2), add(3, 4)], [3, 7]);
  t.equal(loads(), 1);
  loadLater(require, './part.cjs');
  t.equal(add(5, 6), 11, 'one that is loaded stays as it is');
  t.equal(loads(), 1);
  t.doesNotThrow(() => loadLater(require, './nothing.cjs'), "one that is not there is nobody's");
});
