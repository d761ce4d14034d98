import { randomUUID } from 'node:crypto';
import type { Tenant } from '@weir/kernel';
import type { Teardown } from '@weir/kernel/testing';
import { createRewriter } from '@weir/lakehouse';
import { workFolders } from '@weir/work';
import { type CompactionDeps, compactTable } from '../../datasets/src/rewrite/compact.ts';
import { batch, depsOf, type Lake, lake } from '../../datasets/test/kit.ts';
import { wholeSpec } from '../src/contract/backing/document.ts';
import type { GivenVersionBody } from '../src/contract/documents.ts';
import { ontologyProblems } from '../src/contract/problems.ts';
import type { OntologyStore } from '../src/model/entity/store.ts';
import { BackingDatasetEntity, EntityTypeEntity, SyncRunEntity, TypeVersionEntity } from '../src/model/rows.ts';
import { ONTOLOGY_SYNC_V2 } from '../src/model/run-kinds.ts';
import { runSync, type SyncPorts } from '../src/model/sync/run-sync.ts';
import { typeFingerprint, wholeDocument } from '../src/model/type/document.ts';
import { embeddedStore } from '../src/service/store/embedded.ts';
import { currentFingerprint } from '../src/service/sync/effective.ts';
import { endClaims } from '../src/service/sync/end-claims.ts';
import { finishSync } from '../src/service/sync/finish-sync.ts';
import { startSync } from '../src/service/sync/start-sync.ts';
import { syncFailures } from '../src/service/sync/sync-failures.ts';
import { SYNC_WORKER, type SyncDeps, syncPorts, syncRows } from '../src/service/sync/sync-ports.ts';

export const VEHICLE: GivenVersionBody = {
  properties: [
    { code: 'vin', value_type: 'long', required: true },
    { code: 'label', value_type: 'string', indexed: true },
  ],
  primary_key: ['vin'],
};

const MAPPED = {
  property_mappings: [
    { column: 'id', property: 'vin' },
    { column: 'name', property: 'label' },
  ],
  primary_key_mapping: [{ column: 'id', property: 'vin' }],
};

