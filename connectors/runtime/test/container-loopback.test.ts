import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { containerRuntime } from '@weir/connector-runtime';
import t, { type Test } from 'tap';
import { testEngine } from '../../../test/engines/index.ts';
import { sample } from '../../../test/lane.ts';
import { HASTY_MS } from '../../../test/until.ts';
import { imageMaker, ownWorkspace, runs, said } from './container-kit.ts';

/** Why nothing of the host's loopback is there for a connector. */
const ENGINES = {
  rootless: 'whose user-mode network hides it',
  rootful: 'which the tests give a network of its own',
} as const;

/**
 * Dials the ports of its configuration by every way that may lead to the host, then, to show that it can, a port of its own.
 * Names are looked for in the file that the engine writes alone: no question goes out to a name server.
 */
const DIALLER = `
const fs = require('node:fs'), net = require('node:net');
const lines = (file) => fs.readFileSync(file, 'utf8').trim().split('\\n').map((line) => line.split(/\\s+/));
const hosts = (name) => lines('/etc/hosts').filter(([, ...names]) => names.includes(name)).map(([address]) => address);
const gateways = lines('/proc/net/route').filter(([, to]) => to === '00000000')
  .map(([, , way]) => [...Buffer.from(way, 'hex')].reverse().join('.'));
const { ports, word } = JSON.parse(fs.readFileSync('/weir/inputs/config.json', 'utf8'));
const dial = (host, port) => new Promise((end) => {
  const socket = net.connect({ host, port, timeout: ${60 * HASTY_MS} });
  const ended = (how) => { socket.destroy(); end(how); };
  socket.once('connect', () => socket.end(word, () => ended('connected'))).once('timeout', () => ended('no answer'))
    .once('error', ({ code }) => ended(code));
});
(async () => {
  const ways = { itself: ['127.0.0.1', '::1'], localhost: hosts('localhost'), gateway: gateways,
    'user-mode gateway': ['10.0.2.2'], alias: hosts('host.docker.internal') };
  const tried = Object.entries(ways).flatMap(([way, found]) =>
    found.flatMap((host) => ports.map(async (port) => ({ way, host, port, end: await dial(host, port) }))));
  const dialled = await Promise.all(tried);
  const server = net.createServer().listen(0, '127.0.0.1', async () => {
    const own = await dial('127.0.0.1', server.address().port);
    server.close();
    process.stdout.write(JSON.stringify({ dialled, own }));
  });
})();`;

type Dialled = { dialled: { way: string; host: string; port: number; end: string }[]; own: string };

/** Listens on an address of this machine's loopback and counts who comes with the word; undefined where there is no such address. */
async function listener(t: Test, host: string, word: string) {
  let met = 0;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (said) => {
      met += Number(said.includes(word));
      socket.destroy();
    });
  }).listen(0, host);
  t.teardown(() => server.close());
  const there = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  return there ? { host, port: (server.address() as AddressInfo).port, met: () => met } : undefined;
}

for (const kind of sample('containers', ['rootless', 'rootful'] as const, 1)) {
  t.test(`no connector reaches the host's loopback on the ${kind} engine, ${ENGINES[kind]}`, async (t) => {
    const engine = await testEngine(t, kind);
    if (typeof engine === 'string') return t.plan(0, engine);
    const word = randomUUID();
    const found = await Promise.all(['127.0.0.1', '::1'].map((host) => listener(t, host, word)));
    const listeners = found.filter((one) => one !== undefined);
    t.equal(listeners[0]?.host, '127.0.0.1', 'something listens on the loopback of the host');
    const make = await imageMaker(engine);
    const image = await make('weir-test/dialler:1', [runs(DIALLER), 'USER nobody']);
    const runtime = containerRuntime({
      ...{ socketPath: engine.socketPath, role: 'source', mode: 'development' },
      workspaceRoot: await ownWorkspace(t, engine),
      waivers: [kind === 'rootful' ? 'rootful' : 'limits'],
    });
    const ports = listeners.map(({ port }) => port);
    const output = await said(runtime, image, { inputs: { config: JSON.stringify({ ports, word }) } });
    const { dialled, own } = JSON.parse(output) as Dialled;
    t.equal(own, 'connected', 'it can dial');
    for (const way of ['itself', 'localhost', 'gateway', 'user-mode gateway']) {
      t.ok(
        dialled.find((one) => one.way === way),
        `it tried: ${way}`,
      );
    }
    for (const { way, host, port, end } of dialled) t.not(end, 'connected', `${way}: ${host} port ${port}: ${end}`);
    for (const { host, port, met } of listeners) {
      t.equal(met(), 0, `nobody came to ${host}`);
      const socket = connect({ host, port }).end(word);
      await once(socket, 'close');
      t.equal(met(), 1, `and the host itself comes to ${host}`);
    }
  });
}
