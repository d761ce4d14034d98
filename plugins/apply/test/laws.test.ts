import fc from 'fast-check';
import t from 'tap';
import { sample } from '../../../test/lane.ts';
import { createSource } from '../../sources/src/contract.ts';
import { applyPlan, dryRunDocuments, exportDocuments } from '../src/contract.ts';
import { furnishRest, furnishSource, SCHEMA } from './furnish.ts';
import { bodyOf, doc, hook, policy, type World, world } from './kit.ts';

/** Every table but those that note who called: the audit trail, the people who were seen, and what the platform does by itself. */
const TABLES = `select format('%I.%I', schemaname, tablename) as name from pg_tables
  where schemaname not in ('pg_catalog', 'information_schema')
    and not (schemaname = 'platform' and tablename ~ '^(audit|metric)')
    and not (schemaname = 'identity' and tablename = 'person') order by 1`;
const [SETS, FEW_SETS] = [500, 20];
const [GUESSES, FEW_GUESSES] = [1_000, 20];

/** What lies in every table, with the transaction that wrote each row, so that a row written again differs. */
async function digests({ peek }: World['database']) {
  const rows = await peek(TABLES);
  const one = (name: unknown) => `select '${name}' as name, count(*)::int as rows,
    md5(string_agg(row.xmin::text || row::text, ',' order by row.ctid)) as digest from ${name} row`;
  // Parts of a union that are read side by side come in no order.
  const all = `${rows.map(({ name }) => one(name)).join(' union all ')} order by name`;
  return { tables: rows.length, look: () => peek(all) };
}

const word = fc.constantFrom('shop', 'daily', 'once', 'careful', 'pager', 'new_one', 'Not A Name');
const text = fc.constantFrom('x', 'Müller & Söhne', "'; drop table x --", '');
const anyDocument = fc.oneof(
  fc.record({ name: word, path: text, stream: text, mode: fc.constantFrom('append', 'merge', 'none') }).map((of) => {
    const streams = [
      { name: of.stream, schema: SCHEMA, write_mode: of.mode },
      { name: 'orders', enabled: true },
    ];
    return doc('Source', of.name, { pattern_id: 'files', source_config: { path: of.path }, streams });
  }),
  fc
    .record({ name: word, sql: text, output: fc.constantFrom('gold.acme.daily', 'silver.acme.new', 'bronze.acme.x') })
    .map((of) => {
      const schedule = { interval_seconds: 3_600, paused: true };
      return doc('Transform', of.name, { sql: of.sql, output: of.output, schedule });
    }),
  fc.record({ name: word, status: fc.constantFrom('draft', 'active', 'archived') }).map(({ name, status }) => {
    return policy(name, { status });
  }),
  fc
    .record({ name: word, status: fc.constantFrom('active', 'paused') })
    .map(({ name, status }) => hook(name, { status })),
  fc
    .record({ name: word, transform: word, publish: fc.constantFrom('each', 'together'), active: fc.boolean() })
    .map(({ name, transform, ...of }) => doc('Pipeline', name, { steps: [{ step_id: 'a', transform }], ...of })),
  fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.array(text), fc.dictionary(word, text)),
);

t.test('laws', async (t) => {
  const { as, plan, database } = await world(t, { WEIR_RATE_COSTLY: '0' });
  const [acme, viewer] = [await as('acme'), await as('acme', 'viewer')];
  await furnishSource(acme, 'shop', t.testdirName);
  await furnishRest(acme, 'acme');

  t.test('a dry run → writes nothing, whatever the documents are', async (t) => {
    const { tables, look } = await digests(database);
    t.ok(tables > 20);
    const before = await look();
    const all = fc.sample(fc.array(anyDocument, { maxLength: 12 }), { numRuns: SETS, seed: 44 });
    const actions = new Set<string>();
    const { docs: there } = bodyOf(await acme(exportDocuments, {}));
    for (const docs of [there, ...sample<unknown[]>('documents', all, FEW_SETS)]) {
      const { results, summary } = await plan(acme, docs, { allow_deprecate: docs.length % 2 === 0 });
      t.equal(results.length, docs.length);
      for (const [action, count] of Object.entries(summary)) if (count > 0) actions.add(action);
      await plan(viewer, docs);
    }
    t.strictSame([...actions].toSorted(), ['create', 'error', 'noop', 'patch', 'would-409']);
    t.strictSame(await look(), before);
  });

  t.test('guesses of a stored credential by a viewer → all answers are alike', async (t) => {
    const config = { host: 'db.example', port: 5432, database: 'shop', username: 'weir' };
    const password = 'swordfish-Größe';
    const body = { name: 'db', pattern_id: 'postgres', source_config: { ...config, password } };
    bodyOf(await acme(createSource, { body }));
    const words = Array.from({ length: GUESSES }, (_, at) => `swordfish-${at}`);
    const guesses = [...sample('documents', words, FEW_GUESSES), password];
    for (const place of ['source_config', 'credential_values']) {
      const answers = new Set<string>();
      for (const guess of guesses) {
        const spec = { pattern_id: 'postgres', source_config: config };
        const given =
          place === 'source_config'
            ? { ...spec, source_config: { ...config, password: guess } }
            : { ...spec, credential_values: { password: guess } };
        answers.add(JSON.stringify(await plan(viewer, [doc('Source', 'db', given)])));
      }
      t.equal(answers.size, 1, place);
      t.match(JSON.parse([...answers][0] ?? ''), {
        results: [{ action: 'patch', changes: [{ pointer: '/source_config/password', change: 'set' }] }],
      });
    }
    t.match((await plan(viewer, [doc('Source', 'db', { pattern_id: 'postgres', source_config: config })])).results, [
      { action: 'noop' },
    ]);
  });

  t.test('a secret, in its place or another → in no answer', async (t) => {
    const secret = 'canary7151';
    const url = `http://127.0.0.1:9/${secret}`;
    const config = { host: 'db.example', port: 5432, database: 'shop', username: 'weir' };
    const source = (more: object) =>
      doc('Source', 'secret', { pattern_id: 'postgres', source_config: { ...config, ...more } });
    const docs = [source({ password: secret }), doc('Webhook', 'secret', { url, events: ['run.failed'] })];
    const faulty = [
      source({ pasword: secret }),
      source({ password: { value: secret } }),
      source({ port: secret }),
      doc('Source', 'other', { pattern_id: 'postgres', source_config: config, credential_values: { token: secret } }),
      doc('Source', secret.toUpperCase(), {}),
      doc(secret, 'x', { [secret]: secret }),
      doc('Webhook', 'y', { url: secret, events: [secret], [secret]: url }),
      { apiVersion: secret, [secret]: secret },
    ];
    const planned = await acme(dryRunDocuments, { body: { docs } });
    const answers = [planned, await acme(dryRunDocuments, { body: { docs: faulty } })];
    const { fingerprint } = bodyOf(planned);
    answers.push((await acme(applyPlan, { body: { docs, fingerprint } })) as never);
    answers.push((await acme(exportDocuments, { query: {} })) as never);
    for (const answer of answers) {
      t.match(answer, { ok: true });
      t.notMatch(JSON.stringify(answer).toLowerCase(), secret);
    }
    t.match(answers[2], { body: { status: 'applied' } });
  });
});
