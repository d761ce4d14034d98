import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Kernel, Platform, Refusal, type Tenant } from '@weir/kernel';
import { type CredentialMode, openVault } from '@weir/vault';
import { Client } from 'pg';
import t from 'tap';
import { until } from '../../../test/until.ts';
import { createSource, getCredentials, migrateCredentials, updateSource } from '../src/contract.ts';
import { migrateAll } from '../src/service/credential/migrate-all.ts';
import { checkSeals, refuseCredentials } from '../src/service/credential/refuse-credentials.ts';
import { INTENT_EXPIRES_MS, sweepCredentials } from '../src/service/credential/sweep-credentials.ts';
import { type PatternUser, patternCatalog } from '../src/service/pattern/catalog.ts';
import { CUTOVER_LOCK } from '../src/service/vault/cutover.ts';
import { changedTables, credentialsWorld, hashOfTables } from './credentials-world.ts';
import { fileSecretStore } from './file-secret-store.ts';
import type { ChildOrder } from './migrate-child.ts';
import { ok, refusal } from './platform.ts';
import { VAULTED_CONFIG, vaultedValues } from './vaulted-source.ts';

const MARK = 'CNRY-migrate';
const TENANTS = ['demo', 'other'];
const POINTS = ['C1', 'C2', 'C3', 'C4'];

/** Two tenants with two sources each, their credentials inline; the mode of the process can be turned. */
async function inlineWorld(t: Parameters<typeof credentialsWorld>[0] & { testdir(): string }) {
  const folder = t.testdir();
  const [keyFile, storeFolder, faults] = [join(folder, 'key'), join(folder, 'store'), join(folder, 'faults')];
  await writeFile(keyFile, randomBytes(32), { mode: 0o400 });
  await mkdir(storeFolder);
  const opened = openVault({ SOURCE_CREDENTIAL_MODE: 'legacy_inline', WEIR_CREDENTIAL_KEY_FILE: keyFile }, {});
  const vault = { ...opened.vault, mode: 'legacy_inline' as CredentialMode, store: fileSecretStore(storeFolder) };
  const world = await credentialsWorld(t, vault);
  const sources: Record<string, string[]> = {};
  for (const alias of TENANTS) {
    await world.tenant(alias);
    sources[alias] = [];
    for (const name of ['one', 'two']) {
      const body = {
        name,
        pattern_id: 'vaulted',
        source_config: VAULTED_CONFIG,
        credential_values: vaultedValues(MARK),
      };
      sources[alias].push(ok(await world.as(alias).call(createSource, { body })).source_id);
    }
  }
  const { host, port, user, password, database } = world.database.app;
  const order: ChildOrder = {
    database: { host, port, user, password, database },
    tenants: await Promise.all(TENANTS.map((alias) => world.tenant(alias))),
    ...{ keyFile, storeFolder },
  };
  return { world, vault, sources, order, faults, storeFolder };
}

/** What each start of the plugin checks. */
const startCheck = ({ kernel }: { kernel: Kernel }) => refuseCredentials(kernel, kernel.use(Platform).sql);

function startMigration(order: ChildOrder, faults: string) {
  const args = ['--conditions=@weir/source', join(import.meta.dirname, 'migrate-child.ts'), JSON.stringify(order)];
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, WEIR_FAULTPOINTS: faults };
  return spawn(process.execPath, args, {
    env,
    stdio: ['ignore', 'ignore', process.env.WEIR_TEST_VERBOSE ? 'inherit' : 'ignore'],
  });
}

