import { previewDataset } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { until } from '../../../test/until.ts';
import {
  createSource,
  deleteSource,
  detachCredentials,
  getCredentials,
  getDiscoveryStatus,
  getSource,
  listCredentials,
  migrateCredentials,
  revokeCredential,
  rotateCredentials,
  setCredentials,
  startDiscovery,
  updateSource,
} from '../src/contract.ts';
import { type Api, discovered, enableAll, ok, refusal, synced } from './platform.ts';
import { type SharedPlatform, sharedPlatform } from './shared-platform.ts';
import { digestOf, VAULTED_CONFIG, vaultedValues, vaultedWhole } from './vaulted-source.ts';

const MARK = 'CNRY-inline';
/** An hour in milliseconds. */
const HOUR = 3_600_000;
const ABSENT = '00000000-0000-7000-8000-000000000000';

/** All rows of the tenant's in every table, and of the tables that are no tenant's, as text. */
async function everything({ peek, tenant }: SharedPlatform): Promise<string> {
  const { tenantId } = await tenant('demo');
  const rows: unknown[] = [];
  for (const { name, own } of await peek(ALL_TABLES)) {
    const of = own ? `where tenant_id = '${tenantId}'` : '';
    rows.push(...(await peek(`select t::text as row from ${name} t ${of}`)));
  }
  return JSON.stringify(rows);
}

const ALL_TABLES = `select format('%I.%I', t.table_schema, t.table_name) as name, c.column_name is not null as own
  from information_schema.tables t left join information_schema.columns c
    on c.table_schema = t.table_schema and c.table_name = t.table_name and c.column_name = 'tenant_id'
  where table_type = 'BASE TABLE' and t.table_schema not in ('pg_catalog', 'information_schema')`;

async function lastDigest(platform: SharedPlatform): Promise<unknown> {
  const api = await platform.as('demo');
  const params = { dataset_id: platform.bronze('vaulted__rows') };
  const { rows } = ok(await api(previewDataset, { params, query: { columns: 'digest' } }));
  return rows.at(-1)?.[0];
}

