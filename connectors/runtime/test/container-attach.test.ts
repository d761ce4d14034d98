import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import type { Duplex } from 'node:stream';
import { containerRuntime } from '@weir/connector-runtime';
import { testRun } from '@weir/connector-runtime/testing';
import t, { type Test } from 'tap';
import { type EngineTable, fakeEngine, READY } from './fake-engine.ts';

const IMAGE_ID = 'sha256:image';
const UPGRADED = 'HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n';

/** What an engine says up to the start of a container; the table of a test is how this one says otherwise. */
const ANSWERS: EngineTable = {
  ...READY,
  'GET /images/weir/x:1/json': [
    200,
    { Id: IMAGE_ID, RepoDigests: [], Architecture: 'amd64', Config: { User: '1000:1000', Entrypoint: ['/x'] } },
  ],
  'POST /containers/create': [201, { Id: 'made' }],
  'GET /containers/made/json': [200, { Image: IMAGE_ID }],
  'POST /containers/made/start': [204],
  'POST /containers/made/wait': 'hold',
  'DELETE /containers/made': [204],
};

/** An engine that gives the connection of an attach once it was asked for `after`; each connection that it gave, as a promise of its end. */
async function engine(t: Test, more: EngineTable, after: string) {
  const waiting: Duplex[] = [];
  const gone: Promise<unknown>[] = [];
  const give = () => {
    if (!asked.includes(after)) return;
    for (const socket of waiting.splice(0)) {
      gone.push(once(socket.resume(), 'end').then(() => socket.end()));
      socket.write(UPGRADED);
    }
  };
  const upgraded = (socket: Duplex) => void waiting.push(socket);
  const { asked, ...place } = await fakeEngine(t, { ...ANSWERS, ...more }, { onAsked: give, upgraded });
  const runtime = containerRuntime({ ...place, role: 'source', mode: 'development', isProven: true });
  return { runtime, gone, left: () => readdir(place.workspaceRoot) };
}

const FAILING: readonly (readonly [string, EngineTable, string, after: string])[] = [
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
    const { runtime, gone, left } = await engine(t, more, after);
    await t.rejects(runtime.run(testRun('weir/x:1')), { code });
    t.equal(gone.length, 1, 'its output had been given');
    await Promise.all(gone);
    t.strictSame(await left(), []);
  });
}
