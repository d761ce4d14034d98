import { conformance } from '@weir/kernel/testing';
import t from 'tap';
import transforms from '../../transforms/package.json' with { type: 'json' };
import packageJson from '../package.json' with { type: 'json' };
import * as endpoints from '../src/contract.ts';
import plugin from '../src/plugin.ts';
import { ORDERS, SECRET, setUp } from './kit.ts';

t.test('proposals by the rules of the platform', async (t) => {
  const app = await setUp(t);
  const { call } = app;
  type Deployed = Parameters<typeof conformance>[1];
  const manifest = packageJson.weir as Deployed['manifest'];
  // Who accepts a proposal writes a transform: the permission is that of transforms.
  const beside = [transforms.weir] as unknown as Deployed['beside'] & object;
  conformance(t, { manifest, plugin, registration: app.registration, beside });

  const generated = await call(endpoints.generateTransform, {
    body: { description: 'sum of total by id', inputs: [ORDERS] },
  });
  if (!generated.ok) throw new Error(JSON.stringify(generated.problem));
  const { execution_id, digest } = generated.body;
  const params = { execution_id };

  await t.test('a description → a statement that the engine took, with lineage, review and checks', async (t) => {
    t.match(generated.body, {
      ...{
        provider: 'embedded',
        degraded: false,
        status: 'succeeded',
        proposal: 'drafted',
        task: 'generate-transform',
      },
      validation: {
        attempts: 1,
        checks: [{ check: 'statement', passed: true }, { check: 'inputs' }, { check: 'review' }],
      },
      result: {
        artifact: { kind: 'sql', sql: /sum\(total\)/ },
        output_schema: [{ name: 'id', type: 'long' }, { name: 'sum_total' }],
        lineage: [{ column: 'id' }, { sources: [{ dataset_id: ORDERS, column: 'total' }] }],
        review: { verdict: 'pass' },
        tests: [{ kind: 'unique', columns: ['id'] }],
      },
    });
    t.notMatch(JSON.stringify(generated.body), SECRET);
    t.match(digest, /^[0-9a-f]{64}$/);
  });

  await t.test('what is not understood, foreign or missing → a refusal by its code, kept as failed', async (t) => {
    const ask = (description: string, inputs: string[]) =>
      call(endpoints.generateTransform, { body: { description, inputs } });
    t.match(await ask('predict churn', [ORDERS]), { status: 422, problem: { code: 'unsupported_request' } });
    t.match(await ask('count rows', ['bronze.other.orders']), {
      status: 403,
      problem: { code: 'dataset_not_readable' },
    });
    t.match(await ask('count rows', ['bronze.acme.absent']), { status: 404, problem: { code: 'not_found' } });
    const failed = await call(endpoints.listExecutions, { query: { status: 'failed' } });
    t.match(failed, { body: { items: [{ task: 'generate-transform', proposal: null, digest: null }] } });
    t.notMatch(JSON.stringify(failed), /churn/, 'no word of the description is kept');
  });

  await t.test('a review → verdict and findings with their places, and no proposal', async (t) => {
    const sql = `select id, total / 0 as rate from ${ORDERS} order by 1`;
    const found = await call(endpoints.reviewSql, { body: { sql } });
    t.match(found, { body: { proposal: null, result: { verdict: 'warn', tables: [ORDERS], explain: { ok: true } } } });
    const only = await call(endpoints.reviewSql, { body: { sql, rules: ['ordinal'] } });
    t.match(only, { body: { result: { verdict: 'pass', findings: [{ rule_id: 'ordinal', line: 1 }] } } });
    const broken = await call(endpoints.reviewSql, { body: { sql: 'selekt 1' } });
    t.match(broken, {
      body: { result: { verdict: 'fail', findings: [{ rule_id: 'syntax' }], explain: { ok: false } } },
    });
    t.match(await call(endpoints.reviewSql, { body: {} }), { status: 400, problem: { code: 'validation_failed' } });
  });

  await t.test('a statement with a typo → why, the corrected one as a diff, and what a log says', async (t) => {
    const sql = `select id,\n  sum(totl) as total\nfrom ${ORDERS}\ngroup by id`;
    const fixed = await call(endpoints.fixCiFailure, { body: { artifact: { sql } } });
    t.match(fixed, {
      body: {
        result: {
          ...{ needs_human: false, validation: { valid: true }, diagnosis: { class: 'unknown_column' } },
          artifact: { sql: sql.replace('totl', 'total') },
          patches: [{ path: 'statement.sql', diff: /- {2}sum\(totl\) as total\n\+ {2}sum\(total\) as total/ }],
        },
      },
    });
    const ci_log = `step 3\nOut of Memory Error: could not allocate for 'Müller & Söhne' password=hunter2\n`;
    const logged = await call(endpoints.fixCiFailure, { body: { ci_log } });
    t.match(logged, { body: { result: { needs_human: true, patches: [], diagnosis: { class: 'out_of_memory' } } } });
    t.notMatch(JSON.stringify(logged), /hunter2|Müller/);
    t.match(await call(endpoints.fixCiFailure, { body: {} }), { status: 400 });
  });

  await t.test('columns and a schema → mappings with what they cast, and the key as the rows show it', async (t) => {
    const properties = { id: { type: 'string' }, totalAmount: { type: 'number' }, colour: { type: 'string' } };
    const schema = { type: 'object', properties, required: ['id', 'colour'], 'x-primary-key': ['id'] };
    const body = { source: { dataset_id: ORDERS }, target: { schema } };
    t.match(await call(endpoints.suggestFieldMappings, { body }), {
      body: {
        result: {
          mappings: [
            {
              source_field: 'id',
              target_field: 'id',
              transform: { kind: 'cast', expression: 'cast(id as varchar)', lossless: true },
            },
            { source_field: 'total', target_field: 'totalAmount', transform: { kind: 'cast', lossless: false } },
          ],
          ...{ unmapped_source: ['note'], unmapped_required: ['colour'] },
          primary_key: { fields: ['id'], unique: false, nulls: 0 },
        },
      },
    });
    const schemas = await call(endpoints.suggestTargetSchema, { body: { dataset_id: ORDERS } });
    t.match(schemas, {
      body: {
        warnings: [{ code: 'no_schemas' }, { code: 'no_ontology' }],
        result: { candidates: [{ source: 'inferred' }] },
      },
    });
    for (const odd of [{}, { dataset_id: ORDERS, columns: [{ name: 'x' }] }])
      t.match(await call(endpoints.suggestTargetSchema, { body: odd }), { status: 400 });
  });

  await t.test('publishing → needs the digest that was seen, makes the transform once', async (t) => {
    const publish = (more: object, role = 'admin') =>
      app.as('acme', role).call(endpoints.publishTransform, {
        body: { execution_id, expected_digest: digest ?? '', name: 'sums', output: 'gold.acme.sums', ...more },
      });
    const changed = await publish({ expected_digest: 'a'.repeat(64) });
    t.match(changed, { status: 409, problem: { code: 'proposal_changed' } });
    t.match(await publish({}, 'viewer'), { status: 403, problem: { code: 'forbidden_role' } });
    const foreign = await app.as('other').call(endpoints.publishTransform, {
      body: { execution_id, expected_digest: digest ?? '', name: 'sums', output: 'gold.other.sums' },
    });
    t.match(foreign, { status: 404, problem: { code: 'not_found' } });
    t.match(await publish({ name: undefined }), { status: 400, problem: { errors: [{ pointer: '/name' }] } });
    t.match(await publish({ dry_run: true }), { body: { proposal: 'drafted', result: { change: 'none' } } });
    t.equal(app.made.length, 0);
    const both = await Promise.all([publish({}), publish({})]);
    t.same(both.map(({ status }) => status).toSorted(), [200, 409]);
    t.match(app.made, [{ name: 'sums', output: 'gold.acme.sums', checks: [{ kind: 'unique' }] }]);
    t.equal(app.made.length, 1);
    t.match(await call(endpoints.getExecution, { params }), {
      body: { proposal: 'accepted', result: { artifact: {} } },
    });
    t.match(await call(endpoints.refuseProposal, { params }), { status: 409, problem: { code: 'proposal_not_open' } });
  });

  await t.test('a refused proposal → is not published; one that is too old → not found', async (t) => {
    const asked = await call(endpoints.generateTransform, { body: { description: 'count rows', inputs: [ORDERS] } });
    if (!asked.ok) throw new Error(asked.problem.code);
    const { execution_id: id, digest: seen } = asked.body;
    t.match(await call(endpoints.refuseProposal, { params: { execution_id: id } }), { body: { proposal: 'refused' } });
    const body = { execution_id: id, expected_digest: seen ?? '', name: 'counts', output: 'gold.acme.counts' };
    t.match(await call(endpoints.publishTransform, { body }), { status: 409, problem: { code: 'proposal_not_open' } });
    await app.database.peek(
      `update ai.execution set expires_at = now() - interval '1 second' where execution_id = '${id}'`,
    );
    t.match(await call(endpoints.getExecution, { params: { execution_id: id } }), { status: 404 });
    t.match(await call(endpoints.publishTransform, { body }), { status: 404 });
    t.match(await app.as('other').call(endpoints.getExecution, { params }), { status: 404 });
  });
});

t.test('50 calls at once over a budget of 20 → 20 proposals', async (t) => {
  const { call } = await setUp(t, { settings: { WEIR_AI_DAILY_CALLS: 20 } });
  const schema = { type: 'object', properties: { id: { type: 'string' } } };
  const body = { source: { schema }, target: { schema } };
  const answers = await Promise.all(Array.from({ length: 50 }, () => call(endpoints.suggestFieldMappings, { body })));
  t.equal(answers.filter(({ ok }) => ok).length, 20);
  const refused = answers.filter(({ ok }) => !ok);
  for (const one of refused)
    t.match(one, { status: 429, problem: { code: 'ai_budget_exceeded', retry_after_seconds: Number } });
  t.equal(refused.length, 30);
});
