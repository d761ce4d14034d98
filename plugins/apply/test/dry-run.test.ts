import t from 'tap';
import { createPolicy } from '../../identity/src/contract.ts';
import { changeWebhook, createWebhook } from '../../webhooks/src/contract.ts';
import { dryRunDocuments } from '../src/contract.ts';
import { bodyOf, doc, hook, policy, URL, world } from './kit.ts';

t.test('dry run', async (t) => {
  const { as, plan, token, api, database } = await world(t);
  const [admin, viewer] = [await as('acme'), await as('acme', 'viewer')];

  t.test('new documents → create, with the calls', async (t) => {
    const { summary, results } = await plan(admin, [hook('pager'), policy('careful', { status: 'active' })]);
    t.match(summary, { create: 2, patch: 0, noop: 0, 'would-409': 0, error: 0 });
    t.match(results, [
      {
        index: 0,
        kind: 'Webhook',
        name: 'pager',
        action: 'create',
        calls: [{ method: 'POST', path: '/api/v1/webhooks' }],
      },
      {
        index: 1,
        kind: 'IdentityPolicy',
        action: 'create',
        calls: [{ method: 'POST', path: '/api/v1/identity-policies' }],
      },
    ]);
    t.match(results[0]?.changes, [
      { pointer: '/events', change: 'add', after: ['run.failed'] },
      { pointer: '/status', change: 'add', after: 'active' },
      { pointer: '/url', change: 'set' },
    ]);
  });

  t.test('documents of what is there → noop, and patch with what differs', async (t) => {
    const made = bodyOf(await admin(createWebhook, { body: { name: 'chat', url: URL, events: ['run.failed'] } }));
    const { document } = policy('x').spec as { document: { cedar: string } };
    await admin(createPolicy, { body: { name: 'standing', kind: 'access', document } });
    const same = await plan(admin, [doc('Webhook', 'chat', { events: ['run.failed'] }), policy('standing')]);
    t.match(same.results, [
      { action: 'noop', calls: [], changes: [] },
      { action: 'noop', calls: [] },
    ]);
    const other = await plan(admin, [doc('Webhook', 'chat', { events: ['run.recovered'], status: 'paused' })]);
    t.match(other.results, [
      {
        action: 'patch',
        changes: [
          { pointer: '/events', change: 'replace', before: ['run.failed'], after: ['run.recovered'] },
          { pointer: '/status', change: 'replace', before: 'active', after: 'paused' },
        ],
        calls: [{ method: 'PATCH', path: `/api/v1/webhooks/${made.webhook_id}` }],
      },
    ]);
    await admin(changeWebhook, { params: { webhook_id: made.webhook_id }, body: { events: ['run.recovered'] } });
  });

  t.test('faulty documents → an error each, by code and place', async (t) => {
    const { results } = await plan(admin, [
      { ...hook('a'), apiVersion: 'v2' },
      doc('Webhok', 'a', {}),
      hook('Not A Name'),
      hook('twice'),
      hook('twice'),
      doc('Webhook', 'b', { url: URL, events: ['no.event'] }),
      doc('Webhook', 'c', { events: ['run.failed'] }),
      policy('d', { document: { cedar: 'permit (' } }),
      'no document',
    ]);
    t.match(
      results.map(({ action, errors = [] }) => [action, ...errors.map(({ code, pointer }) => `${code} ${pointer}`)]),
      [
        ['error', 'api_version_unknown /apiVersion'],
        ['error', 'kind_unknown /kind'],
        ['error', 'name_invalid /metadata/name'],
        ['create'],
        ['error', 'document_doubled /metadata/name'],
        ['error', 'spec_invalid /spec/events/0'],
        ['error', 'spec_invalid /spec/url'],
        ['error', 'policy_invalid /spec/document/cedar'],
        ['error', 'spec_invalid '],
      ],
    );
    t.match(results[1]?.errors?.[0]?.detail, /did you mean `Webhook`/);
  });

  t.test('a viewer → plans what they may read, and the rest is an error by name', async (t) => {
    const { results } = await plan(viewer, [hook('pager')]);
    t.match(results, [{ action: 'error', errors: [{ code: 'forbidden_role' }] }]);
  });

  t.test('an active policy taken out of force → would-409 unless allowed', async (t) => {
    const { document } = policy('x').spec as { document: { cedar: string } };
    await admin(createPolicy, { body: { name: 'strict', kind: 'access', document, status: 'active' } });
    const docs = [policy('strict', { status: 'archived' })];
    t.match((await plan(admin, docs)).results, [{ action: 'would-409', errors: [{ code: 'would_retire' }] }]);
    t.match((await plan(admin, docs, { allow_deprecate: true })).results, [{ action: 'patch' }]);
  });

  t.test('live_ontology → 501 for a tenant without the ontology', async (t) => {
    await database.tenant('plain');
    const body = { docs: [], live_ontology: true };
    const answer = await (await as('plain'))(dryRunDocuments, { body });
    t.match(answer, { status: 501, problem: { code: 'feature_not_configured' } });
    t.match(await admin(dryRunDocuments, { body }), { status: 200 });
  });

  t.test('YAML → is taken and given; what is not JSON is 400 without an echo', async (t) => {
    const send = async (body: string) =>
      fetch(`${api.url}/api/v1/apply/dry-run`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${await token('acme')}`,
          'x-tenant-id': 'acme',
          'content-type': 'application/yaml',
          accept: 'application/yaml',
        },
        body,
      });
    const yaml = `docs:
  - apiVersion: service.platform/v1
    kind: Webhook
    metadata: {name: pager}
    spec: {events: [run.failed], url: ${URL}}`;
    const answer = await send(yaml);
    t.equal(answer.headers.get('content-type'), 'application/yaml');
    t.match(await answer.text(), /action: create/);
    const refused = await send('docs: [{spec: {password: !!binary c3dvcmRmaXNo}}]');
    t.equal(refused.status, 400);
    t.notMatch(await refused.text(), /c3dvcmRmaXNo|password/);
  });
});
