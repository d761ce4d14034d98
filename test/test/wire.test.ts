import { randomUUID } from 'node:crypto';
import { createSource, deleteSource, getSource, listSources, startSync } from '@weir/plugin-sources/contract';
import t from 'tap';
import { OWN_NAMES } from '../../plugins/platform/src/docs/named-schemas.ts';
import { testPlatform } from '../platform.ts';
import { until } from '../until.ts';

const FOLDER = new URL('../fixtures/shop', import.meta.url).pathname;
const source = (name: string) => ({ name, pattern_id: 'files', source_config: { path: FOLDER } });

/** As much of the document as the test looks at. */
interface OpenApi {
  openapi: string;
  paths: Record<string, Record<string, object>>;
}

const world = await testPlatform(t, t.testdir());

/** A POST as a careful client sends it. */
async function post(path: string, body: unknown, key: string) {
  const answer = await fetch(new URL(`/api/v1${path}`, world.api.url), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await world.token('acme')}`,
      'content-type': 'application/json',
      'x-tenant-id': 'acme',
      'idempotency-key': key,
    },
    body: JSON.stringify(body),
  });
  return { status: answer.status, location: answer.headers.get('location'), body: await answer.json() };
}

t.test('a repeated POST with the same Idempotency-Key gets the first answer and does nothing again', async (t) => {
  const key = randomUUID();
  const first = await post('/sources', source('one'), key);
  t.match(first, { status: 201, location: /^\/api\/v1\/sources\/[0-9a-f-]{36}$/, body: { etag: String } });
  t.strictSame(await post('/sources', source('one'), key), first);
  t.match(await post('/sources', source('two'), key), { status: 409, body: { code: 'idempotency_key_reused' } });
  t.match(await post('/sources', source('x'), 'a b'), { status: 400, body: { code: 'validation_failed' } });
  const answers = await Promise.all(Array.from({ length: 20 }, () => post('/sources', source('many'), 'same')));
  t.strictSame(
    [...new Set(answers.map(({ status }) => status))].sort(),
    answers.some(({ status }) => status === 409) ? [201, 409] : [201],
  );
  t.equal((await world.database.peek("select 1 from sources.source where name = 'many'")).length, 1);
  const refused = await post('/sources', { ...source('bad'), pattern_id: 'none' }, 'refused');
  t.equal(refused.status, 422);
  t.equal((await post('/sources', source('good'), 'refused')).status, 201, 'a refused request leaves its key free');
});

t.test('a change is held to the etag that If-Match names, and null clears in a merge patch', async (t) => {
  const who = { token: await world.token('acme'), tenant: 'acme' };
  const made = await world.call(who, createSource, { body: source('shop') });
  if (!made.ok) throw new Error(made.problem.code);
  const params = { source_id: made.body.source_id };
  const patch = async (body: object, ifMatch?: string) =>
    fetch(new URL(`/api/v1/sources/${params.source_id}`, world.api.url), {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${who.token}`,
        'content-type': 'application/json',
        ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      },
      body: JSON.stringify(body),
    });
  const renamed = await patch({ name: 'store' }, made.headers.get('etag') ?? '');
  t.equal(renamed.status, 200);
  t.not(renamed.headers.get('etag'), made.headers.get('etag'));
  t.equal((await patch({ name: 'again' }, made.headers.get('etag') ?? '')).status, 412, 'the old etag is stale');
  t.equal((await patch({ source_id: randomUUID() })).status, 400, 'read-only fields are refused');
  const glob = await patch({ source_config: { glob: '*.csv' } });
  t.match(await glob.json(), { source_config: { path: FOLDER, glob: '*.csv' } });
  const cleared = await patch({ source_config: { glob: null } });
  t.strictSame(((await cleared.json()) as { source_config: object }).source_config, { path: FOLDER });
  t.equal((await world.call(who, deleteSource, { params })).status, 204);
  t.match(await world.call(who, getSource, { params }), { ok: false, status: 404 });
});

