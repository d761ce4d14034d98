import t from 'tap';
import { createPolicy, deletePolicy, updatePolicy } from '../../identity/src/contract.ts';
import {
  createSource,
  createStream,
  deleteSource,
  listStreams,
  putSchedule,
  updateSource,
  updateStream,
} from '../../sources/src/contract.ts';
import { changeTransform, createTransform } from '../../transforms/src/contract.ts';
import { changeWebhook, createWebhook, deleteWebhook } from '../../webhooks/src/contract.ts';
import { applyPlan, type PlanView } from '../src/contract.ts';
import { SCHEMA } from './furnish.ts';
import { bodyOf, doc, hook, policy, URL, world } from './kit.ts';

const SQL = 'select id from bronze.acme.shop__orders';

t.test('stale plans', async (t) => {
  const { as, plan, call: callAs, token } = await world(t);
  const acme = await as('acme');
  const path = t.testdirName;
  const shop = (name: string, more: object = {}) =>
    doc('Source', name, { pattern_id: 'files', source_config: { path }, ...more });
  const daily = (name: string, more: object = {}) =>
    doc('Transform', name, { sql: SQL, output: `gold.acme.${name}`, ...more });
  const apply = (docs: object[], { fingerprint }: Pick<PlanView, 'fingerprint'>, more: object = {}) =>
    acme(applyPlan, { body: { docs, fingerprint, ...more } });

  t.test('a change of each kind after the plan → plan_stale, by what moved, and nothing is done', async (t) => {
    const body = { name: 'one', url: URL, events: ['run.failed' as const] };
    const { webhook_id } = bodyOf(await acme(createWebhook, { body }));
    const { source_id } = bodyOf(
      await acme(createSource, { body: { name: 'two', pattern_id: 'files', source_config: { path } } }),
    );
    const three = { name: 'three', sql: SQL, output: 'gold.acme.three' };
    const { transform_id } = bodyOf(await acme(createTransform, { body: three }));
    const { document } = policy('x').spec as { document: { cedar: string } };
    const found = bodyOf(await acme(createPolicy, { body: { name: 'careful', kind: 'access', document } }));
    const params = { webhook_id };
    const [source, transform] = [{ params: { source_id } }, { params: { transform_id } }];
    const standing = { params: { policy_id: found.policy_id } };
    const next = { document: { cedar: `${document.cedar} ` }, expected_version: found.version };
    const docs = [
      hook('one', { events: ['run.recovered'] }),
      shop('two', { streams: [{ name: 'a', schema: SCHEMA }], schedule: { interval_seconds: 60 } }),
      daily('three', { description: 'Müller' }),
      policy('careful', { status: 'active' }),
      hook('new'),
    ];
    const changeStream = async () => {
      const [{ stream_id = '' } = {}] = bodyOf(await acme(listStreams, source)).items;
      const body = { schema_change_policy: 'freeze' as const };
      return acme(updateStream, { params: { source_id, stream_id }, body });
    };
    const changes: [string, () => Promise<unknown>, number][] = [
      ['a webhook was changed', () => acme(changeWebhook, { params, body: { events: ['table.changed'] } }), 0],
      ['a source was changed', () => acme(updateSource, { ...source, body: { source_config: { glob: '*.csv' } } }), 1],
      ['a schedule was set', () => acme(putSchedule, { ...source, body: { interval_seconds: 120 } }), 1],
      ['a stream was made', () => acme(createStream, { ...source, body: { name: 'a', schema: SCHEMA } }), 1],
      ['a transform was changed', () => acme(changeTransform, { ...transform, body: { tags: ['x'] } }), 2],
      ['a stream was changed', changeStream, 1],
      ['a draft was changed', () => acme(changeTransform, { ...transform, body: { sql: `${SQL} -- more` } }), 2],
      ['a policy was changed', () => acme(updatePolicy, { ...standing, body: next }), 3],
      ['a policy was deleted', () => acme(deletePolicy, standing), 3],
      [
        'what was to be made is there',
        () => acme(createWebhook, { body: { ...body, name: 'new', events: ['run.recovered'] } }),
        4,
      ],
      ['a webhook was deleted', () => acme(deleteWebhook, { params }), 0],
      ['a transform was archived', () => acme(changeTransform, { ...transform, body: { archived: true } }), 2],
    ];
    for (const [what, change, index] of changes) {
      const planned = await plan(acme, docs);
      t.match(await change(), { ok: true }, what);
      const answer = await apply(docs, planned);
      const { kind, name = '' } = { ...docs[index], ...docs[index]?.metadata };
      const moved = { index, kind, name, moved: 'stored' };
      const fault = { pointer: `/docs/${index}`, code: 'stored', message: /since the plan/ };
      t.match(answer, { status: 409, problem: { code: 'plan_stale', differences: [moved], errors: [fault] } }, what);
    }
    t.ok(changes.length >= 12);
    t.equal(bodyOf(await acme(listStreams, source)).items.length, 1, 'nothing was done');
    const planned = await plan(acme, docs.slice(1, 2));
    bodyOf(await acme(deleteSource, source));
    t.match(await apply(docs.slice(1, 2), planned), { problem: { differences: [{ name: 'two', is: 'create' }] } });
  });

  t.test('other documents, another order, another tenant → plan_stale', async (t) => {
    const docs = [hook('p'), hook('q')];
    const planned = await plan(acme, docs);
    const other = doc('Webhook', 'q', { url: URL, events: ['run.recovered'] });
    const stale = (difference: object) => ({ problem: { code: 'plan_stale', differences: [difference] } });
    t.match(await apply([hook('p'), other], planned), stale({ index: 1, moved: 'document', was: 'create' }));
    t.match(await apply([hook('q'), hook('p')], planned), stale({ index: 0, moved: 'document' }));
    t.match(await apply([hook('p')], planned), stale({ index: 1, moved: 'documents', was: 'create', is: null }));
    const foreign = { token: await token('other'), tenant: 'other' };
    const { fingerprint } = planned;
    t.match(await callAs(foreign, applyPlan, { body: { docs, fingerprint } }), stale({ moved: 'documents' }));
    t.match(await acme(applyPlan, { body: { docs } }), { status: 422, problem: { code: 'fingerprint_missing' } });
  });
});
