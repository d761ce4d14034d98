import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { testVault } from '@weir/vault/testing';
import t from 'tap';
import {
  type CredentialView,
  createSource,
  deleteSource,
  detachCredentials,
  getCredentials,
  getSource,
  listCredentials,
  revokeCredential,
  rotateCredentials,
  setCredentials,
  startDiscovery,
  updateSource,
} from '../src/contract.ts';
import { toPattern } from '../src/model/pattern/pattern-file.ts';
import { INTENT_EXPIRES_MS, sweepCredentials } from '../src/service/credential/sweep-credentials.ts';
import { storePatterns } from '../src/service/pattern/store-patterns.ts';
import { changedTables, credentialsWorld, hashOfTables, vaultedSource } from './credentials-world.ts';
import { ok, refusal } from './platform.ts';
import { VAULTED_CONFIG, vaultedValues } from './vaulted-source.ts';

const MARK = 'CNRY-stored';
const ROTATIONS = 15;

async function storedWorld(t: Parameters<typeof credentialsWorld>[0]) {
  const vault = testVault('secret_store');
  const world = await credentialsWorld(t, vault);
  const { store } = vault;
  if (store === undefined) throw new Error('the store is there in this mode');
  const demo = await world.tenant('demo');
  return { ...world, world, store, demo, api: world.as('demo').call };
}