t.test('a draft source says why it cannot be synced', async (t) => {
  const who = { token: await world.token('acme'), tenant: 'acme' };
  const made = await world.call(who, createSource, { body: source('shop') });
  if (!made.ok) throw new Error(made.problem.code);
  const params = { source_id: made.body.source_id };
  t.match(await world.call(who, startSync, { params }), { ok: false, status: 409, problem: { hint: String } });
  t.match(await world.call(who, listSources, { query: { status: 'draft' } }), {
    ok: true,
    body: { items: [{ name: 'shop' }] },
  });
});

t.test('the OpenAPI document names every route with its access, and every error has a page', async (t) => {
  const document = (await (await fetch(new URL('/openapi.json', world.api.url))).json()) as OpenApi;
  t.equal(document.openapi, '3.1.0');
  t.match(
    document,
    {
      components: {
        securitySchemes: {
          bearer: { 'x-sign-in': { issuer: String, client_id: 'weir-ui', organization_claim: 'organization' } },
        },
      },
    },
    'it says where to sign in',
  );
  for (const { method, endpoint } of world.api.app.declaredRoutes) {
    // OpenAPI has no word for the rest of a path.
    if (endpoint.path.includes('*')) continue;
    const path = `${endpoint.mount === 'root' ? '' : '/api/v1'}${endpoint.path}`.replace(/:(\w+)/g, '{$1}');
    t.match(
      document.paths[path]?.[method.toLowerCase()],
      { operationId: endpoint.id, 'x-access': endpoint.access },
      endpoint.id,
    );
  }
  for (const code of world.platform.problems.keys()) {
    const page = await fetch(new URL(`/docs/errors/${code}`, world.api.url));
    t.equal(page.status, 200, code);
    t.match(page.headers.get('content-security-policy'), /default-src 'none'/);
  }
  t.equal((await fetch(new URL('/docs/errors/nothing', world.api.url))).status, 404);
  t.match(await (await fetch(new URL('/docs', world.api.url))).text(), /id="explorer"/);
  t.strictSame(Object.keys((await (await fetch(new URL('/health', world.api.url))).json()) as object), [
    'release_sha',
    'image_digest',
  ]);
  const ready = await until('a platform that is ready', async () => {
    const answer = await fetch(new URL('/ready', world.api.url));
    return answer.ok && ((await answer.json()) as object);
  });
  t.match(ready, { ready: true, parts: { database: 'up', workflow_engine: 'up' } });
});

t.test('schemas of the OpenAPI document have names, and each reference leads to one', async (t) => {
  const text = await (await fetch(new URL('/openapi.json', world.api.url))).text();
  const { components, paths, tags, servers } = JSON.parse(text) as {
    components: { schemas: Record<string, { properties?: object }> };
    paths: Record<string, Record<string, { tags: string[]; responses: Record<string, { content?: object }> }>>;
    tags: { name: string; description: string }[];
    servers: object[];
  };
  t.match(components.schemas, { Source: { properties: Object }, SourceList: Object, CreateSourceBody: Object });
  const names = Object.keys(components.schemas);
  for (const [made, shown] of Object.entries(OWN_NAMES)) {
    t.ok(names.includes(shown), `${shown} in place of ${made}`);
    t.notOk(names.includes(made), made);
  }
  const wanted = new Set([...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name));
  t.strictSame(wanted.difference(new Set(Object.keys(components.schemas))), new Set());
  t.match(paths['/api/v1/sources']?.get?.responses['200']?.content, {
    'application/json': { schema: { $ref: '#/components/schemas/SourceList' } },
  });
  t.match(components.schemas.SourceList, {
    properties: { items: { items: { $ref: '#/components/schemas/Source' } } },
  });
  const bodies = Object.values(paths).flatMap((methods) => Object.values(methods));
  const declared = new Set(tags.map(({ name }) => name));
  t.strictSame(
    bodies.flatMap((operation) => operation.tags).filter((tag) => !declared.has(tag)),
    [],
  );
  t.ok(tags.every(({ description }) => description.length > 10));
  t.strictSame(servers, [{ url: '/', description: 'The server that this document comes from' }]);
});
