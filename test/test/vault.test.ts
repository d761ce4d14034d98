import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, chownSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bootPlatform, Refusal, startApi } from '@weir/kernel/boot';
import { testDatabase, testIssuer } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { keyFile } from '../key-file.ts';
import { platformEnvironment, platformFile } from '../platform.ts';
import { PRODUCTION_VALUES } from '../production-values.ts';
import { testMount, testStore } from '../secret-mount.ts';
import { until } from '../until.ts';

const API = fileURLToPath(new URL('../../kernel/src/main.ts', import.meta.url));

type Changes = Record<string, string>;

const issuer = await testIssuer(t);
const database = await testDatabase(t, tools);
await database.tenant('acme');
const folder = t.testdir({ warehouse: {} });
const base = platformEnvironment({ database, issuer, folder });
const store = await testStore(t);
const mount = await testMount(t, { store });
const canary = 'CNRY-b2a1f0';
const NOBODY = 65_534;

async function booted(t: Test, changes: Changes) {
  const log = pino({ level: 'silent' });
  const platform = await bootPlatform({ platformFile, environment: { ...base, ...changes }, program: 'test', log });
  t.teardown(() => platform.stop());
  return platform;
}

/** The faults for which a start is refused, in their order; none when it is not. */
async function faultsOf(t: Test, changes: Changes): Promise<readonly string[]> {
  try {
    const platform = await booted(t, changes);
    await platform.proveVault();
    return [];
  } catch (error) {
    return error instanceof Refusal ? error.faults : [String(error)];
  }
}

/** What `/ready` says: at once, or when it says that of the store which it has to in the end. */
async function ready(t: Test, changes: Changes, wanted?: 'up') {
  const platform = await booted(t, changes);
  const api = await startApi(platform);
  t.teardown(() => api.stop());
  const ask = async () => {
    const answer = await fetch(new URL('/ready', api.url));
    return { status: answer.status, body: (await answer.json()) as { parts?: Record<string, string> } };
  };
  // A store on a busy machine is down as long as it takes its time.
  return until('what it says of the store', async () => {
    const said = await ask();
    return (wanted === undefined || said.body.parts?.secret_store === wanted) && said;
  });
}

t.test('SOURCE_CREDENTIAL_MODE decides where credentials are kept; a third value is refused', async (t) => {
  const key = { WEIR_CREDENTIAL_KEY_FILE: keyFile(folder) };
  t.match((await booted(t, key)).vault, { mode: 'legacy_inline', store: undefined });
  const { vault } = await booted(t, mount.environment('api'));
  t.match(vault, { mode: 'secret_store', sealer: undefined });
  t.ok(vault.store);
  const [fault, ...more] = await faultsOf(t, { SOURCE_CREDENTIAL_MODE: canary });
  t.equal(fault, 'SOURCE_CREDENTIAL_MODE must be one of legacy_inline, secret_store (kernel)');
  t.strictSame(more, []);
});

t.test('the key file seals, and the one before it opens what it sealed', async (t) => {
  const [older, newer] = [keyFile(folder, 'older.key'), keyFile(folder, 'newer.key')];
  const one = (await booted(t, { WEIR_CREDENTIAL_KEY_FILE: older })).vault.sealer;
  const both = { WEIR_CREDENTIAL_KEY_FILE: newer, WEIR_CREDENTIAL_PREVIOUS_KEY_FILE: older };
  const two = (await booted(t, both)).vault.sealer;
  const place = { tenantId: 'a', subjectId: 'b', purpose: 'source' } as const;
  const sealed = one?.seal(new Map(), place) ?? '';
  t.equal(two?.reseal(sealed, place) !== undefined, true);
  t.strictSame(two?.kids, [two?.kid, one?.kid]);
});

/** A file of another user: one that we give away where we may, else one of the system's. */
function foreignFile(): string {
  if (process.geteuid?.() !== 0) return '/etc/passwd';
  const file = keyFile(folder, 'foreign.key');
  chownSync(file, NOBODY, NOBODY);
  return file;
}

