import { call as callAs, type Endpoint, type Input } from '@weir/kernel/contract';
import t from 'tap';
import * as endpoints from '../src/contract.ts';
import { mappedCars, setUp, vehicle } from './kit.ts';

const tables = (...scopes: string[]) =>
  Object.fromEntries(scopes.map((scope) => [`bronze.${scope}.cars`, { columns: { vin: 'string' }, snapshotId: '1' }]));

t.test('people name their tenant; services need the capability, a binding, and no header for lists', async (t) => {
  const bindings = JSON.stringify({ acme: 'works-1' });
  const { app, as } = await setUp(t, {
    tables: tables('acme', 'other'),
    settings: { ONTOLOGY_TENANT_BINDINGS_JSON: bindings },
  });
  const calls = async (role: string, tenant?: string) => {
    const { authorization = '' } = await as('acme', role).headers();
    return <E extends Endpoint>(endpoint: E, input: Partial<Input<E>> = {}) => {
      const asked: typeof fetch = async (url, init) => {
        const { pathname, search } = new URL(String(url));
        const headers = { ...(init?.headers as Record<string, string>), authorization };
        if (tenant === undefined) delete (headers as Record<string, string>)['x-tenant-id'];
        const payload = init?.body === undefined ? {} : { payload: String(init?.body) };
        const answer = await app.inject({ method: init?.method as 'GET', url: pathname + search, headers, ...payload });
        const type = { 'content-type': String(answer.headers['content-type']) };
        return new Response(answer.statusCode === 204 ? null : answer.body, {
          status: answer.statusCode,
          headers: type,
        });
      };
      return callAs(endpoint, input, { url: 'http://weir.test', token: 'x', tenant: tenant ?? '', fetch: asked });
    };
  };
  const [inAcme, across, nameless] = [await calls('service', 'acme'), await calls('service'), await calls('admin')];
  await inAcme(endpoints.createEntityType, { body: vehicle() as never });
  const made = await inAcme(endpoints.createBackingDataset, { body: mappedCars('acme') });
  const params = { backing_dataset_id: made.ok ? made.body.backing_dataset_id : '' };
  const unclear = { status: 400, problem: { code: 'tenant_header_required' } };
  for (const endpoint of [endpoints.listBackingDatasets, endpoints.listPendingSyncs] as const) {
    t.match(await across(endpoint), { body: { items: [{ tenant: 'acme', name: 'Cars' }] } }, endpoint.id);
    t.match(await nameless(endpoint), unclear, endpoint.id);
  }
  t.match(await across(endpoints.getSyncCapabilities), { body: { sync_contract_version: 2 } });
  t.match(await across(endpoints.getBackingDataset, { params }), unclear);

  const inOther = await calls('service', 'other');
  const unbound = { status: 403, problem: { code: 'ontology_binding_missing' } };
  t.match(await inOther(endpoints.createBackingDataset, { body: mappedCars('other') }), unbound, 'declare');
  const gone = { status: 404, problem: { code: 'not_found' } };
  const missing = { params: { backing_dataset_id: '018f4a6e-0000-7000-8000-00000000dead' } };
  for (const at of [{ params }, missing]) {
    t.match(await inOther(endpoints.getBackingDataset, at), gone, 'a foreign one is as absent');
    t.match(await inOther(endpoints.getBackingHealth, at), gone);
    t.match(await inOther(endpoints.listSyncRuns, at), gone);
  }
  t.match(await inOther(endpoints.changeBackingDataset, { params, body: { name: 'x' } }), unbound, 'update');
  const viewer = await calls('viewer', 'acme');
  const refused = { status: 403, problem: { code: 'forbidden_role' } };
  t.match(await viewer(endpoints.getBackingDataset, { params }), { status: 200 });
  t.match(await viewer(endpoints.syncBackingDataset, { params }), refused);
  t.match(await viewer(endpoints.deleteBackingDataset, { params }), refused);
});
