import { conformance } from '@weir/kernel/testing';
import t from 'tap';
import packageJson from '../package.json' with { type: 'json' };
import * as endpoints from '../src/contract.ts';
import plugin from '../src/plugin.ts';
import { setUp } from './kit.ts';

const order = (properties: object, more: object = {}) => ({
  type: 'object',
  title: 'Müller & Söhne order',
  properties,
  ...more,
});
const text = { type: 'string' };

t.test('the registry', async (t) => {
  const app = await setUp(t);
  const { call } = app;
  const register = (subject: string, schema: Record<string, unknown>, more: object = {}) =>
    call(endpoints.registerSchema, { body: { subject, schema, ...more } });
  const versions = async (subject: string) => {
    const answer = await call(endpoints.listSchemaVersions, { params: { subject }, query: { order: 'version' } });
    return answer.ok ? answer.body.items.map(({ version, status }) => `${version} ${status}`) : answer.problem.code;
  };

  const manifest = packageJson.weir as Parameters<typeof conformance>[1]['manifest'];
  conformance(t, { manifest, plugin, registration: app.registration });

  await t.test('a subject grows by compatible versions; the same schema again changes nothing', async (t) => {
    const one = order({ id: text }, { required: ['id'] });
    t.match(await register('shop.order', one), {
      status: 201,
      body: {
        subject: 'shop.order',
        version: 1,
        verdict: { outcome: 'compatible', compared_with: [], other_policy: null },
      },
    });
    t.match(await register('shop.order', { ...one, $comment: undefined }), { status: 200, body: { version: 1 } });
    const two = order({ id: text, note: text }, { required: ['id'] });
    t.match(await register('shop.order', two, { dry_run: true }), { status: 200, body: { version: 2 } });
    t.strictSame(await versions('shop.order'), ['1 active'], 'a dry run stores nothing');
    t.match(await register('shop.order', two), {
      status: 201,
      body: { version: 2, verdict: { compared_with: [1], other_policy: { policy: 'strict', outcome: 'breaking' } } },
    });
    t.match(await register('shop.order', one), { status: 200, body: { version: 1 } }, 'an earlier one too');
    t.match(await call(endpoints.getSchemaVersion, { params: { subject: 'shop.order', version: 2 } }), {
      body: { json_schema: two, dialect: '2020-12', title: 'Müller & Söhne order', registered_by: 'admin@acme' },
    });
    t.strictSame(await versions('shop.order'), ['1 active', '2 active']);
  });

  await t.test(
    'a schema that breaks readers → 409 with the rule, the place and a document that shows it',
    async (t) => {
      const stricter = order({ id: text, note: text }, { required: ['id', 'note'] });
      t.match(await register('shop.order', stricter, { dry_run: true }), {
        ...{ status: 200, body: { verdict: { outcome: 'breaking' }, changes: [{ rule: 'required' }] } },
      });
      const refused = await register('shop.order', stricter);
      t.match(refused, {
        status: 409,
        problem: {
          code: 'incompatible_schema',
          errors: [{ pointer: '/schema/required', code: 'required', message: /^The new version requires/ }],
          verdict: { outcome: 'breaking', compatibility: 'BACKWARD', policy: 'optional_friendly' },
          changes: [
            {
              ...{ pointer: '/required', in: 'new', rule: 'required', breaks: 'readers', version: 2 },
              change: 'The new version requires a member that may be absent.',
              counter_example: { value: { id: String }, accepted_by: 'old', refused_by: 'new' },
            },
          ],
        },
      });
      const narrower = order({ id: { enum: ['a'] } });
      t.match(await register('shop.order', narrower, { compatibility: 'FORWARD' }), {
        problem: { code: 'incompatible_schema', changes: [{ rule: 'required', breaks: 'writers', in: 'old' }] },
      });
      t.match(await register('shop.order', narrower, { compatibility: 'NONE' }), { status: 201, body: { version: 3 } });
      const back = order({ id: text }, { required: [] });
      t.match(await register('shop.order', back, { compatibility: 'FULL_TRANSITIVE' }), {
        problem: { verdict: { compared_with: [1, 2, 3] } },
      });
      t.match(await register('shop.order', back, { base_version: 2 }), {
        problem: { code: 'schema_version_conflict' },
      });
    },
  );

  await t.test('a version is deprecated, and shown as it is; the status goes one way at a time', async (t) => {
    const params = { subject: 'shop.order', version: 3 };
    const change = (status: 'draft' | 'active' | 'deprecated', headers = {}) =>
      call(endpoints.changeSchemaVersion, { params, body: { status } }, headers);
    t.match(await change('deprecated', { 'if-match': '"9"' }), { problem: { code: 'precondition_failed' } });
    t.match(await change('deprecated', { 'if-match': '"1"' }), { body: { status: 'deprecated', etag: '2' } });
    t.match(await change('draft'), { problem: { code: 'schema_status_unclear' } });
    t.match(await call(endpoints.listSubjects, { query: { status: 'deprecated' } }), {
      body: { items: [{ subject: 'shop.order', version: 3, status: 'deprecated', compatibility: 'NONE' }] },
    });
    t.match(await call(endpoints.listSubjects, { query: { q: 'söhne', status: 'active' } }), { body: { items: [] } });
  });

  await t.test('the difference of two versions: its edits, and what it breaks both ways', async (t) => {
    const found = await call(endpoints.differSchemaVersions, {
      params: { subject: 'shop.order', version: 1 },
      query: { to: 3 },
    });
    t.match(found, {
      body: {
        edits: [
          { pointer: '/properties/id/type', edit: 'removed' },
          { pointer: '/properties/id/enum', edit: 'added' },
          { pointer: '/required', edit: 'removed' },
        ],
        verdict: { outcome: 'breaking', compatibility: 'FULL' },
      },
    });
    const missing = { params: { subject: 'shop.order', version: 9 }, query: { to: 3 } };
    t.match(await call(endpoints.differSchemaVersions, missing), { problem: { code: 'not_found' } });
  });

  await t.test('many at once: each by itself, or all or none', async (t) => {
    const items = [
      { subject: 'bulk.a', schema: order({ a: text }) },
      { subject: 'bulk.a', schema: order({ a: text }, { required: ['a'] }) },
      { subject: 'bulk.b', schema: { type: 'strnig' } },
      { subject: 'bulk.a', schema: order({ a: text }) },
    ];
    const none = await call(endpoints.bulkRegister, { body: { items, atomic: true } });
    const results = [
      { index: 0, result: 'created', version: 1 },
      { index: 1, result: 'incompatible', code: 'incompatible_schema', changes: [{ rule: 'required' }] },
      { index: 2, result: 'error', code: 'schema_not_supported', errors: [{ pointer: '/items/2/schema/type' }] },
      { index: 3, result: 'unchanged', version: 1 },
    ];
    t.match(none, { body: { stored: 0, items: results } });
    t.equal(await versions('bulk.a'), 'not_found');
    t.match(await call(endpoints.bulkRegister, { body: { items } }), { body: { stored: 1, items: results } });
    t.strictSame(await versions('bulk.a'), ['1 active']);
    const good = [
      items[0],
      { subject: 'bulk.a', schema: order({ a: text, b: text }) },
      { subject: 'bulk.c', schema: true },
    ];
    t.match(await call(endpoints.bulkRegister, { body: { items: good as never, atomic: true } }), {
      body: { stored: 2, items: [{ result: 'unchanged' }, { version: 2 }, { version: 1 }] },
    });
  });

  await t.test('twenty at once for one subject → one after the other, or a conflict; no version is lost', async (t) => {
    const schemas = Array.from({ length: 20 }, (_, at) => order({ [`m${at}`]: text }));
    const answers = await Promise.all(schemas.map((schema) => register('race', schema)));
    const made = answers.flatMap((answer) => (answer.ok ? [answer.body.version] : []));
    t.ok(answers.every((answer) => answer.ok || ['conflict', 'tenant_busy'].includes(answer.problem.code)));
    const listed = await versions('race');
    t.strictSame(
      made.toSorted((a, b) => a - b).map((version) => `${version} active`),
      listed,
    );
  });

  await t.test('search finds by words, parts of names and typos', async (t) => {
    const find = async (body: object) => {
      const answer = await call(endpoints.searchRegistry, { body: body as never });
      return answer.ok ? answer.body.items.map(({ subject }) => subject) : answer.problem.code;
    };
    await register('people.employee', { title: 'Employee', properties: { emailAddress: text } });
    t.strictSame(await find({ q: 'emploeye' }), ['people.employee']);
    t.strictSame(await find({ q: 'email' }), ['people.employee']);
    t.strictSame(await find({ q: 'email', fields: ['title'] }), []);
    t.strictSame(await find({ q: 'employee', subject: 'shop' }), []);
    t.match(await call(endpoints.searchRegistry, { body: { q: 'employee' } }), {
      body: { items: [{ version: 1, highlights: [{ field: 'subject', text: 'people.employee' }] }] },
    });
  });

  await t.test('another tenant sees nothing of it', async (t) => {
    const other = app.as('other');
    const params = { subject: 'shop.order', version: 1 };
    t.match(await other.call(endpoints.getSchemaVersion, { params }), { problem: { code: 'not_found' } });
    t.match(await other.call(endpoints.listSubjects), { body: { items: [] } });
    t.match(await other.call(endpoints.registerSchema, { body: { subject: 'shop.order', schema: text } }), {
      status: 201,
    });
    const viewer = app.as('acme', 'viewer');
    t.match(await viewer.call(endpoints.registerSchema, { body: { subject: 'x', schema: {} } }), { status: 403 });
  });
});
