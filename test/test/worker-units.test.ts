import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'tap';
import { UNIT_STATES } from '../../cli/src/connectors/proof/prove-pollers.ts';
import { readCapacity } from '../../workers/src/process/capacity.ts';
import { lastOf, readService, wordsOf } from '../read-unit.ts';
import { runProgram } from '../run-program.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FILES = path.join(ROOT, 'deploy/workers');
const ENGINE = path.join(ROOT, 'deploy/connector-engine');
const ROLES = ['source', 'discovery'] as const;
const WORKER = 'weir-worker@.service';
/** Workers that start no connector, and what is otherwise for them. */
const OTHERS = ['transform', 'maintenance', 'ontology-sync', 'ontology-sync-v2'] as const;
const ownOf = (role: string) => `weir-worker@${role}.service.d/${role}.conf`;
/** Those of them whose work holds statements or expressions of users. */
const OF_STATEMENTS: readonly string[] = OTHERS.filter((role) => role !== 'maintenance');
/** As docs/how-to/install-the-connector-engine.md demands. */
const OLDEST_SYSTEMD = 252;
/**
 * What is open to a worker: it needs the network, the socket of the engine, a compiler in its process and the number of
 * processors; the rest is closed by other means, as the unit says. How much each weighs is another matter in every systemd.
 */
const OPEN = [
  ...['PrivateNetwork=', 'IPAddressDeny=', 'RestrictAddressFamilies=~AF_(INET|INET6)'],
  ...['RestrictAddressFamilies=~AF_UNIX', 'PrivateUsers=', 'MemoryDenyWriteExecute=', 'ProcSubset=', 'UMask='],
  ...['RootDirectory=/RootImage=', 'PrivateMounts=', 'PrivateTmp=', 'DeviceAllow='],
];
/** What the worker of statements needs besides: it makes namespaces in which a statement has less than it has itself. */
const OPEN_FOR_STATEMENTS = [
  ...['user', 'pid', 'net', 'mnt', 'ipc'].map((kind) => `RestrictNamespaces=~${kind}`),
  ...['SystemCallFilter=~@privileged', 'SystemCallFilter=~@mount'],
];
const GIB = 1024 ** 3;
/** What the process of a worker and each of its children may take (issue of the connector runtime, bars). */
const PROCESS_BYTES = GIB / 2;

const textOf = (unit: string) => readFile(path.join(FILES, 'systemd', unit), 'utf8');
const serviceOf = async (role: string) => {
  const own = (OTHERS as readonly string[]).includes(role) ? await textOf(ownOf(role)) : '';
  return readService((await textOf(WORKER)) + own, { i: role, d: '/credentials' });
};

test('the units of the workers are sound, and as little is open to a worker as it can do with', async (t) => {
  const folder = t.testdir();
  const units = [];
  for (const own of OTHERS.map((role) => path.dirname(ownOf(role))))
    await cp(path.join(FILES, 'systemd', own), path.join(folder, own), { recursive: true });
  for (const name of (await readdir(path.join(FILES, 'systemd'))).filter((one) => !one.endsWith('.d'))) {
    const text = (await textOf(name)).replace('/opt/weir/node_modules/.bin/node', process.execPath);
    for (const role of ['', ...ROLES, ...OTHERS]) {
      const file = path.join(folder, name.replace('@', `@${role}`));
      await writeFile(file, text);
      if (role !== '') units.push(file);
    }
  }
  const { text: version } = await runProgram('systemd-analyze', ['--version']);
  if (!(Number(/^systemd (\d+)/.exec(version)?.[1]) >= OLDEST_SYSTEMD))
    return t.plan(0, `there is no systemd-analyze of ${OLDEST_SYSTEMD} or newer`);
  const found = await runProgram('systemd-analyze', ['verify', '--man=no', ...units]);
  t.equal(found.code, 0, found.text);
  const ofOurs = found.text.split('\n').filter((line) => /weir(?:-|\\x2d)worker/.test(line));
  t.strictSame(ofOurs, [], 'whatever it has to say of other units of the machine');
  for (const role of ['source', 'transform', 'ontology-sync', 'ontology-sync-v2']) {
    const worker = path.join(folder, WORKER.replace('@', `@${role}`));
    const options = ['--offline=true', '--json=short', '--no-pager'];
    const judged = await runProgram('systemd-analyze', ['security', ...options, worker]);
    const [items = '[]'] = /^\[.*\]$/m.exec(judged.text) ?? [];
    const all: { set: boolean | null; name: string }[] = JSON.parse(items);
    t.ok(all.length > OPEN.length, judged.text);
    const open = all.filter(({ set }) => set === false).map(({ name }) => name);
    const needed = OF_STATEMENTS.includes(role) ? [...OPEN, ...OPEN_FOR_STATEMENTS] : OPEN;
    t.strictSame(
      open.filter((name) => !needed.includes(name)),
      [],
      role,
    );
  }
});

