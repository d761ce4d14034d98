import { createHash } from 'node:crypto';
import type { Endpoint } from '@weir/kernel/contract';
import t from 'tap';
import { PLATFORM_CHAIN } from '../src/audit/chain.ts';
import { auditRecorder, sweepIntents } from '../src/audit/recorder.ts';
import {
  AUDIT_GENESIS,
  type AuditEventView,
  getAdmission,
  listAudit,
  listPlatformAudit,
  setAdmission,
  setTenantPlugin,
} from '../src/contract.ts';
import { bodyOf, type World, world } from './kit.ts';

const open = { body: { open: true, reason: 'as before' } };

/** The platform's own chain, oldest first. */
async function chain(under: World): Promise<AuditEventView[]> {
  return bodyOf(await under.admin(listPlatformAudit, { query: { order: 'seq', limit: 500 } })).items;
}

t.test('every changing call of a known caller is one event, whatever became of it', async (t) => {
  const under = await world(t);
  await under.tenant('acme');
  await under.admin(setAdmission, open);
  await under.admin(setAdmission, { body: { open: 'yes' } as never });
  await under.admin(setAdmission, open, { 'if-match': '"0"' });
  await under.admin(setTenantPlugin, { params: { alias: 'absent', plugin_id: 'extra' }, body: { enabled: true } });
  await under.admin(setTenantPlugin, { params: { alias: 'acme', plugin_id: 'base' }, body: { enabled: true } });
  await under.admin(getAdmission, {});
  const events = await chain(under);
  t.match(
    events.map(({ action, status, code, result }) => [action, status, code, result]),
    [
      ['platform.set_admission', 200, null, 'done'],
      ['platform.set_admission', 400, 'validation_failed', 'refused'],
      ['platform.set_admission', 412, 'precondition_failed', 'refused'],
      ['platform.set_tenant_plugin', 404, 'not_found', 'refused'],
      ['platform.set_tenant_plugin', 409, 'plugin_not_optional', 'refused'],
    ],
  );
  t.equal(events.length, 5);
  t.match(events[4], {
    ...{ seq: '5', kind: 'user', subject: 'platform_admin@acme', client: String, tenant: null, repeated: false },
    ...{ object: { alias: 'acme', plugin_id: 'base' }, permission: 'plugins:manage', request_id: /^[0-9a-f]{32}$/ },
  });
});

t.test('every denial of a declared route is one event, and no other reading is', async (t) => {
  const under = await world(t);
  await under.tenant('acme');
  await under.as('acme', 'viewer').call(listAudit, {});
  await under.as('acme', 'viewer').call(setAdmission, open);
  await under.as('absent').call(listAudit, {});
  await under.app.inject({ url: '/api/v1/audit' });
  await under.app.inject({ url: '/api/v1/audit', headers: { authorization: 'Bearer zz_canary' } });
  await under.app.inject({ url: '/api/v1/nothing' });
  const own = bodyOf(await under.as('acme').call(listAudit, {}));
  t.match(
    own.items.map(({ action, status, tenant, result }) => [action, status, tenant, result]),
    [['platform.list_audit', 403, 'acme', 'denied']],
  );
  const none = await chain(under);
  t.match(
    none.map(({ action, status, kind, subject }) => [action, status, kind, subject]),
    [
      ['platform.set_admission', 403, 'user', 'viewer@acme'],
      ['platform.list_audit', 403, 'user', 'admin@absent'],
      ['platform.list_audit', 401, 'anonymous', null],
      ['platform.list_audit', 401, 'anonymous', null],
    ],
  );
  t.equal(none.length, 4);
});

