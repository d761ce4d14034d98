import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '@weir/kernel/boot';
import { HealthChecks } from '@weir/kernel/contract';
import { testPlugin } from '@weir/kernel/testing';
import { openStore, type StoreOptions } from '@weir/lakehouse';
import { testBucket } from '@weir/lakehouse/testing';
import * as tools from '@weir/migrations';
import t, { type Test } from 'tap';
import { type ProducersService, previewDataset, type TablesService } from '../src/contract.ts';
import plugin from '../src/plugin.ts';
import { datasetSettings } from '../src/settings.ts';
import { createStager, type PartitionSpec, type TableSchema } from '../src/stage.ts';
import { batch, SCHEMA } from './kit.ts';

const KIND = { kind: 'test-load', workflowType: 'None', role: 'source', exclusive: false };

/** The environment of a warehouse in the object store of the test run. */
async function s3Settings(t: Test) {
  const { s3, warehouse, close } = await testBucket();
  t.teardown(close);
  return {
    WEIR_TABLE_CACHE_DIR: t.testdir(),
    WEIR_WAREHOUSE: `${warehouse.replace('s3:', 's3a:')}/`,
    OBJECT_STORE_ENDPOINT_URL: s3.endpoint ?? '',
    OBJECT_STORE_ACCESS_KEY_ID: s3.accessKeyId,
    OBJECT_STORE_SECRET_ACCESS_KEY: s3.secretAccessKey,
  };
}

const settingsOf = (environment: Record<string, string>) =>
  readSettings([{ owner: 'datasets', schema: datasetSettings }], environment).get('datasets') ?? {};

t.test('tables are made, filled and previewed in a warehouse in S3, which is well while it takes files', async (t) => {
  const settings = await s3Settings(t);
  const folder = settings.WEIR_TABLE_CACHE_DIR;
  const world = await testPlugin(t, plugin, { tools, settings: settingsOf(settings), runKinds: [KIND] });
  const [check] = world.kernel.contributions(HealthChecks);
  t.equal(await check?.check(), true);
  const service = <T>(id: string) => world.registration.services?.find((one) => one.id === id)?.implementation as T;
  const tables = service<TablesService>('datasets.tables@1');
  const acme = await world.tenant('acme');
  const ref = tables.bronze(acme, 'orders');
  const admitted = await world.kernel.runs.admit(KIND.kind);
  const { run_id: runId } = await world.kernel.db(acme).transaction(async (tx) => {
    await service<ProducersService>('datasets.producers@1').register(tx, {
      ref,
      kind: 'source',
      producerId: acme.tenantId,
    });
    return world.kernel.runs.start(tx, { kind: KIND.kind, subjectId: acme.tenantId, requestedBy: 'test', admitted });
  });
  const lease = await world.kernel.runs.begin(acme, runId);

  const prepared = await tables.prepare(acme, ref, SCHEMA);
  t.ok(prepared.location.startsWith('s3://'));
  const io = openStore({ ...(prepared.store as StoreOptions), scratch: join(folder, 'child') });
  const stager = await createStager({ io, scratch: join(folder, 'stage') });
  t.teardown(() => Promise.all([stager.close(), io.close()]));
  const source = join(folder, 'spool.ndjson');
  const line = (id: number) => JSON.stringify({ record: { data: { id, name: 'é' }, emitted_at: 0 } });
  writeFileSync(source, `${line(1)}\n${line(2)}\n`);
  const copied = await stager.copy({
    ...{ source, shape: { data: ['record', 'data'], extractedAt: ['record', 'emitted_at'] }, runId, position: 0 },
    ...{ schema: prepared.schema as TableSchema, spec: prepared.spec as PartitionSpec },
    folder: `${prepared.dataLocation}/${randomUUID()}`,
  });
  t.equal(copied.rows, 2);
  const request = { runId, leaseEpoch: lease?.leaseEpoch ?? 0, checkpoints: [] };
  const committed = await tables.commit(acme, { ...request, tables: [batch(ref, [...copied.files])] });
  t.ok(committed.tables[0]?.snapshotId);
  const params = { dataset_id: 'bronze.acme.orders' };
  for (const _time of [1, 2]) {
    const page = await world.as('acme').call(previewDataset, { params });
    const rows = page.ok ? page.body.rows.map(([id, name]) => [String(id), name]).sort() : page;
    t.strictSame(rows, [
      ['1', 'é'],
      ['2', 'é'],
    ]);
  }
});

t.test('a warehouse in S3 is not well with wrong credentials, or without its bucket', async (t) => {
  const settings = await s3Settings(t);
  for (const wrong of [
    { OBJECT_STORE_SECRET_ACCESS_KEY: 'wrong' },
    { WEIR_WAREHOUSE: 's3://weir-nobody-made-this/w' },
  ]) {
    const world = await testPlugin(t, plugin, {
      tools,
      settings: settingsOf({ ...settings, ...wrong }),
      runKinds: [KIND],
    });
    t.equal(await world.kernel.contributions(HealthChecks)[0]?.check(), false);
  }
});