t.test('the life of a credential in the secret store', async (t) => {
  const { world, store, api, database } = await storedWorld(t);
  const source = await vaultedSource(api, 'first', MARK);
  const params = { source_id: source.source_id };
  const read = async (): Promise<CredentialView> => ok(await api(getCredentials, { params }));

  await t.test('what is told of it is its safe metadata alone', async (t) => {
    const seen = await read();
    t.match(seen, { name: 'first', kind: 'vaulted', version: 1, status: 'active', reference_count: 1, etag: '1' });
    t.strictSame(
      seen.fields.filter(({ present }) => !present).map(({ field }) => field),
      ['/auth/key'],
    );
    const members = ['credential_ref', 'name', 'kind', 'fields', 'version', 'status', 'rotated_at', 'reference_count'];
    t.strictSame(Object.keys(seen).sort(), [...members, 'etag'].sort());
    t.equal(seen.credential_ref, source.credential_ref);
    const [row] = await database.peek('select credential_id from sources.credential');
    t.notMatch(JSON.stringify([seen, source]), new RegExp(`CNRY|730411927|${row?.credential_id}`));
  });

  await t.test(`${ROTATIONS} rotations write exact versions and leave every other row as it was`, async (t) => {
    const before = await hashOfTables(world);
    for (let n = 1; n <= ROTATIONS; n += 1) {
      const body = { credential_values: { ...vaultedValues(`${MARK}-${n}`) } };
      const rotated = ok(await api(rotateCredentials, { params, body }, { 'if-match': `"${n}"` }));
      t.equal(rotated.version, n + 1);
    }
    t.strictSame(changedTables(before, await hashOfTables(world)), [
      'sources.credential',
      'sources.credential_version',
    ]);
    t.strictSame(
      store.written().map(({ versions }) => versions),
      [ROTATIONS + 1],
    );
    const stale = { 'if-match': '"3"' };
    const body = { credential_values: vaultedValues(MARK) };
    t.equal(refusal(await api(rotateCredentials, { params, body }, stale)), '412 precondition_failed');
  });

  await t.test('a rotation that lacks a required field, or has one that is undeclared, writes nothing', async (t) => {
    const lacking = { credential_values: { token: 'x' } };
    t.equal(refusal(await api(rotateCredentials, { params, body: lacking })), '422 source_config_invalid');
    const more = { credential_values: { ...vaultedValues(MARK), host: 'x' } };
    t.equal(refusal(await api(rotateCredentials, { params, body: more })), '422 undeclared_credential_field');
    t.equal((await read()).version, ROTATIONS + 1);
  });

  await t.test('an ordinary update keeps it, and credentials in the configuration are refused', async (t) => {
    const patched = ok(await api(updateSource, { params, body: { source_config: { comment: 'other' } } }));
    t.match(patched, { source_config: { comment: 'other' }, credential_ref: source.credential_ref });
    t.equal((await read()).version, ROTATIONS + 1);
    const inside = { source_config: { token: 'CNRY-in-config' } };
    t.match(await api(updateSource, { params, body: inside }), {
      status: 422,
      problem: {
        code: 'source_config_invalid',
        errors: [{ pointer: '/source_config/token', code: 'credential_field' }],
      },
    });
    const values = { credential_values: { '/auth/password': `${MARK}-patched` } };
    ok(await api(updateSource, { params, body: values }));
    t.equal((await read()).version, ROTATIONS + 2, 'new values in an update are its next version');
  });

  await t.test('another source of the pattern may use it; it is revoked only when none does', async (t) => {
    const { credential_ref } = await read();
    const body = { name: 'second', pattern_id: 'vaulted', source_config: VAULTED_CONFIG, credential_ref };
    const second = ok(await api(createSource, { body }));
    t.equal((await read()).reference_count, 2);
    const revoke = () => api(revokeCredential, { params: { credential_ref } });
    t.match(await revoke(), { status: 409, problem: { code: 'credential_in_use', reference_count: 2 } });
    ok(await api(deleteSource, { params: { source_id: second.source_id } }));
    ok(await api(detachCredentials, { params }));
    t.equal(refusal(await api(getCredentials, { params })), '409 credential_not_attached');
    t.match(ok(await api(getSource, { params })), { has_credentials: false, credential_ref: null });
    t.strictSame(await database.peek('select status from sources.credential'), [{ status: 'detached' }]);
    const listed = async (query = {}) => ok(await api(listCredentials, { query })).items;
    const expected = { credential_ref, name: 'first', status: 'detached', reference_count: 0 };
    t.match(await listed({ status: 'detached' }), [expected], 'one that no source uses is found again');
    t.strictSame(await listed({ status: 'active' }), []);
    const back = ok(await api(setCredentials, { params, body: { credential_ref } }));
    t.match(back, { status: 'active', reference_count: 1 });
    ok(await api(detachCredentials, { params }));
    t.match(ok(await revoke()), { status: 'revoked', reference_count: 0 });
    t.match(ok(await revoke()), { status: 'revoked' }, 'again changes nothing');
    const [shown] = await listed();
    t.strictSame(shown, ok(await revoke()), 'in the same form as everywhere');
    const after = await api(setCredentials, { params, body: { credential_ref } });
    t.equal(refusal(after), '422 credential_not_usable');
    t.strictSame(
      store.written().map(({ versions }) => versions),
      [ROTATIONS + 2],
      'the store keeps all of it',
    );
  });

  await t.test('what is given twice, without a name, or under a name that is taken is refused', async (t) => {
    const values = { credential_values: vaultedValues(MARK) };
    const set = (body: object) => api(setCredentials, { params, body }).then(refusal);
    const credential_ref = `cred_${'a'.repeat(26)}`;
    t.equal(await set({ ...values, credential_ref }), '422 credential_input_conflict');
    t.equal(await set({ credential_name: 'x' }), '422 credential_input_conflict');
    t.equal(await set(values), '422 credential_name_required');
    t.equal(await set({ credential_ref }), '422 credential_not_usable');
    t.equal(await set({ ...values, credential_name: 'first' }), '201', 'the name of a revoked one is free');
    t.equal(await set({ ...values, credential_name: 'third' }), '409 credential_attached');
    const third = { name: 'third', pattern_id: 'vaulted', source_config: VAULTED_CONFIG, ...values };
    t.equal(
      refusal(await api(createSource, { body: { ...third, credential_name: 'first' } })),
      '409 credential_name_taken',
    );
    const bare = { name: 'third', pattern_id: 'vaulted', source_config: VAULTED_CONFIG };
    t.equal(refusal(await api(createSource, { body: bare })), '201', 'a source may be made before its credential');
  });

  await t.test('credentials are paged, and those of another tenant are not among them', async (t) => {
    const page = async (query: object) =>
      ok(await api(listCredentials, { query: { limit: 1, order: '-rotated_at', ...query } }));
    const seen: string[] = [];
    for (let token: string | null = ''; token !== null; ) {
      const { items, next_page_token } = await page(token === '' ? {} : { page_token: token });
      seen.push(...items.map(({ credential_ref }) => credential_ref));
      token = next_page_token;
    }
    const rows = await database.peek('select credential_ref from sources.credential order by rotated_at desc');
    t.strictSame(
      seen,
      rows.map(({ credential_ref }) => credential_ref),
    );
    t.equal(seen.length, 2);
    await world.tenant('other');
    t.strictSame(ok(await world.as('other').call(listCredentials)).items, []);
    t.equal(refusal(await api(listCredentials, { query: { page_token: 'x' } })), '400 invalid_page_token');
  });

  await t.test('a foreign reference is an absent one', async (t) => {
    const other = world.as('other').call;
    const { credential_ref } = await read();
    const absent = `cred_${'b'.repeat(26)}`;
    const strip = (answer: unknown) => JSON.stringify(answer).replace(/"trace_id":"[^"]*"/, '');
    const [theirs, none] = await Promise.all(
      [credential_ref, absent].map(async (ref) => [
        strip(await other(revokeCredential, { params: { credential_ref: ref } })),
        strip(
          await other(createSource, {
            body: { name: 'x', pattern_id: 'vaulted', source_config: VAULTED_CONFIG, credential_ref: ref },
          }),
        ),
      ]),
    );
    t.strictSame(theirs, none);
    t.match(theirs?.[0], /"status":404/);
  });
});