t.test('a key file that others may read, that is a link, no file, empty, too short or absent is refused', async (t) => {
  const good = keyFile(folder, 'good.key');
  const bad = (name: string, mode: number) => {
    const file = keyFile(folder, name);
    chmodSync(file, mode);
    return file;
  };
  symlinkSync(good, path.join(folder, 'link.key'));
  execFileSync('mkfifo', ['-m', '400', path.join(folder, 'pipe.key')]);
  const faults: [string, RegExp][] = [
    [bad('group.key', 0o440), /^WEIR_CREDENTIAL_KEY_FILE names a file that others may use/],
    [bad('written.key', 0o600), /^WEIR_CREDENTIAL_KEY_FILE names a file that others may use/],
    [bad('run.key', 0o500), /^WEIR_CREDENTIAL_KEY_FILE names a file that others may use/],
    [path.join(folder, 'link.key'), /^WEIR_CREDENTIAL_KEY_FILE names a symbolic link/],
    [folder, /^WEIR_CREDENTIAL_KEY_FILE names something that is no ordinary file/],
    [path.join(folder, 'pipe.key'), /^WEIR_CREDENTIAL_KEY_FILE names something that is no ordinary file/],
    [foreignFile(), /^WEIR_CREDENTIAL_KEY_FILE names a file that belongs to another user/],
    [keyFile(folder, 'empty.key', Buffer.alloc(0)), /^WEIR_CREDENTIAL_KEY_FILE names an empty file/],
    [keyFile(folder, 'short.key', Buffer.from(canary)), /^WEIR_CREDENTIAL_KEY_FILE .* exactly 32 bytes/],
    [keyFile(folder, 'long.key', Buffer.alloc(5000)), /^WEIR_CREDENTIAL_KEY_FILE .* more than 4096 bytes/],
    [path.join(folder, `${canary}.key`), /^WEIR_CREDENTIAL_KEY_FILE names a file that is not there/],
  ];
  for (const [file, fault] of faults) {
    const found = await faultsOf(t, { WEIR_CREDENTIAL_KEY_FILE: file });
    t.match(found, [fault], file);
    t.equal(found.length, 1);
    t.notMatch(found.join(), canary);
  }
});

t.test('outside development credentials are not kept in the database without a key', async (t) => {
  for (const WEIR_MODE of ['staging', 'production']) {
    const real = { ...PRODUCTION_VALUES, WEIR_MODE };
    t.match(await faultsOf(t, real), [/^WEIR_CREDENTIAL_KEY_FILE is required/]);
    t.strictSame(await faultsOf(t, { ...real, WEIR_CREDENTIAL_KEY_FILE: keyFile(folder, `${WEIR_MODE}.key`) }), []);
    t.strictSame(await faultsOf(t, { ...real, ...mount.environment('api') }), []);
  }
});

