import { EgressError } from '@weir/egress';
import t from 'tap';
import * as endpoints from '../src/contract.ts';
import { tableText } from '../src/model/event-text.ts';
import { sweepTenant } from '../src/service/sweep.ts';
import { deliver } from '../src/work/deliver.ts';
import { isSigned, receiver } from './kit.ts';
import { BATCH, SUBJECT, SYNC, setUp, UPKEEP } from './webhooks-world.ts';

const DAY = { hours: 25 };
const refused = (status: number, code: string, more: object = {}) => ({
  ok: false,
  problem: { status, code, ...more },
});

t.test('a run with a part that fails, fails again and recovers → one event each, of whom its kind says', async (t) => {
  for (const [kind, speaker] of [
    [BATCH.kind, 'part'],
    [SYNC.kind, 'whole'],
  ] as const) {
    const there = await receiver(t);
    const { create, endInPart, send } = await setUp(t, there);
    const { webhook_id } = await create(there.url);
    const ended: string[] = [];
    for (const status of ['failed', 'failed', 'succeeded'] as const)
      ended.push((await endInPart(kind, status))[speaker]);
    await send(webhook_id);
    t.match(
      there.got.map(({ body }) => body),
      [
        { type: 'run.failed', run: { run_id: ended[0], failure: { code: 'check_failed' } } },
        { type: 'run.failed_again', run: { run_id: ended[1] } },
        { type: 'run.recovered', run: { run_id: ended[2] } },
      ],
      kind,
    );
    t.equal(there.got.length, ended.length);
  }
});

t.test('failed, failed again and recovered runs and changed tables are sent, signed and in order', async (t) => {
  const there = await receiver(t);
  const { create, end, send, commit, call, acme, wakes } = await setUp(t, there);
  await end('failed');
  const { webhook_id, secret } = await create(there.url);
  const ended = [await end('failed'), await end('cancelled'), await end('succeeded'), await end('succeeded')];
  await commit('bronze.acme.orders');
  t.equal(new Set(wakes).size, 1);
  t.equal(wakes[0], `${acme.tenantId}:webhook:${webhook_id}`);
  t.match(await call(endpoints.getWebhook, { params: { webhook_id } }), { body: { pending: 3 } });
  t.strictSame(await send(webhook_id), { next_ms: null });
  const about = { kind: SYNC.kind, subject: { kind: 'source', id: SUBJECT, name: 'shop' } };
  t.match(
    there.got.map(({ body }) => body),
    [
      {
        ...{ type: 'run.failed_again', tenant: 'acme', text: 'test-sync of shop failed again: The disk is full.' },
        run: { ...about, run_id: ended[0], status: 'failed', failure: { code: 'x' } },
      },
      { type: 'table.changed', text: 'bronze.acme.orders changed: 3 rows added.', table: { snapshot_id: '9' } },
      { type: 'run.recovered', text: 'test-sync of shop succeeded again.', run: { run_id: ended[2] } },
    ],
  );
  t.ok(there.got.every((one) => isSigned(one, secret ?? '')));
  t.notOk(isSigned(there.got[0]!, 'another'));
  t.equal(there.got[0]?.path, '/hook?token=in-the-address');
  const listed = await call(endpoints.listDeliveries, { params: { webhook_id }, query: { status: 'delivered' } });
  t.match(listed, { body: { items: [{ attempts: 1, response_status: 204, next_attempt_at: null }, {}, {}] } });
});

t.test('what the platform does for its tables → not sent, but that it makes no progress', async (t) => {
  const there = await receiver(t);
  const { create, end, send, commit, block, database } = await setUp(t, there);
  const { webhook_id, secret } = await create(there.url);
  for (const status of ['failed', 'failed', 'succeeded'] as const) await end(status, UPKEEP.kind);
  await commit('bronze.acme.orders', 'replace');
  t.strictSame(await database.peek('select event from webhooks.delivery'), []);
  const detail = 'Other commits were faster three times; 6 files wait for an hour without a commit.';
  await block('bronze.acme.orders', detail);
  t.strictSame(await send(webhook_id), { next_ms: null });
  const table = { dataset_id: 'bronze.acme.orders', why: 'races', detail, run_id: null };
  t.match(
    there.got.map(({ body }) => body),
    [{ type: 'table.blocked', tenant: 'acme', text: /^[^.]*bronze\.acme\.orders.*6 files/, table }],
  );
  t.equal(there.got.length, 1);
  t.ok(there.got.every((one) => isSigned(one, secret ?? '')));
});

t.test('the sentence for a table says what happened to it', async (t) => {
  const table = { dataset_id: 'bronze.acme.orders', operation: 'schema', schema_id: 0, snapshot_id: null };
  t.equal(tableText(table), 'bronze.acme.orders was created.');
  t.equal(tableText({ ...table, schema_id: 1 }), 'The columns of bronze.acme.orders changed.');
  t.equal(tableText({ ...table, operation: 'overwrite', snapshot_id: '1' }), 'bronze.acme.orders changed.');
});

