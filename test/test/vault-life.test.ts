import {
  type CredentialView,
  createSource,
  getCredentials,
  rotateCredentials,
  type SourceView,
} from '@weir/plugin-sources/contract';
import { openVault, type SecretStore, type Vault } from '@weir/vault';
import { testSealer } from '@weir/vault/testing';
import t from 'tap';
import { after, type Behaviour, hostileStore, json } from '../../lib/vault/test/hostile-store.ts';
import { credentialsWorld, vaultedSource } from '../../plugins/sources/test/credentials-world.ts';
import { VAULTED_CONFIG, vaultedValues } from '../../plugins/sources/test/vaulted-source.ts';
import { testMount, testStore } from '../secret-mount.ts';
import { findSecretStore, startSecretStore, unseal } from '../secret-store.ts';

const MARK = 'CNRY-life-3f';
const server = await testStore(t);
const { environment, mount, operator } = await testMount(t, { store: server });

/** The store of what the settings name. */
function storeOf(settings: Record<string, string>): SecretStore {
  const { vault, faults } = openVault(settings, {});
  if (vault.store === undefined || faults.length > 0) throw new Error(faults.join('; '));
  return vault.store;
}

/** A deployment whose store can be exchanged while it runs, as when the one behind its address is. */
const real = storeOf(environment('api'));
let behind = real;
const vault: Vault = {
  mode: 'secret_store',
  sealer: testSealer(),
  store: {
    write: (...given) => behind.write(...given),
    read: (...given) => behind.read(...given),
    current: (...given) => behind.current(...given),
    ping: () => behind.ping(),
  },
};
const world = await credentialsWorld(t, vault);
await world.tenant('demo');
const api = world.as('demo').call;
const source: SourceView = await vaultedSource(api, 'first', MARK);
const params = { source_id: source.source_id };
const rotate = (mark: string) => api(rotateCredentials, { params, body: { credential_values: vaultedValues(mark) } });
const version = async () => ((await api(getCredentials, { params })) as { body: CredentialView }).body.version;

t.test(
  'a credential of a source lies in a real OpenBao at its exact version, and nothing of it in the database',
  async (t) => {
    t.equal(await version(), 1);
    t.match(await rotate(`${MARK}-2`), { ok: true, body: { version: 2 } });
    const [row] = await world.database.peek('select tenant_id, credential_id from sources.credential');
    const path = `${mount}/data/src/${row?.tenant_id}/${row?.credential_id}`;
    for (const [at, mark] of [
      [1, MARK],
      [2, `${MARK}-2`],
    ] as const) {
      const kept = await operator('GET', `${path}?version=${at}`);
      t.match(kept.body.data?.data, { '/auth/password': `${mark}-password`, '/pin': 730_411_927 });
    }
    const tables = await world.database.peek(
      "select table_schema || '.' || table_name as name from information_schema.tables where table_schema = 'sources'",
    );
    for (const { name } of tables) {
      const rows = await world.database.peek(`select t::text as text from ${name} t`);
      t.notMatch(JSON.stringify(rows), /CNRY|730411927/, String(name));
    }
  },
);

const BEHAVIOURS: [name: string, does: Behaviour][] = [
  ['answers with a redirect', json(307, {}, { location: 'https://127.0.0.1:9/' })],
  ['answers 500', after(json(500, { errors: [MARK] }))],
  ['is sealed', json(503, { errors: ['Vault is sealed'] })],
  ['forbids', json(403, { errors: [MARK] })],
  ['breaks off its answer', after((request) => request.socket.destroy())],
  ['answers with something else', after((_, answer) => answer.end(MARK))],
  [
    'keeps too few versions',
    after((request, answer) => {
      if (request.method === 'POST')
        return json(400, { errors: ['check-and-set parameter required'] })(request, answer);
      const metadata = { version: 12, deletion_time: '' };
      const found = request.url?.includes('version=') ? json(404, {}) : json(200, { data: { data: {}, metadata } });
      return found(request, answer);
    }),
  ],
];

for (const [name, does] of BEHAVIOURS) {
  t.test(
    `with a store that ${name} a credential is refused with its code, nothing is echoed, and nothing changes`,
    async (t) => {
      const { origin } = await hostileStore(t, does);
      behind = storeOf({ ...environment('api'), SECRET_STORE_ADDR: origin.origin });
      t.teardown(() => {
        behind = real;
      });
      const before = await version();
      const body = {
        ...{ name: `bad-${BEHAVIOURS.findIndex(([other]) => other === name)}`, pattern_id: 'vaulted' },
        ...{ source_config: VAULTED_CONFIG, credential_values: vaultedValues(MARK), credential_name: 'bad' },
      };
      for (const answer of [await rotate(`${MARK}-x`), await api(createSource, { body })]) {
        t.match(answer, { ok: false, problem: { status: 503, code: 'secret_store_unavailable' } });
        t.notMatch(JSON.stringify(answer), /CNRY|127\.0\.0\.1/);
      }
      t.equal(await version(), before, 'what is known of it is answered all the same');
    },
  );
}

t.test('a store that is sealed in between serves again once it is opened', async (t) => {
  const own = await startSecretStore({ binary: await findSecretStore(), folder: t.testdir() });
  t.teardown(() => own.stop());
  const other = await testMount(t, { store: own });
  behind = storeOf(other.environment('api'));
  t.teardown(() => {
    behind = real;
  });
  const made = await vaultedSource(api, 'elsewhere', MARK);
  const body = { credential_values: vaultedValues(`${MARK}-9`) };
  const again = () => api(rotateCredentials, { params: { source_id: made.source_id }, body });
  await other.operator('PUT', 'sys/seal');
  t.match(await again(), { ok: false, problem: { status: 503, code: 'secret_store_unavailable' } });
  await unseal(own);
  t.match(await again(), { ok: true, body: { version: 2 } });
});
