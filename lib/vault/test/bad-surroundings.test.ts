import { once } from 'node:events';
import { chmodSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { mock } from 'node:test';
import { inspect } from 'node:util';
import t, { type Test } from 'tap';
import { PATIENT_MS } from '../../../test/until.ts';
import { createExchange } from '../src/kv/exchange.ts';
import { kvSecretStore } from '../src/kv/kv-secret-store.ts';
import { logIn } from '../src/kv/login.ts';
import { storeSession } from '../src/kv/session.ts';
import { secretValues } from '../src/secret-values.ts';
import { after, type Behaviour, CA, hostileStore, json } from './hostile-store.ts';

const ID = '018f0000-0000-7000-8000-000000000001';
const PATH = { tenantId: ID, credentialId: ID };
const VALUE = 'CNRY-value-71c';
const values = secretValues([['/password', VALUE]]);
/** Longer than a ping waits for an answer. */
const A_WHILE_MS = PATIENT_MS / 10;

/** Stops the clock that limits of the client go by, until `timeIsUp` or the end of the test. */
function haltTime(t: Test): void {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
}

/** Lets every limit of the client pass once what it waits for is under way. */
const timeIsUp = (): void => void setImmediate(() => mock.timers.tick(PATIENT_MS));

/** The identity files of a service; the secret id is a canary too. */
function identityIn(folder: string) {
  const identity = { roleIdFile: path.join(folder, 'role-id'), secretIdFile: path.join(folder, 'secret-id') };
  for (const [file, text] of [
    [identity.roleIdFile, 'role'],
    [identity.secretIdFile, 'CNRY-secret-id'],
  ] as const) {
    writeFileSync(file, text);
    chmodSync(file, 0o400);
  }
  return identity;
}

/** A client that is patient with the store. */
function client(t: Test, origin: URL, { ca = CA, identity = identityIn(t.testdir()) } = {}) {
  const exchange = createExchange({ origin, ca, exchangeMs: PATIENT_MS });
  const deps = { logIn: () => logIn(exchange, identity), now: () => performance.now(), random: () => 0.5 };
  return { store: kvSecretStore({ exchange, session: storeSession(deps), mount: 'weir' }), identity };
}

/** Code and reason of a fault; nothing that it prints may hold a secret, a token, an address or the store's own words. */
async function faultOf(t: Test, work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    (found) => `done: ${inspect(found)}`,
    (error: unknown) => error as { code: string; reason: string },
  );
  t.notMatch(inspect(error, { depth: 9, showHidden: true }).replaceAll(/^ +at .*$/gm, ''), /CNRY|127\.0\.0\.1|018f/);
  return typeof error === 'string' ? error : `${error.code} ${error.reason}`;
}

const echo = { errors: ['CNRY-echo of the request'] };
const good = { data: { data: { '/password': VALUE }, metadata: { version: 1, deletion_time: '' } } };

/** What the store does, and what a read, a write and the newest version are then. */
const CASES: [name: string, does: Behaviour, read: string, write: string][] = [
  ['is sealed', json(503, { errors: ['Vault is sealed'] }), 'store_unavailable sealed', 'store_unavailable sealed'],
  ['answers 500', after(json(500, echo)), 'store_unavailable answered_5xx', 'outcome_unknown answered_5xx'],
  ['answers 503', after(json(503, echo)), 'store_unavailable answered_5xx', 'outcome_unknown answered_5xx'],
  ['answers 429', json(429, echo), 'store_unavailable answered_5xx', 'store_unavailable answered_5xx'],
  ['answers 473', json(473, echo), 'store_unavailable answered_5xx', 'store_unavailable answered_5xx'],
  [
    'redirects',
    json(307, echo, { location: 'https://127.0.0.1:1/' }),
    'store_refused redirected',
    'store_refused redirected',
  ],
  ['redirects for good', json(301, {}, { location: '/CNRY' }), 'store_refused redirected', 'store_refused redirected'],
  ['forbids', json(403, echo), 'store_refused not_allowed', 'store_refused not_allowed'],
  ['answers 400', json(400, echo), 'store_refused rejected', 'store_refused rejected'],
  ['answers 418', json(418, 'CNRY'), 'store_refused rejected', 'store_refused rejected'],
  ['never answers', timeIsUp, 'store_unavailable timed_out', 'outcome_unknown timed_out'],
  [
    'stops in the middle of its answer',
    after((_, answer) => answer.writeHead(200).write('{"data":{"data":{"/password":"CN', timeIsUp)),
    'store_unavailable timed_out',
    'outcome_unknown timed_out',
  ],
  [
    'breaks off its answer',
    after((_, answer) => {
      answer.writeHead(200, { 'content-length': 500 }).write('{"data":', () => answer.destroy());
    }),
    'store_unavailable connection_lost',
    'outcome_unknown connection_lost',
  ],
  [
    'closes the connection',
    after((request) => request.socket.destroy()),
    'store_unavailable connection_lost',
    'outcome_unknown connection_lost',
  ],
  [
    'answers with no JSON',
    after((_, answer) => answer.end('<html>CNRY</html>')),
    'store_unavailable answer_invalid',
    'outcome_unknown answer_invalid',
  ],
  ['answers with other JSON', json(200, [good]), 'store_unavailable answer_invalid', 'outcome_unknown answer_invalid'],
  [
    'answers with another version',
    json(200, { data: { ...good.data, version: 7, metadata: { version: 7, deletion_time: '' } } }),
    'store_unavailable answer_invalid',
    'outcome_unknown answer_invalid',
  ],
  [
    'lets versions expire',
    json(200, {
      data: { ...good.data, version: 1, deletion_time: 'soon', metadata: { version: 1, deletion_time: 'x' } },
    }),
    'store_refused versions_expire',
    'store_refused versions_expire',
  ],
  [
    'answers without an end',
    after((_, answer) => {
      const more = () => answer.write('x'.repeat(64 * 1024)) && !answer.destroyed && setImmediate(more);
      answer.writeHead(200).on('drain', more);
      more();
    }),
    'store_unavailable answer_too_large',
    'outcome_unknown answer_too_large',
  ],
  [
    'answers with endless headers',
    after((_, answer) => answer.writeHead(200, { 'x-much': 'x'.repeat(40_000) }).end('{}')),
    'store_unavailable connection_lost',
    'outcome_unknown connection_lost',
  ],
];

