import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Duty, Kernel, TenantDb } from '@weir/kernel';
import type { Tenant } from '@weir/kernel/contract';
import { createMetrics } from '@weir/metrics';
import { secretValues, type Vault } from '@weir/vault';
import { testKey, testSealer, testVault } from '@weir/vault/testing';
import { pino } from 'pino';
import t from 'tap';
import { contributions } from '../../kernel/src/contributions/contributions.ts';
import { idempotencySweep } from '../../kernel/src/http/sweep-idempotency.ts';
import { createRuns } from '../../kernel/src/runs/create-runs.ts';
import { listFiles } from '../checks/files.ts';
import { type TestPlatform, testPlatform } from '../platform.ts';
import { ROOT } from '../walls.ts';

const silent = pino({ level: 'silent' });
const LOCK = 4_711;
/** What the transactions of the tenant that fails begin with, and what they throw. */
const FAULTS: Readonly<Record<string, { statements: readonly string[]; error: object }>> = {
  'a throw': { statements: ['select 1 / 0'], error: { message: 'division by zero' } },
  'a lock time-out': {
    statements: ["select set_config('lock_timeout', '20ms', true)", `select pg_advisory_xact_lock(${LOCK})`],
    error: { code: 'conflict' },
  },
};

t.testdir({});
const world = await testPlatform(t, t.testdirName, {}, (booted) => Object.assign(booted, { duties: [] }));
await world.database.tenant('Zoe_and-Co');
const [broken, ...others] = (await world.platform.tenants.list()) as [Tenant, ...Tenant[]];

/** The database of the platform, where every transaction of one tenant fails. */
function failing({ database }: TestPlatform['platform'], statements: readonly string[]): Kernel['db'] {
  return (tenant): TenantDb => ({
    transaction: (work) =>
      database.db(tenant).transaction(async (tx) => {
        if (tenant.tenantId === broken.tenantId) for (const text of statements) await tx.sql(text, []);
        return work(tx);
      }),
  });
}

/** All duties, over another database and vault: each plugin is set up once more, and not started. */
function allDuties(db: Kernel['db'], vault: Vault): Duty[] {
  const { plugins, workflows } = world.platform;
  const metrics = createMetrics();
  const kinds = plugins.flatMap(({ registration }) => registration.runKinds ?? []);
  const runs = createRuns({ db, workflows, kinds, queueOf: String, contributions: contributions(), log: silent });
  const registered = plugins.map(({ plugin, kernel }) => plugin.spec.setup({ ...kernel, db, vault, metrics }));
  t.teardown(async () => {
    for (const { stop } of registered) await stop?.();
  });
  return [runs.sweep, idempotencySweep(db), ...registered.flatMap(({ duties }) => duties ?? [])];
}

/** One round of a duty: the ids of the tenants that failed and the last error, and how many were served. */
async function roundOf(duty: Duty) {
  const failed: string[] = [];
  const counts = { served: 0, failed: 0 };
  let error: unknown;
  const warn = ({ duty: name, tenant_id, err }: { duty: string; tenant_id: string; err: unknown }) => {
    failed.push(name === duty.name ? tenant_id : name);
    error = err;
  };
  await duty.round({
    tenants: world.platform.tenants,
    log: { ...silent, info: () => {}, warn: warn as typeof silent.warn },
    counted: (outcome) => {
      counts[outcome] += 1;
    },
  });
  return { failed, counts, error };
}

const ring = () =>
  world.database.peek(
    'insert into sources.rotation_due select tenant_id, now() from kernel.tenant on conflict (tenant_id) do nothing',
  );

