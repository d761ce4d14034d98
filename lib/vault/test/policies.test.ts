import { readFileSync } from 'node:fs';
import t from 'tap';
import { type StoreRole, testMount, testStore } from '../../../test/secret-mount.ts';
import { askAsOperator } from '../../../test/secret-store.ts';
import { createExchange } from '../src/kv/exchange.ts';
import { logIn } from '../src/kv/login.ts';

const TENANT = '018f0000-0000-7000-8000-000000000001';
const CREDENTIAL = '018f0000-0000-7000-8000-000000000002';

const store = await testStore(t);
const { mount, environment, operator } = await testMount(t, { store });
const { mount: other } = await testMount(t, { store });
const at = `${TENANT}/${CREDENTIAL}`;

async function tokenOf(role: StoreRole): Promise<string> {
  const {
    SECRET_STORE_ADDR: address = '',
    SECRET_STORE_CACERT: ca = '',
    SECRET_STORE_ROLE_ID_FILE: roleIdFile = '',
    SECRET_STORE_SECRET_ID_FILE: secretIdFile = '',
  } = environment(role);
  const exchange = createExchange({ origin: new URL(address), ca: readFileSync(ca, 'utf8') });
  return (await logIn(exchange, { roleIdFile, secretIdFile })).token;
}

const as = async (role: StoreRole) => {
  const token = await tokenOf(role);
  return async (method: string, path: string, body?: object) =>
    (await askAsOperator({ ...store, token }, method, path, body)).status;
};
const [api, worker] = [await as('api'), await as('worker')];

/** What neither role may do, each with the method that would do it. */
const FORBIDDEN: [method: string, path: string, body?: object][] = [
  ['DELETE', `${mount}/data/src/${at}`],
  ['PATCH', `${mount}/data/src/${at}`, { data: { a: 1 }, options: { cas: 1 } }],
  ['POST', `${mount}/delete/src/${at}`, { versions: [1] }],
  ['POST', `${mount}/undelete/src/${at}`, { versions: [1] }],
  ['POST', `${mount}/destroy/src/${at}`, { versions: [1] }],
  ['GET', `${mount}/metadata/src/${at}`],
  ['POST', `${mount}/metadata/src/${at}`, { max_versions: 1 }],
  ['DELETE', `${mount}/metadata/src/${at}`],
  ['LIST', `${mount}/metadata/src/${TENANT}`],
  ['LIST', `${mount}/metadata/src`],
  ['LIST', `${mount}/data/src/${TENANT}`],
  ['GET', `${mount}/subkeys/src/${at}`],
  ['GET', `${mount}/config`],
  ['POST', `${mount}/config`, { max_versions: 1 }],
  ['GET', `${mount}/data/src/${TENANT}`],
  ['POST', `${mount}/data/src/${TENANT}`, { data: {} }],
  ['GET', `${mount}/data/src/${at}/more`],
  ['GET', `${mount}/data/other/${at}`],
  ['GET', `${other}/data/src/${at}`],
  ['POST', `${other}/data/src/${at}`, { data: {}, options: { cas: 0 } }],
  ['GET', `cubbyhole/${CREDENTIAL}`],
  ['GET', 'sys/mounts'],
  ['POST', `sys/mounts/${mount}-more`, { type: 'kv' }],
  ['GET', 'sys/policies/acl/root'],
  ['GET', 'sys/auth'],
  ['GET', 'auth/approle/role/x/role-id'],
  ['POST', 'auth/token/create', {}],
  ['POST', 'auth/token/renew-self', {}],
  ['GET', 'auth/token/lookup-self'],
  ['POST', 'sys/capabilities-self', { paths: ['sys/mounts'] }],
];

t.test('the API creates, updates and reads secrets, and does nothing else', async (t) => {
  t.equal(await api('POST', `${mount}/data/src/${at}`, { data: { a: 1 }, options: { cas: 0 } }), 200);
  t.equal(await api('POST', `${mount}/data/src/${at}`, { data: { a: 2 }, options: { cas: 1 } }), 200);
  t.equal(await api('GET', `${mount}/data/src/${at}?version=1`), 200);
  for (const [method, path, body] of FORBIDDEN) t.equal(await api(method, path, body), 403, `${method} ${path}`);
});

t.test('a worker reads secrets, and does nothing else', async (t) => {
  t.equal(await worker('GET', `${mount}/data/src/${at}?version=1`), 200);
  for (const [method, path, body] of [
    ...FORBIDDEN,
    ['POST', `${mount}/data/src/${at}`, { data: {}, options: { cas: 2 } }] as const,
    ['POST', `${mount}/data/src/${TENANT}/${TENANT}`, { data: {}, options: { cas: 0 } }] as const,
  ]) {
    t.equal(await worker(method, path, body), 403, `${method} ${path}`);
  }
});

t.test('nothing of what was tried has changed anything', async (t) => {
  const found = await operator('GET', `${mount}/metadata/src/${at}`);
  t.match(found.body.data, {
    current_version: 2,
    max_versions: 0,
    versions: { 1: { destroyed: false, deletion_time: '' } },
  });
  t.equal((await operator('GET', `${mount}/config`)).body.data?.max_versions, 100_000);
  t.strictSame((await operator('LIST', `${other}/metadata`)).status, 404);
});

t.test('a path with dots leads nowhere: the store answers with a redirect, which is not followed', async (t) => {
  for (const path of [`${mount}/data/src/../src/${at}`, `${mount}/data/src/${TENANT}/../../../config`]) {
    const exchange = createExchange({ origin: new URL(store.address), ca: readFileSync(store.caFile, 'utf8') });
    const { status } = await exchange({ method: 'GET', path, token: await tokenOf('api') });
    t.ok([307, 403, 404].includes(status), `${status}`);
  }
});
