import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Platform } from '@weir/kernel';
import { openVault, type Vault } from '@weir/vault';
import { testVault } from '@weir/vault/testing';
import fc from 'fast-check';
import t from 'tap';
import { faultFolder } from '../../../test/crash/fault-folder.ts';
import { testMount } from '../../../test/secret-mount.ts';
import { createSource, getCredentials, getSource, rotateCredentials } from '../src/contract.ts';
import { applyRotation, rotationOf } from '../src/model/credential/rotated-values.ts';
import { toPattern } from '../src/model/pattern/pattern-file.ts';
import { rotationKeeper } from '../src/service/credential/keep-rotated.ts';
import { INTENT_EXPIRES_MS, sweepCredentials } from '../src/service/credential/sweep-credentials.ts';
import { writeRotations } from '../src/service/credential/write-rotated.ts';
import { patternCatalog } from '../src/service/pattern/catalog.ts';
import { liveSource } from '../src/service/row/live-source.ts';
import { hydrate } from '../src/service/vault/hydrate.ts';
import { sourcePlace, storedAt } from '../src/service/vault/stored-at.ts';
import { credentialsWorld, vaultedSource } from './credentials-world.ts';
import { ok } from './platform.ts';
import type { RotateOrder } from './rotate-child.ts';
import { VAULTED_CONFIG, vaultedValues, vaultedWhole } from './vaulted-source.ts';

const MARK = 'CNRY-rotated';
const SEQUENCES = 8;

/** A source, what a connector of it is given, and what may be done with it; the store can be down. */
async function rotatingWorld(t: Parameters<typeof credentialsWorld>[0], vault: Vault) {
  const world = await credentialsWorld(t, vault);
  const tenant = await world.tenant('demo');
  const api = world.as('demo').call;
  const inline = vault.mode === 'legacy_inline';
  const source = inline
    ? ok(await api(createSource, { body: inlineBody('one') }))
    : await vaultedSource(api, 'one', MARK);
  const { source_id: sourceId } = source;
  const { kernel } = world;
  const patterns = patternCatalog(kernel.use(Platform).sql);
  const given = async () => {
    const { row, at } = await kernel.db(tenant).transaction(async (tx) => {
      const row = await liveSource(tx, sourceId);
      return { row, at: await storedAt(tx, row, sourcePlace(tenant, sourceId)) };
    });
    return (await hydrate(kernel, tenant, row.sourceConfig, at)).config;
  };
  const keeper = async () => {
    const row = await kernel.db(tenant).transaction((tx) => liveSource(tx, sourceId));
    const config = await given();
    const keep = rotationKeeper(kernel, { tenant, sourceId, pattern: await patterns.ofKnown(row), config });
    return { keep, given: config as ReturnType<typeof vaultedWhole> };
  };
  const tokenNow = async () => ((await given()) as { token: string }).token;
  const write = () => writeRotations(kernel, tenant);
  const seen = async () => JSON.stringify(ok(await api(getSource, { params: { source_id: sourceId } })));
  const waiting = async () => (await world.database.peek('select 1 from sources.credential_rotation')).length;
  return { ...world, tenant, api, sourceId, given, keeper, tokenNow, write, seen, waiting };
}

const inlineBody = (name: string) => ({
  ...{ name, pattern_id: 'vaulted', source_config: VAULTED_CONFIG },
  credential_values: vaultedValues(MARK),
});

t.test(
  'kept inline, renewed credentials are sealed at once, and nothing else of what is reported is taken',
  async (t) => {
    const { keeper, tokenNow, seen, sourceId, database } = await rotatingWorld(t, testVault());
    const { keep, given } = await keeper();
    const reported = { ...given, token: `${MARK}-next`, host: 'elsewhere', odd: `${MARK}-odd` };
    t.strictSame(await keep(reported), { kept: 1, ignored: 2 });
    t.equal(await tokenNow(), `${MARK}-next`);
    t.match(JSON.parse(await seen()), { source_config: VAULTED_CONFIG, etag: '2' });
    t.strictSame(await keep(reported), { kept: 0, ignored: 2 }, 'the same again changes nothing');
    t.strictSame(await keep({ ...reported, auth: { ...given.auth, password: `${MARK}-third` } }), {
      kept: 1,
      ignored: 2,
    });
    const rows = JSON.stringify(
      await database.peek('select s::text from sources.source s where source_id = $1', [sourceId]),
    );
    t.notMatch(rows + (await seen()), /CNRY/);
    for (const odd of [null, 'text', [], 7, { ...given, token: 7 }, { token: 'x'.repeat(1_100_000) }])
      await t.rejects(keep(odd), { message: 'rotated_credential_not_kept' });
    t.equal(await tokenNow(), `${MARK}-next`);
  },
);