/** Tables and the store of entities on a real database, or another one, with syncs that are carried out in this process. */
export async function syncWorld(t: Teardown & { testdir(): string }, other?: OntologyStore) {
  const entities = [BackingDatasetEntity, EntityTypeEntity, SyncRunEntity, TypeVersionEntity];
  const world = await lake(t, {}, [], { entities, runKinds: [ONTOLOGY_SYNC_V2] });
  const acme = await world.tenant('acme');
  const { kernel, inputs } = world;
  let isBound = true;
  const store = other ?? embeddedStore({ db: kernel.db, ping: async () => true });
  const lines: string[] = [];
  const deps: SyncDeps = {
    ...{ kernel, inputs, store },
    tenants: {
      boundTenant: () => {
        if (!isBound) throw ontologyProblems.bindingMissing();
        return 'acme-ontology';
      },
    },
    map: {
      children: { started: () => undefined, ended: () => undefined },
      folders: workFolders(`${t.testdir()}-work`, () => undefined),
    },
  };
  const inTenant = kernel.db(acme);
  const type = async (code: string, document: GivenVersionBody = VEHICLE, version = 1) => {
    const whole = wholeDocument(document);
    const fingerprint = typeFingerprint(whole);
    const now = new Date();
    await inTenant.transaction(async (tx) => {
      if (version === 1)
        await tx.insert(EntityTypeEntity, {
          ...{ code, name: code, status: 'active', version, fingerprint, labels: {}, createdBy: 'test', etag: 1 },
          ...{ propertiesCount: whole.properties.length, relationships: [], createdAt: now, updatedAt: now },
        });
      await tx.insert(TypeVersionEntity, {
        ...{ code, version, fingerprint, document: whole, changes: [], createdBy: 'test', createdAt: now },
      });
    });
  };
  const backing = async (name: string, more: object = {}, dataset = 'orders') => {
    const spec = wholeSpec({
      ...{ dataset_id: `bronze.acme.${dataset}`, entity_type_code: 'Vehicle', entity_type_version: 1 },
      ...MAPPED,
      ...more,
    });
    const backingDatasetId = randomUUID();
    const now = new Date();
    await inTenant.transaction((tx) =>
      tx.insert(BackingDatasetEntity, {
        ...{ backingDatasetId, name, datasetId: spec.dataset_id, spec, maxRejectedRows: 0, sync: 'manual', etag: 1 },
        ...{ entityTypeCode: spec.entity_type_code, entityTypeVersion: spec.entity_type_version },
        ...{ createdBy: 'test', createdAt: now, updatedAt: now },
      }),
    );
    return backingDatasetId;
  };
  const row = (backingDatasetId: string) =>
    inTenant.transaction(async (tx) => {
      const found = await tx.findOne(BackingDatasetEntity, { backingDatasetId });
      if (found === undefined) throw new Error('no such backing dataset');
      return found;
    });
  const change = (backingDatasetId: string, more: object) =>
    inTenant.transaction(async (tx) => {
      const found = await tx.findOne(BackingDatasetEntity, { backingDatasetId });
      if (found !== undefined) await tx.update(found, { spec: { ...found.spec, ...more } });
    });
  const start = async (id: string, force = false) => {
    const found = await row(id);
    const fingerprint = await currentFingerprint(deps, { tenant: acme, principal: SYNC_WORKER }, found.spec);
    const admitted = { kind: ONTOLOGY_SYNC_V2.kind, warning: null };
    return inTenant.transaction((tx) =>
      startSync(kernel, tx, { backingDataset: found, force, requestedBy: 'test', admitted, fingerprint }),
    );
  };
  const log = {
    write: ({ message }: { message: string }) => void lines.push(message),
    ...{ take: async () => undefined, close: async () => undefined, started: () => undefined, failed: () => undefined },
  };
  /** One attempt; `around` changes the world of the run. */
  const attempt = async (runId: string, around = (ports: SyncPorts) => ports) => {
    const lease = await kernel.runs.begin(acme, runId);
    const leaseEpoch = lease?.leaseEpoch ?? 0;
    const held = { tenant: acme, runId, leaseEpoch, signal: new AbortController().signal, log };
    const rows = await syncRows(kernel, acme, runId);
    const ports = around(syncPorts(deps, held, rows));
    await runSync(ports);
    await finishSync({ kernel, inputs }, held, await syncRows(kernel, acme, runId));
  };
  const runOf = (runId: string) =>
    inTenant.transaction(async (tx) => {
      const found = await tx.findOne(SyncRunEntity, { runId });
      const run = (await kernel.runs.findMany(tx, [runId]))[0];
      return { ...found, status: run?.status, failure: run?.failure?.code };
    });
  /** A whole run: its end, as its row says. */
  const sync = async (id: string, force = false) => {
    const { runId } = await start(id, force);
    try {
      await attempt(runId);
    } catch (error) {
      const { code, ...failure } = syncFailures.of(error);
      await kernel.runs.finish(acme, runId, { status: 'failed', failure: { code, ...failure } });
    }
    return runOf(runId);
  };
  const call = { tenant: acme, ontologyTenant: 'acme-ontology' };
  const entitiesOf = async (code = 'Vehicle') => {
    const found = await store.listEntities(call, code, { limit: 10_000 });
    return Object.fromEntries(found.map(({ key, properties }) => [key, properties]));
  };
  const land = (rows: object[], table = 'orders') => world.land(acme, table, rows);
  /** Has the table hold these rows and no other. */
  const replace = async (rows: object[], table = 'orders') => {
    const ref = world.tables.bronze(acme, table);
    const lease = await world.run(acme);
    const files = await world.stage(acme, ref, rows, lease.runId);
    await world.tables.commit(acme, {
      ...lease,
      tables: [{ ...batch(ref, files), mode: 'overwrite' }],
      checkpoints: [],
    });
  };
  const bind = (bound: boolean) => {
    isBound = bound;
  };
  const remove = async (id: string, how: 'keep' | 'remove') => {
    const found = await row(id);
    await inTenant.transaction((tx) => endClaims(tx, found, { entities: how }));
  };
  return {
    ...{ world, acme, deps, store, call, lines, type, backing, row, change, start, attempt, sync, runOf, remove },
    ...{ entitiesOf, land, replace, bind, peek: world.database.peek },
  };
}

export const vehicle = (id: number, name = `n${id}`) => ({ id, name });

/** Rewrites the small files of the table as one, as its maintenance does. */
export async function compacted(world: Lake, tenant: Tenant): Promise<void> {
  const base = depsOf(world, world.kernel.db as never);
  const rewriter = await createRewriter({ io: base.io, scratch: `${base.warehouse}-scratch`, threads: 1 });
  const deps: CompactionDeps = {
    ...base,
    expiry: { maxAgeHours: 120, minKept: 20 },
    catalogName: 'weir',
    now: () => Date.now() + 600_000,
    bytesPerHour: 2 ** 30,
    patienceMs: 0,
    rewrite: (request) => rewriter.rewrite(request),
  };
  const run = await world.run(tenant);
  const quiet = { signal: new AbortController().signal, log: () => undefined };
  await compactTable(deps, tenant, { ref: world.tables.bronze(tenant, 'orders'), ...run, ...quiet });
  await world.kernel.runs.finish(tenant, run.runId, { status: 'succeeded' });
  rewriter.close();
}
