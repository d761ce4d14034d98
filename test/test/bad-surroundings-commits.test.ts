import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSettings } from '@weir/kernel/boot';
import { testPlugin } from '@weir/kernel/testing';
import { createStager, openStore, type StoreOptions, type TableSchema } from '@weir/lakehouse';
import { type Fault, type FlakyProxy, startFlakyProxy, startRestCatalog, testBucket } from '@weir/lakehouse/testing';
import * as tools from '@weir/migrations';
import datasets from '@weir/plugin-datasets';
import {
  type PreparedTable,
  type ProducersService,
  quarantineOf,
  type TablesService,
} from '@weir/plugin-datasets/contract';
import t, { type Test } from 'tap';
import { readRows } from '../crash/read-rows.ts';
import { type CommitFault, startDatabaseProxy } from '../database-proxy.ts';

const HANG_LIMIT_MS = 600_000;
t.setTimeout(HANG_LIMIT_MS);

/** In each of them two of store, catalog and database lose an answer. */
const COMMITS = 70;
/** Every so many of them move a second table. */
const SECOND_TABLE = 3;
const KIND = { kind: 'test-load', workflowType: 'None', role: 'source', exclusive: false };
const SCHEMA = { type: 'object', properties: { id: { type: 'integer' } } };
const SHAPE = { data: ['record', 'data'], extractedAt: ['record', 'emitted_at'] } as const;
const FAULTS: readonly Fault[] = ['cut_after', 'refuse_after', 'late', 'truncate', 'cut', 'refuse'];
const COMMIT_FAULTS: readonly CommitFault[] = ['cut_after', 'late', 'truncate', 'cut'];
const CHECKPOINT = /insert into datasets\.checkpoint/;
/** Which transaction of a commit loses its answer: that which stores the checkpoint, the ledger's, the first. */
const TRANSACTIONS = [CHECKPOINT, CHECKPOINT, /staged_file/, CHECKPOINT, /^/];

const range = (to: number) => Array.from({ length: to }, (_, at) => at + 1);
const at = <T>(list: readonly T[], number: number): T => list[number % list.length] as T;

/** The datasets plugin with these settings, its database behind a proxy, and one run that commits batch after batch. */
async function committing(t: Test, environment: Record<string, string>) {
  const folder = t.testdir();
  const direct = process.env.WEIR_TEST_DATABASE_URL ?? '';
  const database = await startDatabaseProxy(direct, 'weir_app');
  process.env.WEIR_TEST_DATABASE_URL = database.url;
  t.teardown(() => {
    process.env.WEIR_TEST_DATABASE_URL = direct;
    return database.close();
  });
  const { settings: schema } = datasets.spec;
  const settings = readSettings([{ owner: 'datasets', schema: schema ?? {} }] as never, environment).get('datasets');
  const world = await testPlugin(t, datasets, { tools, settings: settings as never, runKinds: [KIND] });
  const service = <T>(id: string) => world.registration.services?.find((one) => one.id === id)?.implementation as T;
  const tables = service<TablesService>('datasets.tables@1');
  const tenant = await world.tenant('acme');
  const admitted = await world.kernel.runs.admit(KIND.kind);
  const ref = tables.bronze(tenant, 'orders');
  const { run_id: runId } = await world.kernel.db(tenant).transaction(async (tx) => {
    const producers = service<ProducersService>('datasets.producers@1');
    await producers.register(tx, { ref, kind: 'source', producerId: tenant.tenantId });
    return world.kernel.runs.start(tx, { kind: KIND.kind, subjectId: tenant.tenantId, requestedBy: 'test', admitted });
  });
  const leaseEpoch = (await world.kernel.runs.begin(tenant, runId))?.leaseEpoch ?? 0;

  const refs = [ref, quarantineOf(ref)];
  const prepared = await Promise.all(refs.map((of) => tables.prepare(tenant, of, SCHEMA)));
  const io = openStore({ ...(prepared[0]?.store as StoreOptions), scratch: join(folder, 'child') });
  const stager = await createStager({ io, scratch: join(folder, 'stage') });
  t.teardown(() => Promise.all([stager.close(), io.close()]));
  const stage = async ({ dataLocation, schema }: PreparedTable, id: number): Promise<object[]> => {
    const source = join(folder, `${randomUUID()}.ndjson`);
    await writeFile(source, `${JSON.stringify({ record: { data: { id }, emitted_at: 0 } })}\n`);
    const place = { folder: `${dataLocation}/${randomUUID()}`, schema: schema as TableSchema };
    return [...(await stager.copy({ source, shape: SHAPE, ...place, runId, position: 0 })).files];
  };
  /** What commit number so many is asked for; its files are there. */
  const request = async (number: number) => {
    const into = prepared.slice(0, number % SECOND_TABLE === 0 ? 2 : 1);
    const moved = {
      mode: 'append' as const,
      streamId: 's',
      attempt: 1,
      batch: number,
      stateSha256: 'x',
      generation: 0,
    };
    const moves = await Promise.all(
      into.map(async (table) => ({ ref: table.ref, files: await stage(table, number), ...moved })),
    );
    return { runId, leaseEpoch, tables: moves, checkpoints: [{ key: 'k', state: number, counters: {} }] };
  };
  /** Loses the answer to the first COMMIT of such a transaction; tells whether that has come. */
  const lose = (fault: CommitFault, which: RegExp) => {
    let isLost = false;
    database.choose((said) => {
      if (isLost || !which.test(said)) return undefined;
      isLost = true;
      return fault;
    });
    return () => isLost;
  };
  const state = async () => (await tables.checkpoint(tenant, 'k'))?.state;
  return { world, tables, tenant, ref, request, lose, calm: () => database.choose(() => undefined), state };
}

