import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Refusal, Secret } from '@weir/kernel';
import { bootPlatform, startApi } from '@weir/kernel/boot';
import { pino } from 'pino';
import t from 'tap';
import { keyFile } from '../../../test/key-file.ts';
import { refuseSameSecrets } from '../src/api/webhooks.ts';
import {
  createSource,
  discoverPatterns,
  getPattern,
  getSource,
  listStreams,
  refreshSchema,
  type SnapshotStreamBody,
  updateSource,
} from '../src/contract.ts';
import { signBody } from '../src/model/pattern/webhook-signature.ts';
import { type Api, ok, refusal, testPlatform } from './platform.ts';

const REGISTER = { path: '/patterns/register', secret: 'register-secret-of-a-test' };
const RECONCILE = { path: '/patterns/reconcile', secret: 'reconcile-secret-of-a-test' };
/** A deployment that takes no patterns from outside. */
const CLOSED = { PATTERN_WEBHOOK_SECRET: undefined, PATTERN_ADMIN_SECRET: undefined };
const DAY_MS = 86_400_000;

const spec = { type: 'object', required: ['host'], properties: { host: { type: 'string' } } };
const shop = {
  ...{ id: 'shop', version: '1.0.0', display: { name: 'Shop' }, image: 'x/shop:1.0.0', source_name: 'source-shop' },
  ...{ protocol: 'airbyte', spec },
};
const { spec: _, ...bare } = { ...shop, id: 'declared' };
const manifest = { spec: { type: 'Spec', connection_specification: spec } };
const ids = async (api: Api) =>
  ok(await api(discoverPatterns)).items.map(({ pattern_id, version }) => `${pattern_id} ${version}`);
const outcomes = (answer: Awaited<ReturnType<typeof send>>) =>
  Object.fromEntries(
    (answer.said.items as { pattern_id: string; outcome: string }[]).map((one) => [one.pattern_id, one.outcome]),
  );

/** What a signed request is answered; each is signed a second later than the one before, as one counts once. */
let signed = 0;
async function send(
  url: string,
  { path, secret }: typeof REGISTER,
  body: object | string,
  change: { at?: Date; headers?: Record<string, string> } = {},
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  signed += 1;
  const at = change.at ?? new Date(Date.now() - 100_000 + signed * 1_000);
  const headers = { 'content-type': 'application/json', ...signBody(secret, text, at), ...change.headers };
  const answer = await fetch(`${url}/api/v1${path}`, { method: 'POST', body: text, headers });
  const said = (await answer.json()) as Record<string, unknown> & { code?: string; items?: object[] };
  return { status: answer.status, said, what: answer.ok ? String(said.outcome) : `${answer.status} ${said.code}` };
}

/** The platform with pattern files in a folder of the test, and how to start another API over the same database. */
async function world(t: Parameters<typeof testPlatform>[0]) {
  const files = new Map<string, string>();
  const platform = await testPlatform(t, async (folder) => {
    const place = join(folder, 'patterns');
    await mkdir(place);
    await writeFile(join(place, 'filed.json'), JSON.stringify({ ...shop, id: 'filed' }));
    const deployment = join(folder, 'platform.json');
    await writeFile(deployment, JSON.stringify({ patterns: ['patterns'] }));
    files.set('place', place);
    const secrets = { PATTERN_WEBHOOK_SECRET: REGISTER.secret, PATTERN_ADMIN_SECRET: RECONCILE.secret };
    return { WEIR_PLATFORM: deployment, ...secrets, WEIR_CREDENTIAL_KEY_FILE: await keyFile(folder) };
  });
  const another = async (changes: Record<string, string | undefined> = {}) => {
    const booted = await bootPlatform({
      platformFile: resolve(import.meta.dirname, '../../../platform.json'),
      environment: { ...platform.environment, ...changes } as Record<string, string>,
      program: 'api',
      log: pino({ level: 'silent' }),
    });
    const api = await startApi(booted);
    t.teardown(async () => {
      await api.stop();
      await booted.stop();
    });
    return api.url;
  };
  return { platform, another, other: await another(), place: files.get('place') ?? '' };
}

const ready = async (url: string) => {
  const answer = await fetch(`${url}/ready`);
  return { status: answer.status, ...((await answer.json()) as { parts?: Record<string, string> }) };
};

