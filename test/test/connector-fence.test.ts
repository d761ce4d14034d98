import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { type Test, test } from 'tap';
import { isPublic } from '../../egress/src/is-public.ts';
import { type Address, holds, type Network, parseNetwork } from '../../egress/src/network.ts';
import { untilApart } from '../engines/leftovers.ts';
import { type EngineUser, MachineUnfit, prepareMachine } from '../engines/packages.ts';

const run = promisify(execFile);
const FENCE = path.resolve(import.meta.dirname, '../../deploy/connector-engine/bin/fence');
const RUNS = 1_000;

async function setOf(name: string): Promise<string[]> {
  const text = await readFile(FENCE, 'utf8');
  const elements = new RegExp(`set ${name} \\{[^=]*= \\{([^}]*)\\}`).exec(text)?.[1] ?? '';
  return elements.split(',').map((element) => element.trim());
}

test('the fence keeps the same addresses from connectors that the egress client keeps from everybody', async (t) => {
  const four = (await setOf('kept4')).map(parseNetwork);
  const six = (await setOf('kept6')).map(parseNetwork);
  t.ok(four.length > 10 && six.length > 3);
  const global = parseNetwork('2000::/3');
  const kept = (address: Address) =>
    address.family === 4
      ? four.some((network) => holds(network, address))
      : !holds(global, address) || six.some((network) => holds(network, address));
  const value = (family: 4 | 6, networks: readonly Network[]) => {
    const top = 2n ** (family === 4 ? 32n : 128n);
    const edges = networks.flatMap(({ base, prefix }) => {
      const last = base.value + 2n ** BigInt((family === 4 ? 32 : 128) - prefix) - 1n;
      return [base.value - 1n, base.value, last, last + 1n].filter((edge) => edge >= 0n && edge < top);
    });
    return fc.oneof(fc.bigInt({ min: 0n, max: top - 1n }), fc.constantFrom(...edges));
  };
  const address = fc.oneof(
    value(4, four).map((one): Address => ({ family: 4, value: one })),
    value(6, [...six, global]).map((one): Address => ({ family: 6, value: one })),
  );
  fc.assert(
    fc.property(address, (one) => kept(one) === !isPublic(one)),
    { numRuns: RUNS },
  );
  t.end();
});

/** A process that does nothing but have a network of its own, ended with the test. */
async function network(t: Test): Promise<number> {
  const holder = spawn('unshare', ['--net', 'sleep', '600'], { stdio: 'ignore' });
  t.teardown(() => holder.kill('SIGKILL'));
  const { pid } = holder;
  if (pid === undefined) throw new Error('there is no unshare');
  await untilApart(pid, ['net']);
  return pid;
}

const within = (pid: number, command: readonly string[]) => run('nsenter', [`--net=/proc/${pid}/ns/net`, ...command]);

async function listen(t: Test, pid: number): Promise<void> {
  const program = `for (const port of [80, 5432]) require('net').createServer((s) => s.end()).listen(port, '::', () => console.log(port))`;
  const server = spawn('nsenter', [`--net=/proc/${pid}/ns/net`, process.execPath, '-e', program]);
  t.teardown(() => server.kill('SIGKILL'));
  const heard = [];
  for await (const line of createInterface(server.stdout)) if (heard.push(line) === 2) break;
}

type Place = { readonly address: string; readonly port: number };

const DIAL = `while read -r address port; do
  timeout 5 bash -c "exec 3<>/dev/tcp/$address/$port" 2>/dev/null && echo yes || echo no
done <<<"$1"`;

/** Which of these places a user reaches in that network; a refusal comes at once. */
async function reached(pid: number, user: number, places: readonly Place[]): Promise<boolean[]> {
  const asUser = ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'];
  const list = places.map(({ address, port }) => `${address} ${port}`).join('\n');
  const { stdout } = await within(pid, [...asUser, 'bash', '-c', DIAL, 'bash', list]);
  return stdout
    .trim()
    .split('\n')
    .map((word) => word === 'yes');
}

async function machineOf(): Promise<EngineUser | string> {
  try {
    return await prepareMachine();
  } catch (fault) {
    if (fault instanceof MachineUnfit) return fault.message;
    throw fault;
  }
}

test('behind the fence the engine reaches the public internet and what is allowed, and no other user is held', async (t) => {
  const user = await machineOf();
  if (typeof user === 'string') return t.plan(0, user);
  const [near, far] = [await network(t), await network(t)];
  const ip = (pid: number, words: string) => within(pid, ['ip', ...words.split(' ')]);
  await ip(near, `link add near type veth peer name far netns /proc/${far}/ns/net`);
  for (const [pid, name, last] of [
    [near, 'near', 1],
    [far, 'far', 2],
  ] as const) {
    await ip(pid, 'link set lo up');
    for (const net of ['10.9.0', '11.0.0']) await ip(pid, `addr add ${net}.${last}/24 dev ${name}`);
    for (const net of ['fd00', '2600']) await ip(pid, `addr add ${net}::${last}/64 dev ${name} nodad`);
    await ip(pid, `link set ${name} up`);
    await listen(t, pid);
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'weir-fence-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const [allowed, resolvers] = [path.join(folder, 'allowed'), path.join(folder, 'resolv.conf')];
  await writeFile(allowed, '# ours\n10.9.0.2 5432\nfd00::/64 5432\n');
  await writeFile(resolvers, 'nameserver 127.0.0.53\n');
  const fence = (...words: string[]) => within(near, ['sh', FENCE, ...words]);
  const up = () => fence('up', user.name, allowed, resolvers);
  const open = [
    { address: '11.0.0.2', port: 80 },
    { address: '2600::2', port: 80 },
    { address: '10.9.0.2', port: 5432 },
    { address: 'fd00::2', port: 5432 },
  ];
  const shut = [
    { address: '10.9.0.2', port: 80 },
    { address: 'fd00::2', port: 80 },
    { address: '11.0.0.1', port: 80 },
    { address: '2600::1', port: 80 },
    { address: '127.0.0.1', port: 5432 },
    { address: '::1', port: 5432 },
  ];
  const places = [...open, ...shut];
  const all = places.map(() => true);
  t.strictSame(await reached(near, user.uid, places), all, 'without a fence everything is there');
  await up();
  const judge = async (when: string) => {
    const behind = [...open.map(() => true), ...shut.map(() => false)];
    t.strictSame(await reached(near, user.uid, places), behind, `for the engine, ${when}`);
    t.strictSame(await reached(near, 65_534, places), all, `for another user, ${when}`);
  };
  await judge('behind the fence');
  await writeFile(allowed, '10.9.0.2\n');
  await t.rejects(up(), /has no port/);
  await judge('after a bad line');
  await fence('check');
  await fence('down');
  await t.rejects(fence('check'));
  await fence('down');
});
