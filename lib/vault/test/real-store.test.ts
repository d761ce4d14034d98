import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { type TestMountOptions, testMount, testStore } from '../../../test/secret-mount.ts';
import { findSecretStore, startSecretStore, unseal } from '../../../test/secret-store.ts';
import { createExchange, type Exchange } from '../src/kv/exchange.ts';
import { kvSecretStore } from '../src/kv/kv-secret-store.ts';
import { logIn } from '../src/kv/login.ts';
import { PROBE, provedStore } from '../src/kv/prove-mount.ts';
import { storeSession } from '../src/kv/session.ts';
import { revealJson, secretValues } from '../src/secret-values.ts';

const ID = '018f0000-0000-7000-8000-000000000001';
const PATH = { tenantId: ID, credentialId: ID };
const READS = 100;
const values = secretValues([['/password', 'x']]);

const store = await testStore(t);

/** The client on a mount of its own, with a look at what it asks and a clock that the test moves. */
async function client(t: Test, options: TestMountOptions = {}) {
  const { store: server = store } = options;
  const { mount, environment, operator, nameOf } = await testMount(t, { ...options, store: server });
  const variables = environment('api');
  const file = (name: string) => variables[`SECRET_STORE_${name}_ID_FILE`] ?? '';
  const ask = createExchange({ origin: new URL(server.address), ca: readFileSync(server.caFile, 'utf8') });
  const state = { later: 0, logins: 0, tokens: new Set<string>() };
  const exchange: Exchange = (request) => {
    if (request.path.startsWith('auth/')) state.logins += 1;
    if (request.token !== undefined) state.tokens.add(request.token);
    return ask(request);
  };
  const identity = { roleIdFile: file('ROLE'), secretIdFile: file('SECRET') };
  const session = storeSession({
    logIn: () => logIn(exchange, identity),
    now: () => performance.now() + state.later,
    random: () => 0.5,
  });
  return { ...{ mount, operator, nameOf, identity, state }, kv: kvSecretStore({ exchange, session, mount }) };
}

t.test('a hundred reads at once on a token at the end of its life, or revoked, need one login', async (t) => {
  const { kv, operator, state } = await client(t);
  await kv.write(PATH, 0, values);
  const reads = async () => {
    const found = await Promise.all(Array.from({ length: READS }, () => kv.read(PATH, 1)));
    return new Set(found.map(revealJson)).size;
  };
  t.equal(await reads(), 1);
  t.equal(state.logins, 1);
  state.later += 14 * 60_000;
  t.equal(await reads(), 1);
  t.equal(state.logins, 2);
  for (const token of state.tokens) await operator('POST', 'auth/token/revoke', { token });
  t.equal(await reads(), 1);
  t.equal(state.logins, 3);
  state.later += 60 * 60_000;
  t.equal(await reads(), 1);
  t.equal(state.logins, 4);
});

t.test('a token that is revoked between two writes costs no write', async (t) => {
  const { kv, operator, state } = await client(t);
  for (let version = 0; version < 5; version += 1) {
    t.equal(await kv.write(PATH, version, values), version + 1);
    for (const token of state.tokens) await operator('POST', 'auth/token/revoke', { token });
  }
  t.equal((await kv.current(PATH))?.version, 5);
});

t.test('a secret id that an operator exchanges is used from the next login on', async (t) => {
  const { kv, operator, nameOf, identity, state } = await client(t);
  await kv.write(PATH, 0, values);
  const role = `auth/approle/role/${nameOf('api')}`;
  const old = readFileSync(identity.secretIdFile, 'utf8');
  const made = await operator('POST', `${role}/secret-id`, {});
  await operator('POST', `${role}/secret-id/destroy`, { secret_id: old });
  for (const token of state.tokens) await operator('POST', 'auth/token/revoke', { token });
  await t.rejects(kv.read(PATH, 1), { code: 'store_refused', reason: 'login_refused' });
  chmodSync(identity.secretIdFile, 0o600);
  writeFileSync(identity.secretIdFile, String(made.body.data?.secret_id));
  chmodSync(identity.secretIdFile, 0o440);
  t.equal(revealJson(await kv.read(PATH, 1)), revealJson(values));
});

t.test('a role that lost its rights is told so, without a login for each call', async (t) => {
  const { kv, operator, nameOf, state } = await client(t);
  await kv.write(PATH, 0, values);
  await operator('PUT', `sys/policies/acl/${nameOf('api')}`, { policy: 'path "x" { capabilities = ["read"] }' });
  for (let tried = 0; tried < 10; tried += 1) {
    await t.rejects(kv.read(PATH, 1), { code: 'store_refused', reason: 'not_allowed' });
  }
  t.equal(state.logins, 2);
});

t.test('a version that was deleted or destroyed is version_missing', async (t) => {
  const { kv, mount, operator } = await client(t);
  for (let version = 0; version < 3; version += 1) await kv.write(PATH, version, values);
  await operator('POST', `${mount}/delete/src/${ID}/${ID}`, { versions: [1] });
  await operator('POST', `${mount}/destroy/src/${ID}/${ID}`, { versions: [2] });
  await t.rejects(kv.read(PATH, 1), { code: 'version_missing' });
  await t.rejects(kv.read(PATH, 2), { code: 'version_missing' });
  t.equal(revealJson(await kv.read(PATH, 3)), revealJson(values));
});

t.test(
  'the first write proves the mount once, however many come, and none goes to a mount that is not fit',
  async (t) => {
    const fit = await client(t);
    const proved = provedStore(fit.kv);
    const ids = Array.from({ length: 8 }, (_, at) => ({ tenantId: ID, credentialId: ID.replace(/.$/, String(at)) }));
    t.strictSame(await Promise.all(ids.map((path) => proved.write(path, 0, values))), Array(8).fill(1));
    t.equal((await fit.kv.current(PROBE))?.version, 12);
    await Promise.all([provedStore(fit.kv).prove(), provedStore(fit.kv).prove()]);
    t.equal((await fit.kv.current(PROBE))?.version, 12, 'a mount that was proved is not written to again');
    const unfit = await client(t, { config: { max_versions: 10 } });
    const refused = provedStore(unfit.kv);
    for (let tried = 0; tried < 2; tried += 1) {
      await t.rejects(refused.write(PATH, 0, values), { code: 'store_refused', reason: 'too_few_versions' });
    }
    t.equal(await unfit.kv.current(PATH), undefined);
    await unfit.operator('POST', `${unfit.mount}/config`, { max_versions: 100_000, cas_required: true });
  },
);

t.test('processes that prove a mount at the same time do not hinder each other', async (t) => {
  const { kv } = await client(t);
  await Promise.all(Array.from({ length: 4 }, () => provedStore(kv).prove()));
  t.equal((await kv.current(PROBE))?.version, 12);
});

t.test('a store that is sealed is unavailable, and serves again when it is opened', async (t) => {
  const own = await startSecretStore({ binary: await findSecretStore(), folder: t.testdir() });
  t.teardown(() => own.stop());
  const { kv, operator } = await client(t, { store: own });
  await operator('PUT', 'sys/seal');
  t.equal(await kv.ping(), false);
  await t.rejects(kv.write(PATH, 0, values), { code: 'store_unavailable' });
  await unseal(own);
  t.equal(await kv.ping(), true);
  t.equal(await kv.write(PATH, 0, values), 1);
});