t.test(
  'every fault of the vault is named in one refusal, beside those of other settings, without a value',
  async (t) => {
    const key = keyFile(folder, 'both.key');
    writeFileSync(path.join(folder, 'no-ca.pem'), canary);
    const found = await faultsOf(t, {
      SOURCE_CREDENTIAL_MODE: 'secret_store',
      SECRET_STORE_ROLE_ID: canary,
      SECRET_STORE_SECRET_ID: canary,
      WEIR_CREDENTIAL_KEY: canary,
      WEIR_CREDENTIAL_KEY_FILE: key,
      WEIR_CREDENTIAL_PREVIOUS_KEY_FILE: key,
      SECRET_STORE_ADDR: `https://user:${canary}@store.example/`,
      SECRET_STORE_CACERT: path.join(folder, 'no-ca.pem'),
      SECRET_STORE_ROLE_ID_FILE: path.join(folder, canary),
      WEIR_SECRET_STORE_MOUNT: `../${canary}`,
      WEIR_HTTP_PORT: canary,
    });
    for (const fault of [
      /^SECRET_STORE_ROLE_ID must not be set/,
      /^SECRET_STORE_SECRET_ID must not be set/,
      /^WEIR_CREDENTIAL_KEY must not be set/,
      /^WEIR_CREDENTIAL_PREVIOUS_KEY_FILE holds the same key/,
      /^SECRET_STORE_ADDR must be https/,
      /^SECRET_STORE_CACERT names no readable file/,
      /^SECRET_STORE_ROLE_ID_FILE names a file that is not there/,
      /^SECRET_STORE_SECRET_ID_FILE is required/,
      /^WEIR_SECRET_STORE_MOUNT does not fit/,
      /^WEIR_HTTP_PORT /,
    ]) {
      t.ok(
        found.some((line) => fault.test(line)),
        String(fault),
      );
    }
    t.equal(found.length, 10);
    t.notMatch(found.join(), canary);
  },
);

t.test('a mount that keeps ten versions, or takes writes that follow none, refuses the start by name', async (t) => {
  const refused = async (config: Record<string, unknown>) =>
    faultsOf(t, (await testMount(t, { store, config })).environment('api'));
  t.match(await refused({ max_versions: 0 }), [/too_few_versions/]);
  t.match(await refused({ max_versions: 1 }), [/too_few_versions/]);
  t.match(await refused({ cas_required: false }), [/mount_without_cas/]);
  t.match(await refused({ delete_version_after: '720h' }), [/versions_expire/]);
  t.match(await faultsOf(t, { ...mount.environment('api'), WEIR_SECRET_STORE_MOUNT: 'absent' }), [/not_allowed/]);
  t.match(await faultsOf(t, mount.environment('worker')), [/not_allowed/]);
  t.strictSame(await faultsOf(t, mount.environment('api')), []);
});

t.test('a store that does not answer leaves the platform ready, and its part down', async (t) => {
  t.match(await ready(t, mount.environment('api'), 'up'), { status: 200, body: { parts: { secret_store: 'up' } } });
  const down = { ...mount.environment('api'), SECRET_STORE_ADDR: 'https://127.0.0.1:9' };
  t.match(await ready(t, down), { status: 200, body: { parts: { secret_store: 'down' } } });
  t.strictSame(await faultsOf(t, down), []);
  const strange = {
    ...mount.environment('api'),
    SECRET_STORE_CACERT: path.resolve('lib/vault/test/fixtures/other-ca.pem'),
  };
  t.match(await ready(t, strange), { status: 200, body: { parts: { secret_store: 'down' } } });
  t.equal((await ready(t, {})).body.parts?.secret_store, undefined);
});

t.test(
  'the API as a process ends with 78 and one line when the mount is not fit, and neither line nor log holds a secret',
  async (t) => {
    const { environment } = await testMount(t, { store, config: { max_versions: 10 } });
    const own = environment('api');
    const env = { ...process.env, ...base, ...own, WEIR_LOG_LEVEL: 'trace' };
    const args = ['--conditions=@weir/source', API];
    const ended = await promisify(execFile)(process.execPath, args, { env }).then(
      () => ({ code: 0, stderr: '', stdout: '' }),
      (error: { code: number; stderr: string; stdout: string }) => error,
    );
    t.equal(ended.code, 78);
    const lines = ended.stderr.split('\n').filter((line) => line.startsWith('{'));
    t.match(lines, [/secret store refused.*too_few_versions/]);
    t.notMatch(ended.stdout, /listening/);
    for (const file of [own.SECRET_STORE_ROLE_ID_FILE, own.SECRET_STORE_SECRET_ID_FILE]) {
      const secret = readFileSync(file ?? '', 'utf8');
      t.ok(secret.length > 30);
      t.notMatch(`${ended.stdout}${ended.stderr}`, secret);
    }
  },
);