for (const [name, behaviour, read, write] of CASES) {
  t.test(`a store that ${name}`, async (t) => {
    const { origin, asked } = await hostileStore(t, behaviour);
    if (read.endsWith('timed_out')) haltTime(t);
    const { store } = client(t, origin);
    t.equal(await faultOf(t, store.read(PATH, 1)), read);
    t.equal(await faultOf(t, store.write(PATH, 0, values)), write);
    if (name !== 'answers with another version') t.equal(await faultOf(t, store.current(PATH)), read);
    t.ok(
      asked.every((request) => /^(POST|GET) \/v1\/(auth\/approle\/login|weir\/data\/src\/)/.test(request)),
      'nothing else was asked, no redirect followed',
    );
    t.ok(asked.length <= 8, `${asked.length} requests`);
  });
}

t.test('a store that cannot be reached, or whose authority is another, has seen nothing', async (t) => {
  const { origin } = await hostileStore(t, json(200, good));
  const { store: strange } = client(t, origin, {
    ca: readFileSync(new URL('fixtures/other-ca.pem', import.meta.url), 'utf8'),
  });
  const silent = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => timeIsUp());
  }).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.teardown(() => silent.close());
  const nobody = new URL(`https://127.0.0.1:${(silent.address() as { port: number }).port}`);
  haltTime(t);
  const { store: mute } = client(t, nobody);
  const { store: absent } = client(t, new URL('https://127.0.0.1:9'));
  const { store: named } = client(t, new URL(`https://127.0.0.2:${origin.port}`));
  for (const [store, reason] of [
    [strange, 'tls_failed'],
    [mute, 'timed_out'],
    [absent, 'address_unreachable'],
    [named, 'address_unreachable'],
  ] as const) {
    t.equal(await faultOf(t, store.write(PATH, 0, values)), `store_unavailable ${reason}`);
    t.equal(await faultOf(t, store.read(PATH, 1)), `store_unavailable ${reason}`);
    t.equal(await store.ping(), false);
  }
});

t.test(
  'a store that hangs is told to be down while it still hangs, and is asked once for all who want to know',
  async (t) => {
    const identity = identityIn(t.testdir());
    const isAsked = Promise.withResolvers<void>();
    const { origin, asked } = await hostileStore(t, () => isAsked.resolve());
    haltTime(t);
    const { store } = client(t, origin, { identity });
    const pings = Promise.all(Array.from({ length: 50 }, () => store.ping()));
    await isAsked.promise;
    mock.timers.tick(A_WHILE_MS);
    t.strictSame(new Set(await pings), new Set([false]));
    const again = store.ping();
    mock.timers.tick(A_WHILE_MS);
    t.equal(await again, false);
    t.strictSame(asked, ['POST /v1/auth/approle/login', 'GET /v1/sys/health?standbyok=true']);
  },
);

t.test('identity files are looked at again before each login', async (t) => {
  const { origin, asked } = await hostileStore(t, json(200, good));
  const folder = t.testdir();
  const identity = identityIn(folder);
  const aside = path.join(folder, 'aside');
  const refusals: (() => void)[] = [
    () => chmodSync(identity.secretIdFile, 0o444),
    () => renameSync(identity.secretIdFile, aside),
    () => {
      chmodSync(aside, 0o400);
      symlinkSync(aside, identity.secretIdFile);
    },
  ];
  for (const change of refusals) {
    change();
    const { store } = client(t, origin, { identity });
    t.equal(await faultOf(t, store.read(PATH, 1)), 'store_refused identity_file');
  }
  t.strictSame(asked, []);
});

t.test('a login that is refused says so, and nothing else is asked', async (t) => {
  const { origin } = await hostileStore(t, json(200, good));
  const exchange = createExchange({ origin, ca: CA, exchangeMs: PATIENT_MS });
  const identity = identityIn(t.testdir());
  for (const [status, fault] of [
    [400, 'store_refused login_refused'],
    [403, 'store_refused login_refused'],
    [307, 'store_refused redirected'],
    [503, 'store_unavailable answered_5xx'],
  ] as const) {
    const refusing = async () => ({ status, body: echo });
    t.equal(await faultOf(t, logIn(refusing, identity)), fault);
  }
  for (const body of [undefined, {}, { auth: {} }, { auth: { client_token: 1, lease_duration: 1 } }]) {
    t.equal(
      await faultOf(
        t,
        logIn(async () => ({ status: 200, body }), identity),
      ),
      'store_unavailable answer_invalid',
    );
  }
  t.match(await logIn(exchange, identity), { lifeMs: 1_200_000 });
});
