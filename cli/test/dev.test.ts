import { type ChildProcess, spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { Writable } from 'node:stream';
import t, { type Test } from 'tap';
import { openLines } from '../src/dev/demo/open-lines.ts';
import { makeCredentialKey } from '../src/dev/folder/credential-key.ts';
import { deleteData } from '../src/dev/folder/data-folder.ts';
import { devFolder, devSecrets, makeFolders } from '../src/dev/folder/folder.ts';
import { isFree, portChooser } from '../src/dev/folder/ports.ts';
import { isAlive, startOf } from '../src/dev/folder/process-identity.ts';
import { type DevState, readStarting, writeState } from '../src/dev/folder/state.ts';
import { devAddresses, passFileLine } from '../src/dev/parts/addresses.ts';
import { platformEnvironment } from '../src/dev/parts/platform.ts';
import { reporter } from '../src/dev/parts/reporter.ts';
import { stopStale } from '../src/dev/parts/stop-stale.ts';
import { takeFolder } from '../src/dev/parts/supervisor.ts';
import { MARKS, timings } from '../src/dev/parts/timings.ts';
import { commandLine, ending } from './command-line.ts';

const silent = reporter(
  new Writable({
    write(_chunk, _encoding, done) {
      done();
    },
  }),
  false,
);

/** A process that only waits; ended with the test. */
async function waiting(t: Test): Promise<ChildProcess & { pid: number; gone: Promise<void> }> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6); process.stdout.write("up")'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  t.teardown(async () => {
    child.kill('SIGKILL');
    await gone;
  });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return Object.assign(child, { pid: child.pid as number, gone });
}

const facts = {
  url: 'http://127.0.0.1:8080',
  identity: { issuer: 'http://127.0.0.1:9000', url: 'http://127.0.0.1:9000' },
  workflowEngine: { host: '127.0.0.1', port: 7233, namespace: 'default' },
  database: { host: '127.0.0.1', port: 5433, name: 'weir', superuserUrl: 'postgresql://x' },
  folder: devFolder('/data'),
  secrets: { superuser: 'a', owner: 'b', app: 'c', system: 'd', reader: 'p@ss' },
  profile: 'dev',
  env: {},
};

const passfile = 'passfile=%2Fdata%2Fdatabase.pgpass';

const stateOf = async (pid: number, more: Partial<DevState> = {}): Promise<DevState> => ({
  ...devAddresses(facts),
  supervisor: { name: 'supervisor', pid, started: (await startOf(pid)) ?? '' },
  tenant: 'demo',
  token: 'secret-token',
  processes: [],
  ...more,
});

t.test('status tells machines every address and process, and neither token nor start time', async (t) => {
  const { weir, root } = commandLine(t);
  const folder = path.join(root, '.weir');
  const worker = await waiting(t);
  const child = await waiting(t);
  const started = (await startOf(worker.pid)) ?? '';
  const processes = [
    { name: 'worker', role: 'source', pid: worker.pid, parent: process.pid, started },
    { name: 'api', pid: worker.pid, parent: process.pid, started: 'another time' },
  ];
  await writeState(folder, await stateOf(process.pid, { processes }));
  mkdirSync(path.join(folder, 'state'), { recursive: true });
  writeFileSync(
    path.join(folder, 'state', `worker-${worker.pid}.json`),
    JSON.stringify({ children: [{ pid: child.pid }] }),
  );
  const ran = await weir('dev status -o json');
  t.equal(ran.code, 0);
  t.strictSame(JSON.parse(ran.stdout), {
    api_url: 'http://127.0.0.1:8080',
    docs_url: 'http://127.0.0.1:8080/docs',
    ui_url: 'http://127.0.0.1:8080',
    issuer_url: 'http://127.0.0.1:9000',
    workflow_engine: { host: '127.0.0.1', port: 7233, namespace: 'default' },
    database: {
      host: '127.0.0.1',
      port: 5433,
      name: 'weir',
      url: `postgresql://weir_dev@127.0.0.1:5433/weir?${passfile}`,
    },
    catalog: {
      name: 'weir',
      uri: `postgresql+psycopg2://weir_dev@127.0.0.1:5433/weir?${passfile}&options=-csearch_path%3Dcatalog`,
      schema: 'catalog',
    },
    warehouse: '/data/warehouse',
    profile: 'dev',
    processes: [
      { name: 'supervisor', pid: process.pid },
      { name: 'worker', pid: worker.pid, role: 'source', parent: process.pid },
      { name: 'sync', pid: child.pid, parent: worker.pid },
    ],
  });
  t.match((await weir('dev status')).stdout, /api_url +http:\/\/127.0.0.1:8080/);
  t.equal(statSync(path.join(folder, 'dev.json')).mode & 0o777, 0o600);
});

