import { execFile, spawn } from 'node:child_process';
import { chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { type Test, test } from 'tap';
import { examineFence, listTable } from '../../cli/src/connectors/engine/examine-fence.ts';
import { judgeFence } from '../../cli/src/connectors/engine/judge-fence.ts';
import { untilApart } from '../engines/leftovers.ts';
import { type EngineUser, MachineUnfit, prepareMachine } from '../engines/packages.ts';
import { HASTY_MS } from '../until.ts';

const run = promisify(execFile);
const FENCE = path.resolve(import.meta.dirname, '../../deploy/connector-engine/bin/fence');

/** A process that does nothing but have a network of its own, ended with the test. */
async function network(t: Test): Promise<number> {
  const holder = spawn('unshare', ['--net', 'sleep', 'infinity'], { stdio: 'ignore' });
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
  bash -c "exec 3<>/dev/tcp/$address/$port" 2>/dev/null && echo yes || echo no
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
  await writeFile(allowed, '# ours\n10.9.0.2 5432\n10.9.0.0/24 5433\nfd00::/64 5432\n');
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
    { address: 'fd00::1', port: 5432 },
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
  await writeFile(allowed, '10.9.0.2 5432\n0.0.0.0/0 80\n');
  await t.rejects(up(), /line 2: 0\.0\.0\.0\/0 opens addresses of 169\.254\.0\.0\/16, which no connector may reach/);
  await judge('after a bad line');
  await within(near, ['nft', 'add element inet weir_connectors never4 { 10.9.0.2 }']);
  const [place] = open.filter(({ address }) => address === '10.9.0.2');
  t.strictSame(await reached(near, user.uid, place ? [place] : []), [false], 'what is never reached no line opens');
  await fence('check');
  await fence('down');
  await t.rejects(fence('check'));
  await fence('down');
});

test('the doctor takes no fence that nft does not tell of in time for one that is not there', async (t) => {
  if (process.getuid?.() !== 0) return t.plan(0, 'only root sees the fence');
  const folder = t.testdir({ hangs: '#!/bin/sh\nexec sleep infinity\n', refuses: '#!/bin/sh\nexit 1\n' });
  for (const name of ['hangs', 'refuses']) await chmod(path.join(folder, name), 0o755);
  const doctor = (name: string, timeoutMs?: number) =>
    examineFence([], () => listTable(path.join(folder, name), timeoutMs));
  t.match(await doctor('hangs', HASTY_MS), {
    status: 'note',
    found: 'nft does not answer',
    next_step: /^run this again/,
  });
  t.match(await doctor('refuses'), { status: 'fault', found: 'is not there' });
  t.match(await doctor('none'), { status: 'fault', found: 'nft is not installed' });
});

/** What somebody does to a fence that stands, and what is said of it then. */
const DAMAGE: readonly (readonly [change: string, said: RegExp])[] = [
  ['flush chain inet weir_connectors output', /is empty: no traffic is stopped/],
  ['flush chain inet weir_connectors refuse', /chain refuse lets through: it is empty/],
  [
    'insert rule inet weir_connectors refuse ip daddr 10.0.0.1 accept',
    /chain refuse lets through: ip daddr 10\.0\.0\.1 accept/,
  ],
  ['insert rule inet weir_connectors output accept', /first rule names no user: accept/],
  ['add rule inet weir_connectors output ip daddr 10.0.0.0/8 accept', /no fence has: ip daddr 10\.0\.0\.0\/8 accept/],
  [
    'delete element inet weir_connectors kept4 { 10.0.0.0/8, 169.254.0.0/16 }',
    /refuse 10\.0\.0\.0\/8, 169\.254\.0\.0\/16$/,
  ],
  ['flush set inet weir_connectors kept6', /does not refuse 2001::\/23/],
  ['delete element inet weir_connectors never4 { 169.254.0.0/16 }', /does not refuse 169\.254\.0\.0\/16$/],
  [
    'add element inet weir_connectors allowed4 { 0.0.0.0/0 . 80 }',
    /allows 0\.0\.0\.0\/0 \. 80, and no connector may reach 169\.254\.0\.0\/16$/,
  ],
  [
    'add element inet weir_connectors allowed4 { 10.7.0.1-172.16.0.9 . 1-9 comment "mine" }',
    /allows 10\.7\.0\.1-172\.16\.0\.9 \. 1-9, and no connector may reach 169\.254\.0\.0\/16$/,
  ],
  ['add element inet weir_connectors allowed6 { fd00:ec2::254 . 80 }', /no connector may reach fd00:ec2::\/32$/],
  [
    'add rule inet weir_connectors output index 0 ip daddr . tcp dport @allowed4 accept',
    /has a rule that is not in its place: ip daddr \. tcp dport @allowed4 accept/,
  ],
  ['add table inet weir_connectors { flags dormant; }', /dormant|does not list it/],
];