t.test('whatever becomes of a write, the version that is used is the one that was verified', async (t) => {
  const { world, store, demo, api, database } = await storedWorld(t);
  const params = { source_id: (await vaultedSource(api, 'first', MARK)).source_id };
  const rotate = (mark: string) => api(rotateCredentials, { params, body: { credential_values: vaultedValues(mark) } });
  const quarantined = () => database.peek('select version, reason from sources.credential_quarantine order by version');
  const intents = () => database.peek('select version from sources.credential_intent');

  await t.test('an answer that was lost is resolved by reading', async (t) => {
    store.loseAnswers = 1;
    t.equal(ok(await rotate('lost')).version, 2);
    t.strictSame(await quarantined(), []);
  });

  await t.test('a store that is sealed changes nothing', async (t) => {
    const before = await hashOfTables(world);
    store.down = true;
    t.equal(refusal(await rotate('down')), '503 secret_store_unavailable');
    t.equal(refusal(await api(getCredentials, { params })), '200', 'metadata needs no store');
    store.down = false;
    t.strictSame(changedTables(before, await hashOfTables(world)), []);
    t.strictSame(await intents(), []);
  });

  await t.test(
    'a version whose transaction does not commit is quarantined, and the next one goes behind it',
    async (t) => {
      await database.peek('alter table sources.credential_version add constraint broken check (version <> 3)');
      t.equal((await rotate('broken')).status, 500);
      await database.peek('alter table sources.credential_version drop constraint broken');
      t.strictSame(await quarantined(), [{ version: 3, reason: 'not_committed' }]);
      t.equal(ok(await api(getCredentials, { params })).version, 2);
      t.equal(ok(await rotate('behind')).version, 4);
    },
  );

  await t.test('versions that somebody else wrote are never used', async (t) => {
    const [row] = await database.peek('select tenant_id, credential_id from sources.credential');
    await store.write({ tenantId: String(row?.tenant_id), credentialId: String(row?.credential_id) }, 4, new Map());
    t.equal(refusal(await rotate('refused')), '409 credential_change_in_progress');
    t.strictSame((await quarantined()).at(-1), { version: 5, reason: 'unexpected' });
    t.equal(ok(await rotate('after')).version, 6);
  });

  await t.test('what a process that is gone has begun is cleared up, and holds others back until then', async (t) => {
    const [row] = await database.peek('select tenant_id, credential_id from sources.credential');
    const ids = [row?.tenant_id, row?.credential_id];
    const intend = `insert into sources.credential_intent values ($1, $2, gen_random_uuid(), 7, now())`;
    await database.peek(intend, ids);
    t.equal(refusal(await rotate('held')), '409 credential_change_in_progress');
    await sweepCredentials(world.kernel, demo, new Date());
    t.equal((await intents()).length, 1, 'it may still be at work');
    await sweepCredentials(world.kernel, demo, new Date(Date.now() + INTENT_EXPIRES_MS + 1_000));
    t.strictSame(
      [await intents(), (await quarantined()).length],
      [[], 2],
      'nothing was written, nothing is quarantined',
    );
    await database.peek(intend, ids);
    await store.write({ tenantId: String(ids[0]), credentialId: String(ids[1]) }, 6, new Map());
    await sweepCredentials(world.kernel, demo, new Date(Date.now() + INTENT_EXPIRES_MS + 1_000));
    t.strictSame((await quarantined()).at(-1), { version: 7, reason: 'abandoned' });
    t.equal(ok(await rotate('at last')).version, 8);
  });

  await t.test('rotations at the same time end as one after the other, or are told to wait', async (t) => {
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map(rotate));
    const won = answers.filter((answer) => answer.ok).length;
    t.ok(won >= 1);
    for (const answer of answers)
      if (!answer.ok) t.match(refusal(answer), /^409 (conflict|credential_change_in_progress)$/);
    const { version } = ok(await api(getCredentials, { params }));
    t.equal(ok(await rotate('last')).version > version, true);
    t.strictSame(await intents(), []);
  });
});

