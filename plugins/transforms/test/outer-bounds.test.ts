import { once } from 'node:events';
import { chmod, chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { provenBounds } from '@weir/processes';
import { beginChild } from '@weir/work';
import t, { type Test } from 'tap';
import { boundChecks } from '../src/service/select/bound-checks.ts';
import { selectPlace } from '../src/service/select/select-place.ts';
import type { Targets } from './fixtures/unfenced-child.ts';
import { BOUNDS } from './select-kit.ts';

const PROGRAM = fileURLToPath(new URL('fixtures/unfenced-child.ts', import.meta.url));
const CHILDREN = { started: () => undefined, ended: () => undefined };
const SOMEBODY = 12_345;
const UNREADABLE = 0o600;

async function listening(where: ListenOptions): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  await once(server.listen(where), 'listening');
  return server;
}

/** What a process of a statement could do whose gate and fence are off. */
async function attempted(t: Test): Promise<{ could: string[]; outside: string[] }> {
  const folder = t.testdir({ tables: { shown: 'rows' }, outside: { foreign: 'of somebody else' } });
  const [shown, outside, own] = [join(folder, 'tables/shown'), join(folder, 'outside'), join(folder, 'scratch/own')];
  const foreign = join(outside, 'foreign');
  if (process.getuid?.() === 0) await chown(foreign, SOMEBODY, SOMEBODY);
  await chmod(foreign, UNREADABLE);
  const sockets = await mkdtemp(join(tmpdir(), 's-'));
  const socket = join(sockets, 's');
  const server = await listening({ port: 0, host: '127.0.0.1' });
  const others = [await listening({ path: socket }), await listening({ path: `\0${socket}` })];
  const place = selectPlace(join(folder, 'scratch'), BOUNDS);
  const options = { file: PROGRAM, name: 'select', maxHeapMiB: 256, serialization: 'advanced' } as const;
  const begun = beginChild(CHILDREN, { ...options, bounds: await place.bounds() });
  t.teardown(async () => {
    await begun.discard();
    for (const one of [server, ...others]) one.close();
    await rm(sockets, { recursive: true });
  });
  await once(begun.process, 'message');
  await place.show(begun, { own: [own], files: new Map([['shown', shown]]) });
  await begun.bounded?.seal();
  const { port } = server.address() as AddressInfo;
  begun.process.send({ shown, own, foreign, outside, port, socket } satisfies Targets);
  const [could] = (await once(begun.process, 'message')) as [string[]];
  return { could, outside: await readdir(outside) };
}

t.test('with gate and fence off, the system lets a statement do its work and nothing else', async (t) => {
  t.match(await provenBounds(), { network: true, files: true, processes: true }, 'the bounds hold on this machine');
  for (const { name, degrades, check } of boundChecks()) t.ok(degrades && (await check()), name);
  const { could, outside } = await attempted(t);
  t.strictSame(could, ['sql reads what it was shown', 'sql writes into its folder', 'sql computes in its threads']);
  t.strictSame(outside, ['foreign']);
});

t.test('a process that is ended while it begins leaves nothing behind', async (t) => {
  const place = selectPlace(join(t.testdir({}), 'scratch'), BOUNDS);
  const options = { file: PROGRAM, name: 'select', maxHeapMiB: 256, serialization: 'advanced' } as const;
  const { process: begun, bounded, discard } = beginChild(CHILDREN, { ...options, bounds: await place.bounds() });
  const ended = discard();
  t.notOk(begun.killed, 'killed now, it would leave behind what it has just begun');
  await bounded?.pid;
  await ended;
  t.ok(begun.killed);
  t.notOk(begun.connected, 'and what it had begun is gone');
});
