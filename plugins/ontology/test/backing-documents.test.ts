import { createCaller } from '@weir/caller';
import { startFaultyService } from '@weir/caller/testing';
import type { Endpoint } from '@weir/kernel/contract';
import { API_VERSION, type ApplyKind } from '@weir/plugin-apply/contract';
import { Samples } from '@weir/plugin-datasets/contract';
import { Definitions } from '@weir/plugin-transforms/contract';
import { Secret } from '@weir/vault';
import t, { type Test } from 'tap';
import { HASTY_MS, PATIENT_MS } from '../../../test/until.ts';
import { carryOut } from '../../apply/src/service/carry-out.ts';
import { exportService } from '../../apply/src/service/export.ts';
import { type PlanRequest, planService } from '../../apply/src/service/plan.ts';
import { apiReader } from '../../apply/src/service/reader.ts';
import * as endpoints from '../src/contract.ts';
import { wholeDocument } from '../src/model/type/document.ts';
import { backingDocuments } from '../src/service/backing/document-kind.ts';
import { liveOntology } from '../src/service/store/live-ontology.ts';
import { mappedCars, property, setUp, vehicle } from './kit.ts';
import { startOntologyService } from './ontology-service.ts';

const CARS = 'bronze.acme.cars';
const columns = { vin: 'string', speed: 'double', owner: 'string' };
const OWNER = { code: 'owner', target_type: 'Person', target_key: ['id'], cardinality: 'one' };
const PERSON = { code: 'Person', properties: [property('id', 'string', { required: true })], primary_key: ['id'] };
const VEHICLE = vehicle([property('speed', 'double')], { relationships: [OWNER] });
const { name: _, ...MAPPED } = mappedCars('acme');
const WHOLE = {
  ...MAPPED,
  property_mappings: [...MAPPED.property_mappings, { column: 'speed', property: 'speed' }],
  relationship_mappings: [{ relationship: 'owner', columns: ['owner'], target_type: 'Person', target_key: ['id'] }],
};
const doc = (name: string, spec: object = WHOLE, kind = 'BackingDataset') => ({
  apiVersion: API_VERSION,
  kind,
  metadata: { name },
  spec,
});
const KEY = 'CNRY-api-key';

/** The plugin with the parts of apply over it, at an ontology service if one is given. */
async function world(t: Test, url?: string) {
  const settings = url === undefined ? {} : { ONTOLOGY_SERVICE_URL: url, ONTOLOGY_API_KEY: new Secret(KEY) };
  const snapshot = { columns, snapshotId: '7' };
  const tables = { [CARS]: snapshot, 'bronze.other.cars': snapshot };
  const app = await setUp(t, { settings: { ...settings, ONTOLOGY_TENANT_ID: 'acme-onto' }, tables });
  const plan = planService(app.kernel);
  const inTenant = (alias: 'acme' | 'other') => {
    const tenant = app.tenants[alias];
    const call = (async (endpoint: Endpoint, asked: object) => {
      const answer = await app.as(alias).call(endpoint, asked);
      return answer.ok ? answer : { status: answer.status, body: answer.problem };
    }) as never;
    const asking = {
      ...{ tenant, allowDeprecate: false, liveOntology: false, signal: new AbortController().signal },
      principal: { kind: 'user', subject: 'admin@acme' } as never,
    };
    const planned = (docs: unknown[], more: Partial<PlanRequest> = {}) =>
      plan({ ...asking, docs, reader: apiReader(call), ...more });
    const results = async (docs: unknown[], more: Partial<PlanRequest> = {}) =>
      (await planned(docs, more)).map(({ view }) => view);
    const planWith = async (kinds: ApplyKind[], docs: unknown[]) => {
      const found = await planService({ contributionsFor: async () => kinds as never })({
        ...asking,
        ...{ docs, reader: apiReader(call), liveOntology: true },
      });
      return found.map(({ view }) => view);
    };
    const apply = async (docs: unknown[]) => carryOut(await planned(docs), { call, now: () => 0, within: 1 });
    const exported = async () => (await exportService(app.kernel)({ tenant, reader: apiReader(call), query: {} })).docs;
    return { results, apply, exported, planWith };
  };
  return { ...app, ...inTenant('acme'), inTenant };
}
const TYPES = [doc('person', PERSON, 'EntityType'), doc('vehicle', VEHICLE, 'EntityType')];

