import fc from 'fast-check';
import t from 'tap';
import { sample } from '../../../test/lane.ts';
import { listAudit } from '../../platform/src/contract.ts';
import { applyPlan, exportDocuments } from '../src/contract.ts';
import { PLACE } from '../src/model/read-document.ts';
import { SCHEMA } from './furnish.ts';
import { bodyOf, doc, policy, URL, type World, world } from './kit.ts';

const [SETS, FEW_SETS] = [50, 5];
const words = fc.constantFrom('Müller & Söhne', "it's", 'a: b', '# no', '2026-01-31', 'yes', ' x ', 'line\nline');
const schedule = fc.constantFrom(
  undefined,
  { interval_seconds: 3_600, offset_seconds: 60 },
  { cron: ['0 6 * * mon-fri', '30 7 1 * *'], timezone: 'Europe/Kyiv', overlap: 'buffer_one', paused: true },
);
const stream = fc.record({
  name: fc.constantFrom('orders', 'Größe', 'toString', 'a b'),
  enabled: fc.boolean(),
  write_mode: fc.constantFrom('append', 'overwrite'),
  schema_change_policy: fc.constantFrom('evolve', 'freeze', 'capture'),
});
const streams = fc.uniqueArray(stream, { selector: ({ name }) => name, maxLength: 3 });
const source = fc.record({ glob: words, streams, schedule }).map((of) => ({
  pattern_id: 'files',
  source_config: { path: '/data', glob: of.glob },
  streams: of.streams.map((one) => ({ ...one, schema: SCHEMA })),
  ...(of.schedule && { schedule: of.schedule }),
}));
const FROM = [`bronze.${PLACE}.shop__orders`, `"bronze"."${PLACE}"."shop__orders"`, `Bronze . ${PLACE} . shop__orders`];
const transform = fc
  .record({ from: fc.constantFrom(...FROM), said: words, tags: fc.subarray(['a', 'b']), key: fc.boolean(), schedule })
  .map((of) => ({
    sql: `select '${of.said.replaceAll("'", "''")}' as said, 'bronze.${PLACE}.text' as id -- bronze.${PLACE}.y\nfrom ${of.from}`,
    description: of.said,
    ...(of.tags.length > 0 && { tags: of.tags }),
    ...(of.key && { materialization: 'merge', key: ['id'] }),
    ...(of.schedule && { schedule: of.schedule }),
  }));
/** A pipeline of all transforms, each after the one before it. */
const pipelinesOf = (count: number, { publish, description, schedule: times }: Piped) => {
  const steps = Array.from({ length: count }, (_, at) => {
    const step = { step_id: `step-${at}`, transform: `to_${at}` };
    return at === 0 ? step : { ...step, after: [`step-${at - 1}`] };
  });
  return count === 0
    ? []
    : [doc('Pipeline', 'all', { steps, publish, description, ...(times && { schedule: times }) })];
};
interface Piped {
  publish: string;
  description: string;
  schedule: object | undefined;
}
const events = fc.subarray(['run.failed', 'run.recovered', 'table.changed'], { minLength: 1 });
const sets = fc
  .record({
    sources: fc.array(source, { maxLength: 3 }),
    transforms: fc.array(transform, { maxLength: 4 }),
    hooks: fc.array(fc.record({ events, status: fc.constantFrom('active', 'paused') }), { maxLength: 3 }),
    status: fc.constantFrom('draft', 'active', 'archived'),
    piped: fc.record({ publish: fc.constantFrom('each', 'together'), description: words, schedule }),
  })
  .map(({ sources, transforms, hooks, status, piped }) => [
    ...sources.map((spec, at) => doc('Source', `source_${at}`, spec)),
    ...transforms.map((spec, at) => doc('Transform', `to_${at}`, { ...spec, output: `gold.${PLACE}.to_${at}` })),
    ...pipelinesOf(transforms.length, piped),
    policy('careful', { status }),
    ...hooks.map((spec, at) => doc('Webhook', `hook_${at}`, { ...spec, url: URL })),
  ]);

type Call = Awaited<ReturnType<World['as']>>;

t.test('generated documents → exported, planned as noop, and the same from another tenant', async (t) => {
  const { as, plan, database } = await world(t);
  const applied = async (call: Call, docs: object[]) => {
    const { fingerprint, results } = await plan(call, docs);
    const done = bodyOf(await call(applyPlan, { body: { docs, fingerprint } }));
    t.equal(done.status, 'applied', JSON.stringify(done));
    const trail = bodyOf(await call(listAudit, { query: { limit: 500 } })).items;
    const made = trail.filter(({ action }) => !action.startsWith('apply.'));
    t.equal(made.length, results.flatMap(({ calls }) => calls).length, 'by the audit trail the planned calls, no more');
    return bodyOf(await call(exportDocuments, { query: { limit: 500 } })).docs;
  };
  const all = fc.sample(sets, { numRuns: SETS, seed: 44 });
  for (const [at, docs] of sample('documents', all, FEW_SETS).entries()) {
    const [one, other] = [`one_${at}`, `another_${at}`];
    for (const alias of [one, other]) await database.tenant(alias);
    const exported = await applied(await as(one), docs);
    t.equal(exported.length, docs.length);
    t.strictSame((await plan(await as(one), exported)).summary.noop, docs.length);
    const given = exported.map((each) =>
      each.kind === 'Webhook' ? { ...each, spec: { ...each.spec, url: URL } } : each,
    );
    t.equal(JSON.stringify(await applied(await as(other), given)), JSON.stringify(exported));
  }
});
