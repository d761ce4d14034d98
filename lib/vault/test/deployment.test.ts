import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { type TestMount, type TestMountOptions, testMount, testStore } from '../../../test/secret-mount.ts';
import { checkDeployment, type Deployment } from '../src/deployment.ts';
import { createExchange } from '../src/kv/exchange.ts';
import { logIn } from '../src/kv/login.ts';

const store = await testStore(t);
const exchange = createExchange({ origin: new URL(store.address), ca: readFileSync(store.caFile, 'utf8') });
const folder = t.testdir();

function tokenFile(token: string, mode = 0o400): string {
  const file = path.join(folder, `token-${Math.random()}`);
  writeFileSync(file, token);
  chmodSync(file, mode);
  return file;
}

const identityOf = (mount: TestMount, role: 'api' | 'worker') => {
  const { SECRET_STORE_ROLE_ID_FILE: roleIdFile = '', SECRET_STORE_SECRET_ID_FILE: secretIdFile = '' } =
    mount.environment(role);
  return { roleIdFile, secretIdFile };
};

const deploymentOf = (mount: TestMount): Deployment => ({
  ...{ address: store.address, caFile: store.caFile, mount: mount.mount, tokenFile: tokenFile(store.token) },
  identities: { api: identityOf(mount, 'api'), worker: identityOf(mount, 'worker') },
});

/** What is not as it must be, with the mount's name taken out. */
async function faultsOf(t: Test, options: TestMountOptions, more: Partial<Deployment> = {}): Promise<string[]> {
  const mount = await testMount(t, { store, ...options });
  const facts = await checkDeployment({ ...deploymentOf(mount), ...more });
  return facts
    .filter(({ status }) => status === 'fault')
    .map(({ of, fact, found }) => `${of} ${fact}: ${found}`.replaceAll(mount.mount, 'weir'));
}

/** The tokens that the mount's own roles have. The store is everybody's: those of others come and go meanwhile. */
async function accessorsOf(mount: TestMount): Promise<unknown[]> {
  const roles: unknown[] = [mount.nameOf('api'), mount.nameOf('worker')];
  const { body } = await mount.operator('LIST', 'auth/token/accessors');
  const { keys } = body.data as { keys: string[] };
  const own: unknown[] = [];
  for (const accessor of keys) {
    const found = await mount.operator('POST', 'auth/token/lookup-accessor', { accessor });
    const meta = found.body.data?.meta as { role_name?: string } | null | undefined;
    if (roles.includes(meta?.role_name)) own.push(accessor);
  }
  return own;
}

const adding = (role: 'api' | 'worker', rules: string) => (asked: string, project: string) =>
  asked === role ? `${project}\n${rules}` : project;
const rule = (where: string, ...rights: string[]) => `path "${where}" { capabilities = ${JSON.stringify(rights)} }`;

t.test('what the project tells an operator to do is in order', async (t) => {
  t.strictSame(await faultsOf(t, {}), []);
});

t.test('a mount that forgets versions, or takes writes that follow none, is named', async (t) => {
  const config = { max_versions: 99_999, cas_required: false, delete_version_after: '720h' };
  t.strictSame(await faultsOf(t, { config }), [
    'mount max_versions: 99999',
    'mount cas_required: false',
    'mount delete_version_after: 720h0m0s',
  ]);
  t.strictSame(await faultsOf(t, { config: { max_versions: 0 } }), ['mount max_versions: 0, which means 10']);
});

t.test('each right too many is named, and who has it', async (t) => {
  for (const [where, rights, fault] of [
    ['+/metadata/*', ['list'], /^worker may on weir\/metadata\/src\/: list$/],
    ['+/destroy/src/*', ['update'], /^worker may on weir\/destroy\/src\/.*: update$/],
    ['+/config', ['read'], /^worker may on weir\/config: read$/],
    ['sys/mounts', ['read'], /^worker may on sys\/mounts: read$/],
    ['secret/data/*', ['read'], /^worker may on secret\/data\/.*: read$/],
    ['+/data/*', ['read'], /^worker may on weir\/data\/other\/.*: read$/],
    ['auth/token/create', ['create', 'sudo'], /^worker may on auth\/token\/create: create, sudo$/],
  ] as const) {
    const found = await faultsOf(t, { policy: adding('worker', rule(where, ...rights)) });
    t.ok(
      found.some((line) => fault.test(line)),
      `${where}: ${found.join('; ')}`,
    );
    t.ok(found.every((line) => line.startsWith('worker ')));
  }
  const wider = (role: string, project: string) =>
    role === 'worker' ? project.replace('"read"', '"read", "delete"') : project;
  t.match(await faultsOf(t, { policy: wider }), [
    /^worker may on weir\/data\/src\/0.*: delete, read$/,
    /^worker may on weir\/data\/src\/any\/other: delete, read$/,
  ]);
});