t.test('a credential → bound to the place that it was given for', async (t) => {
  const { api, database } = await storedWorld(t);
  const source = await vaultedSource(api, 'first', MARK);
  const params = { source_id: source.source_id };
  const credential_ref = String(source.credential_ref);
  const at = (host: string) => ({ ...VAULTED_CONFIG, host });
  const patched = (body: object) => api(updateSource, { params, body });
  const move = (host: string, more: object = {}) => patched({ source_config: { host }, ...more }).then(refusal);
  const made = (name: string, host: string) =>
    api(createSource, { body: { name, pattern_id: 'vaulted', source_config: at(host), credential_ref } }).then(refusal);
  const credential_values = vaultedValues(`${MARK}-again`);

  await t.test('a changed place without all values → refused, with the field', async (t) => {
    t.match(await patched({ source_config: { host: 'evil.example' } }), {
      status: 409,
      problem: {
        code: 'credentials_required',
        errors: [{ pointer: '/source_config/host', code: 'place_changed' }],
      },
    });
    const { token, ...rest } = credential_values;
    for (const some of [{ token }, rest])
      t.equal(await move('evil.example', { credential_values: some }), '409 credentials_required');
    t.equal(await move('evil.example', { credential_ref }), '409 credentials_required');
    t.equal(await move(VAULTED_CONFIG.host), '200', 'the same place');
  });

  await t.test('a credential_ref at another place → refused, in a discovery too', async (t) => {
    t.equal(await made('second', 'evil.example'), '409 credentials_required');
    const body = { pattern_id: 'vaulted', source_config: at('evil.example'), credential_ref };
    t.equal(refusal(await api(startDiscovery, { body })), '409 credentials_required');
  });

  await t.test(
    'a change is tried → with the stored version at its place, with new values alone elsewhere',
    async (t) => {
      const params = { source_id: (await vaultedSource(api, 'tried', `${MARK}-tried`)).source_id };
      const tried = async (source_config: object, more: object = {}) => {
        const body = { ...params, source_config, ...more } as never;
        return api(startDiscovery, { body, query: { queue: true } });
      };
      t.equal(refusal(await tried({ host: 'evil.example' })), '409 credentials_required');
      const inside = await tried({ token: 'x' });
      t.match(inside, { problem: { errors: [{ pointer: '/source_config/token', code: 'credential_field' }] } });
      const discovery = async ({ run_id }: { run_id: string }) =>
        (await database.peek(`select * from sources.discovery where run_id = '${run_id}'`))[0];
      t.match(await discovery(ok(await tried({ comment: 'other' }))), {
        ...{ source_id: null, sealed: null, credential_id: String, pattern_version: String },
        source_config: { comment: 'other', host: VAULTED_CONFIG.host },
      });
      const elsewhere = await discovery(ok(await tried({ host: 'new.example' }, { credential_values })));
      t.match(elsewhere, { sealed: String, credential_id: null, source_config: { host: 'new.example' } });
      t.notMatch(JSON.stringify(elsewhere), MARK);
      t.match(ok(await api(getCredentials, { params })), { version: 1 }, 'nothing is written to the store');
    },
  );

  await t.test('all values given again → bound to the new place', async (t) => {
    t.equal(await move('new.example', { credential_values }), '200');
    t.match(ok(await api(getCredentials, { params })), { credential_ref, version: 2 });
    t.equal(await made('second', VAULTED_CONFIG.host), '409 credentials_required');
    t.equal(await made('second', 'new.example'), '201');
    t.equal(await move('next.example', { credential_values }), '422 credential_name_required', 'the other one stays');
  });

  await t.test('a detached credential → not attached at another place', async (t) => {
    ok(await api(detachCredentials, { params }));
    t.equal(await move('evil.example'), '200');
    const set = () => api(setCredentials, { params, body: { credential_ref } }).then(refusal);
    t.equal(await set(), '409 credentials_required');
    await database.peek('update sources.credential set place = null');
    t.equal(await set(), '409 credentials_required', 'also when an earlier release wrote it');
    t.equal(await move('new.example'), '200');
    t.equal(await set(), '201', 'where another source uses it');
  });
});