t.test('a migration that is killed changes nothing, and every version that it wrote is quarantined', async (t) => {
  const { world, vault, order, faults, storeFolder } = await inlineWorld(t);
  vault.mode = 'secret_store';
  for (const point of POINTS) {
    await rm(faults, { recursive: true, force: true });
    await mkdir(faults);
    await writeFile(join(faults, `${point}.arm`), '');
    const before = await hashOfTables(world);
    const child = startMigration(order, faults);
    await until(`the migration at ${point}`, async () => {
      const pid = await readFile(join(faults, `${point}.hit`), 'utf8').catch(() => '');
      return pid === '' ? undefined : pid;
    });
    child.kill('SIGKILL');
    await once(child, 'exit');
    t.strictSame(changedTables(before, await hashOfTables(world)), ['sources.credential_intent'], point);
    const later = new Date(Date.now() + INTENT_EXPIRES_MS + 1_000);
    for (const tenant of order.tenants) await sweepCredentials(world.kernel, tenant, later);
    const quarantine = await world.database.peek(
      'select tenant_id, credential_id, version from sources.credential_quarantine',
    );
    const written = (await readdir(storeFolder)).map((name) => name.replace('.json', ''));
    const known = quarantine.map(({ tenant_id, credential_id }) => `${tenant_id}.${credential_id}`);
    t.strictSame(known.sort(), written.sort(), `${point}: all that lies in the store is known`);
    const wanted = point === 'C1' ? [] : ['sources.credential_quarantine'];
    t.strictSame(changedTables(before, await hashOfTables(world)), wanted, `${point}: and nothing else is left`);
  }
  await rm(faults, { recursive: true });
  const [code] = await once(startMigration(order, faults), 'exit');
  t.equal(code, 0, 'the next one moves them all');
  const rows = await world.database.peek('select sealed, credential_id is not null as moved from sources.source');
  t.strictSame(rows, Array(4).fill({ sealed: null, moved: true }));
});

t.test('one source is moved by itself, and from then on nothing starts that keeps credentials inline', async (t) => {
  const { world, vault, sources } = await inlineWorld(t);
  const api = world.as('demo').call;
  const params = { source_id: sources.demo?.[0] ?? '' };
  t.equal(refusal(await api(migrateCredentials, { params, body: {} })), '409 credential_mode_unsupported');
  vault.mode = 'secret_store';
  await startCheck(world);
  t.equal(
    refusal(await world.as('demo', 'pipeline_editor').call(migrateCredentials, { params, body: {} })),
    '403 forbidden_role',
  );
  t.equal(refusal(await world.as('other').call(migrateCredentials, { params, body: {} })), '404 not_found');
  const moved = ok(await api(migrateCredentials, { params, body: { credential_name: 'moved' } }));
  t.match(moved, { name: 'moved', version: 1, status: 'active', reference_count: 1 });
  t.strictSame(ok(await api(getCredentials, { params })), moved);
  t.equal(refusal(await api(migrateCredentials, { params, body: {} })), '409 credential_attached');
  await startCheck(world);
  vault.mode = 'legacy_inline';
  await t.rejects(startCheck(world), Refusal);

  await t.test('a process that kept credentials inline before the cutover → seals none after it', async (t) => {
    const before = await hashOfTables(world);
    const credential_values = vaultedValues('CNRY-late');
    const body = { name: 'late', pattern_id: 'vaulted', source_config: VAULTED_CONFIG, credential_values };
    t.equal(refusal(await api(createSource, { body })), '409 credential_mode_unsupported');
    const other = { source_id: sources.demo?.[1] ?? '' };
    const patched = (patch: object) => api(updateSource, { params: other, body: patch }).then(refusal);
    t.equal(await patched({ credential_values }), '409 credential_mode_unsupported');
    t.strictSame(changedTables(before, await hashOfTables(world)), [], 'nothing was written');
    t.equal(await patched({ name: 'renamed' }), '200');
    t.equal(await patched({ source_config: { tell: ['output'] } }), '200');
    const files = { name: 'files', pattern_id: 'files', source_config: { path: '/data' } };
    t.equal(refusal(await api(createSource, { body: files })), '201');
  });
});

t.test('a source that is sealed while all are moved → the cutover waits for it and moves none', async (t) => {
  const { world, vault, order } = await inlineWorld(t);
  vault.mode = 'secret_store';
  const writer = new Client({ connectionString: world.database.superuserUrl });
  await writer.connect();
  t.teardown(() => writer.end());
  await writer.query('begin');
  await writer.query('select pg_advisory_xact_lock_shared($1)', [CUTOVER_LOCK]);
  const patternOf = async (row: PatternUser) => {
    const pattern = await patternCatalog(world.kernel.use(Platform).sql).of(row);
    if (pattern === undefined) throw new Error('the pattern is missing');
    return pattern;
  };
  const moving = migrateAll({ kernel: world.kernel, patternOf }, order.tenants);
  moving.catch(() => undefined);
  await until('a migration that waits', async () => {
    const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'advisory'";
    return (await world.database.peek(waiting)).length > 0;
  });
  await writer.query(`insert into sources.source select (jsonb_populate_record(s,
    jsonb_build_object('source_id', gen_random_uuid(), 'name', 'late'))).* from sources.source s limit 1`);
  await writer.query('commit');
  await t.rejects(moving, { code: 'credential_migration_failed' });
  const rows = await world.database.peek('select sealed is not null as sealed from sources.source');
  t.strictSame(rows, Array(5).fill({ sealed: true }));
});