test('a worker that starts no connector → a user of its own, no socket of their engine, room on a disk', async (t) => {
  for (const role of OTHERS) {
    const service = await serviceOf(role);
    const users = await readFile(path.join(FILES, `sysusers.d/weir-worker-${role}.conf`), 'utf8');
    t.match(users, new RegExp(`^u ${lastOf(service, 'User')} `, 'm'), role);
    t.notMatch(users, /^m /m, 'it is in no group of others');
    const state = `${UNIT_STATES}/${role}`;
    t.strictSame(wordsOf(service, 'BindPaths'), [state], role);
    t.ok(wordsOf(service, 'BindReadOnlyPaths').every((place) => place.startsWith('-/run/') && !place.includes('weir')));
    const mount = await textOf(`run-weir\\x2dworkers-${role.replaceAll('-', '\\x2d')}.mount`);
    t.match(mount, new RegExp(`^Where=${state}$`, 'm'));
    t.match(mount, new RegExp(`^Options=size=.*mode=0700,uid=weir-${role},.*noexec`, 'm'));
    const cache = `/var/cache/${lastOf(service, 'CacheDirectory')}`;
    t.strictSame([lastOf(service, 'CacheDirectoryMode'), lastOf(service, 'NoExecPaths')], ['0700', cache]);
    const environment = wordsOf(service, 'Environment');
    for (const name of ['WEIR_WORK_DIR', 'WEIR_TABLE_CACHE_DIR'])
      t.ok(environment.some((pair) => pair.startsWith(`${name}=${cache}/`)));
    const gibibytes = (text = '') => Number(/(\d+)G\b/i.exec(text)?.[1]) * GIB;
    const [temporary] = wordsOf(service, 'TemporaryFileSystem');
    const room = gibibytes(lastOf(service, 'MemoryMax')) - gibibytes(temporary) - PROCESS_BYTES;
    const wanted = role === 'transform' ? 7 : 1;
    t.ok(room >= wanted * GIB, `${role}: seven statements of a GiB, as on fourteen cores, or one piece of work`);
  }
});

test('a worker has memory for as many processes as it starts, and for its folder of temporary files', async (t) => {
  for (const role of ROLES) {
    const service = await serviceOf(role);
    const gibibytes = (text = '') => Number(/(\d+)G\b/i.exec(text)?.[1]) * GIB;
    const [temporary] = wordsOf(service, 'TemporaryFileSystem');
    const processes = 1 + readCapacity(role, {}).activityWorkers;
    const needed = processes * PROCESS_BYTES + gibibytes(temporary);
    t.ok(gibibytes(lastOf(service, 'MemoryMax')) >= needed, `${lastOf(service, 'MemoryMax')} of ${needed}`);
  }
});

test('a worker runs as the user and in the folders that the files of the connector engine make', async (t) => {
  const sysusers = await readFile(path.join(ENGINE, 'sysusers.d/weir-connector-engine.conf'), 'utf8');
  const tmpfiles = await readFile(path.join(ENGINE, 'tmpfiles.d/weir-connector-engine.conf'), 'utf8');
  for (const role of ROLES) {
    const service = await serviceOf(role);
    const calls = ['@system-service', '~@privileged @resources'];
    t.strictSame(service.get('SystemCallFilter'), calls, 'a worker was seen to work under these, by systemd 252');
    const user = lastOf(service, 'User');
    t.match(sysusers, new RegExp(`^u ${user} `, 'm'));
    t.match(sysusers, new RegExp(`^m ${user} +weir-connectors$`, 'm'), 'it may use the socket');
    const [workspace, state] = wordsOf(service, 'BindPaths');
    t.match(tmpfiles, new RegExp(`^d ${workspace} +2750 ${user} `, 'm'));
    t.strictSame(wordsOf(service, 'BindPaths'), [workspace, state], 'nothing else of the machine is writable');
    const environment = wordsOf(service, 'Environment');
    t.equal(state, `${UNIT_STATES}/${role}`, 'a proof looks there');
    const told = `WEIR_STATE_DIR=${state}`;
    t.ok(environment.includes(told));
    const probe = readService(await textOf('weir-worker-probe@.service'), { i: role, d: '/credentials' });
    t.ok(wordsOf(probe, 'Environment').includes(told), 'the probe looks there');
    const mount = await textOf(`run-weir\\x2dworkers-${role}.mount`);
    t.match(mount, new RegExp(`^Where=${state}$`, 'm'), 'no connector fills it');
    t.match(mount, new RegExp(`^Options=size=.*mode=0700,uid=${user},.*noexec`, 'm'));
    t.ok(environment.includes(`WEIR_${role.toUpperCase()}_WORKSPACE_DIR=${workspace}`));
    const [sockets] = wordsOf(service, 'BindReadOnlyPaths');
    t.match(tmpfiles, new RegExp(`^d ${sockets} +0750 weir-engine +weir-connectors `, 'm'));
    t.ok(environment.includes(`${role.toUpperCase()}_SOCKET_DIR=${sockets}`));
  }
});

