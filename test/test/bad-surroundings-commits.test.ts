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
import { readerProperties, readRows } from '../crash/read-rows.ts';
import { type CommitFault, startDatabaseProxy } from '../database-proxy.ts';
import { sample } from '../lane.ts';

const range = (to: number) => Array.from({ length: to }, (_, at) => at + 1);
/** Each loses two answers of the store and one of the database. Steps of seven come by every fault and transaction. */
const STORE_COMMITS = sample('crashes', range(35), 5);
/** Each loses one answer of the catalog and one of the database. So do steps of eleven. */
const CATALOG_COMMITS = sample('crashes', range(77), 7);
/** Every so many of them move a second table. */
const SECOND_TABLE = 3;
const KIND = { kind: 'test-load', workflowType: 'None', role: 'source', exclusive: false };
const SCHEMA = { type: 'object', properties: { id: { type: 'integer' } } };
const SHAPE = { data: ['record', 'data'], extractedAt: ['record', 'emitted_at'] } as const;
/** The store's answer to a PUT has no body that could be cut short. */
const STORE_FAULTS: readonly Fault[] = ['cut_after', 'refuse_after', 'late', 'cut', 'refuse'];
const CATALOG_FAULTS: readonly Fault[] = [...STORE_FAULTS, 'truncate'];
const COMMIT_FAULTS: readonly CommitFault[] = ['cut_after', 'late', 'truncate', 'cut'];
const CHECKPOINT = /insert into datasets\.checkpoint/;
/** Which transaction of a commit loses its answer: that which stores the checkpoint, the ledger's, the first. */
const TRANSACTIONS = [CHECKPOINT, CHECKPOINT, /staged_file/, CHECKPOINT, /^/];

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

/** What a commit loses besides an answer of the database: those to requests of one method, at some places. */
interface Losing {
  readonly proxy: FlakyProxy;
  readonly method: string;
  readonly faults: readonly Fault[];
  places(number: number): readonly number[];
}

/** Loses answers of one commit from now on; tells how many. What is late comes with a later request, if one comes. */
function loseSome({ proxy, method, faults, places }: Losing, number: number): () => number {
  const lost = places(number);
  let requests = 0;
  let isLate = false;
  proxy.choose((request) => {
    if (isLate) void proxy.deliver();
    if (request.method !== method) return undefined;
    requests += 1;
    const which = lost.indexOf(requests);
    if (which < 0) return undefined;
    const fault = at(faults, number + which);
    isLate ||= fault === 'late';
    return fault;
  });
  return () => lost.filter((place) => place <= requests).length;
}

type Committing = Awaited<ReturnType<typeof committing>>;

/** Makes commits, each with its faults; how many answers were lost by others than the database, and by it. */
async function commitAll(
  { tables, tenant, request, lose, calm }: Committing,
  commits: readonly number[],
  losing: Losing,
) {
  const lost = { answers: 0, ofDatabase: 0 };
  for (const number of commits) {
    const asked = await request(number);
    const answers = loseSome(losing, number);
    const ofDatabase = lose(at(COMMIT_FAULTS, number), at(TRANSACTIONS, number));
    await tables.commit(tenant, asked);
    losing.proxy.choose(() => undefined);
    calm();
    // What came late comes after the commit at the latest.
    await losing.proxy.deliver();
    lost.answers += answers();
    lost.ofDatabase += ofDatabase() ? 1 : 0;
  }
  return lost;
}

/** The column `id` of tables in ascending order, as a reader finds it that is not ours. */
async function idsIn(locations: readonly string[], properties: Record<string, string> = {}): Promise<number[][]> {
  const rows = await readRows<[number]>({ locations, fields: ['id'], properties });
  return locations.map((location) => (rows[location] ?? []).flat().sort((a, b) => a - b));
}

/** What is to be in the two tables after so many commits. */
const idsAfter = (commits: readonly number[]) => [commits, commits.filter((number) => number % SECOND_TABLE === 0)];

t.test(
  `${STORE_COMMITS.length} commits whose answers from store and database get lost add every row exactly once`,
  async (t) => {
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
    // One of the three files of a commit, and whatever is sent fourth: one of them, again.
    const places = (number: number) => [(number % 3) + 1, 4];
    const lost = await commitAll(committer, STORE_COMMITS, { proxy, method: 'PUT', faults: STORE_FAULTS, places });
    t.strictSame(lost, { answers: 2 * STORE_COMMITS.length, ofDatabase: STORE_COMMITS.length });
    t.equal(await committer.state(), STORE_COMMITS.at(-1));
    const found = await committer.world.database.peek(
      'select metadata_location as location from catalog.iceberg_tables order by table_name',
    );
    const wanted = idsAfter(STORE_COMMITS);
    t.strictSame(
      await idsIn(
        found.map(({ location }) => String(location)),
        readerProperties(s3),
      ),
      wanted,
    );
  },
);

t.test(
  `${CATALOG_COMMITS.length} commits whose answers from catalog and database get lost add every row exactly once`,
  async (t) => {
    const warehouse = join(t.testdir(), 'warehouse');
    const io = openStore({ warehouse, scratch: join(t.testdir(), 'scratch') });
    const server = await startRestCatalog({ io, warehouse });
    const proxy = await startFlakyProxy(server.uri);
    t.teardown(async () => {
      await Promise.all([proxy.close(), server.close()]);
      await io.close();
    });
    const committer = await committing(t, { WEIR_WAREHOUSE: warehouse, TABLE_CATALOG_URI: proxy.url });
    const losing = { proxy, method: 'POST', faults: CATALOG_FAULTS, places: () => [1] };
    const lost = await commitAll(committer, CATALOG_COMMITS, losing);
    t.strictSame(lost, { answers: CATALOG_COMMITS.length, ofDatabase: CATALOG_COMMITS.length });
    t.equal(await committer.state(), CATALOG_COMMITS.at(-1));
    const { ref } = committer;
    const names = [ref, quarantineOf(ref)].map(({ namespace, table }) => `${namespace}.${table}`);
    const locations = names.map((name) => server.tables.get(name)?.metadataLocation ?? '');
    t.strictSame(await idsIn(locations), idsAfter(CATALOG_COMMITS));
  },
);