t.test('each right too few is named', async (t) => {
  const narrower = (role: string, project: string) => (role === 'api' ? project.replace('"update", ', '') : project);
  const found = await faultsOf(t, { policy: narrower });
  t.equal(found.length, 2);
  t.match(found, [/^api may on weir\/data\/src\/.*: create, read$/, /^api may on weir\/data\/src\/any\/other: create/]);
});

t.test('a role with the default policy, a long life, or no secret id is named', async (t) => {
  const role = { token_no_default_policy: false, token_ttl: '30m', token_max_ttl: '2h', secret_id_num_uses: 40 };
  const found = await faultsOf(t, { role });
  for (const fault of [
    'token lives for: 1800 s',
    'policies: default, weir',
    'token_max_ttl: 7200 s',
    'token_no_default_policy: false',
    'secret_id_num_uses: 40',
    'may on auth/token/renew-self: update',
  ]) {
    for (const who of ['api', 'worker'])
      t.ok(
        found.some((line) => line.startsWith(`${who} ${fault}`)),
        `${who} ${fault}`,
      );
  }
});

t.test('one role for both, and what the token of the operator may not see, is named', async (t) => {
  const mount = await testMount(t, { store });
  const one = identityOf(mount, 'api');
  const both = await checkDeployment({ ...deploymentOf(mount), identities: { api: one, worker: one } });
  t.match(both.at(-1), { of: 'roles', found: 'one AppRole', status: 'fault' });
  const made = await mount.operator('POST', 'auth/token/create', {
    policies: ['nothing'],
    no_default_policy: true,
    ttl: '5m',
  });
  const blind = tokenFile(String((made.body.auth as { client_token: string }).client_token));
  const found = await checkDeployment({ ...deploymentOf(mount), tokenFile: blind });
  const unseen = found.filter(({ status }) => status === 'fault').map(({ of, fact }) => `${of} ${fact}`);
  t.strictSame(unseen, ['mount type', 'mount config', 'api token', 'worker token', 'roles API and worker']);
});

t.test('the policy of the project for the one who checks is enough', async (t) => {
  const mount = await testMount(t, { store });
  const file = new URL('../../../deploy/secret-store/check.hcl', import.meta.url);
  const policy = readFileSync(file, 'utf8').replace('"weir/', `"${mount.mount}/`);
  await mount.operator('PUT', `sys/policies/acl/${mount.mount}-check`, { policy });
  const made = await mount.operator('POST', 'auth/token/create', { policies: [`${mount.mount}-check`], ttl: '5m' });
  const token = tokenFile(String((made.body.auth as { client_token: string }).client_token));
  const facts = await checkDeployment({ ...deploymentOf(mount), tokenFile: token });
  t.strictSame(
    facts.filter(({ status }) => status === 'fault'),
    [],
  );
});

t.test('the tokens that were fetched for the check are gone after it', async (t) => {
  const mount = await testMount(t, { store });
  const stays = await logIn(exchange, identityOf(mount, 'api'));
  const looked = await mount.operator('POST', 'auth/token/lookup', { token: stays.token });
  const accessor = looked.body.data?.accessor;
  t.type(accessor, 'string');
  t.strictSame(await accessorsOf(mount), [accessor], 'a token that stays is seen');
  await checkDeployment(deploymentOf(mount));
  t.strictSame(await accessorsOf(mount), [accessor]);
});

t.test('a token file that others may read, a wrong identity and a store that is not there say so', async (t) => {
  const mount = await testMount(t, { store });
  const good = deploymentOf(mount);
  await t.rejects(checkDeployment({ ...good, tokenFile: tokenFile(store.token, 0o644) }), /others may use/);
  const wrong = { roleIdFile: tokenFile('nobody'), secretIdFile: tokenFile('nothing') };
  const identities = { ...good.identities, worker: wrong };
  await t.rejects(checkDeployment({ ...good, identities }), { code: 'store_refused', reason: 'login_refused' });
  await t.rejects(checkDeployment({ ...good, address: 'https://127.0.0.1:9' }), { code: 'store_unavailable' });
});
