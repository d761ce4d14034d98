import t from 'tap';
import { listAudit } from '../../platform/src/contract.ts';
import { listSources } from '../../sources/src/contract.ts';
import { listTransforms } from '../../transforms/src/contract.ts';
import { listWebhooks } from '../../webhooks/src/contract.ts';
import { applyPlan, type PlanView } from '../src/contract.ts';
import { SCHEMA } from './furnish.ts';
import { bodyOf, doc, hook, policy, world } from './kit.ts';

const SQL = 'select id from bronze.acme.shop__orders';

t.test('apply', async (t) => {
  const { as, plan, token, api } = await world(t);
  const [acme, editor, viewer] = [await as('acme'), await as('acme', 'pipeline_editor'), await as('acme', 'viewer')];
  const path = t.testdirName;
  const shop = (name: string, more: object = {}) =>
    doc('Source', name, { pattern_id: 'files', source_config: { path }, ...more });
  const daily = (name: string, more: object = {}) =>
    doc('Transform', name, { sql: SQL, output: `gold.acme.${name}`, ...more });
  const apply = (docs: object[], { fingerprint }: Pick<PlanView, 'fingerprint'>, more: object = {}) =>
    acme(applyPlan, { body: { docs, fingerprint, ...more } });

  t.test('a plan → exactly its calls, in the name of the caller, and then nothing to do', async (t) => {
    const streams = [{ name: 'orders', schema: SCHEMA, enabled: true }];
    const docs = [
      shop('shop', { streams, schedule: { interval_seconds: 3_600, paused: true } }),
      daily('daily', { schedule: { cron: ['0 6 * * *'] } }),
      policy('careful', { status: 'archived' }),
      hook('pager', { status: 'paused' }),
    ];
    const planned = await plan(acme, docs);
    t.match(planned.summary, { create: 4 });
    const done = bodyOf(await apply(docs, planned));
    t.match(done, { status: 'applied' });
    t.match(done.results[1], { outcome: 'applied', calls: 3 });
    const { items } = bodyOf(await acme(listAudit, { query: { limit: 100 } }));
    const inner = items.filter(({ action }) => !action.startsWith('apply.')).toReversed();
    t.strictSame(
      inner.map(({ action, result }) => `${action} ${result}`),
      [
        ...['sources.create_source done', 'sources.bulk_streams done', 'sources.put_schedule done'],
        ...['sources.pause_schedule done', 'transforms.create_transform done'],
        ...['transforms.hydrate_transform done', 'transforms.put_schedule done'],
        ...['identity.create_policy done', 'identity.update_policy done'],
        ...['webhooks.create_webhook done', 'webhooks.change_webhook done'],
      ],
    );
    t.equal(inner.length, planned.results.flatMap(({ calls }) => calls).length);
    t.ok(inner.every(({ subject }) => subject === 'admin@acme'));
    const outer = items.find(({ action }) => action === 'apply.apply');
    t.ok(
      inner.every(({ request_id }) => request_id === outer?.request_id),
      'the audit trail holds them together',
    );
    const again = await plan(acme, docs.slice(0, 3));
    t.match(again.summary, { noop: 3 });
  });

  t.test('a plan with a fault → plan_refused, and nothing is done', async (t) => {
    const docs = [hook('fine'), doc('Webhook', 'faulty', {})];
    const answer = await apply(docs, await plan(acme, docs));
    t.match(answer, { status: 409, problem: { code: 'plan_refused', results: [{ index: 1, action: 'error' }] } });
    const { items } = bodyOf(await acme(listWebhooks, {}));
    t.notOk(items.some(({ name }) => name === 'fine'));
  });

  t.test('a call that is refused in the middle → what was done, what failed, what was not reached', async (t) => {
    const refused = doc('Webhook', 'inside', { url: 'http://10.0.0.1/hook', events: ['run.failed'] });
    const docs = [hook('before'), refused, hook('after')];
    const planned = await plan(acme, docs);
    const { status, results } = bodyOf(await apply(docs, planned));
    t.equal(status, 'stopped');
    t.match(results, [
      { outcome: 'applied', calls: 1 },
      { outcome: 'failed', calls: 0, error: { code: 'webhook_url_refused', call: { path: '/api/v1/webhooks' } } },
      { outcome: 'not_reached' },
    ]);
    t.match(bodyOf(await apply(docs, planned)).results[0], { outcome: 'applied' }, 'the same plan continues');
  });

  t.test('a hydrate that is refused → a warning, and the rest is applied', async (t) => {
    const docs = [daily('unread', { sql: 'select id from bronze.acme.nothing' }), shop('behind')];
    const { status, results } = bodyOf(await apply(docs, await plan(acme, docs)));
    t.equal(status, 'applied');
    t.match(results, [{ outcome: 'applied', calls: 1, warnings: [{ call: { method: 'POST' } }] }, { calls: 1 }]);
  });

  t.test('transforms that read each other, in any order → each is put in force after what it reads', async (t) => {
    const docs = [
      daily('orders_told', { sql: 'select id from gold.acme.zeta join "gold"."acme"."Alpha" using (id)' }),
      daily('zeta', { sql: 'select id from gold.acme.alpha' }),
      doc('Transform', 'beta', {
        pattern_id: 'deduplicate',
        parameters: { input: 'gold.acme.zeta', key: ['id'], order_by: [{ column: 'id' }] },
        output: 'silver.acme.beta',
      }),
      daily('alpha', { sql: 'select 1 as id' }),
    ];
    const { status, results } = bodyOf(await apply(docs, await plan(acme, docs)));
    t.equal(status, 'applied');
    t.strictSame(
      results.map(({ index, calls, warnings }) => [index, calls, warnings]),
      docs.map((_, index) => [index, 2, undefined]),
    );
  });

  t.test('roles → a viewer plans and does not apply; an editor applies what their role may', async (t) => {
    const docs = [shop('of_editor'), hook('of_editor')];
    const { fingerprint } = await plan(viewer, docs.slice(0, 1));
    t.match(await viewer(applyPlan, { body: { docs: docs.slice(0, 1), fingerprint } }), { status: 403 });
    const done = await editor(applyPlan, { body: { docs: docs.slice(0, 1), fingerprint } });
    t.match(done, { body: { status: 'applied' } }, 'a plan is good for all callers of its tenant');
    const all = await plan(acme, docs);
    const body = { docs, fingerprint: all.fingerprint };
    t.match(await editor(applyPlan, { body }), { status: 409 }, 'they may not see webhooks');
  });

  t.test('as ndjson → a line for each result, and the status at the end', async (t) => {
    const docs = [shop('lines'), daily('lines')];
    const { fingerprint } = await plan(acme, docs);
    const answer = await fetch(`${api.url}/api/v1/apply`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await token('acme')}`,
        'x-tenant-id': 'acme',
        'content-type': 'application/json',
        accept: 'application/x-ndjson',
      },
      body: JSON.stringify({ docs, fingerprint }),
    });
    const lines = (await answer.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    t.match(lines, [{ index: 0, outcome: 'applied' }, { index: 1, outcome: 'applied' }, { status: 'applied' }]);
    t.equal(bodyOf(await acme(listSources, { query: { name: 'lines' } })).items.length, 1);
    t.equal(bodyOf(await acme(listTransforms, { query: { name: 'lines' } })).items.length, 1);
  });
});
