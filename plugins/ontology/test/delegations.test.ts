import type { Endpoint, Input } from '@weir/kernel/contract';
import t from 'tap';
import { testPlatform } from '../../../test/platform.ts';
import * as endpoints from '../src/contract.ts';
import { vehicle } from './kit.ts';

const given = (tenants: readonly string[] | '*', capabilities = ['ontology:sync']) => ({ tenants, capabilities });

t.test('a client that acts for people and names no tenant → their common tenants, by its capability', async (t) => {
  const world = await testPlatform(t, t.testdir({ warehouse: {} }), {
    WEIR_DELEGATION_CLIENTS: JSON.stringify({ portal: given('*'), kiosk: given(['acme']), window: given('*', []) }),
  });
  /** Calls for a person of both tenants, through a client or by themselves, and with no header. */
  const by = async (client?: string, organizations = ['acme', 'other']) => {
    const claims = client === undefined ? {} : { azp: client };
    const token = await world.issuer.userToken({ organizations, roles: ['pipeline_editor'], claims });
    return <E extends Endpoint>(endpoint: E, input: Partial<Input<E>> = {}) => world.call({ token }, endpoint, input);
  };
  const [portal, kiosk, window, person] = [await by('portal'), await by('kiosk'), await by('window'), await by()];
  for (const alias of ['acme', 'other'])
    await world.call({ token: await world.token(alias), tenant: alias }, endpoints.createEntityType, {
      body: vehicle() as never,
    });
  const params = { code: 'Vehicle' };
  const unclear = { status: 400, problem: { code: 'tenant_header_required' } };

  t.match(await portal(endpoints.listEntityTypes), { body: { items: [{ tenant: 'acme' }, { tenant: 'other' }] } });
  t.match(await portal(endpoints.getEntityType, { params }), unclear, 'one thing of two tenants');
  t.match(await portal(endpoints.changeEntityType, { params, body: { icon: 'car' } }), unclear);
  const onlyTheirs = await by('portal', ['other']);
  t.match(
    await onlyTheirs(endpoints.getEntityType, { params }),
    { body: { tenant: 'other' } },
    'the only one of theirs',
  );

  const listed = await kiosk(endpoints.listEntityTypes);
  t.match(listed, { body: { items: [{ tenant: 'acme' }] } });
  t.equal(listed.ok && listed.body.items.length, 1, 'the client is given one tenant');
  t.match(await kiosk(endpoints.changeEntityType, { params, body: { icon: 'car' } }), { body: { tenant: 'acme' } });
  const foreign = await by('kiosk', ['other']);
  t.match(await foreign(endpoints.listEntityTypes), { status: 403 }, 'no tenant in common');

  for (const answer of [await window(endpoints.listEntityTypes), await window(endpoints.getEntityType, { params })])
    t.match(answer, { status: 403, problem: { code: 'capability_required' } });
  t.match(await person(endpoints.listEntityTypes), unclear, 'people name their tenant');
});