t.test('what a rate or a tenant header refuses is told at once, and again by its number after a minute', async (t) => {
  const under = await world(t, { WEIR_RATE_READS: 0, WEIR_RATE_WRITES: 1, WEIR_RATE_STARTS: 0, WEIR_RATE_GUESSES: 0 });
  await under.tenant('acme');
  let ahead = 0;
  const { denied, flush } = auditRecorder(under.kernel, () => Date.now() + ahead);
  const call = async (code: string, status: number, subject = 'ann') => {
    const principal = { kind: 'user', subject, client: 'c', organizations: [], realmRoles: [] } as const;
    const asked = { endpoint: listAudit as Endpoint, principal, tenant: undefined, params: {}, address: '192.0.2.1' };
    await denied({ ...asked, requestId: '0'.repeat(32) }, { status, code, location: undefined, repeated: false });
  };
  const told = async () =>
    (await chain(under)).map(({ subject, code, result, count }) => [subject, code, result, count]);
  for (let n = 0; n < 1_000; n += 1) await call('rate_limited', 429);
  await call('tenant_header_invalid', 400);
  await call('rate_limited', 429, 'bob');
  const first = [
    ['ann', 'rate_limited', 'denied', 1],
    ['ann', 'tenant_header_invalid', 'denied', 1],
    ['bob', 'rate_limited', 'denied', 1],
  ];
  t.strictSame(await told(), first);
  await flush();
  t.strictSame(await told(), first, 'the minute is not over');
  ahead += 60_000;
  await call('rate_limited', 429);
  await call('rate_limited', 429);
  await flush();
  const second = [
    ['ann', 'rate_limited', 'denied', 999],
    ['ann', 'rate_limited', 'denied', 1],
  ];
  t.strictSame(await told(), [...first, ...second]);
  await flush(true);
  await flush(true);
  t.strictSame(await told(), [...first, ...second, ['ann', 'rate_limited', 'denied', 1]]);
  const set = () => under.admin(setAdmission, open);
  t.match([await set(), await set(), await set()], [{ status: 200 }, { status: 429 }, { status: 429 }]);
  const odd = { 'x-tenant-id': 'not an alias' };
  for (let n = 0; n < 2; n += 1) t.match(await under.as('acme').call(listAudit, {}, odd), { status: 400 });
  const lines = (await chain(under)).slice(first.length + second.length + 1);
  t.match(
    lines.map(({ action, status, kind, tenant, address }) => [action, status, kind, tenant, address]),
    [
      ['platform.set_admission', 200, 'user', null, '127.0.0.1'],
      ['platform.set_admission', 429, 'user', null, '127.0.0.1'],
      ['platform.list_audit', 400, 'user', null, '127.0.0.1'],
    ],
  );
  t.equal(lines.length, 3);
});

t.test('a call that cannot be noted is refused with 503 and changes nothing', async (t) => {
  const under = await world(t);
  await under.database.peek('revoke insert on platform.audit_intent from weir_app');
  const answer = await under.admin(setAdmission, { body: { open: false } });
  t.match(answer, { status: 503, problem: { code: 'audit_unavailable' } });
  t.match(bodyOf(await under.admin(getAdmission, {})), { open: true });
});

t.test(
  'an end that cannot be noted changes no answer; the call is ended as unknown, once, by whoever sweeps',
  async (t) => {
    const under = await world(t);
    await under.database.peek('revoke execute on function platform.append_audit_event from weir_app');
    t.match(await under.admin(setAdmission, { body: { open: false } }), { status: 200, body: { open: false } });
    await under.database.peek('grant execute on function platform.append_audit_event to weir_app');
    t.equal(await sweepIntents(under.kernel, PLATFORM_CHAIN), 0, 'a young call may still be at work');
    const ended = await Promise.all(Array.from({ length: 4 }, () => sweepIntents(under.kernel, PLATFORM_CHAIN, 0)));
    t.equal(
      ended.reduce((sum, count) => sum + count, 0),
      1,
    );
    t.match(await chain(under), [{ action: 'platform.set_admission', result: 'unknown', status: null }]);
    t.strictSame(await under.database.peek('select 1 from platform.audit_intent'), []);
  },
);

t.test('calls at the same time are links of one chain, each over the hash of the one before', async (t) => {
  const under = await world(t);
  await Promise.all(Array.from({ length: 24 }, () => under.admin(setAdmission, open)));
  const events = await chain(under);
  let previous = AUDIT_GENESIS;
  for (const [at, event] of events.entries()) {
    t.equal(event.seq, String(at + 1));
    t.equal(event.previous_hash, previous);
    previous = createHash('sha256').update(`${previous}${event.record}`).digest('hex');
    t.equal(event.hash, previous);
  }
  t.strictSame(bodyOf(await under.admin(listPlatformAudit, {})).head, { seq: '24', hash: previous });
});