const shared = world(t);

t.test('a pattern lives in the database: files bring it, requests change it, every process sees it', async (t) => {
  const { platform, other } = await shared;
  const { url } = platform;
  const api = await platform.as('acme');
  t.strictSame(await ids(api), ['filed 1.0.0']);

  t.equal((await send(url, REGISTER, { pattern: shop })).what, 'created');
  t.equal((await send(url, REGISTER, { pattern: shop })).what, 'unchanged');
  t.equal((await send(other, REGISTER, { pattern: { ...shop, version: '1.1.0' } })).what, 'updated');
  t.strictSame(await ids(api), ['filed 1.0.0', 'shop 1.1.0'], 'what another process has taken is there');
  t.equal(
    (await send(url, REGISTER, { pattern: { ...shop, image: 'x/other:1.0.0' } })).what,
    '409 pattern_version_taken',
  );
  t.equal(
    (await send(url, REGISTER, { pattern: { ...shop, version: '3.0.0', spec: { type: 'odd' } } })).what,
    '422 pattern_invalid',
  );
  t.equal((await send(url, REGISTER, { pattern: { ...shop, extra: 1 } })).what, '400 validation_failed');
  t.match(await send(url, REGISTER, { pattern: bare }), {
    what: '422 pattern_invalid',
    said: { errors: [{ pointer: '/pattern/spec', code: 'required' }] },
  });
  t.equal((await send(url, REGISTER, { pattern: { ...bare, manifest } })).what, 'created', 'by the manifest alone');
  t.strictSame(ok(await api(getPattern, { params: { pattern_id: 'declared' } })).spec, spec);
});

t.test('a reconciliation retires what its set does not name, and changes no source', async (t) => {
  const { platform } = await shared;
  const { url } = platform;
  const api = await platform.as('acme');
  const body = { name: 'a', pattern_id: 'shop', source_config: { host: 'h' } };
  const source = ok(await api(createSource, { body }));
  t.equal(source.pattern_version, '1.1.0');

  const set = {
    patterns: [
      { ...shop, version: '1.1.0' },
      { ...shop, id: 'new' },
      { ...bare, manifest },
    ],
  };
  const wanted = { shop: 'unchanged', new: 'created', declared: 'unchanged', filed: 'retired' };
  const dry = { ...RECONCILE, path: `${RECONCILE.path}?dry_run=true` };
  t.strictSame(outcomes(await send(url, dry, set)), wanted);
  t.strictSame(await ids(api), ['declared 1.0.0', 'filed 1.0.0', 'shop 1.1.0'], 'a dry run changes nothing');
  t.strictSame(outcomes(await send(url, RECONCILE, set)), wanted);
  t.strictSame(outcomes(await send(url, RECONCILE, set)), {
    shop: 'unchanged',
    new: 'unchanged',
    declared: 'unchanged',
  });
  t.strictSame(outcomes(await send(url, RECONCILE, { patterns: [{ ...shop, id: 'new' }] })), {
    new: 'unchanged',
    declared: 'retired',
    shop: 'retired',
  });
  t.equal((await send(url, RECONCILE, { patterns: [] })).what, '400 validation_failed', 'an empty set retires nothing');
  t.equal((await send(url, RECONCILE, { patterns: [shop, shop] })).what, '422 pattern_invalid');
  t.match(ok(await api(getPattern, { params: { pattern_id: 'shop' } })), { status: 'retired', version: '1.1.0' });
  t.match(ok(await api(getSource, { params: { source_id: source.source_id } })), { source_config: { host: 'h' } });
  t.equal(refusal(await api(createSource, { body: { ...body, name: 'b' } })), '422 pattern_retired');
  t.equal((await send(url, REGISTER, { pattern: { ...shop, version: '1.1.0' } })).what, 'updated', 'and back in use');
});