t.test('what a webhook did not ask for is not sent, nor to another tenant', async (t) => {
  const there = await receiver(t);
  const {
    create,
    end,
    commit,
    as,
    database,
    database: { peek },
  } = await setUp(t, there);
  await database.tenant('other');
  const { webhook_id } = await create(there.url, { events: ['run.recovered'] });
  await end('failed');
  await commit('bronze.acme.orders');
  t.strictSame(await peek('select 1 from webhooks.delivery'), []);
  const other = as('other').call;
  const params = { webhook_id };
  for (const endpoint of [
    endpoints.getWebhook,
    endpoints.deleteWebhook,
    endpoints.testWebhook,
    endpoints.listDeliveries,
  ])
    t.match(await other(endpoint as never, { params } as never), refused(404, 'not_found'));
  t.match(await other(endpoints.changeWebhook, { params, body: { status: 'paused' } }), refused(404, 'not_found'));
  t.match(await as('acme', 'pipeline_editor').call(endpoints.listWebhooks), refused(403, 'forbidden_role'));
});

t.test(
  'a receiver that fails is asked again later; its later events of that subject wait, others do not',
  async (t) => {
    let isBroken = true;
    const there = await receiver(t, ({ body }) => (isBroken && body.type !== 'table.changed' ? 503 : 200));
    const { create, end, send, commit, call, database } = await setUp(t, there);
    const { webhook_id } = await create(there.url);
    await end('failed');
    await end('failed');
    await commit('bronze.acme.orders');
    const { next_ms } = await send(webhook_id);
    t.ok(next_ms !== null && next_ms > 3_000 && next_ms <= 6_000, `${next_ms}`);
    t.strictSame(
      there.got.map(({ body }) => body.type),
      ['run.failed', 'table.changed'],
    );
    const waiting = await call(endpoints.listDeliveries, { params: { webhook_id }, query: { status: 'pending' } });
    t.match(waiting, {
      body: { items: [{ attempts: 0 }, { attempts: 1, response_status: 503, failure_code: 'webhook_answered_badly' }] },
    });
    isBroken = false;
    await database.peek('update webhooks.delivery set next_attempt_at = now()');
    t.strictSame(await send(webhook_id), { next_ms: null });
    t.strictSame(
      there.got.slice(2).map(({ body }) => body.type),
      ['run.failed', 'run.failed_again'],
    );
  },
);

t.test(
  'after 24 hours of failures the webhook is paused with the reason, and takes up what waits when resumed',
  async (t) => {
    let status = 500;
    const there = await receiver(t, () => status);
    const { create, end, send, call, database, acme, kernel, seals } = await setUp(t, there);
    const { webhook_id } = await create(there.url);
    const params = { webhook_id };
    await end('failed');
    await database.peek(`update webhooks.delivery set retry_until = now() - interval '${DAY.hours} hours'`);
    t.strictSame(await send(webhook_id), { next_ms: null });
    const paused = { status: 'paused', pause: { code: 'webhook_gave_up' }, pending: 1 };
    t.match(await call(endpoints.getWebhook, { params }), { body: paused });
    await end('failed');
    t.match(
      await call(endpoints.getWebhook, { params }),
      { body: { pending: 1 } },
      'a paused webhook collects nothing',
    );
    t.match(await call(endpoints.testWebhook, { params }), refused(409, 'webhook_paused'));
    status = 200;
    const woken: string[] = [];
    const sweep = () => sweepTenant({ kernel, seals, wake: async (_, ids) => void woken.push(...ids) }, acme);
    await sweep();
    t.strictSame(woken, [], 'a paused webhook is not woken');
    const resumed = await call(endpoints.changeWebhook, { params, body: { status: 'active' } });
    t.match(resumed, { body: { status: 'active', pause: null, secret: null } });
    await database.peek("update webhooks.delivery set next_attempt_at = now() - interval '1 minute'");
    await sweep();
    t.strictSame(woken, [webhook_id], 'what nobody woke for is woken by the sweep');
    t.strictSame(await send(webhook_id), { next_ms: null });
    t.equal(there.got.length, 2);
    await database.peek("update webhooks.delivery set created_at = now() - interval '8 days'");
    await sweep();
    t.strictSame(await database.peek('select 1 from webhooks.delivery'), [], 'old deliveries go');
  },
);

t.test('an address that is not public, or redirects there, is refused by name', async (t) => {
  const hidden = await receiver(t);
  const there = await receiver(t, (_, response) => {
    response.setHeader('location', hidden.url);
    return 307;
  });
  const { create, end, send, call, as } = await setUp(t, there);
  const body = { name: 'inner', url: 'https://10.0.0.1/', events: ['run.failed' as const] };
  t.match(
    await as('acme').call(endpoints.createWebhook, { body }),
    refused(422, 'webhook_url_refused', { reason: 'address_refused' }),
  );
  const port = { ...body, url: hidden.url };
  t.match(
    await call(endpoints.createWebhook, { body: port }),
    refused(422, 'webhook_url_refused', { reason: 'port_refused' }),
  );
  const { webhook_id } = await create(there.url);
  const params = { webhook_id };
  t.match(
    await call(endpoints.changeWebhook, { params, body: { url: 'http://[::1]/' } }),
    refused(422, 'webhook_url_refused'),
  );
  await end('failed');
  await send(webhook_id);
  t.match(await call(endpoints.getWebhook, { params }), {
    body: { status: 'paused', pause: { code: 'port_refused' } },
  });
  t.equal(hidden.got.length, 0);
});

