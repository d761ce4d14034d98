import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { ConnectorError, processRuntime } from '@weir/connector-runtime';
import { HABITS, type Habit, runtimeConformance, testRun } from '@weir/connector-runtime/testing';
import t from 'tap';
import { until } from '../../../test/until.ts';

const PROGRAM = fileURLToPath(new URL('../src/testing-connector.ts', import.meta.url));
const image = (habit: Habit) => `weir/${habit}:1.0.0`;
/** A new folder that goes with the test. */
async function folder(t: { teardown: (fn: () => Promise<void>) => void }): Promise<string> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'connector-runtime-')));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  return path;
}
const root = await folder(t);
const connectors = Object.fromEntries(HABITS.map((habit) => [`weir/${habit}`, { command: [PROGRAM, habit] }]));
const runtime = processRuntime({ connectors, workspaceRoot: root, mode: 'development' });

async function leftInputs(): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(files.map((file) => readFile(file, 'utf8')));
}

for (const { name, run } of runtimeConformance({ runtime, image, leftInputs })) t.test(name, run);

t.test('every mode but development is refused', async (t) => {
  for (const mode of ['staging', 'production'] as const) {
    t.throws(() => processRuntime({ connectors, workspaceRoot: root, mode }), {
      code: 'connector_runtime_unavailable',
    });
  }
});

t.test('inputs are files of the owner alone', async (t) => {
  const connector = await runtime.run(testRun(image('stops-on-request'), { inputs: { config: '{}' } }));
  const [attempt] = await readdir(root);
  const facts = await stat(join(root, attempt ?? '', 'config.json'));
  t.equal(facts.mode & 0o777, 0o600);
  t.equal((await stat(join(root, attempt ?? ''))).mode & 0o777, 0o700);
  await connector.stop();
});

t.test('a workspace root that is a link is refused', async (t) => {
  const link = join(await folder(t), 'root');
  await symlink(root, link);
  const linked = processRuntime({ connectors, workspaceRoot: link, mode: 'development' });
  await t.rejects(linked.run(testRun(image('good'))), new ConnectorError('connector_runtime_unavailable'));
});

t.test('what a connector leaves running goes with it', async () => {
  const connector = await runtime.run(testRun(image('leaves-a-child')));
  const pid = Number(JSON.parse(await text(connector.stdout)).log.message);
  await connector.exit;
  await gone(pid);
});

t.test('a connector does not outlive the process that called run, and its inputs are swept', async (t) => {
  const own = await folder(t);
  const script = join(own, 'parent.ts');
  const door = new URL('../src/index.ts', import.meta.url).href;
  const sdk = new URL('../../sdk/src/index.ts', import.meta.url).href;
  const source = join(own, 'source.ts');
  await writeFile(
    source,
    `import { runSource } from '${sdk}';
     const read = ({ emit }) => emit.log('INFO', 'up').then(() => new Promise(() => setInterval(() => undefined, 1000)));
     process.exit(await runSource({ spec: { connectionSpecification: {} }, read }, process.argv.slice(2)));`,
  );
  await writeFile(
    script,
    `import { processRuntime } from '${door}';
     const runtime = processRuntime({ connectors: { x: { command: ['${source}'] } }, workspaceRoot: '${own}/work', mode: 'development' });
     const labels = { tenant: 'a', source: 'b', execution: 'c', attempt: '1' };
     const catalog = JSON.stringify({ streams: [{ stream: { name: 's' } }] });
     const c = await runtime.run({ image: 'x', role: 'source', labels, verb: 'read', inputs: { config: '{}', catalog } });
     c.stdout.once('data', () => console.log(c.pid));`,
  );
  const parent = spawn(process.execPath, ['--conditions=@weir/source', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  parent.kill('SIGKILL');
  await gone(Number(line.toString()));

  t.equal((await readdir(join(own, 'work'))).length, 1);
  const next = processRuntime({ connectors, workspaceRoot: join(own, 'work'), mode: 'development' });
  const connector = await next.run(testRun(image('good')));
  connector.stdout.resume();
  await connector.exit;
  t.same(await readdir(join(own, 'work')), []);
});

const gone = (pid: number) =>
  until(`the end of process ${pid}`, async () => {
    const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
    return state === undefined || / Z /.test(state);
  });