test('what is installed is these files, and what an operator has configured stays', async (t) => {
  const root = t.testdir();
  const install = () => runProgram(path.join(FILES, 'install'), [], { ...process.env, DESTDIR: root });
  t.equal((await install()).code, 0);
  const filesIn = async (folder: string) => (await readdir(folder, { recursive: true })).toSorted();
  const installed = await filesIn(path.join(root, 'usr/lib/systemd/system'));
  t.strictSame(installed, await filesIn(path.join(FILES, 'systemd')));
  const settings = path.join(root, 'etc/weir/worker.env');
  await writeFile(settings, 'DB_HOST=db.example.com\n');
  t.equal((await install()).code, 0);
  t.equal(await readFile(settings, 'utf8'), 'DB_HOST=db.example.com\n');
});

test('the environment that comes with the units has settings that there are', async (t) => {
  const reference = await readFile(path.join(ROOT, 'docs/reference/configuration.md'), 'utf8');
  const text = await readFile(path.join(FILES, 'worker.env'), 'utf8');
  const names = [...text.matchAll(/^(\w+)=/gm)].map(([, name]) => name);
  const inUnit = wordsOf(await serviceOf('source'), 'Environment').map((pair) => pair.replace(/(?:_FILE)?=.*$/s, ''));
  t.ok(names.length > 0 && inUnit.length > 0);
  for (const name of [...names, ...inUnit]) t.match(reference, new RegExp(`^\\| \`${name}\` `, 'm'));
});

/** What ADR 35 lets a worker hold. */
const HELD = {
  always: ['DB_PASSWORD', 'OBJECT_STORE_ACCESS_KEY_ID', 'OBJECT_STORE_SECRET_ACCESS_KEY'],
  wanted: ['LOG_STORE_AUTH_TOKEN', 'WEIR_TABLE_CATALOG_TOKEN', 'WEIR_DB_SSL_KEY', 'WEIR_WORKFLOW_TLS_KEY'],
  files: [
    ...['SECRET_STORE_ROLE_ID_FILE', 'SECRET_STORE_SECRET_ID_FILE'],
    ...['WEIR_CREDENTIAL_KEY_FILE', 'WEIR_CREDENTIAL_PREVIOUS_KEY_FILE'],
  ],
};
const OF_THE_API = ['AI_ASSISTANT_CLIENT_SECRET', 'ONTOLOGY_API_KEY', 'PATTERN_ADMIN_SECRET', 'PATTERN_WEBHOOK_SECRET'];
/** Files that hold no secret. */
const OPEN_FILES = ['ONTOLOGY_TENANT_BINDINGS_JSON_FILE'];

test('the secrets of a worker → those of the decision and no more, in unit, settings and page', async (t) => {
  const text = await textOf(WORKER);
  const loaded = (prefix: string) =>
    [...text.matchAll(new RegExp(`^${prefix}LoadCredential=(\\w+):`, 'gm'))].map(([, name]) => name);
  t.strictSame(loaded(''), HELD.always);
  t.strictSame(loaded('#'), HELD.wanted);
  for (const name of [...HELD.always, ...HELD.wanted]) t.match(text, `Environment=${name}_FILE=%d/${name}\n`);
  const reference = await readFile(path.join(ROOT, 'docs/reference/configuration.md'), 'utf8');
  const ofPlatform = reference.slice(0, reference.indexOf('## Migrations'));
  const secret = [...ofPlatform.matchAll(/^\| `(\w+)` \| secret /gm)].map(([, name]) => name ?? '');
  const file = [...ofPlatform.matchAll(/^\| `(\w+_FILE)` /gm)].map(([, name]) => name ?? '');
  const known = [...HELD.always.filter((name) => name !== 'OBJECT_STORE_ACCESS_KEY_ID'), ...HELD.wanted, ...OF_THE_API];
  t.strictSame(secret.sort(), known.sort(), 'a new secret is a decision: has a worker to hold it?');
  t.strictSame(file.sort(), [...HELD.files, ...OPEN_FILES].sort());
  const environment = await readFile(path.join(FILES, 'worker.env'), 'utf8');
  const page = await readFile(path.join(ROOT, 'docs/how-to/run-a-hardened-worker.md'), 'utf8');
  for (const name of [...Object.values(HELD).flat(), ...OF_THE_API]) {
    t.notMatch(environment, new RegExp(`^${name}=`, 'm'), 'no environment holds one');
    t.match(page, `\`${name}\``);
  }
});