t.test('a redirect that would drop the body → not delivered, paused, and its origin is named', async (t) => {
  const moved = await receiver(t);
  let status = 301;
  const there = await receiver(t, (_, response) => {
    response.setHeader('location', moved.url);
    return status;
  });
  const { create, end, send, call, database } = await setUp(t, there);
  const { webhook_id } = await create(there.url);
  const params = { webhook_id };
  for (status of [301, 302, 303]) {
    await call(endpoints.changeWebhook, { params, body: { status: 'active' } });
    await end('failed');
    await send(webhook_id);
    const said = await call(endpoints.getWebhook, { params });
    const detail = new RegExp(`redirects to http://127\\.0\\.0\\.1:${moved.port},`);
    t.match(said, { body: { status: 'paused', pause: { code: 'redirect_refused', detail } } }, `${status}`);
    t.notMatch(JSON.stringify(said), /in-the-address/);
  }
  const [first, ...waiting] = await database.peek(
    'select status, failure_code from webhooks.delivery order by sequence',
  );
  t.strictSame(first, { status: 'pending', failure_code: 'redirect_refused' });
  for (const { status } of waiting) t.equal(status, 'pending');
  t.equal(moved.got.length, 0);
});

t.test('address and secret are kept sealed and shown once; a new secret signs from then on', async (t) => {
  const there = await receiver(t);
  const { create, end, send, call, database } = await setUp(t, there);
  const { webhook_id, secret, etag, host } = await create(there.url);
  t.equal(host, `127.0.0.1:${there.port}`);
  const params = { webhook_id };
  const shown = JSON.stringify([
    await call(endpoints.getWebhook, { params }),
    await call(endpoints.listWebhooks),
    await database.peek('select to_jsonb(w) from webhooks.webhook w'),
  ]);
  for (const kept of [secret ?? '?', 'in-the-address']) t.notOk(shown.includes(kept));
  const stale = await call(endpoints.changeWebhook, { params, body: { new_secret: true } }, { 'if-match': '"7"' });
  t.match(stale, refused(412, 'precondition_failed'));
  const changed = await call(
    endpoints.changeWebhook,
    { params, body: { new_secret: true } },
    { 'if-match': `"${etag}"` },
  );
  const next = changed.ok ? changed.body.secret : null;
  t.match(next, /^whsec_/);
  await end('failed');
  await send(webhook_id);
  t.ok(isSigned(there.got[0]!, next ?? ''));
  t.match(
    await call(endpoints.createWebhook, { body: { name: 'chat', url: there.url, events: ['run.failed'] } }),
    refused(409, 'webhook_name_taken'),
  );
});

t.test('a delivered event is sent again when asked, a test at any time, and nothing after the deletion', async (t) => {
  const there = await receiver(t);
  const { create, end, send, call } = await setUp(t, there);
  const { webhook_id } = await create(there.url);
  const params = { webhook_id };
  await end('failed');
  const [item] = await call(endpoints.listDeliveries, { params }).then((list) => (list.ok ? list.body.items : []));
  const key = { webhook_id, event_id: item?.event_id ?? '' };
  t.match(await call(endpoints.redeliver, { params: key }), refused(409, 'delivery_pending'));
  await send(webhook_id);
  t.match(await call(endpoints.redeliver, { params: key }), { body: { status: 'pending' } });
  const tested = await call(endpoints.testWebhook, { params });
  t.match(tested, { body: { event: 'webhook.test', status: 'pending' } });
  await send(webhook_id);
  t.strictSame(
    there.got.map(({ body }) => body.type),
    ['run.failed', 'run.failed', 'webhook.test'],
  );
  t.equal(there.got[0]?.body.event_id, there.got[1]?.body.event_id);
  t.match(await call(endpoints.getDelivery, { params: key }), { body: { status: 'delivered', attempts: 2 } });
  await end('failed');
  t.match(await call(endpoints.deleteWebhook, { params }), { ok: true });
  t.strictSame(await send(webhook_id), { next_ms: null });
  t.equal(there.got.length, 3);
});

t.test('an activity that a newer one has overtaken records nothing', async (t) => {
  const there = await receiver(t);
  const { create, end, seals, kernel, acme, call, database } = await setUp(t, there);
  const { webhook_id } = await create(there.url);
  await end('failed');
  const overtaken = {
    async open(): Promise<never> {
      await database.peek('update webhooks.webhook set attempt = attempt + 1');
      throw new EgressError('connect_failed');
    },
  };
  const { signal } = new AbortController();
  const input = { tenant_id: acme.tenantId, webhook_id };
  t.strictSame(await deliver({ kernel, egress: overtaken, seals }, input, signal), { next_ms: null });
  t.match(await call(endpoints.listDeliveries, { params: { webhook_id } }), { body: { items: [{ attempts: 0 }] } });
});
