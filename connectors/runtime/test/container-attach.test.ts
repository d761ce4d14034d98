import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { containerRuntime } from '@weir/connector-runtime';
import { testRun } from '@weir/connector-runtime/testing';
import t, { type Test } from 'tap';

const IMAGE_ID = 'sha256:image';
const UPGRADED = 'HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n';

type Answer = readonly [status: number, body?: object];

/** What an engine says up to the start of a container; `more` is how this one says otherwise. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  'GET /networks/weir-connectors': [
    200,
    { Driver: 'bridge', Options: { 'com.docker.network.bridge.enable_icc': 'false' } },
  ],
  'GET /containers/json': [200, []],
  'GET /images/weir/x:1/json': [
    200,
    { Id: IMAGE_ID, RepoDigests: [], Architecture: 'amd64', Config: { User: '1000:1000', Entrypoint: ['/x'] } },
  ],
  'POST /containers/create': [201, { Id: 'made' }],
  'GET /containers/made/json': [200, { Image: IMAGE_ID }],
  'POST /containers/made/start': [204],
  'DELETE /containers/made': [204],
};

/** An engine that gives the connection of an attach when `given` resolves; each connection that it gave, as a promise of its end. */
async function engine(t: Test, more: Readonly<Record<string, Answer>>, given: (asked: readonly string[]) => boolean) {
  const folder = await mkdtemp(join(tmpdir(), 'container-attach-'));
  const socketPath = join(folder, 'docker.sock');
  const workspaceRoot = join(folder, 'workspace');
  await mkdir(workspaceRoot, { mode: 0o711 });
  const asked: string[] = [];
  const waiting: Duplex[] = [];
  const gone: Promise<unknown>[] = [];
  const give = () => {
    if (!given(asked)) return;
    for (const socket of waiting.splice(0)) {
      gone.push(once(socket.resume(), 'end').then(() => socket.end()));
      socket.write(UPGRADED);
    }
  };
  const server = createServer(({ method, url = '' }, answer: ServerResponse) => {
    const { pathname } = new URL(url, 'http://engine');
    const what = `${method} ${pathname}`;
    asked.push(what);
    give();
    if (pathname.endsWith('/wait')) return;
    const [status, body] = more[what] ?? ANSWERS[what] ?? [404, { message: 'not known' }];
    answer.writeHead(status, { 'content-type': 'application/json' });
    answer.end(body === undefined ? undefined : JSON.stringify(body));
  });
  server.on('upgrade', (_request, socket) => {
    asked.push('attach');
    waiting.push(socket);
    give();
  });
  await new Promise<void>((listening) => server.listen(socketPath, listening));
  await chmod(socketPath, 0o660);
  t.teardown(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });
  const options = { socketPath, workspaceRoot, role: 'source', mode: 'development', isProven: true } as const;
  return { runtime: containerRuntime(options), gone, left: () => readdir(workspaceRoot) };
}

const FAILING: readonly (readonly [string, Readonly<Record<string, Answer>>, string, after: string])[] = [
  ['is not started', { 'POST /containers/made/start': [500, { message: 'no' }] }, 'connector_start_failed', 'attach'],
  ['is of another image', { 'GET /containers/made/json': [200, { Image: 'x' }] }, 'connector_image_mismatch', 'attach'],
  [
    'is told nothing of before its output is given',
    { 'GET /containers/made/json': [500, { message: 'no' }] },
    'connector_start_failed',
    'DELETE /containers/made',
  ],
];

for (const [name, more, code, after] of FAILING) {
  t.test(`no connection is left of a container that ${name}`, async (t) => {
    const { runtime, gone, left } = await engine(t, more, (asked) => asked.includes(after));
    await t.rejects(runtime.run(testRun('weir/x:1')), { code });
    t.equal(gone.length, 1, 'its output had been given');
    await Promise.all(gone);
    t.strictSame(await left(), []);
  });
}