t.test('where the store keeps them they wait sealed, count at once, and become one exact version', async (t) => {
  const vault = testVault('secret_store');
  const { keeper, tokenNow, write, api, sourceId, database, waiting, kernel } = await rotatingWorld(t, vault);
  const params = { source_id: sourceId };
  const { keep, given } = await keeper();
  await keep({ ...given, token: `${MARK}-next` });
  await keep({ ...given, token: `${MARK}-last` });
  t.equal(vault.store?.written()[0]?.versions, 1, 'the worker writes nothing there');
  t.equal(await tokenNow(), `${MARK}-last`, 'and the next attempt has it all the same');
  t.notMatch(JSON.stringify(await database.peek('select r::text from sources.credential_rotation r')), /CNRY/);
  t.strictSame(await database.peek('select tenant_id from sources.rotation_due'), [
    { tenant_id: (await kernel.tenants.byAlias('demo'))?.tenantId },
  ]);
  if (vault.store !== undefined) vault.store.down = true;
  await t.rejects(write());
  t.equal(await waiting(), 2, 'a store that is down takes nothing away');
  if (vault.store !== undefined) vault.store.down = false;
  await write();
  t.equal(await waiting(), 0);
  t.equal(await tokenNow(), `${MARK}-last`);
  t.match(ok(await api(getCredentials, { params })), { version: 2, status: 'active' });

  const again = await keeper();
  await again.keep({ ...again.given, token: `${MARK}-stale` });
  const credential_values = { ...vaultedValues(`${MARK}-user`) };
  ok(await api(rotateCredentials, { params, body: { credential_values } }));
  t.equal(await tokenNow(), vaultedWhole(`${MARK}-user`).token, 'whoever has set it since knows better');
  await write();
  t.equal(await tokenNow(), vaultedWhole(`${MARK}-user`).token);
  t.equal(await waiting(), 0);
});

t.test('without a key, or without a database, a run is told that its credential is lost', async (t) => {
  const vault = { ...testVault('secret_store') };
  const { keeper, tokenNow } = await rotatingWorld(t, vault);
  const { keep, given } = await keeper();
  Object.assign(vault, { sealer: undefined });
  await t.rejects(keep({ ...given, token: `${MARK}-lost` }), { message: 'rotated_credential_not_kept' });
  t.equal(await tokenNow(), given.token);
});

t.test('whatever happens between, the last credential that was kept or set is the one that counts', async (t) => {
  const vault = testVault('secret_store');
  const { keeper, tokenNow, write, api, sourceId, kernel, tenant } = await rotatingWorld(t, vault);
  const params = { source_id: sourceId };
  const { store } = vault;
  const step = fc.constantFrom('keep', 'write', 'down', 'lose', 'set', 'attempt', 'sweep');
  let serial = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 9 }), async (steps) => {
      if (store === undefined) throw new Error('the store is there in this mode');
      let attempt = await keeper();
      let wanted = attempt.given.token;
      let superseded = false;
      for (const what of steps) {
        serial += 1;
        if (what === 'keep') {
          const token = `token-${serial}`;
          await attempt.keep({ ...attempt.given, token });
          if (!superseded) wanted = token;
        } else if (what === 'set') {
          wanted = `set-${serial}`;
          ok(
            await api(rotateCredentials, {
              params,
              body: { credential_values: { ...vaultedValues(MARK), token: wanted } },
            }),
          );
          superseded = true;
        } else if (what === 'attempt') {
          attempt = await keeper();
          superseded = false;
        } else if (what === 'sweep') {
          await sweepCredentials(kernel, tenant, new Date(Date.now() + INTENT_EXPIRES_MS + 1_000));
        } else {
          store.down = what === 'down';
          store.loseAnswers = what === 'lose' ? 1 : 0;
          await write().catch(() => undefined);
          store.down = false;
        }
        if ((await tokenNow()) !== wanted) return false;
      }
      await sweepCredentials(kernel, tenant, new Date(Date.now() + INTENT_EXPIRES_MS + 1_000));
      await write();
      return (await tokenNow()) === wanted;
    }),
    { numRuns: SEQUENCES },
  );
});