/** Another fence than that of these files, and what is said of it. */
const OTHERS: readonly (readonly [from: string, to: string, said: RegExp])[] = [
  ['hook output', 'hook input', /is filter hook input priority 0 policy accept, not filter hook output/],
  ['priority filter', 'priority 10', /priority 10/],
  ['policy accept', 'policy drop', /policy drop/],
  ['type filter hook output priority filter; policy accept;', '', /at no hook/],
  ['meta skuid != $uid return', 'meta skuid $uid return', /first rule names no user: skuid 1 return/],
  ['ip daddr @never4 goto refuse', '', /does not refuse loopback and metadata addresses, whatever is allowed/],
  ['ip daddr @kept4 goto refuse', '', /does not refuse private and reserved addresses/],
  ['ip6 daddr != 2000::/3 goto refuse', '', /does not refuse private addresses of IPv6/],
  ['fib daddr type { local, broadcast, anycast, multicast } goto refuse', '', /does not refuse this machine itself/],
  ['{ local, broadcast, anycast, multicast }', 'broadcast', /no fence has: fib daddr type broadcast goto refuse/],
  ['ip daddr @resolvers4', 'ip daddr != @resolvers4', /no fence has: ip daddr != @resolvers4/],
];

test('the doctor sees what the fence does, and names what one does not that is no fence any more', async (t) => {
  const user = await machineOf();
  if (typeof user === 'string') return t.plan(0, user);
  const pid = await network(t);
  const folder = await mkdtemp(path.join(tmpdir(), 'weir-fence-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const at = (name: string) => path.join(folder, name);
  const script = await readFile(FENCE, 'utf8');
  await writeFile(at('allowed'), '10.9.0.2 5432\n10.8.0.0/16 443\nfd00::/64 5432\n');
  await writeFile(at('resolvers'), 'nameserver 127.0.0.53\nnameserver ::1\n');
  const up = async (text = script) => {
    await writeFile(at('fence'), text);
    await within(pid, ['sh', at('fence'), 'up', 'daemon', at('allowed'), at('resolvers')]);
  };
  const listed = () =>
    within(pid, ['nft', '-j', 'list', 'table', 'inet', 'weir_connectors']).catch((fault: { stdout: string }) => fault);
  const judged = async (owner = { uid: 1, name: 'daemon' }) => judgeFence((await listed()).stdout, owner);
  const named = async (said: RegExp, what: string) =>
    t.match(await judged(), { found: said, next_step: /systemctl re(start|load) weir-connector-fence/ }, what);
  await up();
  const sound = { allowed: 3, resolvers: 2, wide: [] };
  t.strictSame(await judged(), sound);
  const socketPath = at('docker.sock');
  const place = { role: 'source' as const, socketDir: folder, socketPath, workspaceRoot: folder };
  const doctor = async () => examineFence([place], async () => ({ text: (await listed()).stdout }));
  t.match(await doctor(), { status: 'note', next_step: 'start the engine' }, 'whose fence it is the socket tells');
  await writeFile(socketPath, '');
  await chown(socketPath, 1, 1);
  t.match(await doctor(), { status: 'ok', found: 'holds daemon (1); 3 allowed, 2 name servers' });
  await chown(socketPath, 2, 2);
  t.match(await doctor(), { status: 'fault', found: /^it holds user 1, and the engine is \w+ \(2\)$/ });
  t.match(await judged({ uid: 995, name: 'weir-engine' }), {
    found: 'it holds user 1, and the engine is weir-engine (995)',
    next_step: /for whom the fence is made/,
  });
  for (const [change, said] of DAMAGE) {
    await up();
    await within(pid, ['nft', change]);
    await named(said, change);
  }
  for (const [from, to, said] of OTHERS) {
    t.ok(script.includes(from), from);
    await up(script.replace(from, () => to));
    await named(said, `${to === '' ? 'without' : to} ${from}`);
  }
  await up();
  t.strictSame(await judged(), sound, 'made anew, it stands');
  await within(pid, ['nft', 'add element inet weir_connectors allowed4 { 10.0.0.0/8 . 80, 11.0.0.0/8 . 80 }']);
  await chown(socketPath, 1, 1);
  t.match(await doctor(), {
    status: 'note',
    found:
      /5 allowed, 2 name servers; opens more than a \/16 of private addresses, or a \/48 of IPv6: 10\.0\.0\.0\/8 \. 80$/,
    next_step: /^name in \/etc\/weir\/connector-egress\.allow the addresses of the sources/,
  });
  await within(pid, ['nft', 'delete', 'table', 'inet', 'weir_connectors']);
  t.equal((await listed()).stdout, '', 'of a table that is not there nothing is listed');
});