t.test('backing datasets as documents', async (t) => {
  const { results, apply, exported, call, inTenant } = await world(t);

  await t.test('a new one after its types in one plan → created; exported it is its document again', async (t) => {
    const docs = [...TYPES, doc('cars')];
    t.match(await results(docs), [{ action: 'create' }, { action: 'create' }, { action: 'create' }]);
    t.match(await apply(docs), { status: 'applied', results: [{}, {}, { outcome: 'applied', calls: 1 }] });
    const spec = { ...WHOLE, sync: 'manual', dataset_id: `bronze.\${scope}.cars` };
    t.strictSame((await exported()).at(-1), doc('cars', spec));
    t.match(await results([doc('cars')]), [{ action: 'noop', calls: [] }]);
  });

  await t.test('what was exported → the same in another tenant', async (t) => {
    const docs = await exported();
    t.match(await inTenant('other').apply(docs), { status: 'applied' });
    t.strictSame(await inTenant('other').exported(), docs);
    t.match(await inTenant('other').results(docs), [{ action: 'noop' }, { action: 'noop' }, { action: 'noop' }]);
  });

  await t.test('a changed member → one PATCH of that member; one left out has its default again', async (t) => {
    const changed = doc('cars', { ...WHOLE, max_rejected_rows: 3, sync: 'on_snapshot' });
    t.match(await results([changed]), [
      {
        action: 'patch',
        changes: [{ pointer: '/max_rejected_rows' }, { pointer: '/sync' }],
        calls: [{ method: 'PATCH' }],
      },
    ]);
    t.match(await apply([doc('cars', { ...WHOLE, null_keys: 'skip' })]), { status: 'applied' });
    t.match(await apply([doc('cars')]), { status: 'applied' });
    t.match(await call(endpoints.listBackingDatasets), { body: { items: [{ null_keys: 'fail' }] } });
  });

  await t.test('a name for people → a document name of its own, which the fault of another one says', async (t) => {
    const [found] = await results([doc('mueller', { ...WHOLE, name: 'Müller & Söhne' })]);
    t.match(found, { action: 'error', errors: [{ pointer: '/metadata/name' }] });
    const own = /called (?<name>\S+)\.$/.exec(found?.errors?.[0]?.detail ?? '')?.groups?.name ?? '';
    t.match(await apply([doc(own, { ...WHOLE, name: 'Müller & Söhne' })]), { status: 'applied' });
    t.match(
      (await exported()).find(({ metadata }) => metadata.name === own),
      { spec: { name: 'Müller & Söhne' } },
    );
    t.match(await results(await exported()), [{ action: 'noop' }, {}, { action: 'noop' }, { action: 'noop' }]);
  });

  await t.test('faults → by their places in the document', async (t) => {
    const faulty = [
      [{ ...WHOLE, dataset_id: 'bronze.acme.gone' }, 'backing_dataset_invalid', '/spec/dataset_id'],
      [{ ...WHOLE, dataset_id: 'bronze.other.cars' }, 'dataset_not_readable', ''],
      [{ ...WHOLE, entity_type_version: 9 }, 'entity_type_missing', ''],
      [
        { ...WHOLE, property_mappings: [{ column: 'no', property: 'vin' }] },
        'backing_dataset_invalid',
        '/spec/property_mappings/0/column',
      ],
      [{ ...WHOLE, ontology_tenant: 'stranger' }, 'ontology_binding_missing', ''],
    ] as const;
    for (const [spec, code, pointer] of faulty)
      t.match(await results([doc('fresh', spec)]), [{ action: 'error', errors: [{ code, pointer }] }]);
  });

  await t.test('the ontology tenant that is bound → the same as none; another one is 403', async (t) => {
    t.match(await results([doc('cars', { ...WHOLE, ontology_tenant: 'acme-onto' })]), [{ action: 'noop' }]);
    const body = { ...WHOLE, name: 'more', ontology_tenant: 'stranger' } as never;
    t.match(await call(endpoints.createBackingDataset, { body }), {
      status: 403,
      problem: { code: 'ontology_binding_missing' },
    });
    const create = { ...WHOLE, name: 'more', ontology_tenant: 'acme-onto' } as never;
    const made = await call(endpoints.createBackingDataset, { body: create });
    t.match(made, { status: 201 });
    const params = { backing_dataset_id: made.ok ? made.body.backing_dataset_id : '' };
    t.match(
      await call(endpoints.changeBackingDataset, { params, body: { sync: 'manual', ontology_tenant: 'stranger' } }),
      { status: 403, problem: { code: 'ontology_binding_missing' } },
    );
  });

  await t.test('live_ontology over the store in the database → our types are what is checked', async (t) => {
    t.match(await results([doc('cars')], { liveOntology: true }), [{ action: 'noop' }]);
  });
});

const live = { liveOntology: true };
const WIRE_TYPE = { code: 'Vehicle', version: 1, ...wholeDocument(VEHICLE as never) };