t.test('addresses and lines for other readers name the password file, whose line is what libpq reads', (t) => {
  const embedded = { ...facts, secrets: { ...facts.secrets, reader: 'p:a\\ss' } };
  const theirs = { host: 'db', port: 5432, name: 'lake' };
  const own = { ...facts, database: theirs, env: { DB_USER: 'ours', DB_PASSWORD: 'hidden-word' } };
  t.equal(passFileLine(embedded), '127.0.0.1:5433:weir:weir_dev:p\\:a\\\\ss\n');
  t.equal(passFileLine(own), 'db:5432:lake:ours:hidden-word\n');
  const printed = JSON.stringify([devAddresses(own), openLines(devAddresses(own), 'bronze.demo.x', '/m.json')]);
  t.notMatch(printed, /hidden-word/);
  t.match(printed, /ours@db:5432\/lake/);
  t.end();
});

t.test('without a server, status and down say so with 4', async (t) => {
  const { weir } = commandLine(t);
  for (const verb of ['status', 'down'])
    t.match(await weir(`dev ${verb}`), { code: 4, stderr: /No development server runs here/ });
});

t.test('a second start beside a running one ends with 5 and touches nothing', async (t) => {
  const { weir, root } = commandLine(t);
  const folder = path.join(root, '.weir');
  const running = await waiting(t);
  await writeState(folder, await stateOf(running.pid));
  const before = readFileSync(path.join(folder, 'dev.json'), 'utf8');
  t.match(await weir('dev up --once'), {
    code: 5,
    stderr: /runs here already .*\nhint: It answers at http:\/\/127.0.0.1:8080/,
  });
  t.equal(readFileSync(path.join(folder, 'dev.json'), 'utf8'), before);
  t.ok(await isAlive({ pid: running.pid }));
});

t.test('down signals the supervisor and waits for its end', async (t) => {
  const { weir, root } = commandLine(t);
  const running = await waiting(t);
  await writeState(path.join(root, '.weir'), await stateOf(running.pid));
  t.equal((await weir('dev down')).code, 0);
  t.notOk(await isAlive({ pid: running.pid }));
});

t.test('what a killed supervisor left is stopped, and a stranger with a reused pid is not', async (t) => {
  const folder = t.testdir({});
  const left = await waiting(t);
  const stranger = await waiting(t);
  const processes = [
    { name: 'api', pid: left.pid, started: (await startOf(left.pid)) ?? '' },
    { name: 'worker', pid: stranger.pid, started: 'another time' },
  ];
  await writeState(folder, {
    supervisor: { name: 'supervisor', pid: stranger.pid, started: 'another time' },
    processes,
  });
  const supervisor = await takeFolder(folder, silent);
  await left.gone;
  t.ok(await isAlive({ pid: stranger.pid }));
  t.equal((await readStarting(folder))?.supervisor.pid, process.pid);
  await supervisor.stop();
  t.equal(await readStarting(folder), undefined);
  t.strictSame(await stopStale([{ name: 'unknown', pid: stranger.pid }]), []);
});

