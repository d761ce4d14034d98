import { definePlugin, provide } from '@weir/kernel';
import type { CallResult, Endpoint, Output } from '@weir/kernel/contract';
import { type Teardown, testPlugin } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import { applyPlan, dryRunDocuments, exportDocuments } from '@weir/plugin-apply/contract';
import { Audits, Producers, Tables } from '@weir/plugin-datasets/contract';
import { testVault } from '@weir/vault/testing';
import t from 'tap';
import { registered } from '../../apply/src/plugin.ts';
import { getCredentials, listSources } from '../src/contract.ts';
import plugin from '../src/plugin.ts';
import { noSchedules } from './no-schedules.ts';
import { VAULTED_CONFIG, VAULTED_PLATFORM, vaultedValues } from './vaulted-source.ts';

const MARK = 'CNRY-documents';

/** Sources and documents in one plugin, with a secret store. */
async function world(t: Teardown) {
  const { spec } = plugin;
  const both = definePlugin({
    ...spec,
    setup(kernel) {
      const own = spec.setup(kernel);
      return { ...own, routes: [...own.routes, ...registered(kernel, Date.now).routes] };
    },
  });
  const none = () => ({}) as never;
  const made = await testPlugin(t, both, {
    tools: tools as unknown as Parameters<typeof testPlugin>[2]['tools'],
    settings: { WEIR_PLATFORM: VAULTED_PLATFORM },
    vault: testVault('secret_store'),
    services: () => [provide(Tables, none()), provide(Producers, none()), provide(Audits, none()), noSchedules],
  });
  await made.tenant('demo');
  return { admin: made.as('demo').call, viewer: made.as('demo', 'viewer').call };
}

function bodyOf<E extends Endpoint>(answer: CallResult<E>): Output<E> {
  if (answer.ok) return answer.body;
  throw new Error(JSON.stringify(answer.problem));
}

const doc = (name: string, more: object) => ({
  apiVersion: 'service.platform/v1',
  kind: 'Source',
  metadata: { name },
  spec: { pattern_id: 'vaulted', source_config: VAULTED_CONFIG, ...more },
});

t.test('credentials of documents in the secret store', async (t) => {
  const { admin, viewer } = await world(t);
  const plan = async (docs: object[], call = admin) => bodyOf(await call(dryRunDocuments, { body: { docs } }));
  const apply = async (docs: object[]) => {
    const { fingerprint } = await plan(docs);
    const done = bodyOf(await admin(applyPlan, { body: { docs, fingerprint } }));
    t.notMatch(JSON.stringify(done), MARK);
    return done;
  };
  const credentialOf = async (name: string) => {
    const [source] = bodyOf(await admin(listSources, { query: { name } })).items;
    return bodyOf(await admin(getCredentials, { params: { source_id: source?.source_id ?? '' } }));
  };
  const values = { credential_values: vaultedValues(MARK), credential_name: 'shared' };

  t.test('values with a name → a credential, of which nothing is shown', async (t) => {
    const planned = await plan([doc('first', values)]);
    t.notMatch(JSON.stringify(planned), MARK);
    const sets = planned.results[0]?.changes.filter(({ change }) => change === 'set').map(({ pointer }) => pointer);
    t.ok(sets?.includes('/source_config/token'));
    t.match(await apply([doc('first', values)]), { status: 'applied' });
    t.match(await credentialOf('first'), { name: 'shared', version: 1 });
  });

  t.test('the name of a credential → the source uses it, and is a noop from then on', async (t) => {
    t.match(await apply([doc('second', { credential_name: 'shared' })]), { status: 'applied' });
    t.match(await credentialOf('second'), { name: 'shared', reference_count: 2 });
    t.match((await plan([doc('second', { credential_name: 'shared' })])).results, [{ action: 'noop' }]);
  });

  t.test('a name or a reference of no credential of the tenant → reference_unknown', async (t) => {
    const credential_ref = `cred_${'a'.repeat(26)}`;
    const { results } = await plan([doc('third', { credential_name: 'nothing' }), doc('fourth', { credential_ref })]);
    t.match(results, [
      { action: 'error', errors: [{ code: 'reference_unknown', pointer: '/spec/credential_name' }] },
      { action: 'error', errors: [{ code: 'reference_unknown', pointer: '/spec/credential_ref' }] },
    ]);
    const both = await plan([doc('fifth', { credential_values: { token: 'x' }, credential_ref })]);
    t.match(both.results, [{ action: 'error', errors: [{ code: 'credential_input_conflict' }] }]);
  });

  t.test('credentials in the configuration → an error without a value', async (t) => {
    const inside = { ...VAULTED_CONFIG, token: MARK };
    const planned = await plan([doc('sixth', { source_config: inside })]);
    t.match(planned.results, [{ action: 'error', errors: [{ pointer: '/spec/source_config/token' }] }]);
    t.notMatch(JSON.stringify(planned), MARK);
  });

  t.test('export → names the credential, to those who may see it, and plans as noop', async (t) => {
    const { docs } = bodyOf(await admin(exportDocuments, { query: {} }));
    t.match(docs, [{ spec: { credential_name: 'shared' } }, { spec: { credential_name: 'shared' } }]);
    t.notMatch(JSON.stringify(docs), MARK);
    t.match((await plan(docs)).summary, { noop: 2 });
    const seen = bodyOf(await viewer(exportDocuments, { query: {} })).docs;
    t.ok(seen.every(({ spec }) => spec.credential_name === undefined));
    t.match((await plan(seen, viewer)).summary, { noop: 2 });
    t.match((await plan(docs, viewer)).results, [{ errors: [{ code: 'forbidden_role' }] }, { action: 'error' }]);
  });
});
