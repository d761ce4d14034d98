import type { Endpoint, Input } from '@weir/kernel/contract';
import { API_VERSION, applyPlan, dryRunDocuments, exportDocuments } from '@weir/plugin-apply/contract';
import { setTenantPlugin } from '@weir/plugin-platform/contract';
import t from 'tap';
import { testPlatform } from '../../../test/platform.ts';
import * as endpoints from '../src/contract.ts';
import { property } from './kit.ts';

const VIN = property('vin', 'string', { required: true });
const doc = (properties: object[], spec: object = {}) => ({
  apiVersion: API_VERSION,
  kind: 'EntityType',
  metadata: { name: 'vehicle' },
  spec: { code: 'Vehicle', properties, primary_key: ['vin'], ...spec },
});

t.test('entity types as documents', async (t) => {
  const world = await testPlatform(t, t.testdir({ warehouse: {} }));
  const token = await world.issuer.userToken({ organizations: ['acme'], roles: ['admin', 'platform_admin'] });
  const ok = async <E extends Endpoint>(endpoint: E, input: Partial<Input<E>> = {}) => {
    const answer = await world.call({ token, tenant: 'acme' }, endpoint, input);
    if (!answer.ok) throw new Error(JSON.stringify(answer.problem));
    return answer.body;
  };
  const plan = (docs: object[], more: object = {}) => ok(dryRunDocuments, { body: { docs, ...more } });
  const apply = async (docs: object[], more: object = {}) => {
    const { fingerprint } = await plan(docs, more);
    return ok(applyPlan, { body: { docs, fingerprint, ...more } });
  };
  const exported = async () => (await ok(exportDocuments, { query: { kind: 'EntityType' } })).docs;
  const get = () => ok(endpoints.getEntityType, { params: { code: 'Vehicle' }, query: {} });

  const give = (enabled: boolean) =>
    ok(setTenantPlugin, { params: { alias: 'acme', plugin_id: 'ontology' }, body: { enabled } });

  await t.test('a tenant without the plugin → the kind is unknown, and an export leaves nothing out', async (t) => {
    await give(false);
    t.match(await plan([doc([VIN])]), { results: [{ action: 'error', errors: [{ code: 'kind_unknown' }] }] });
    t.strictSame((await ok(exportDocuments, { query: {} })).left_out, []);
    await give(true);
  });

  await t.test('a new type → created; exported it is its document again, and plans nothing', async (t) => {
    const speed = property('speed', 'double', { unit: 'km/h' });
    t.match(await apply([doc([VIN, speed], { status: 'active' })]), { status: 'applied', results: [{ calls: 1 }] });
    t.match(await exported(), [doc([VIN, speed], { status: 'active' })]);
    t.match(await plan(await exported()), { summary: { noop: 1 } });
  });

  await t.test('another document → a version, labels by a change; what breaks readers has to be allowed', async (t) => {
    const changed = doc([VIN, property('speed', 'double', { unit: 'km/h' }), property('wheels', 'integer')], {
      icon: 'car',
    });
    t.match(await plan([changed]), {
      results: [{ action: 'patch', calls: [{ method: 'PATCH' }, { method: 'POST' }] }],
    });
    t.match(await apply([changed]), { status: 'applied' });
    t.match(await get(), { version: 2, icon: 'car', status: 'active' });
    const narrower = [doc([VIN], { icon: 'car' })];
    t.match(await plan(narrower), {
      results: [
        { action: 'would-409', errors: [{ code: 'incompatible_version', pointer: '/spec/properties/speed' }, {}] },
      ],
    });
    t.match(await apply(narrower, { allow_deprecate: true }), { status: 'applied' });
    t.match(await get(), { version: 3, properties: [{ code: 'vin' }] });
    t.match(await plan(await exported()), { summary: { noop: 1 } });
  });

  await t.test('a retired type → back by `status: active` in its document, with what else that changes', async (t) => {
    await ok(endpoints.retireEntityType, { params: { code: 'Vehicle' } });
    t.strictSame(await exported(), []);
    t.match((await plan([doc([VIN])])).results, [
      { action: 'error', errors: [{ code: 'entity_type_status_refused', pointer: '/spec/status' }] },
    ]);
    const back = doc([VIN, property('doors', 'integer')], { status: 'active', icon: 'bus' });
    t.match(await plan([back]), { results: [{ action: 'patch', calls: [{ method: 'PATCH' }, { method: 'POST' }] }] });
    t.match(await apply([back]), { status: 'applied' });
    t.match(await get(), { version: 4, status: 'active', icon: 'bus', properties: [{}, { code: 'doors' }] });
    t.match(await plan([back]), { summary: { noop: 1 } });
  });

  await t.test('faults of a document → by their places', async (t) => {
    const broken = doc([VIN, property('VIN')], { code: 'Wagon' });
    t.match((await plan([broken])).results, [
      { action: 'error', errors: [{ pointer: '/spec/properties/1/code' }, { pointer: '/spec/code' }] },
    ]);
    t.match((await plan([doc([VIN], { status: 'draft' })])).results, [{ errors: [{ pointer: '/spec/status' }] }]);
  });
});
