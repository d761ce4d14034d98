import { API_VERSION, dryRunDocuments } from '@weir/plugin-apply/contract';
import { getOntologyStatus } from '@weir/plugin-ontology/contract';
import t from 'tap';
import { startOntologyService } from '../../plugins/ontology/test/ontology-service.ts';
import { ontologyWorld } from '../ontology-world.ts';
import { until } from '../until.ts';
import { startWorker } from '../worker-process.ts';

const READINGS = 'silver.acme.readings';
const ROWS = "select i as vin, 'v' || i as label from range(5) r(i)";
const NEVER = 1_000_000;

t.test('entities at a service of the operator, by the platform as it runs', async (t) => {
  const service = await startOntologyService({ tenants: ['acme-onto'] });
  t.teardown(() => service.close());
  const world = await ontologyWorld(t, {
    ...{ ONTOLOGY_SERVICE_URL: service.url, ONTOLOGY_API_KEY: service.key, ONTOLOGY_TENANT_ID: 'acme-onto' },
  });
  const { ok, environment } = world;
  await startWorker(t, environment, 'transform');
  const readings = await world.hydrated('readings', ROWS, READINGS);
  t.match(await world.materialized(readings, { force: true }), { status: 'succeeded' });
  const id = await world.backing('Reading', READINGS);
  t.match(await ok(getOntologyStatus, {}), { adapter: 'http', reachable: true });

  await t.test('a document is checked at the service by GET alone', async (t) => {
    const before = service.seen.length;
    const column = (name: string) => ({ column: name, property: name });
    const spec = {
      ...{ dataset_id: READINGS, entity_type_code: 'Reading', entity_type_version: 1 },
      ...{ property_mappings: [column('vin'), column('label')], primary_key_mapping: [column('vin')] },
    };
    const docs = [{ apiVersion: API_VERSION, kind: 'BackingDataset', metadata: { name: 'more' }, spec }];
    const plan = () => ok(dryRunDocuments, { body: { docs, live_ontology: true } });
    t.match(await plan(), { summary: { create: 1 } });
    service.addTenant('acme-onto');
    t.match(await plan(), { results: [{ action: 'error', errors: [{ code: 'ontology_type_missing' }] }] });
    t.ok(service.seen.slice(before).every((request) => request.startsWith('GET /v1/')));
  });

  await t.test(
    'a worker that is killed while a job is under way → the next attempt finds the chunk taken',
    async (t) => {
      service.setSlowness(NEVER);
      const worker = await startWorker(t, environment, 'ontology-sync-v2');
      const { runId } = await world.start(id);
      await until('a chunk at the service', () => service.applied.length > 0);
      await worker.end('SIGKILL');
      service.setSlowness(0);
      await startWorker(t, environment, 'ontology-sync-v2');
      t.match(await world.ended(runId), { status: 'succeeded', own: { counts: { read: 5, upserted: 5 } } });
      t.strictSame(service.applied, [`${runId}:upsert:0`]);
      const rows = (await world.rows(READINGS)).map(([vin, label]) => [String(vin), String(label)]);
      t.equal(rows.length, 5);
      t.strictSame(await world.entities('Reading'), Object.fromEntries(rows.toSorted()));
    },
  );
});