t.test('a source that moves to a version with fewer credentials takes none from those that share them', async (t) => {
  const { world, api } = await storedWorld(t);
  const source = await vaultedSource(api, 'first', MARK);
  const params = { source_id: source.source_id };
  const credential_ref = String(source.credential_ref);
  const shared = { name: 'second', pattern_id: 'vaulted', source_config: VAULTED_CONFIG, credential_ref };
  const second = { source_id: ok(await api(createSource, { body: shared })).source_id };
  const file = JSON.parse(await readFile(join(import.meta.dirname, 'fixtures/vaulted/pattern.json'), 'utf8'));
  const next = toPattern({ ...file, version: '2.0.0', fields: [], removes_credential_fields: ['/pin'] });
  const given = { patterns: [next], origin: 'register' as const, pointerOf: () => '' };
  await storePatterns({ kernel: world.kernel }, given, { isWhole: false });
  const pattern_version = '2.0.0';
  const move = (more: object) => api(updateSource, { params, body: { pattern_version, ...more } });
  t.equal(refusal(await move({ source_config: { pin: 7 } })), '422 credential_name_required');
  const own = { credential_name: 'own', credential_values: { token: `${MARK}-own` } };
  const moved = ok(await move({ source_config: { pin: 7 }, ...own }));
  t.match(moved, { pattern_version, source_config: { pin: 7 }, has_credentials: true });
  t.notMatch(JSON.stringify(moved), /CNRY|730411927/);
  t.match(ok(await api(getCredentials, { params })), { name: 'own', version: 1, reference_count: 1 });
  t.match(ok(await api(getCredentials, { params: second })), { name: 'first', version: 1, reference_count: 1 });
});