t.test(
  'a file that changed renews its pattern at the next start, and brings no retired or older one back',
  async (t) => {
    const { platform, another, place } = await shared;
    const api = await platform.as('acme');
    await writeFile(join(place, 'filed.json'), JSON.stringify({ ...shop, id: 'filed', version: '1.2.0' }));
    await writeFile(join(place, 'shop.json'), JSON.stringify(shop));
    await writeFile(join(place, 'late.json'), JSON.stringify({ ...shop, id: 'late' }));
    await another();
    t.strictSame(
      await ids(api),
      ['late 1.0.0', 'new 1.0.0', 'shop 1.1.0'],
      'a file brings nothing back, and no older version',
    );
    t.match(ok(await api(getPattern, { params: { pattern_id: 'filed' } })), { status: 'retired', version: '1.2.0' });
    const [event] = await platform.database.peek(
      "select event from platform.audit_event where event->>'action' = 'sources.register_pattern' limit 1",
    );
    t.match(event?.event, { kind: 'webhook', subject: 'PATTERN_WEBHOOK_SECRET', result: 'done', tenant: null });
  },
);

t.test('a source runs with the version that fits it, and a credential field never comes to light', async (t) => {
  const bazaar = { ...shop, id: 'bazaar' };
  const secretive = {
    ...{ ...bazaar, version: '2.0.0' },
    spec: { ...spec, properties: { host: { type: 'string', airbyte_secret: true } } },
  };
  const { platform } = await shared;
  const { url } = platform;
  const api = await platform.as('bazaars');
  t.equal((await send(url, REGISTER, { pattern: bazaar })).what, 'created');
  const made = async (name: string, host: string) =>
    ok(
      await api(createSource, { body: { name, pattern_id: 'bazaar', source_config: {}, credential_values: { host } } }),
    ).source_id;
  const open = ok(
    await api(createSource, { body: { name: 'a', pattern_id: 'bazaar', source_config: { host: 'h' } } }),
  ).source_id;
  const versionOf = async (source_id: string) => ok(await api(getSource, { params: { source_id } })).pattern_version;

  const stricter = { ...bazaar, version: '1.1.0', spec: { ...spec, required: ['host', 'port'] } };
  t.equal((await send(url, REGISTER, { pattern: stricter })).what, 'updated');
  t.equal(await versionOf(open), '1.0.0', 'it does not fit what asks for more');
  t.equal((await send(url, REGISTER, { pattern: { ...bazaar, version: '1.2.0' } })).what, 'updated');
  t.equal(await versionOf(open), '1.2.0');

  t.equal((await send(url, REGISTER, { pattern: secretive })).what, 'updated');
  const hidden = await made('b', 'canary-host');
  const bare = { ...bazaar, version: '2.1.0' };
  const refused = await send(url, REGISTER, { pattern: bare });
  t.equal(refused.what, '409 credential_fields_removed');
  t.match(refused.said, { credential_fields: ['/host'] });
  t.equal((await send(url, REGISTER, { pattern: { ...bare, removes_credential_fields: ['/host'] } })).what, 'updated');
  const seen = ok(await api(getSource, { params: { source_id: hidden } }));
  t.equal(seen.pattern_version, '2.0.0', 'what was a credential stays one');
  t.notMatch(JSON.stringify(seen), /canary/);
  const renamed = ok(await api(updateSource, { params: { source_id: hidden }, body: { name: 'c' } }));
  t.notMatch(JSON.stringify(renamed), /canary/);
});