t.test('the platform role adds events by their function alone, and changes or deletes none', async (t) => {
  const under = await world(t);
  const tenant = await under.tenant('acme');
  const tried = (text: string) => under.kernel.db(tenant).transaction((tx) => tx.sql(text, []));
  for (const text of [
    "update platform.audit_event set hash = ''",
    'delete from platform.audit_event',
    'truncate platform.audit_event',
    'delete from platform.audit_chain',
    'update platform.audit_chain set seq = 0',
    "insert into platform.audit_chain (tenant_id, seq, hash) values (gen_random_uuid(), 0, '')",
    `insert into platform.audit_event (tenant_id, seq, event, previous_hash, hash)
       values (current_setting('app.tenant')::uuid, 9, '{}', '', '')`,
    "update platform.audit_intent set call = '{}'",
  ]) {
    await t.rejects(tried(text), { code: '42501' }, text);
  }
});

t.test('no value of a request is in an event: not of body, query, header, nor an id that is none', async (t) => {
  const under = await world(t);
  const canary = 'zz canary';
  const headers = { ...(await under.as('acme', 'platform_admin').headers()), 'content-type': 'application/json' };
  const put = (url: string, body: object, more: object = {}) =>
    under.app.inject({ method: 'PUT', url, headers: { ...headers, ...more }, payload: JSON.stringify(body) });
  await put('/api/v1/admission', { open: true, reason: canary });
  await put('/api/v1/admission', { open: true, [canary]: canary });
  await put('/api/v1/admission?q=zz%20canary', { open: canary }, { 'if-match': canary, 'x-canary': canary });
  await put('/api/v1/tenants/zz%20canary/plugins/extra', { enabled: true });
  await put('/api/v1/tenants/acme/plugins/zz%20canary', { enabled: true });
  await under.app.inject({ url: '/api/v1/admission', headers: { authorization: `Bearer ${canary}` } });
  const events = await chain(under);
  t.equal(events.length, 6);
  t.notMatch(JSON.stringify(events), canary);
  const kept = await under.database.peek('select to_jsonb(e)::text as row from platform.audit_event e');
  t.notMatch(JSON.stringify(kept), canary);
});

t.test('the trail is filtered and read page by page, in both directions', async (t) => {
  const under = await world(t);
  await under.tenant('acme');
  const set = (plugin_id: string) =>
    under.admin(setTenantPlugin, { params: { alias: 'acme', plugin_id }, body: { enabled: true } });
  const began = new Date().toISOString();
  for (const plugin of ['extra', 'base', 'extra', 'absent']) await set(plugin);
  await under.admin(setAdmission, open);
  const seqs = async (query: object) =>
    bodyOf(await under.admin(listPlatformAudit, { query })).items.map(({ seq }) => seq);
  t.strictSame(await seqs({}), ['5', '4', '3', '2', '1']);
  t.strictSame(await seqs({ object: 'extra' }), ['3', '1']);
  t.strictSame(await seqs({ action: 'platform.set_admission' }), ['5']);
  t.strictSame(await seqs({ result: 'refused', order: 'seq' }), ['2', '4']);
  t.strictSame(await seqs({ actor: 'platform_admin@acme', limit: 1 }), ['5']);
  t.strictSame(await seqs({ actor: 'nobody' }), []);
  t.strictSame(await seqs({ from: began, to: '2999-01-01T00:00:00+01:00' }), ['5', '4', '3', '2', '1']);
  t.strictSame(await seqs({ to: began }), []);
  const first = bodyOf(await under.admin(listPlatformAudit, { query: { order: 'seq', limit: 3 } }));
  const page_token = first.next_page_token ?? '';
  const rest = await under.admin(listPlatformAudit, { query: { order: 'seq', limit: 3, page_token } });
  t.match(bodyOf(rest), { items: [{ seq: '4' }, { seq: '5' }], next_page_token: null });
  const refused = (query: object) => under.admin(listPlatformAudit, { query });
  t.match(await refused({ page_token }), { status: 400, problem: { code: 'invalid_page_token' } });
  t.match(await refused({ from: '2016-12-31T23:59:60Z' }), { status: 400, problem: { code: 'validation_failed' } });
});