/** Loses the answer to one request of a kind from now on; tells whether that has come. What is late comes with a later one. */
function loseOne(proxy: FlakyProxy, lost: { method: string; place: number; fault: Fault }) {
  let requests = 0;
  let before = 0;
  proxy.choose(({ method }) => {
    if (requests >= lost.place) {
      before += 1;
      if (before === lost.place) void proxy.deliver();
    }
    if (method !== lost.method) return undefined;
    requests += 1;
    return requests === lost.place ? lost.fault : undefined;
  });
  return () => requests >= lost.place;
}

type Committing = Awaited<ReturnType<typeof committing>>;

/** Makes the commits, each with its faults; how many answers were lost. */
async function commitAll(
  { tables, tenant, request, lose, calm }: Committing,
  { proxy, method, places }: { proxy: FlakyProxy; method: string; places: number },
): Promise<number> {
  let lost = 0;
  for (const number of range(COMMITS)) {
    const asked = await request(number);
    const remote = loseOne(proxy, { method, place: (number % places) + 1, fault: at(FAULTS, number) });
    const database = lose(at(COMMIT_FAULTS, number), at(TRANSACTIONS, number));
    await tables.commit(tenant, asked);
    proxy.choose(() => undefined);
    calm();
    // What came late comes after the commit at the latest.
    await proxy.deliver();
    lost += [remote(), database()].filter(Boolean).length;
  }
  return lost;
}

async function idsOf(location: string, properties: Record<string, string> = {}): Promise<number[]> {
  const rows = await readRows<[number]>({ locations: [location], fields: ['id'], properties });
  return (rows[location] ?? []).flat().sort((a, b) => a - b);
}

const SECOND = range(COMMITS).filter((number) => number % SECOND_TABLE === 0);

t.test(`${COMMITS} commits whose answers from store and database get lost add every row exactly once`, async (t) => {
  const { s3, warehouse, close } = await testBucket();
  t.teardown(close);
  const proxy = await startFlakyProxy(s3.endpoint ?? '');
  t.teardown(proxy.close);
  const committer = await committing(t, {
    WEIR_WAREHOUSE: warehouse,
    WEIR_TABLE_CACHE_DIR: join(t.testdir(), 'copies'),
    OBJECT_STORE_ENDPOINT_URL: proxy.url,
    OBJECT_STORE_ACCESS_KEY_ID: s3.accessKeyId,
    OBJECT_STORE_SECRET_ACCESS_KEY: s3.secretAccessKey,
  });
  t.equal(await commitAll(committer, { proxy, method: 'PUT', places: 3 }), 2 * COMMITS, 'answers were lost');
  t.equal(await committer.state(), COMMITS);
  const found = await committer.world.database.peek(
    'select table_name as name, metadata_location as location from catalog.iceberg_tables order by 1',
  );
  const reader = { 's3.endpoint': s3.endpoint ?? '', 's3.region': 'us-east-1' };
  const keys = { 's3.access-key-id': s3.accessKeyId, 's3.secret-access-key': s3.secretAccessKey };
  const wanted = [range(COMMITS), SECOND];
  for (const [which, { location, name }] of found.entries()) {
    t.strictSame(await idsOf(String(location), { ...reader, ...keys }), wanted[which], String(name));
  }
  t.equal(found.length, wanted.length);
});

t.test(`${COMMITS} commits whose answers from catalog and database get lost add every row exactly once`, async (t) => {
  const warehouse = join(t.testdir(), 'warehouse');
  const io = openStore({ warehouse, scratch: join(t.testdir(), 'scratch') });
  const server = await startRestCatalog({ io, warehouse });
  const proxy = await startFlakyProxy(server.uri);
  t.teardown(async () => {
    await Promise.all([proxy.close(), server.close()]);
    await io.close();
  });
  const committer = await committing(t, { WEIR_WAREHOUSE: warehouse, TABLE_CATALOG_URI: proxy.url });
  t.equal(await commitAll(committer, { proxy, method: 'POST', places: 1 }), 2 * COMMITS, 'answers were lost');
  t.equal(await committer.state(), COMMITS);
  const { ref } = committer;
  for (const [of, wanted] of [[ref, range(COMMITS)] as const, [quarantineOf(ref), SECOND] as const]) {
    const location = server.tables.get(`${of.namespace}.${of.table}`)?.metadataLocation ?? '';
    t.strictSame(await idsOf(location), wanted, of.table);
  }
});