t.test('a source is moved to the version in force by whoever changes it to fit that', async (t) => {
  const { platform } = await shared;
  const { url } = platform;
  const api = await platform.as('movers');
  const strict = { ...spec, additionalProperties: false };
  const mart = { ...shop, id: 'mart', spec: strict };
  const next = (version: string, properties: object, required: string[], more: object = {}) =>
    send(url, REGISTER, { pattern: { ...mart, version, ...more, spec: { ...strict, required, properties } } });
  const [text, secret] = [{ type: 'string' }, { type: 'string', airbyte_secret: true }];
  t.equal((await send(url, REGISTER, { pattern: mart })).what, 'created');
  const body = { name: 'a', pattern_id: 'mart', source_config: { host: 'h' } };
  const params = { source_id: ok(await api(createSource, { body })).source_id };
  const update = (body: object) => api(updateSource, { params, body });

  await next('2.0.0', { server: text }, ['server']);
  const moved = { source_config: { host: null, server: 's' } };
  t.equal(refusal(await update(moved)), '422 source_config_invalid', 'it is checked against what the source runs with');
  for (const pattern_version of ['1.0.0', '3.0.0', ''])
    t.equal(refusal(await update({ pattern_version, ...moved })), '409 pattern_version_not_in_force');
  t.match(await update({ pattern_version: '2.0.0' }), {
    problem: {
      code: 'source_config_invalid',
      errors: [{ code: 'undeclared_field' }, { pointer: '/source_config/server', code: 'required' }],
    },
  });
  t.match(ok(await api(getSource, { params })), { pattern_version: '1.0.0', source_config: { host: 'h' }, etag: '1' });
  t.match(ok(await update({ pattern_version: '2.0.0', ...moved })), {
    pattern_version: '2.0.0',
    source_config: { server: 's' },
  });

  await next('2.1.0', { server: text, key: secret }, ['server']);
  const known = { credential_values: { key: 'canary-key' } };
  t.match(ok(await update(known)), { pattern_version: '2.1.0', has_credentials: true });
  await next('3.0.0', { server: text, key: text }, ['server', 'key'], { removes_credential_fields: ['/key'] });
  t.equal(
    ok(await update({ name: 'b' })).pattern_version,
    '2.1.0',
    'a change holds it to the version that it was made for',
  );
  t.equal(
    refusal(await update({ pattern_version: '3.0.0' })),
    '422 source_config_invalid',
    'its value is none any more',
  );
  const seen = ok(await update({ pattern_version: '3.0.0', source_config: { key: 'in the open' } }));
  t.match(seen, {
    pattern_version: '3.0.0',
    source_config: { server: 's', key: 'in the open' },
    has_credentials: false,
  });
  t.notMatch(JSON.stringify(seen), /canary/);
});

t.test('new streams are set to what the pattern says where they can be, and known ones are left alone', async (t) => {
  const { platform } = await shared;
  const { url } = platform;
  const api = await platform.as('tappers');
  const tap = { ...shop, id: 'tap' };
  const next = (version: string, stream_defaults: object) =>
    send(url, REGISTER, { pattern: { ...tap, version, stream_defaults } });
  t.equal((await next('1.0.0', { sync_mode: 'incremental', write_mode: 'merge' })).what, 'created');
  const body = { name: 'a', pattern_id: 'tap', source_config: { host: 'h' } };
  const params = { source_id: ok(await api(createSource, { body })).source_id };
  const schema = { type: 'object', properties: { id: { type: 'integer' }, at: { type: 'string' } } };
  const both = { schema, supported_sync_modes: ['full_refresh' as const, 'incremental' as const] };
  const keyed = { ...both, default_cursor_field: ['at'], source_defined_primary_key: [['id']] };
  const refresh = async (streams: SnapshotStreamBody[]) => {
    ok(await api(refreshSchema, { params, body: { streams } }));
    const { items } = ok(await api(listStreams, { params }));
    return items.map((one) => `${one.name} ${one.enabled} ${one.sync_mode} ${one.write_mode}`);
  };
  const [a, b] = [
    { name: 'a', ...keyed },
    { name: 'b', ...both },
  ];
  t.strictSame(await refresh([a, b]), ['a false incremental merge', 'b false full_refresh overwrite']);
  t.equal((await next('1.1.0', { write_mode: 'append' })).what, 'updated');
  t.strictSame(await refresh([a, b, { ...keyed, name: 'c' }]), [
    ...['a false incremental merge', 'b false full_refresh overwrite', 'c false full_refresh append'],
  ]);
  const refused = await next('1.2.0', { sync_mode: 'incremental' });
  t.equal(refused.what, '422 pattern_invalid');
  t.match(refused.said.errors, [{ pointer: '/pattern/stream_defaults/write_mode', code: 'not_with_incremental' }]);
});