t.test('what is taken of a report, and what becomes of it, by the letter', async () => {
  const pattern = toPattern({
    ...{ id: 'p', version: '1.0.0', display: { name: 'P' }, image: 'x', source_name: 'x', protocol: 'airbyte' },
    spec: {
      properties: { a: { type: 'string', airbyte_secret: true }, b: { type: 'string', airbyte_secret: true }, c: {} },
    },
  });
  const value = fc.constantFrom('1', '2', '3');
  const config = fc.record({ a: value, b: value, c: value }, { requiredKeys: [] });
  const reveal = (values: ReturnType<typeof applyRotation>) =>
    Object.fromEntries(Array.from(values ?? [], ([pointer, one]) => [pointer, one.reveal()]));
  fc.assert(
    fc.property(config, config, (given, reported) => {
      const rotation = rotationOf(given, reported, pattern);
      const names = Object.keys(reveal(rotation.next));
      const expected = (['a', 'b'] as const).filter(
        (key) => reported[key] !== undefined && reported[key] !== given[key],
      );
      const current = new Map(Array.from(rotation.known));
      const applied = applyRotation(current, rotation);
      const once = reveal(applied ?? current);
      const twice = reveal(applyRotation(applied ?? current, rotation) ?? applied ?? current);
      return (
        JSON.stringify(names) === JSON.stringify(expected.map((key) => `/${key}`)) &&
        expected.every((key) => once[`/${key}`] === reported[key]) &&
        JSON.stringify(once) === JSON.stringify(twice)
      );
    }),
    { numRuns: 1_000 },
  );
});

t.test(
  'a process that is killed at any step loses nothing that was kept, nor does a store that takes nothing',
  async (t) => {
    const folder = t.testdir();
    const keyFile = join(folder, 'key');
    await writeFile(keyFile, randomBytes(32), { mode: 0o400 });
    const mount = await testMount(t);
    const settings = { ...mount.environment('api'), WEIR_CREDENTIAL_KEY_FILE: keyFile };
    const { vault } = openVault(settings, {});
    const { tenant, sourceId, given, tokenNow, write, waiting, kernel, database } = await rotatingWorld(t, vault);
    const { host, port, user, password, database: name } = database.app;
    const order = { database: { host, port, user, password, database: name }, tenant, sourceId, settings };
    const faults = await faultFolder(join(folder, 'faults'));
    const killed = async (point: 'C1' | 'C2' | 'C5' | 'C6', more: Partial<RotateOrder>) => {
      await faults.clear();
      await faults.arm(point);
      const program = join(import.meta.dirname, 'rotate-child.ts');
      const { PATH, NODE_COMPILE_CACHE } = process.env;
      const child = spawn(
        process.execPath,
        ['--conditions=@weir/source', program, JSON.stringify({ ...order, ...more })],
        {
          env: { PATH, NODE_COMPILE_CACHE, WEIR_FAULTPOINTS: faults.path },
          stdio: ['ignore', 'ignore', process.env.WEIR_TEST_VERBOSE ? 'inherit' : 'ignore'],
        },
      );
      await faults.held(point);
      child.kill('SIGKILL');
      await once(child, 'exit');
    };
    const config = await given();
    const { token } = config as { token: string };
    const reported = { ...config, token: `${MARK}-once` };
    // Whoever keeps a rotation may only read in the store.
    const reader = { settings: { ...settings, ...mount.environment('worker') } };
    await killed('C5', { ...reader, given: config, reported });
    t.equal(await tokenNow(), token, 'it was not kept, and nobody said that it was');
    await killed('C6', { ...reader, given: config, reported });
    t.equal(await tokenNow(), `${MARK}-once`);
    for (const point of ['C1', 'C2'] as const) {
      await killed(point, {});
      t.equal(await tokenNow(), `${MARK}-once`, `${point}: it counts on`);
      t.equal(await waiting(), 1);
      await sweepCredentials(kernel, tenant, new Date(Date.now() + INTENT_EXPIRES_MS + 1_000));
    }
    const policy = `sys/policies/acl/${mount.nameOf('api')}`;
    const { body } = await mount.operator('GET', policy);
    const { policy: rules } = body.data as { policy: string };
    await mount.operator('PUT', policy, { policy: rules.replace('"create", "update", ', '') });
    await t.rejects(write(), { code: 'secret_store_unavailable' });
    t.equal(await waiting(), 1, 'what a store forbids to write waits on');
    t.equal(await tokenNow(), `${MARK}-once`);
    await mount.operator('PUT', policy, { policy: rules });
    await write();
    t.equal(await waiting(), 0);
    t.equal(await tokenNow(), `${MARK}-once`);
    const [row] = await database.peek('select version, latest_version from sources.credential');
    t.strictSame(row, { version: 3, latest_version: 3 }, 'what a killed write has left is behind it');
  },
);
