import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { localFileIO } from '@weir/lakehouse';
import { startRestCatalog } from '@weir/lakehouse/testing';
import t, { type Test } from 'tap';
import * as endpoints from '../src/contract.ts';
import { pipelineWorld, SUMS } from './pipeline-kit.ts';

const FEED = 'silver.acme.feed';

/** Pipelines whose tables are in a REST catalog. */
async function remoteWorld(t: Test, manyTables: boolean) {
  const warehouse = join(t.testdir(), 'warehouse');
  mkdirSync(warehouse);
  const server = await startRestCatalog({ io: localFileIO({ root: warehouse }), warehouse, manyTables });
  t.teardown(() => server.close());
  const more = { TABLE_CATALOG_URI: server.uri, WEIR_WAREHOUSE: warehouse };
  const world = await pipelineWorld(t, more, { works: manyTables });
  /** Where each table is. */
  const places = () => new Map([...server.tables].map(([name, { metadataLocation }]) => [name, metadataLocation]));
  return { ...world, places };
}

t.test('a REST catalog that commits several tables at once → all of them change, or none', async (t) => {
  const { ok, values, hydrated, materialized, change, raw, create, validated, rehearsed, run, rows, places } =
    await remoteWorld(t, true);
  const feed = await hydrated('feed', values("(1, '10'), (2, '20')"), FEED);
  await materialized(feed);
  await change(raw, { sql: `select id, total::int as total from ${FEED}` });
  const params = await create('daily');
  t.match(await validated(params), { valid: true });
  t.match(await rehearsed(params), { status: 'succeeded' });
  await ok(endpoints.activatePipeline, { params, body: {} });
  t.match(await run(params), { status: 'succeeded', outputs: [{}, {}, {}] });
  t.strictSame(await rows(SUMS), [[20]]);

  await change(feed, { sql: values("(1, '10'), (2, 'x')") });
  t.match(await materialized(feed), { status: 'succeeded' });
  const before = places();
  const failed = await run(params);
  t.match(failed, { status: 'failed', published: false, failure: { code: 'query_failed' } });
  t.strictSame(places(), before, 'every table is where it was');

  await change(feed, { sql: values("(1, '10'), (2, '30')") });
  await materialized(feed);
  t.match(await run(params, { resume_run_id: failed.run_id }), { status: 'succeeded', published: true });
  t.strictSame(await rows(SUMS), [[30]]);
});

t.test(
  'a REST catalog that moves one table at a time → publishing together is refused before anything runs',
  async (t) => {
    const { ok, create, validated, places } = await remoteWorld(t, false);
    const params = await create('daily');
    t.match(await validated(params), { valid: false, faults: [{ code: 'together_impossible', pointer: '/publish' }] });
    t.equal(places().size, 0);
    const { steps } = await ok(endpoints.getPipeline, { params });
    const body = { name: 'daily', publish: 'each' as const };
    const given = steps.map(({ step_id, transform_id }) => ({ step_id, transform_id }));
    await ok(endpoints.putPipeline, { params, body: { ...body, steps: given } });
    t.match(await validated(params), { valid: true, faults: [] });
  },
);