t.test('what no connector follows is refused, and what was stored with it before is read as ever', async (t) => {
  const { platform } = await shared;
  const { url } = platform;
  const api = await platform.as('olden');
  const old = { ...shop, id: 'old', egress: ['{host}:443'] };
  const singer = await send(url, REGISTER, { pattern: { ...old, protocol: 'singer' } });
  t.match(singer, {
    what: '422 pattern_invalid',
    said: { errors: [{ pointer: '/pattern/protocol', code: 'not_supported' }], hint: /Singer bridge.*say airbyte/ },
  });
  t.match(await send(url, REGISTER, { pattern: { ...old, namespace_rule: 'none' } }), {
    what: '400 validation_failed',
    said: { errors: [{ pointer: '/pattern', code: 'additionalProperties' }] },
  });
  t.equal((await send(url, REGISTER, { pattern: old })).what, 'created');
  const params = { pattern_id: 'old' };
  t.strictSame(ok(await api(getPattern, { params })).egress, ['{host}:443']);
  const egress = ['anywhere', 'a.example:443'];
  const before = { protocol: 'singer', namespace_rule: 'none', egress, stream_defaults: { mode: 1 } };
  await platform.database.peek(
    `update sources.pattern_version set document = (document::jsonb || '${JSON.stringify(before)}')::json where pattern_id = 'old'`,
  );
  await platform.database.peek("update sources.pattern set sha256 = 'as it was' where pattern_id = 'old'");
  t.match(ok(await api(getPattern, { params })), { version: '1.0.0', egress: ['a.example:443'] });
  const body = { name: 'a', pattern_id: 'old', source_config: { host: 'h' } };
  const { source_id } = ok(await api(createSource, { body }));
  const streams = [{ name: 'a', schema: {}, supported_sync_modes: ['full_refresh' as const] }];
  ok(await api(refreshSchema, { params: { source_id }, body: { streams } }));
  t.match(ok(await api(listStreams, { params: { source_id } })).items, [{ write_mode: 'overwrite' }]);
  t.equal((await send(url, REGISTER, { pattern: { ...old, version: '1.0.1' } })).what, 'updated');
});

t.test('a request counts when its signature is good, in its time, and once', async (t) => {
  const { platform, other } = await shared;
  const { url } = platform;
  const refused = '401 webhook_unauthenticated';
  const body = { pattern: { ...shop, id: 'once' } };
  const at = (ms: number) => ({ at: new Date(Date.now() + ms) });
  const what = async (change: Parameters<typeof send>[3], route = REGISTER) =>
    (await send(url, route, body, change)).what;
  for (const ms of [-DAY_MS, -310_000, 310_000, DAY_MS]) t.equal(await what(at(ms)), refused, `${ms} ms away`);
  t.equal(await what({}, { ...REGISTER, secret: RECONCILE.secret }), refused, 'the secret of the other route');
  const { 'x-weir-signature': good = '', 'x-weir-timestamp': time = '' } = signBody(
    REGISTER.secret,
    JSON.stringify(body),
    new Date(),
  );
  for (const signature of ['', 'v1=', good.slice(0, -1), good.toUpperCase(), `v2${good.slice(2)}`, `${good}, ${good}`])
    t.equal(await what({ headers: { 'x-weir-signature': signature } }), refused, `signature ${signature.slice(0, 6)}`);
  for (const timestamp of ['', '0', `${time}0`, ` ${Number(time) + 1}`, 'now', `-${time}`])
    t.equal(
      await what({ headers: { 'x-weir-timestamp': timestamp, 'x-weir-signature': good } }),
      refused,
      `at ${timestamp}`,
    );
  t.equal(
    await what({ headers: { authorization: `Bearer ${await platform.token('acme', 'platform_admin')}` } }),
    '401 signature_required',
  );
  const now = new Date();
  t.equal(await what({ at: now }), 'created');
  t.equal(await what({ at: now }), '409 webhook_repeated');
  t.equal((await send(other, REGISTER, body, { at: now })).what, '409 webhook_repeated', 'wherever it comes to');

  const one = new Secret('one-secret-for-both');
  t.throws(() => refuseSameSecrets({ PATTERN_WEBHOOK_SECRET: one, PATTERN_ADMIN_SECRET: one }), Refusal);
});

t.test(
  'without secrets the routes are closed, and a bad file keeps the platform from being ready unless told',
  async (t) => {
    const { platform, another, place } = await shared;
    t.match(await ready(platform.url), { status: 200, parts: { pattern_files: 'up' } });
    await writeFile(join(place, 'odd.json'), '{');
    t.match(await ready(await another()), { status: 503, parts: { pattern_files: 'down' } });
    const tolerant = await another({ ...CLOSED, WEIR_PATTERN_FAULTS: 'tolerate' });
    t.match(await ready(tolerant), { status: 200, parts: { pattern_files: 'down' } });
    t.equal((await send(tolerant, REGISTER, { pattern: shop })).what, '503 pattern_registration_closed');
    t.equal((await send(tolerant, RECONCILE, { patterns: [shop] })).what, '503 pattern_registration_closed');
  },
);