t.test('the life of a source whose credentials are kept inline', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.as('demo');
  const config = { ...VAULTED_CONFIG, tell: ['output', 'catalog'] };
  const body = {
    name: 'vaulted',
    pattern_id: 'vaulted',
    source_config: config,
    credential_values: vaultedValues(MARK),
  };
  const created = ok(await api(createSource, { body }));
  const params = { source_id: created.source_id };
  const shown = async () => ok(await api(getSource, { params }));

  await t.test('nothing that is read of it has a credential, and what is visible is all there', async (t) => {
    t.strictSame(created.source_config, { ...config, headers: {} });
    t.match(created, { has_credentials: true, credential_ref: null });
    t.notMatch(JSON.stringify([created, await shown()]), /CNRY|730411927/);
    t.notMatch(await everything(platform), /CNRY|730411927/);
  });

  await t.test('its connector gets every credential, and what it prints of them is kept nowhere', async (t) => {
    t.match(await discovered(api, created.source_id), { status: 'succeeded' });
    await enableAll(api, created.source_id, { sync_mode: 'incremental', write_mode: 'append' });
    t.match(await synced(api, created.source_id), { status: 'succeeded' });
    t.equal(await lastDigest(platform), digestOf(vaultedWhole(MARK, { tell: config.tell })));
    t.notMatch(await everything(platform), /CNRY|730411927/);
  });

  await t.test('a token that the connector renews is what its next sync gets, and nobody reads it', async (t) => {
    const tell = ['renew', 'output'];
    const own = { ...body, name: 'renewing', source_config: { ...VAULTED_CONFIG, tell } };
    const { source_id } = ok(await api(createSource, { body: own }));
    await discovered(api, source_id);
    await enableAll(api, source_id, { sync_mode: 'incremental', write_mode: 'append' });
    const digest = async () => {
      const dataset = { dataset_id: platform.bronze('renewing__rows') };
      const { rows } = ok(await api(previewDataset, { params: dataset, query: { columns: 'digest' } }));
      return rows.at(-1)?.[0];
    };
    const whole = vaultedWhole(MARK, { tell });
    for (const token of [whole.token, `${whole.token}-renewed`]) {
      t.match(await synced(api, source_id), { status: 'succeeded' });
      t.equal(await digest(), digestOf({ ...whole, token }));
    }
    t.notMatch(await everything(platform), /CNRY|730411927|-renewed/);
  });

  await t.test(
    'credentials stay through ordinary updates, also where a list is written back as it was read',
    async (t) => {
      const { source_config: read } = await shown();
      ok(await api(updateSource, { params, body: { source_config: { ...read, comment: 'other' } } }));
      t.match(await synced(api, created.source_id), { status: 'succeeded' });
      t.equal(await lastDigest(platform), digestOf(vaultedWhole(MARK, { tell: config.tell, comment: 'other' })));
    },
  );

  await t.test('a changed place → needs all credentials again, also inside of source_config', async (t) => {
    const patched = (patch: object) => api(updateSource, { params, body: patch });
    const source_config = { host: 'elsewhere.example' };
    const { token, ...rest } = vaultedValues(MARK);
    for (const patch of [{}, { credential_values: { token } }, { credential_values: rest }])
      t.equal(refusal(await patched({ source_config, ...patch })), '409 credentials_required');
    const inside = { source_config: { ...source_config, token } };
    t.equal(refusal(await patched(inside)), '409 credentials_required', 'the others would follow');
    ok(await patched({ source_config, credential_values: vaultedValues(MARK) }));
    ok(await patched({ source_config: { host: VAULTED_CONFIG.host }, credential_values: vaultedValues(MARK) }));
  });

  await t.test('a change is tried with the credentials that are kept, and never at another place', async (t) => {
    const tried = (source_config: object, more: object = {}) =>
      api(startDiscovery, { body: { ...params, source_config, ...more } as never });
    t.equal(refusal(await tried({ host: 'elsewhere.example' })), '409 credentials_required');
    const { workflow_id } = ok(await tried({ tell: ['names'] }));
    const run = await until('a discovery', async () => {
      const status = ok(await api(getDiscoveryStatus, { params: { workflow_id } }));
      return status.is_terminal && status;
    });
    t.equal(run.failure?.code, 'catalog_holds_credential', 'the connector had the token');
    const kept = `select sealed, source_config, expires_at from sources.discovery where run_id = '${run.run_id}'`;
    t.strictSame(await platform.peek(kept), [{ sealed: null, source_config: null, expires_at: null }]);
    ok(await tried({ host: 'elsewhere.example' }, { credential_values: vaultedValues(MARK) }));
    t.notMatch(await everything(platform), /CNRY|730411927/);
  });

  await t.test('an item of a list that is another does not get the credentials of the one before', async (t) => {
    const patch = { source_config: { tables: [{ name: 'elsewhere' }, { name: 'two' }] } };
    ok(await api(updateSource, { params, body: patch }));
    t.match(await synced(api, created.source_id), { status: 'succeeded' });
    const whole = vaultedWhole(MARK, { tell: config.tell, comment: 'other' });
    t.equal(await lastDigest(platform), digestOf({ ...whole, tables: [{ name: 'elsewhere' }, whole.tables[1] ?? {}] }));
  });

  await t.test('new values are merged over those that are kept, and null takes one away', async (t) => {
    const values = { '/auth/password': `${MARK}-new-password`, pin: null };
    ok(await api(updateSource, { params, body: { credential_values: values } }));
    const token = { credential_values: { token: null } };
    t.equal(refusal(await api(updateSource, { params, body: token })), '422 source_config_invalid', 'it is required');
    const undeclared = { credential_values: { host: 'x', '/tables/7/passphrase': 'x' } };
    const refused = await api(updateSource, { params, body: undeclared });
    t.match(refused, {
      status: 422,
      problem: {
        code: 'undeclared_credential_field',
        errors: [{ pointer: '/credential_values/host' }, { pointer: '/credential_values/tables/7/passphrase' }],
      },
    });
  });

  await t.test('what only the secret store has is refused after authorisation and before existence', async (t) => {
    const viewer = await platform.as('demo', 'viewer');
    const at = { source_id: ABSENT };
    const body = { credential_values: { token: 'x' } };
    const credential_ref = `cred_${'a'.repeat(26)}`;
    const calls = (who: Api) => [
      who(listCredentials),
      who(getCredentials, { params: at }),
      who(setCredentials, { params: at, body: { ...body, credential_name: 'one' } }),
      who(rotateCredentials, { params: at, body }),
      who(detachCredentials, { params: at }),
      who(migrateCredentials, { params: at, body: {} }),
      who(revokeCredential, { params: { credential_ref } }),
    ];
    for (const answer of await Promise.all(calls(api))) t.equal(refusal(answer), '409 credential_mode_unsupported');
    for (const answer of await Promise.all(calls(viewer))) t.equal(refusal(answer), '403 forbidden_role');
    const [odd, ref] = [{ bogus: 1 } as object, 'whatever'];
    for (const answer of [
      await api(setCredentials, { params: at, body: odd as never }),
      await api(rotateCredentials, { params: at, body: {} as never }),
      await api(migrateCredentials, { params: { source_id: 'no-id' }, body: odd as never }),
      await api(revokeCredential, { params: { credential_ref: ref } }),
    ]) {
      t.equal(refusal(answer), '409 credential_mode_unsupported', 'whatever parameters and body are');
    }
    t.equal(refusal(await api(updateSource, { params, body: { credential_ref } })), '409 credential_mode_unsupported');
    const both = { credential_ref, ...body };
    t.equal(refusal(await api(updateSource, { params, body: both })), '422 credential_input_conflict');
  });

  await t.test('a source that is retired keeps nothing', async (t) => {
    ok(await api(deleteSource, { params }));
    t.strictSame(await platform.peek('select sealed from sources.source where source_id = $1', [created.source_id]), [
      { sealed: null },
    ]);
  });
});

