import { strictYaml } from '@weir/documents';
import t from 'tap';
import { createPolicy, deletePolicy } from '../../identity/src/contract.ts';
import { applyPlan, exportDocuments } from '../src/contract.ts';
import { PLACE } from '../src/model/read-document.ts';
import { furnishRest, furnishSource } from './furnish.ts';
import { bodyOf, URL, world } from './kit.ts';

t.test('export', async (t) => {
  const { as, plan, api, token } = await world(t);
  const [acme, other, viewer] = [await as('acme'), await as('other'), await as('acme', 'viewer')];
  await furnishSource(acme, 'shop', t.testdirName);
  await furnishRest(acme, 'acme');
  const { docs } = bodyOf(await acme(exportDocuments, { query: { limit: 500 } }));

  t.test('what is there → documents by kind and name, with the place of the scope', async (t) => {
    t.match(
      docs.map(({ kind, metadata: { name } }) => `${kind}/${name}`),
      ['Source/shop', 'Transform/daily', 'Transform/once', 'Pipeline/both', 'IdentityPolicy/careful', 'Webhook/pager'],
    );
    const [, daily, once] = docs;
    t.match(daily?.spec, { output: `gold.${PLACE}.daily`, schedule: { interval_seconds: 3_600 } });
    t.equal(
      daily?.spec.sql,
      `select id, 'bronze.acme.x' as note -- bronze.acme.y
from bronze.${PLACE}.shop__orders o join "silver"."${PLACE}".b using (id)`,
    );
    t.match(daily?.spec.checks, [{ to: `silver.${PLACE}.b` }, { sql: /from bronze\.\$\{scope\}\.z/ }]);
    t.match(once?.spec, { pattern_id: 'deduplicate', parameters: { input: `bronze.${PLACE}.shop__orders` } });
    t.equal(once?.spec.sql, undefined, 'the pattern makes it');
  });

  t.test('the same documents planned → all noop', async (t) => {
    const { results, summary } = await plan(acme, docs);
    t.match(summary, { noop: docs.length }, JSON.stringify(results.filter(({ action }) => action !== 'noop')));
    t.match(results[0]?.streams, [
      { name: 'Müller & Söhne', action: 'noop' },
      { name: 'orders', action: 'noop' },
    ]);
  });

  t.test('pages → the same documents, a few at a time', async (t) => {
    const found = [];
    for (let at: string | null = ''; at !== null; ) {
      const query: { limit: number; page_token?: string } = at === '' ? { limit: 2 } : { limit: 2, page_token: at };
      const page = bodyOf(await acme(exportDocuments, { query }));
      t.ok(page.docs.length <= 2);
      found.push(...page.docs);
      at = page.next_page_token;
    }
    t.strictSame(found, docs);
    t.match(bodyOf(await acme(exportDocuments, { query: { kind: 'Transform', name: 'once' } })).docs, [
      { metadata: { name: 'once' } },
    ]);
    t.match(await acme(exportDocuments, { query: { kind: 'Nothing' } }), { status: 400 });
  });

  t.test('a viewer → gets what they may read, and the names of the kinds that they may not', async (t) => {
    const found = bodyOf(await viewer(exportDocuments, {}));
    t.strictSame([...new Set(found.docs.map(({ kind }) => kind))], ['Source', 'Transform', 'Pipeline']);
    t.match(found.left_out, [
      { kind: 'IdentityPolicy', code: 'forbidden_role' },
      { kind: 'Webhook', code: 'forbidden_role' },
    ]);
  });

  t.test('parts that an access policy keeps from a viewer → their documents are left out by name', async (t) => {
    const cedar = `forbid (principal, action == Action::"sources.list_streams", resource)
      when { principal.roles.contains("viewer") };`;
    const body = { name: 'no-streams', kind: 'access' as const, document: { cedar }, status: 'active' as const };
    const { policy_id } = bodyOf(await acme(createPolicy, { body }));
    const found = bodyOf(await viewer(exportDocuments, {}));
    t.match(found.docs, [{ kind: 'Transform' }, { kind: 'Transform' }, { kind: 'Pipeline' }]);
    t.match(found.left_out[0], { kind: 'Source', name: 'shop', code: 'access_policy_forbids' });
    bodyOf(await acme(deletePolicy, { params: { policy_id } }));
  });

  t.test('YAML → reads back as the same documents', async (t) => {
    const answer = await fetch(`${api.url}/api/v1/export?limit=500`, {
      headers: { authorization: `Bearer ${await token('acme')}`, 'x-tenant-id': 'acme', accept: 'application/yaml' },
    });
    t.match(await strictYaml(Buffer.from(await answer.arrayBuffer())), { docs });
  });

  t.test('applied to an empty tenant with what is write-only → exported again, the same bytes', async (t) => {
    const given = docs.map((one) => (one.kind === 'Webhook' ? { ...one, spec: { ...one.spec, url: URL } } : one));
    const { fingerprint, summary } = await plan(other, given);
    t.match(summary, { create: docs.length });
    const done = bodyOf(await other(applyPlan, { body: { docs: given, fingerprint } }));
    t.match(done, { status: 'applied', results: docs.map(() => ({ outcome: 'applied' })) }, JSON.stringify(done));
    const again = bodyOf(await other(exportDocuments, { query: { limit: 500 } }));
    t.equal(JSON.stringify(again.docs), JSON.stringify(docs));
  });

  t.test('a source over an upload → an error by name', async (t) => {
    const path = 'upload:01900000-0000-7000-8000-000000000000';
    const { results } = await plan(acme, [
      { ...docs[0], metadata: { name: 'mine' }, spec: { pattern_id: 'files', source_config: { path } } },
    ]);
    t.match(results, [{ action: 'error', errors: [{ code: 'upload_not_portable' }] }]);
  });
});