t.test('the table has every duty that the source declares, and each name once', async (t) => {
  const files = await listFiles(ROOT, ':(glob)plugins/*/src/**/*.ts', ':(glob)kernel/src/**/*.ts');
  const texts = await Promise.all(files.map((file) => readFile(path.join(ROOT, file), 'utf8')));
  const declared = texts.flatMap((text) => [...text.matchAll(/\bduty\(\{\s*name: '([^']+)'/g)].map(([, name]) => name));
  const duties = allDuties(world.platform.database.db, testVault('secret_store'));
  const names = duties.map(({ name }) => name);
  t.strictSame(names.toSorted(), declared.toSorted());
  t.equal(new Set(names).size, names.length);
  const roles = world.platform.plugins.flatMap(({ manifest }) => (manifest.workers ?? []).map(({ role }) => role));
  for (const { name, where } of duties) t.ok(['api', ...roles].includes(where), `${name}: a process does it`);
});

for (const [fault, { statements, error: expected }] of Object.entries(FAULTS)) {
  t.test(
    `the first of three tenants fails with ${fault} → each duty serves the others in the same round`,
    async (t) => {
      t.equal(others.length, 2);
      await ring();
      await world.database.peek('select pg_advisory_lock($1)', [LOCK]);
      const duties = allDuties(failing(world.platform, statements), testVault('secret_store'));
      for (const duty of duties) {
        const { failed, counts, error } = await roundOf(duty);
        t.strictSame(failed, [broken.tenantId], duty.name);
        t.match(error, expected, duty.name);
        // The chain of the platform counts as one more.
        t.strictSame(counts, { served: duty.name === 'platform.audit_intents' ? 3 : 2, failed: 1 }, duty.name);
      }
      await world.database.peek('select pg_advisory_unlock($1)', [LOCK]);
      t.strictSame(await world.database.peek('select tenant_id from sources.rotation_due'), [
        { tenant_id: broken.tenantId },
      ]);
    },
  );
}

const SOURCE = `insert into sources.source (tenant_id, source_id, name, pattern_id, pattern_version, source_config, status,
  created_at, updated_at, sealed) values ($1, $2, 'Müller & Söhne', 'files', '1', '{}', 'draft', now(), now(), $3)`;
const WEBHOOK = `insert into webhooks.webhook (tenant_id, webhook_id, name, host, sealed, events, created_by)
  values ($1, $2, 'hook', 'example.org', $3, '{run.failed}', 'ada')`;
const CREDENTIAL = `insert into sources.credential (tenant_id, credential_id, credential_ref, name, kind, declared_fields,
  fields, place, version, latest_version, status, rotated_at, created_at)
  values ($1, $2, 'cred_' || repeat('a', 26), 'c', 'files', '["/a"]', '["/a"]', 'p', 1, 1, 'active', now(), now())`;
const ROTATION = `insert into sources.credential_rotation (tenant_id, rotation_id, credential_id, source_id, sealed, created_at)
  values ($1, $2, $2, $2, $3, now())`;
const ID = '018f4a6e-0000-7000-8000-000000000009';

t.test('the key of the first of three tenants is lost → what the others sealed is sealed again', async (t) => {
  const { peek } = world.database;
  const [present, previous] = [testKey(), testKey()];
  const vault = { ...testVault('secret_store'), sealer: testSealer(present, previous) };
  for (const { tenantId } of [broken, ...others]) {
    const sealer = testSealer(tenantId === broken.tenantId ? testKey() : previous);
    const sealed = (purpose: 'source' | 'webhook' | 'rotation') =>
      sealer.seal(secretValues([['/a', 'CNRY']]), { tenantId, subjectId: ID, purpose });
    await peek(SOURCE, [tenantId, ID, sealed('source')]);
    await peek(WEBHOOK, [tenantId, ID, sealed('webhook')]);
    if (tenantId !== broken.tenantId) continue;
    await peek(CREDENTIAL, [tenantId, ID]);
    await vault.store?.write({ tenantId, credentialId: ID }, 0, secretValues([['/a', 'CNRY']]));
    await peek(ROTATION, [tenantId, ID, sealed('rotation')]);
  }
  await ring();
  const failing: string[] = [];
  for (const duty of allDuties(world.platform.database.db, vault)) {
    const { failed, counts } = await roundOf(duty);
    if (counts.failed > 0) failing.push(duty.name);
    t.strictSame(failed, failed.length === 0 ? [] : [broken.tenantId], duty.name);
  }
  t.strictSame(failing.toSorted(), ['sources.rotations', 'sources.seals', 'webhooks.deliveries']);
  for (const table of ['sources.source', 'webhooks.webhook']) {
    const rows = await peek(`select tenant_id, split_part(sealed, '.', 2) = $1 as again from ${table}`, [present.kid]);
    const again = new Map(rows.map((row) => [row.tenant_id, row.again]));
    t.strictSame(again, new Map([broken, ...others].map((one) => [one.tenantId, one !== broken])), table);
  }
  t.strictSame(await peek('select tenant_id from sources.rotation_due'), [{ tenant_id: broken.tenantId }]);
});
