import { createCaller } from '@weir/caller';
import t, { type Test } from 'tap';
import { PATIENT_MS } from '../../../test/until.ts';
import type { OntologyStore } from '../src/model/entity/store.ts';
import { httpStore } from '../src/service/store/http.ts';
import { removeRemote } from '../src/service/sync/take-remote.ts';
import { startOntologyService } from './ontology-service.ts';
import { syncWorld, vehicle } from './sync-kit.ts';

const TENANT = 'acme-ontology';
const entity = (id: number, label = `n${id}`) => ({ vin: String(id), label });
const all = (...ids: number[]) => Object.fromEntries(ids.map((id) => [String(id), entity(id)]));

/** A backing dataset whose entities are kept by a service; `around` changes the adapter. */
async function setUp(
  t: Test,
  { around = (store: OntologyStore) => store, more = {}, rows = [vehicle(1), vehicle(2)] } = {},
) {
  const service = await startOntologyService({ tenants: [TENANT] });
  t.teardown(() => service.close());
  service.setSlowness(1);
  const bounds = { timeoutMs: PATIENT_MS, maxBytes: 2 ** 20, retries: 4, wait: async () => undefined };
  const caller = createCaller({ base: service.url, headers: () => ({ 'x-api-key': service.key }), ...bounds });
  const logged: object[] = [];
  const world = await syncWorld(t, around(httpStore({ caller, log: (facts) => logged.push(facts) })));
  await world.land(rows);
  await world.type('Vehicle');
  const id = await world.backing('fleet', more);
  return { ...world, id, service, logged, kept: () => service.entities(TENANT, 'Vehicle') };
}

t.test('a table becomes entities of a service: full, skip, append, diff with deletions, forced', async (t) => {
  const { sync, id, kept, land, replace, peek, service } = await setUp(t);
  t.match(await sync(id), { status: 'succeeded', mode: 'full', counts: { read: 2, upserted: 2, rejected: 0 } });
  t.strictSame(kept(), all(1, 2));
  const put = 'PUT /v1/entity-types/Vehicle/versions/1';
  t.equal(service.seen[0], put, 'the service has the type before its entities, though it was stored without it');
  const sent = service.seen.length;
  t.match(await sync(id), { status: 'skipped' });
  t.equal(service.seen.length, sent, 'a skip sends nothing');
  await land([vehicle(3)]);
  t.match(await sync(id), { status: 'succeeded', mode: 'append', counts: { upserted: 1 } });
  await replace([vehicle(2), vehicle(3, 'other'), vehicle(4)]);
  const counts = { read: 3, upserted: 2, deleted: 1, unchanged: 1 };
  t.match(await sync(id), { status: 'succeeded', mode: 'diff', counts });
  t.strictSame(kept(), { ...all(2, 4), '3': entity(3, 'other') });
  t.match(await sync(id, true), { status: 'succeeded', mode: 'full', counts: { upserted: 0, unchanged: 3 } });
  t.strictSame(await peek('select 1 from ontology.entity'), [], 'the database keeps none of them');
});

t.test('answers that are lost, and a limited rate → every chunk is applied once', async (t) => {
  const { sync, id, kept, service } = await setUp(t);
  service.choose((_, at) => (at % 3 === 0 ? 'limited' : at % 2 === 0 ? 'lost' : 'served'));
  t.match(await sync(id), { status: 'succeeded', counts: { upserted: 2 } });
  t.strictSame(kept(), all(1, 2));
  t.equal(new Set(service.applied).size, service.applied.length);
});

t.test('an attempt that ends between the chunk and its note → the next one finds the chunk taken', async (t) => {
  let isKilled = true;
  const { start, attempt, runOf, id, kept, service, row } = await setUp(t, {
    around: (store) => ({
      ...store,
      async getBulkJob(call, jobId) {
        if (isKilled) throw new Error('killed');
        return store.getBulkJob(call, jobId);
      },
    }),
  });
  const { runId } = await start(id);
  await t.rejects(attempt(runId), /killed/);
  t.equal((await row(id)).dirtyRunId, runId, 'the store may hold a part of the run');
  isKilled = false;
  await attempt(runId);
  t.match(await runOf(runId), { status: 'succeeded', counts: { upserted: 2, rejected: 0 } });
  t.strictSame(service.applied, [`${runId}:upsert:0`]);
  t.strictSame(kept(), all(1, 2));
});

t.test('a run that failed after it sent → the next one leaves no entity over', async (t) => {
  let isKilled = true;
  const { sync, id, kept, replace, peek } = await setUp(t, {
    around: (store) => ({
      ...store,
      async getBulkJob(call, jobId) {
        if (isKilled) throw new Error('killed');
        return store.getBulkJob(call, jobId);
      },
    }),
  });
  t.match(await sync(id), { status: 'failed' });
  t.strictSame(kept(), all(1, 2), 'the service took what was sent');
  isKilled = false;
  await replace([vehicle(2), vehicle(5)]);
  t.match(await sync(id), { status: 'succeeded' });
  t.strictSame(kept(), all(2, 5));
  t.equal((await peek('select 1 from ontology.claim')).length, 2);
});

t.test('rows that the service refuses → rejected rows; they are sent again by the next run', async (t) => {
  const { sync, id, service, kept, lines, logged } = await setUp(t, { rows: [vehicle(1), vehicle(2, 'CNRY-row')] });
  service.refuse('2');
  t.match(await sync(id), { status: 'failed', failure: 'rows_rejected', counts: { upserted: 1, rejected: 1 } });
  t.strictSame(kept(), all(1));
  t.ok(lines.some((line) => line.includes('1 refused_by_service')));
  t.notMatch(JSON.stringify([lines, logged]), /CNRY/, 'no row and no key in a log');
});

t.test('properties of several backing datasets → refused, as a service merges none', async (t) => {
  const { sync, id, service } = await setUp(t, { more: { merge_mode: 'owned_properties' } });
  t.match(await sync(id), { status: 'failed', failure: 'merge_unsupported' });
  t.strictSame(service.seen, []);
});

t.test('a binding that is revoked → nothing is sent', async (t) => {
  const { start, attempt, id, service, bind } = await setUp(t);
  const { runId } = await start(id);
  bind(false);
  await t.rejects(attempt(runId), { code: 'ontology_binding_missing' });
  t.strictSame(service.seen, []);
});

t.test('a backing dataset that goes with its entities → the service deletes them', async (t) => {
  const { sync, id, kept, deps, call, store, peek } = await setUp(t);
  await sync(id);
  const claimant = { backingDatasetId: id, typeCode: 'Vehicle' };
  const type = { code: 'Vehicle', version: 1, indexed: [] };
  await removeRemote({ kernel: deps.kernel, store, call }, { claimant, type });
  t.strictSame(kept(), {});
  t.strictSame(await peek('select 1 from ontology.claim'), []);
});