t.test('a part that ends by itself is named with the last lines of its log', async (t) => {
  const folder = t.testdir({ 'part.log': 'one\ntwo\nlast words\n' });
  const supervisor = await takeFolder(folder, silent);
  const child = await waiting(t);
  const stopped: string[] = [];
  const part = (name: string, exited: Promise<void>) => ({
    name,
    pid: child.pid,
    logFile: path.join(folder, 'part.log'),
    exited,
    stop: async () => stopped.push(name),
  });
  await supervisor.keep(part('postgres', new Promise(() => undefined)));
  await supervisor.keep(part('worker', child.gone));
  child.kill('SIGKILL');
  await t.rejects(supervisor.died, ending('failed', /^The worker ended by itself\.\n[\s\S]*last words$/));
  await supervisor.stop();
  t.strictSame(stopped, ['worker', 'postgres']);
});

t.test('reset asks, deletes a data folder of ours only, and is done twice without harm', async (t) => {
  const { weir, root, home } = commandLine(t);
  const folder = devFolder(path.join(root, '.weir'));
  await makeFolders(folder);
  await devSecrets(folder);
  t.match(await weir('dev reset'), { code: 2, stderr: /Delete all data in/ });
  t.ok(existsSync(folder.root));
  t.equal((await weir('dev reset --yes')).code, 0);
  t.notOk(existsSync(folder.root));
  t.equal((await weir('dev reset --yes')).code, 0);
  writeFileSync(path.join(home, 'mine.txt'), 'mine');
  t.match(await weir(`dev reset --yes --data-dir ${home}`), { code: 2, stderr: /nothing was deleted/ });
  t.ok(existsSync(path.join(home, 'mine.txt')));
  await t.rejects(deleteData(home), ending('usage'));
  writeFileSync(path.join(home, 'dev.json'), '{}');
  await t.rejects(deleteData(home), ending('usage'), 'a state file alone makes no data folder');
});

t.test('reset keeps the key of credentials that are sealed in a database which is not ours', async (t) => {
  const { weir, root } = commandLine(t);
  const folder = devFolder(path.join(root, '.weir'));
  await makeFolders(folder);
  await devSecrets(folder);
  writeFileSync(folder.credentialKey, 'key');
  t.match(await weir('dev reset --yes'), { code: 0, stderr: /but for credential\.key/ });
  t.strictSame(readdirSync(folder.root).sort(), ['credential.key', 'secrets.json']);
  mkdirSync(folder.postgres);
  t.match(await weir('dev reset --yes'), { code: 0, stderr: /^deleted / });
  t.notOk(existsSync(folder.root));
});

t.test('passwords are made once and kept where only the owner reads them', async (t) => {
  const folder = devFolder(t.testdir({}));
  const first = await devSecrets(folder);
  t.strictSame(await devSecrets(folder), first);
  t.equal(new Set(Object.values(first)).size, 5);
  t.equal(statSync(path.join(folder.root, 'secrets.json')).mode & 0o777, 0o600);
});

t.test('ports stay the same from start to start while they are free', async (t) => {
  const folder = devFolder(t.testdir({}));
  const port = await (await portChooser(folder, undefined))('postgres');
  t.ok(await isFree(port));
  t.equal(await (await portChooser(folder, undefined))('postgres'), port);
  t.equal(await (await portChooser(folder, String(port)))('api'), port);
});

t.test('marks come in order, count from the launch, and the first of a name stays', async (t) => {
  const file = path.join(t.testdir({}), 'timings.json');
  const marks = timings(performance.timeOrigin - 1_000);
  marks.mark('total');
  const { total } = marks.marks();
  marks.mark('postgres');
  marks.mark('total');
  t.equal(marks.marks().total, total);
  t.equal(marks.marks().install, 1_000);
  await marks.write(file);
  t.strictSame(
    Object.keys(JSON.parse(readFileSync(file, 'utf8'))),
    MARKS.filter((mark) => ['install', 'postgres', 'total'].includes(mark)),
  );
  const [before, reader] = [readFileSync(file, 'utf8'), openSync(file, 'r')];
  t.teardown(() => closeSync(reader));
  marks.mark('migrated');
  await marks.write(file);
  t.equal(readFileSync(reader, 'utf8'), before, 'who reads while they are written again reads those of before, whole');
  t.not(readFileSync(file, 'utf8'), before);
});

