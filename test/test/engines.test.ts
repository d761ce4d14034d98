import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Test, test } from 'tap';
import { askEngine, type Engine, type EngineKind, ownEngine, progressOf, testEngine } from '../engines/index.ts';

const run = promisify(execFile);
const KINDS: EngineKind[] = ['rootless', 'rootful'];
/** A static program of the engine's packages: an image of one file. */
const PROGRAM = '/usr/bin/docker-init';

async function imageTar(t: Test): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'weir-image-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await copyFile(PROGRAM, path.join(folder, 'program'));
  const tar = `${folder}.tar`;
  t.teardown(() => rm(tar, { force: true }));
  await run('tar', ['-C', folder, '-cf', tar, '.']);
  return tar;
}

async function exitOf(engine: Engine, image: string): Promise<number> {
  const post = async (where: string, body?: object) => {
    const sent = { body: JSON.stringify(body ?? {}), headers: { 'content-type': 'application/json' } };
    const answer = await askEngine(engine.socketPath, { method: 'POST', path: where, ...sent });
    if (answer.status >= 300) throw new Error(answer.text);
    return answer.text === '' ? {} : JSON.parse(answer.text);
  };
  const { Id } = await post('/containers/create', { Image: image });
  await post(`/containers/${Id}/start`);
  const { StatusCode } = await post(`/containers/${Id}/wait`);
  await askEngine(engine.socketPath, { method: 'DELETE', path: `/containers/${Id}` });
  return StatusCode;
}

for (const kind of KINDS) {
  test(`a ${kind} engine runs an imported image, pulls by digest, and is itself again after its daemon was killed`, async (t) => {
    const engine = await ownEngine(t, kind);
    if (typeof engine === 'string') return t.plan(0, engine);
    const image = `weir/one-file-${kind}:1`;
    const config = { entrypoint: ['/program', '--version'], user: '65534:65534', labels: { 'weir.test': 'a "b" c' } };
    await engine.importImage(image, await imageTar(t), config);
    t.equal(await exitOf(engine, image), 0);
    const reference = await engine.pushImage(image, 'weir/one-file');
    await engine.daemon.stop('SIGKILL');
    await engine.daemon.start();
    t.equal((await stat(engine.socketPath)).mode & 0o7777, 0o660, 'the socket is opened after each start');
    await askEngine(engine.socketPath, { method: 'DELETE', path: `/images/${image}` });
    const where = `/images/create?${new URLSearchParams({ fromImage: reference })}`;
    progressOf(await askEngine(engine.socketPath, { method: 'POST', path: where }), 'pull');
    t.equal(await exitOf(engine, reference), 0);
    const info = JSON.parse((await askEngine(engine.socketPath, { path: '/info' })).text);
    t.ok(info.SecurityOptions.includes(kind === 'rootless' ? 'name=rootless' : 'name=userns'));
    if (kind === 'rootful') t.ok(info.MemoryLimit && info.PidsLimit && info.CpuCfsQuota);
    const [folder, mounts] = [path.dirname(engine.workspaceRoot), () => run('cat', ['/proc/self/mounts'])];
    t.match((await mounts()).stdout, folder);
    await engine.stop();
    t.notMatch((await mounts()).stdout, folder, 'its mounts are gone');
    t.notOk((await readdir(tmpdir())).includes(path.basename(folder)), 'its folder is gone');
  });

  test(`the ${kind} engine of a run answers through its socket`, async (t) => {
    const engine = await testEngine(t, kind);
    if (typeof engine === 'string') return t.plan(0, engine);
    t.equal((await askEngine(engine.socketPath, { path: '/version' })).status, 200);
    t.equal(engine.kind, kind);
  });
}
