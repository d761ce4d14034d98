import { inspect } from 'node:util';
import { createCaller } from '@weir/caller';
import { startFaultyService } from '@weir/caller/testing';
import { Problem, type Tenant } from '@weir/kernel/contract';
import t, { type Test } from 'tap';
import { HASTY_MS, PATIENT_MS } from '../../../test/until.ts';
import type { EntityItem, OntologyStore } from '../src/model/entity/store.ts';
import { httpStore } from '../src/service/store/http.ts';
import { settledBulk } from '../src/service/store/settled-bulk.ts';
import { chunk, item, RUN } from './kit.ts';
import { type Fate, startOntologyService } from './ontology-service.ts';
import { storeConformance } from './store-conformance.ts';
import { deletion } from './store-tools.ts';

const MAX_BYTES = 10 * 1024 * 1024;
const callOf = (alias: string) => ({ tenant: { alias } as Tenant, ontologyTenant: `${alias}-onto` });
const own = callOf('acme');

/** The adapter over a service, with what it logs; it does not wait between attempts. */
function storeAt(base: string, { key = 'CNRY-api-key', timeoutMs = PATIENT_MS, retries = 4 } = {}) {
  const logged: object[] = [];
  const bounds = { timeoutMs, maxBytes: MAX_BYTES, retries, wait: async () => undefined };
  const caller = createCaller({ base, headers: () => ({ 'x-api-key': key }), ...bounds });
  return { store: httpStore({ caller, log: (facts) => logged.push(facts) }), logged };
}

async function setUp(t: Test) {
  const service = await startOntologyService({ tenants: ['acme-onto', 'other-onto'] });
  t.teardown(() => service.close());
  return { service, ...storeAt(service.url) };
}

t.test('every law of the port, at a service whose jobs take a while', async (t) => {
  const { service, store } = await setUp(t);
  service.setSlowness(2);
  storeConformance(t, { store, own, foreign: callOf('other') });
});

t.test('every law of the port, while answers are lost and the rate is limited', async (t) => {
  const { service, store } = await setUp(t);
  service.choose((_, at): Fate => (at % 3 === 0 ? 'lost' : at % 5 === 0 ? 'limited' : 'served'));
  storeConformance(t, { store, own, foreign: callOf('other') });
});

t.test('a chunk whose answer is lost each time but the last → applied once', async (t) => {
  const { service, store } = await setUp(t);
  let lost = 4;
  service.choose((request) => (request.startsWith('POST') && lost-- > 0 ? 'lost' : 'served'));
  const job = await settledBulk(store, own, chunk([item('1'), item('2')]));
  t.match(job, { submitted: 2, completed: 2, written: 2 });
  t.strictSame(service.applied, [`${RUN}:upsert:0`]);
  t.equal(service.seen.filter((one) => one.startsWith('POST')).length, 5);
});

t.test('a type is put once per version, and one that the service refuses is a StoreFault', async (t) => {
  const { store } = await setUp(t);
  const document = { properties: [], primary_key: [], title_property: null, relationships: [] };
  const type = { code: 'Vehicle', version: 1, fingerprint: 'f', document };
  await store.putEntityType(own, type);
  const refusing = await startFaultyService();
  t.teardown(refusing.close);
  const { base } = refusing.faults.find(({ outcome }) => outcome === 403) ?? { base: '' };
  await t.rejects(storeAt(base, { retries: 0 }).store.putEntityType(own, type), { code: 'dependency_unavailable' });
});

/** Calls with keys and rows that no error and no log may hold. */
const SECRET = 'CNRY-row';
const CALLS: readonly ((store: OntologyStore) => Promise<unknown>)[] = [
  (store) => store.submitBulk(own, chunk([item(SECRET, { name: SECRET })] as EntityItem[])),
  (store) => store.submitBulk(own, deletion([SECRET])),
  (store) => store.getBulkJob(own, `${SECRET}`),
  (store) => store.getEntity(own, 'Vehicle', SECRET),
  (store) => store.listEntities(own, 'Vehicle', { limit: 1, after: [SECRET], filter: { name: SECRET } }),
  (store) => store.listKeys(own, 'Vehicle', { limit: 1, after: [SECRET] }),
  (store) =>
    store.listLinks(own, { type: 'Vehicle', key: SECRET, relationship: 'owner', direction: 'in' }, { limit: 1 }),
  (store) => store.countLinks(own, { type: 'Vehicle', key: SECRET }),
];

t.test('a service that fails → dependency_unavailable; no key, row or credential in an error or a log', async (t) => {
  const { faults, close } = await startFaultyService();
  t.teardown(close);
  for (const { name, base, outcome } of faults) {
    const timeoutMs = outcome === 'timed_out' ? HASTY_MS : PATIENT_MS;
    const { store, logged } = storeAt(base, { timeoutMs, retries: 0 });
    t.equal(await store.reachable(), outcome === 'answer_invalid', name);
    for (const [at, call] of CALLS.entries()) {
      const error = await call(store).catch((error: unknown) => error);
      t.match(error, { code: 'dependency_unavailable' }, `${name}, call ${at}`);
      t.ok(error instanceof Problem);
      t.notMatch(inspect(error, { depth: 9, showHidden: true }), /CNRY|127\.0\.0\.1/);
    }
    t.equal(logged.length, CALLS.length, name);
    t.notMatch(JSON.stringify(logged), /CNRY|127\.0\.0\.1/);
  }
});

t.test('an answer of more than 10 MiB → dependency_unavailable', async (t) => {
  const { service, store, logged } = await setUp(t);
  service.choose(() => 'large');
  await t.rejects(store.listKeys(own, 'Vehicle', { limit: 500 }), { code: 'dependency_unavailable' });
  t.match(logged, [{ call: 'GET', outcome: 'answer_too_large' }]);
});
