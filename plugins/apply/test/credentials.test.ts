import t from 'tap';
import { testMount } from '../../../test/secret-mount.ts';
import { getCredentials, listCredentials, listSources, revokeCredential } from '../../sources/src/contract.ts';
import { applyPlan, exportDocuments } from '../src/contract.ts';
import { bodyOf, doc, world } from './kit.ts';

const CONFIG = { host: 'db.example', port: 5432, database: 'shop', username: 'weir' };
const PASSWORD = 'swordfish-Größe';

t.test('credentials in a secret store', async (t) => {
  const { environment, operator, mount } = await testMount(t);
  const { as, plan } = await world(t, environment('api'));
  const [acme, other] = [await as('acme'), await as('other')];
  const db = (name: string, more: object = {}) =>
    doc('Source', name, { pattern_id: 'postgres', source_config: CONFIG, ...more });
  const values = (password: string, credential_name: string) => ({
    credential_values: { '/password': password },
    credential_name,
  });
  const apply = async (call: typeof acme, docs: object[]) => {
    const { fingerprint } = await plan(call, docs);
    return bodyOf(await call(applyPlan, { body: { docs, fingerprint } }));
  };
  const refOf = async (name: string) =>
    bodyOf(await acme(listSources, { query: { name } })).items[0]?.credential_ref ?? '';
  const shared = [db('first', values(PASSWORD, 'db')), db('second', { credential_name: 'db' })];

  t.test('one that an earlier document makes → is shared by its name, and then nothing to do', async (t) => {
    t.match((await plan(acme, shared)).results, [
      {
        action: 'create',
        changes: [{}, {}, { pointer: '/credential_name', after: 'db' }, { change: 'set' }],
      },
      { action: 'create' },
    ]);
    t.match((await plan(acme, shared.toReversed())).results[0], { errors: [{ code: 'reference_unknown' }] });
    t.match(await apply(acme, shared), { status: 'applied', results: [{ calls: 1 }, { calls: 1 }] });
    t.equal(await refOf('first'), await refOf('second'));
    t.match((await plan(acme, [db('first', { credential_name: 'db' }), shared[1] ?? {}])).summary, { noop: 2 });
  });

  t.test('an export with what is write-only → serves another tenant, and comes back the same', async (t) => {
    const { docs } = bodyOf(await acme(exportDocuments, {}));
    t.match(docs, [{ spec: { credential_name: 'db' } }, { spec: { credential_name: 'db' } }]);
    t.notMatch(JSON.stringify(docs), PASSWORD);
    t.match((await plan(acme, docs)).summary, { noop: 2 });
    const [first, second] = docs.map(({ metadata, spec }) => db(metadata.name, spec));
    const given = [db('first', { ...first?.spec, ...values('other', 'db') }), second ?? {}];
    t.match(await apply(other, given), { status: 'applied' });
    t.equal(JSON.stringify(bodyOf(await other(exportDocuments, {})).docs), JSON.stringify(docs));
  });

  t.test('new values under another name → a credential of its own; a name that is taken → would-409', async (t) => {
    const own = [db('second', values('own', 'own'))];
    t.match((await plan(acme, own)).results, [
      {
        action: 'patch',
        changes: [
          { pointer: '/credential_name', before: 'db', after: 'own' },
          { pointer: '/source_config/password', change: 'set' },
        ],
      },
    ]);
    t.match(await apply(acme, own), { status: 'applied' });
    const [{ source_id = '' } = {}] = bodyOf(await acme(listSources, { query: { name: 'second' } })).items;
    t.match(bodyOf(await acme(getCredentials, { params: { source_id } })), { name: 'own', version: 1 });
    t.match((await plan(acme, [db('first', values('x', 'own'))])).results, [
      { action: 'would-409', errors: [{ code: 'credential_name_taken', pointer: '/spec/credential_name' }] },
    ]);
    t.match(await apply(acme, [db('second', values('again', 'own'))]), { status: 'applied' });
    t.match(bodyOf(await acme(getCredentials, { params: { source_id } })), { name: 'own', version: 2 });
  });

  t.test('one that is revoked, or of another pattern, or unknown → reference_unknown', async (t) => {
    t.match(await apply(acme, [db('second', { credential_name: 'db' })]), { status: 'applied' });
    const own = bodyOf(await acme(listCredentials, {})).items.find(({ name }) => name === 'own');
    const { credential_ref = '' } = own ?? {};
    bodyOf(await acme(revokeCredential, { params: { credential_ref } }));
    const files = { pattern_id: 'files', source_config: { path: '/data' } };
    const unknown = { action: 'error', errors: [{ code: 'reference_unknown' }] };
    const documents = [
      db('third', { credential_name: 'own' }),
      db('fourth', { credential_ref }),
      doc('Source', 'fifth', { ...files, credential_name: 'db' }),
      db('sixth', { credential_name: 'nothing' }),
      db('seventh', { credential_ref: `cred_${'a'.repeat(26)}` }),
    ];
    t.match(
      (await plan(acme, documents)).results,
      documents.map(() => unknown),
    );
    const foreign = db('first', { credential_ref: await refOf('first') });
    t.match((await plan(other, [foreign])).results, [unknown]);
  });

  t.test('the store is away → a plan is made all the same: nothing of it is asked', async (t) => {
    await operator('DELETE', `sys/mounts/${mount}`);
    t.match((await plan(acme, [db('first', values('guess', 'db')), db('new', values('guess', 'new'))])).summary, {
      patch: 1,
      create: 1,
    });
  });
});