t.test('logs print the last lines of one part or of all, and follow until the interrupt', async (t) => {
  const { weir, root } = commandLine(t);
  const logs = path.join(root, '.weir', 'logs');
  mkdirSync(logs, { recursive: true });
  writeFileSync(path.join(logs, 'api.log'), 'a1\na2\na3\n');
  writeFileSync(path.join(logs, 'worker.log'), 'w1\n');
  t.equal((await weir('dev logs api --tail 2')).stdout, 'a2\na3\n');
  t.equal((await weir('dev logs')).stdout, 'api | a1\napi | a2\napi | a3\nworker | w1\n');
  t.match(await weir('dev logs nothing'), { code: 4, stderr: /Parts: api, worker/ });
  t.equal((await weir('dev logs --tail x')).code, 2);
  const interrupt = new AbortController();
  interrupt.abort();
  t.equal((await weir('dev logs api -f --tail 1', { interrupted: interrupt.signal })).stdout, 'a3\n');
});

t.test('the lines to paste quote what a shell would take apart', async (t) => {
  const lines = openLines(devAddresses(facts), 'bronze.demo.x', '/data/ware house/m.json');
  t.strictSame(
    lines.map(({ reader }) => reader),
    ['PyIceberg', 'DuckDB'],
  );
  for (const { run } of lines) t.match(run, /^python3 -c '.*'$/);
});

t.test('doctor gives a next step for everything that is not in order', async (t) => {
  const { weir } = commandLine(t);
  const ran = await weir('doctor -o json');
  const { items } = JSON.parse(ran.stdout) as { items: { check: string; status: string; next_step?: string }[] };
  for (const name of ['node', 'relational store', 'workflow engine', 'disk', 'statements of users', 'api'])
    t.ok(
      items.some(({ check }) => check === name),
      name,
    );
  for (const item of items) t.equal(item.next_step === undefined, item.status === 'ok', item.check);
  t.equal(ran.code, items.some(({ status }) => status === 'fault') ? 1 : 0);
});

t.test('the key that seals credentials is made once, 32 bytes for its owner to read', async (t) => {
  const { credentialKey } = devFolder(t.testdir({}));
  await makeCredentialKey(credentialKey);
  const made = readFileSync(credentialKey);
  t.equal(made.length, 32);
  t.equal(statSync(credentialKey).mode & 0o777, 0o400);
  await makeCredentialKey(credentialKey);
  t.ok(readFileSync(credentialKey).equals(made), 'and is the same at the next start');
});

t.test('a data folder and a database outside of it → never read by the files connector', async (t) => {
  const settings = { ...facts, appPassword: 'c', root: '/checkout', cwd: '/home/ada', publicData: [] };
  const refused = (env: Record<string, string>, dataDir: string) =>
    platformEnvironment(env, { ...settings, database: { ...facts.database, dataDir } }).WEIR_FILES_REFUSED;
  t.equal(refused({}, '/var/tmp/weir-0'), '/data:/var/tmp/weir-0');
  t.equal(refused({ WEIR_FILES_REFUSED: '/home/own' }, '/data/postgres'), '/home/own:/data:/data/postgres');
});

t.test('the files connector → reads the folder of the start alone, unless WEIR_FILES_ROOTS names others', async (t) => {
  const settings = { ...facts, appPassword: 'c', root: '/checkout' };
  const roots = (cwd: string, env: Record<string, string> = {}, publicData: string[] = []) =>
    platformEnvironment(env, { ...settings, cwd, publicData, database: { ...facts.database, dataDir: '/d' } })
      .WEIR_FILES_ROOTS;
  t.equal(roots('/home/ada', {}, ['/demo']), '/home/ada:/demo');
  t.equal(roots('/home/ada', { WEIR_FILES_ROOTS: '/srv' }, ['/demo']), '/srv:/demo');
  t.equal(roots('/home/ada', { WEIR_FILES_ROOTS: '' }), '/home/ada');
  for (const folder of ['/', '/a:/etc']) t.equal(roots(folder), '/data/uploads', 'never the whole machine');
});
