import { execFile } from 'node:child_process';
import { glob, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { test } from 'tap';
import { connectorImage, engineJson, testEngine } from '../../../test/engines/index.ts';
import { connectorContext, connectorFolder } from '../src/index.ts';

test('the image of a connector is made by the recipe that users have, with no registry, and answers as any connector', async (t) => {
  const engine = await testEngine(t, 'rootless');
  if (typeof engine === 'string') return t.plan(0, engine);
  const name = await connectorImage(engine, 'files');
  const { Config } = await engineJson<{ Config: Record<string, unknown> }>(engine.socketPath, {
    path: `/images/${name}/json`,
  });
  t.match(Config, {
    User: '65534:65534',
    Entrypoint: ['node', '/app/dist/main.mjs'],
    Labels: { 'org.opencontainers.image.title': 'weir/connector-files' },
  });
  t.notOk(Config.Volumes, 'a volume would be a place to write without bounds');
});

test('the context of a connector holds one program, what it says of itself, and packages with machine code only', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'weir-context-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const facts = await connectorContext(connectorFolder('files'), folder);
  t.match(facts.name, /^weir\/connector-files:/);
  t.strictSame((await readdir(folder)).sort(), ['Dockerfile', 'app']);
  t.strictSame((await readdir(path.join(folder, 'app'))).sort(), [
    'dist',
    'node_modules',
    'package.json',
    'pattern.json',
  ]);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [path.join(folder, 'app', 'dist', 'main.mjs'), 'spec'],
    {
      env: {},
    },
  );
  t.match(JSON.parse(stdout), { type: 'SPEC' });
});

test('the context of the Singer bridge holds its program and its own recipe, which asks for a tap', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'weir-context-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const image = path.resolve(import.meta.dirname, '../src/main.ts');
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['--conditions=@weir/source', image, 'singer-bridge', folder]);
  t.equal(stdout, `docker build --tag … --build-arg TAP=… --build-arg PROGRAM=… ${folder}\n`);
  t.strictSame((await readdir(folder)).sort(), ['Dockerfile', 'app']);
  const recipe = await readFile(path.join(folder, 'Dockerfile'), 'utf8');
  t.match(recipe, /^ENTRYPOINT \["node", "\/app\/dist\/main\.mjs", "singer-tap"\]$/m);
  const tap = path.resolve(import.meta.dirname, '../../singer-bridge/test/fixture-tap.mjs');
  const program = path.join(folder, 'app', 'dist', 'main.mjs');
  const said = await run(process.execPath, [program, tap, 'spec'], { env: { PATH: process.env.PATH } });
  t.match(JSON.parse(said.stdout), { spec: { connectionSpecification: { properties: { habit: {} } } } });
});

test('package, pattern, image and change log of a connector name one version', async (t) => {
  const connectors = path.resolve(import.meta.dirname, '../..');
  const logs = await Array.fromAsync(glob('*/CHANGELOG.md', { cwd: connectors }));
  const patterns = await Array.fromAsync(glob('*/pattern.json', { cwd: connectors }));
  t.ok(patterns.length > 2);
  for (const name of new Set([...logs, ...patterns].map((file) => path.dirname(file)))) {
    const text = (file: string) => readFile(path.join(connectors, name, file), 'utf8');
    const { version } = JSON.parse(await text('package.json'));
    const [, newest] = /^## (.+)$/m.exec(await text('CHANGELOG.md')) ?? [];
    t.equal(newest, version, `${name}: change log`);
    if (!patterns.includes(path.join(name, 'pattern.json'))) continue;
    const pattern = JSON.parse(await text('pattern.json'));
    t.strictSame([pattern.version, pattern.image], [version, `weir/connector-${name}:${version}`], `${name}: pattern`);
  }
});

test('a name that is none of a connector is refused', (t) => {
  for (const name of ['', '..', '../runtime', 'sdk', 'nobody']) t.throws(() => connectorFolder(name), /no connector/);
  t.end();
});