t.test(
  'a discovery of what is no source yet keeps its credentials sealed, for the source that is made of it',
  async (t) => {
    const platform = await sharedPlatform(t);
    const api = await platform.as('demo');
    const given = { pattern_id: 'vaulted', source_config: VAULTED_CONFIG, credential_values: vaultedValues(MARK) };
    const look = async (body: object) => {
      const { workflow_id } = ok(await api(startDiscovery, { body }));
      const status = await until('a discovery', async () => {
        const found = ok(await api(getDiscoveryStatus, { params: { workflow_id } }));
        return found.is_terminal ? found : undefined;
      });
      return { workflow_id, status };
    };
    const { workflow_id, status } = await look(given);
    t.match(status, { status: 'succeeded', streams: [{ name: 'rows' }] });
    const elsewhere = { ...VAULTED_CONFIG, host: 'elsewhere.example' };
    const taken = { name: 'taken', pattern_id: 'vaulted', source_config: elsewhere, workflow_id };
    t.equal(refusal(await api(createSource, { body: taken })), '409 credentials_required', 'of another place');
    t.notMatch(await everything(platform), /CNRY|730411927/);

    const make = (name: string, workflow: string) =>
      api(createSource, {
        body: { name, pattern_id: 'vaulted', source_config: VAULTED_CONFIG, workflow_id: workflow },
      });
    const other = await platform.as('other');
    const foreign = await other(createSource, {
      body: { name: 'theirs', pattern_id: 'vaulted', source_config: VAULTED_CONFIG, workflow_id },
    });
    t.equal(refusal(foreign), '422 discovery_credentials_gone', 'a foreign one is an absent one');
    const made = ok(await make('vaulted', workflow_id));
    t.match(await discovered(api, made.source_id), { status: 'succeeded' });
    await enableAll(api, made.source_id, { sync_mode: 'incremental', write_mode: 'append' });
    t.match(await synced(api, made.source_id), { status: 'succeeded' });
    t.equal(await lastDigest(platform), digestOf(vaultedWhole(MARK)), 'the source has them');
    t.equal(
      refusal(await make('again', workflow_id)),
      '422 discovery_credentials_gone',
      'only one source is made of it',
    );

    const told = ['errors', 'hint', 'names'];
    const codes = ['connector_config_error', 'login_refused', 'catalog_holds_credential'];
    for (const [at, tell] of told.entries()) {
      const failed = await look({ ...given, source_config: { ...VAULTED_CONFIG, tell: [tell] } });
      t.match(failed.status, { status: 'failed', failure: { code: codes[at] } }, tell);
      t.notMatch(JSON.stringify(failed), /CNRY/);
    }
    t.notMatch(await everything(platform), /CNRY|730411927/);

    const kept = 'select expires_at from sources.discovery where sealed is not null and tenant_id = $1';
    const times = await platform.peek(kept, [(await platform.tenant('demo')).tenantId]);
    t.equal(times.length, told.length);
    for (const { expires_at } of times) t.ok(Number(expires_at) < Date.now() + HOUR, 'shredded after an hour');
  },
);
