/**
 * A connector that tells what it is held to. Stream `boundary` has a record for each fact that it sees, `trials` one for
 * each thing of its configuration (`trials`) that it tried, `rows` as many records as its configuration says.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

const STREAMS = ['boundary', 'trials', 'rows'];
const STATE_EACH = 1000;
const MEBIBYTE = 1024 * 1024;
const MANY_PROCESSES = 400;
const CONNECT_MS = 3000;
const CPU_MS = 1500;

const say = async (message) => {
  if (!process.stdout.write(`${JSON.stringify(message)}\n`)) await once(process.stdout, 'drain');
};
const descriptor = (name) => ({ stream_descriptor: { name } });
const status = (name, word) =>
  say({
    type: 'TRACE',
    trace: { type: 'STREAM_STATUS', emitted_at: Date.now(), stream_status: { ...descriptor(name), status: word } },
  });
const state = (name, value, count) =>
  say({
    type: 'STATE',
    state: {
      type: 'STREAM',
      stream: { ...descriptor(name), stream_state: value },
      sourceStats: { recordCount: count },
    },
  });
const record = (stream, data) => say({ type: 'RECORD', record: { stream, data, emitted_at: Date.now() } });

const attempt = (work) => {
  try {
    return String(work() ?? 'done');
  } catch (fault) {
    return fault.code ?? fault.message;
  }
};

function mounts() {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').trim().split('\n');
  return lines.map((line) => {
    const [before, after] = line.split(' - ');
    const fields = before.split(' ');
    const [type, , superOptions] = after.split(' ');
    const size = /size=\w+/.exec(superOptions)?.[0];
    return [`mount ${fields[4]}`, [type, fields[5], ...(size === undefined ? [] : [size])].join(' ')];
  });
}

function boundary() {
  const own = readFileSync('/proc/self/status', 'utf8');
  const wanted = /^(Cap\w+|NoNewPrivs|Seccomp|Uid|Gid|Groups):\s*(.*)$/gm;
  return [
    ...Array.from(own.matchAll(wanted), ([, name, value]) => [name, value.trim().replaceAll('\t', ' ')]),
    ...mounts().filter(([name]) => !name.startsWith('mount /proc/') && !name.startsWith('mount /sys/')),
    ['interfaces', readdirSync('/sys/class/net').sort().join(' ')],
    ['environment', Object.keys(process.env).sort().join(' ')],
    ['devices', readdirSync('/dev').sort().join(' ')],
    [
      'engine sockets',
      ['/var/run/docker.sock', '/run/docker.sock', '/run/containerd'].filter((file) => existsSync(file)).join(' '),
    ],
  ];
}

const namespaces = () =>
  ['ipc', 'cgroup', 'mnt', 'net', 'pid', 'uts', 'user'].map((kind) => [
    `namespace ${kind}`,
    readlinkSync(`/proc/self/ns/${kind}`),
  ]);

function tool(name, ...words) {
  const { status: code, error } = spawnSync(name, words, { encoding: 'utf8' });
  return error === undefined ? `exit ${code}` : error.code;
}

function execTmp() {
  const file = path.join(tmpdir(), 'program');
  writeFileSync(file, '#!/usr/local/bin/node\n', { mode: 0o755 });
  return execFileSync(file);
}

function changeOwner() {
  const file = path.join(tmpdir(), 'own');
  writeFileSync(file, '');
  chownSync(file, 0, 0);
}

function fillTmp() {
  const file = path.join(tmpdir(), 'full');
  let written = 0;
  try {
    for (const block = Buffer.alloc(MEBIBYTE); written < 4096; written += 1) writeFileSync(file, block, { flag: 'a' });
    return 'no end';
  } catch (fault) {
    return `${fault.code} after ${written} MiB`;
  } finally {
    rmSync(file, { force: true });
  }
}

async function processes() {
  const started = [];
  for (let made = 0; made < MANY_PROCESSES; made += 1) {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    const began = await Promise.race([once(child, 'spawn'), once(child, 'error')]).then(
      () => child.pid !== undefined,
      () => false,
    );
    if (!began) break;
    started.push(child);
  }
  const ended = started.map((child) => once(child, 'exit'));
  for (const child of started) child.kill('SIGKILL');
  await Promise.all(ended);
  return `${started.length} of ${MANY_PROCESSES}`;
}

async function memory() {
  const child = spawn(process.execPath, [
    '-e',
    'const kept = []; for (let n = 0; n < 4096; n += 1) kept.push(Buffer.alloc(1048576, 1))',
  ]);
  const [code, signal] = await once(child, 'exit');
  return signal ?? `exit ${code}`;
}

function cpu() {
  const before = process.cpuUsage();
  const until = Date.now() + CPU_MS;
  while (Date.now() < until);
  const { user, system } = process.cpuUsage(before);
  return `${Math.round((user + system) / 10 / CPU_MS)} percent`;
}

async function dial(where) {
  const at = where.lastIndexOf(':');
  const socket = createConnection({ host: where.slice(0, at), port: Number(where.slice(at + 1)), timeout: CONNECT_MS });
  const outcome = await Promise.race([
    once(socket, 'connect').then(
      () => 'open',
      (fault) => fault.code,
    ),
    once(socket, 'timeout').then(() => 'silence'),
  ]);
  socket.destroy();
  return outcome;
}

const TRIALS = {
  'write-root': () => attempt(() => writeFileSync('/written', '')),
  'write-inputs': () => attempt(() => writeFileSync('/weir/inputs/written', '')),
  'exec-tmp': () => attempt(execTmp),
  'fill-tmp': fillTmp,
  'set-uid': () => attempt(() => process.setuid(0)),
  'change-owner': () => attempt(changeOwner),
  'make-device': () => tool('mknod', path.join(tmpdir(), 'device'), 'c', '1', '3'),
  mount: () => tool('mount', '-t', 'tmpfs', 'none', tmpdir()),
  unshare: () => tool('unshare', '--user', '--map-root-user', 'true'),
  processes,
  memory,
  cpu,
};

async function read(stream, config, from) {
  if (stream === 'rows') {
    const { rows = 3 } = config;
    let since = 0;
    for (let id = from + 1; id <= rows; id += 1) {
      await record(stream, { id, text: 'x'.repeat(100) });
      since += 1;
      if (since < STATE_EACH && id < rows) continue;
      await state(stream, { id }, since);
      since = 0;
    }
    return;
  }
  const found = stream === 'boundary' ? [...boundary(), ...namespaces()] : [];
  if (stream === 'trials') {
    for (const name of config.trials ?? [])
      found.push([name, await (name.startsWith('dial ') ? dial(name.slice(5)) : TRIALS[name]())]);
  }
  for (const [name, value] of found) await record(stream, { name, value });
  await state(stream, {}, found.length);
}

const [verb, ...flags] = process.argv.slice(2);
const file = (flag) => {
  const at = flags.indexOf(flag);
  return at < 0 ? undefined : JSON.parse(readFileSync(flags[at + 1], 'utf8'));
};
// What is not yet written out is lost with the process, so a stop waits for nothing.
process.once('SIGTERM', () => process.exit(143));

const VERBS = {
  spec: () =>
    say({
      type: 'SPEC',
      spec: {
        connectionSpecification: {
          type: 'object',
          properties: { rows: { type: 'integer' }, trials: { type: 'array' } },
        },
      },
    }),
  check: () => say({ type: 'CONNECTION_STATUS', connectionStatus: { status: 'SUCCEEDED' } }),
  discover: () =>
    say({
      type: 'CATALOG',
      catalog: {
        streams: STREAMS.map((name) => ({
          name,
          json_schema: { type: 'object', properties: {} },
          supported_sync_modes: ['full_refresh', 'incremental'],
        })),
      },
    }),
  async read() {
    const states = file('--state') ?? [];
    for (const { stream } of file('--catalog').streams) {
      const known = states.find((one) => one.stream?.stream_descriptor?.name === stream.name);
      await status(stream.name, 'STARTED');
      await read(stream.name, file('--config') ?? {}, known?.stream.stream_state.id ?? 0);
      await status(stream.name, 'COMPLETE');
    }
  },
};

if (VERBS[verb] === undefined) {
  writeSync(2, 'usage: spec | check | discover | read\n');
  process.exitCode = 2;
} else await VERBS[verb]();