t.test('a transaction that is refused leaves the sources as they were', async (t) => {
  const { world, vault, sources, storeFolder } = await inlineWorld(t);
  vault.mode = 'secret_store';
  await world.database.peek('alter table sources.credential_version add constraint broken check (version <> 1)');
  const before = await hashOfTables(world);
  const params = { source_id: sources.demo?.[0] ?? '' };
  t.equal((await world.as('demo').call(migrateCredentials, { params, body: {} })).status, 500);
  t.strictSame(changedTables(before, await hashOfTables(world)), ['sources.credential_quarantine']);
  t.equal((await readdir(storeFolder)).length, 1);
});

t.test('without a key credentials are refused, and sources without any are not', async (t) => {
  const vault = { mode: 'legacy_inline', sealer: undefined, store: undefined } as const;
  const world = await credentialsWorld(t, vault);
  await world.tenant('demo');
  const api = world.as('demo').call;
  const given = { name: 'one', pattern_id: 'vaulted', source_config: VAULTED_CONFIG };
  const body = { ...given, credential_values: vaultedValues(MARK) };
  t.equal(refusal(await api(createSource, { body })), '503 credential_key_missing');
  t.equal(refusal(await api(createSource, { body: given })), '422 source_config_invalid', 'they are required');
  const files = { name: 'one', pattern_id: 'files', source_config: { path: '/data' } };
  const { source_id } = ok(await api(createSource, { body: files }));
  const params = { source_id };
  const patches = Array.from({ length: 4 }, (_, n) => api(updateSource, { params, body: { name: `name-${n}` } }));
  for (const answer of await Promise.all(patches)) t.equal(refusal(answer), '200', 'names change one after the other');
});

t.test(
  'without a key that opens any of them no process starts; a tenant whose key is lost holds up no other',
  async (t) => {
    const { world, vault, order } = await inlineWorld(t);
    const other = `${order.keyFile}-other`;
    await writeFile(other, randomBytes(32), { mode: 0o400 });
    const settings = { SOURCE_CREDENTIAL_MODE: 'legacy_inline', WEIR_CREDENTIAL_KEY_FILE: other } as const;
    vault.sealer = undefined;
    await t.rejects(startCheck(world), { name: 'Refusal', message: /WEIR_CREDENTIAL_KEY_FILE is not set/ });
    vault.sealer = openVault(settings, {}).vault.sealer;
    await t.rejects(startCheck(world), { name: 'Refusal', message: /no key file/ });
    const both = openVault({ ...settings, WEIR_CREDENTIAL_PREVIOUS_KEY_FILE: order.keyFile }, {}).vault.sealer;
    vault.sealer = both;
    await startCheck(world);
    const [demo, late] = order.tenants as [Tenant, Tenant];
    await sweepCredentials(world.kernel, demo, new Date());
    vault.sealer = openVault(settings, {}).vault.sealer;
    await startCheck(world);
    const seals = checkSeals(world.kernel);
    await seals.perTenant(demo, new AbortController().signal);
    await t.rejects(seals.perTenant(late, new AbortController().signal), { code: 'seal_key_unknown' }, 'it alone');
    await sweepCredentials(world.kernel, late, new Date());
    await t.rejects(seals.perTenant(late, new AbortController().signal), { code: 'seal_key_unknown' }, 'still sealed');
    vault.sealer = both;
    await sweepCredentials(world.kernel, late, new Date());
    vault.sealer = openVault(settings, {}).vault.sealer;
    await startCheck(world);
    t.pass('everything was sealed again, so that the previous key can go');
  },
);