t.test('live_ontology at an ontology service', async (t) => {
  const service = await startOntologyService({ key: KEY, tenants: ['acme-onto'] });
  t.teardown(() => service.close());
  const { results, apply, call } = await world(t, service.url);
  t.match(await apply(TYPES), { status: 'applied' });
  const before = service.seen.length;
  const codes = async (spec: object = WHOLE) =>
    (await results([doc('cars', spec)], live)).flatMap(({ action, errors = [] }) => [
      action,
      ...errors.map(({ code, pointer }) => `${code} ${pointer}`),
    ]);

  await t.test('what the service has → the document is valid; a plan asks once for each type', async (t) => {
    t.match(await results([doc('one'), doc('two')], live), [{ action: 'create' }, { action: 'create' }]);
    t.strictSame(service.seen.slice(before), ['GET /v1/tenants/acme-onto', 'GET /v1/entity-types/Vehicle']);
  });

  await t.test('a document with a fault of its own → the service is not asked', async (t) => {
    const asked = service.seen.length;
    t.match(await codes({ ...WHOLE, entity_type_version: 9 }), ['error', 'entity_type_missing ']);
    t.equal(service.seen.length, asked);
  });

  await t.test('what differs at the service → by its place', async (t) => {
    const { properties, relationships } = WIRE_TYPE;
    const differing: [type: object, code: string][] = [
      [
        { properties: properties.filter(({ code }) => code !== 'speed') },
        'ontology_property_missing /spec/property_mappings/1/property',
      ],
      [
        { properties: properties.map((one) => (one.code === 'speed' ? { ...one, carrier_type: 'string' } : one)) },
        'ontology_carrier_differs /spec/property_mappings/1/property',
      ],
      [{ primary_key: ['speed'] }, 'ontology_key_differs /spec/primary_key_mapping'],
      [{ relationships: [] }, 'ontology_relationship_missing /spec/relationship_mappings/0/relationship'],
      [
        { relationships: relationships.map((one) => ({ ...one, target_key: ['name'] })) },
        'ontology_relationship_differs /spec/relationship_mappings/0/relationship',
      ],
    ];
    for (const [type, code] of differing) {
      service.setType('acme-onto', { ...WIRE_TYPE, ...type });
      t.strictSame(await codes(), ['error', code]);
    }
    service.setType('acme-onto', WIRE_TYPE);
    service.addTenant('acme-onto');
    t.strictSame(await codes(), ['error', 'ontology_type_missing /spec/entity_type_version']);
  });

  await t.test('nothing but GET was sent, and nothing was made', async (t) => {
    t.ok(service.seen.slice(before).every((request) => request.startsWith('GET ')));
    t.match(await call(endpoints.listBackingDatasets), { body: { items: [] } });
  });
});

t.test('each fault of network and authentication → the preflight is invalid, by GET alone', async (t) => {
  const { faults, seen, close } = await startFaultyService();
  t.teardown(close);
  t.ok(faults.length >= 12);
  const { kernel, apply, planWith, call } = await world(t);
  t.match(await apply(TYPES), { status: 'applied' });
  const deps = {
    ...{ kernel, samples: kernel.use(Samples), definitions: kernel.use(Definitions) },
    tenants: { boundTenant: () => 'acme-onto' },
    store: { capabilities: () => ({ adapter: 'http' as const, declaredTypes: true, asyncBulk: true, maxChunk: 1 }) },
  };
  for (const { name, base, outcome } of faults) {
    const timeoutMs = outcome === 'timed_out' ? HASTY_MS : PATIENT_MS;
    const bounds = { timeoutMs, maxBytes: 2 ** 20, retries: 0, headers: () => ({ 'x-api-key': KEY }) };
    const kind = backingDocuments({
      ...deps,
      live: liveOntology(createCaller({ base, methods: ['GET'], ...bounds })),
    });
    const code = outcome === 401 || outcome === 403 ? 'ontology_unauthorized' : 'ontology_unreachable';
    const asked = seen.length;
    const found = await planWith([kind], [doc('one'), doc('two')]);
    const invalid = { action: 'error', errors: [{ code, pointer: '/spec' }], calls: [] };
    t.match(found, [invalid, invalid], name);
    t.ok(seen.length - asked <= 1, 'a service that failed is not asked again for the plan');
    t.notMatch(JSON.stringify(found), /CNRY|127\.0\.0\.1/);
  }
  t.ok(seen.length >= 12 && seen.every((request) => request.startsWith('GET ')), seen.join());
  t.match(await call(endpoints.listBackingDatasets), { body: { items: [] } });
});
