import { randomUUID } from 'node:crypto';
import type { Kernel } from '@weir/kernel';
import type { Tenant } from '@weir/kernel/contract';
import type { Teardown } from '@weir/kernel/testing';
import { Inputs } from '@weir/plugin-datasets/contract';
import { createEntityType, listEntities } from '@weir/plugin-ontology/contract';
import { getRun } from '@weir/plugin-runs/contract';
import { wholeSpec } from '../plugins/ontology/src/contract/backing/document.ts';
import { BackingDatasetEntity, SyncRunEntity } from '../plugins/ontology/src/model/rows.ts';
import { ONTOLOGY_SYNC_V2 } from '../plugins/ontology/src/model/run-kinds.ts';
import { type OntologySettings, ontologyTenants } from '../plugins/ontology/src/service/bindings.ts';
import { storeOf } from '../plugins/ontology/src/service/store/store-of.ts';
import { currentFingerprint } from '../plugins/ontology/src/service/sync/effective.ts';
import { startSync } from '../plugins/ontology/src/service/sync/start-sync.ts';
import { SYNC_WORKER } from '../plugins/ontology/src/service/sync/sync-ports.ts';
import { runWorld } from '../plugins/transforms/test/run-kit.ts';
import { until } from './until.ts';

/** The whole platform with backing datasets over tables of transforms. */
export async function ontologyWorld(t: Teardown, more: Record<string, string> = {}) {
  const world = await runWorld(t, more);
  const kernel = world.platform.plugins.find(({ manifest }) => manifest.id === 'ontology')
    ?.kernel as Kernel<OntologySettings>;
  const acme = (await world.platform.tenants.byAlias('acme')) as Tenant;
  const deps = {
    kernel,
    inputs: kernel.use(Inputs),
    store: storeOf(kernel),
    tenants: ontologyTenants(kernel, kernel.settings),
  };
  const inTenant = kernel.db(acme);
  /** A backing dataset of a table with columns `vin` and `label`, with an entity type of its own. */
  const backing = async (code: string, dataset: string) => {
    const properties = [
      { code: 'vin', value_type: 'long', required: true },
      { code: 'label', value_type: 'string' },
    ];
    await world.ok(createEntityType, { body: { code, properties, primary_key: ['vin'] } as never });
    const whole = wholeSpec({
      dataset_id: dataset,
      entity_type_code: code,
      entity_type_version: 1,
      property_mappings: [
        { column: 'vin', property: 'vin' },
        { column: 'label', property: 'label' },
      ],
      primary_key_mapping: [{ column: 'vin', property: 'vin' }],
    });
    const backingDatasetId = randomUUID();
    const now = new Date();
    await inTenant.transaction((tx) =>
      tx.insert(BackingDatasetEntity, {
        backingDatasetId,
        name: code,
        datasetId: dataset,
        entityTypeCode: code,
        entityTypeVersion: 1,
        spec: whole,
        maxRejectedRows: 0,
        sync: 'manual',
        createdBy: 'test',
        createdAt: now,
        updatedAt: now,
        etag: 1,
      }),
    );
    return backingDatasetId;
  };
  const rowOf = (backingDatasetId: string) =>
    inTenant.transaction(async (tx) => {
      const found = await tx.findOne(BackingDatasetEntity, { backingDatasetId });
      if (found === undefined) throw new Error('the backing dataset is missing');
      return found;
    });
  const change = (backingDatasetId: string, spec: object) =>
    inTenant.transaction(async (tx) => {
      const found = await tx.findOne(BackingDatasetEntity, { backingDatasetId });
      if (found !== undefined) await tx.update(found, { spec: { ...found.spec, ...spec } });
    });
  const start = async (backingDatasetId: string, force = false) => {
    const backingDataset = await rowOf(backingDatasetId);
    const by = { tenant: acme, principal: SYNC_WORKER };
    const fingerprint = await currentFingerprint(deps, by, backingDataset.spec);
    const admitted = await kernel.runs.admit(ONTOLOGY_SYNC_V2.kind, { queue: true });
    return inTenant.transaction((tx) =>
      startSync(kernel, tx, { backingDataset, force, requestedBy: 'test', admitted, fingerprint }),
    );
  };
  const ended = (runId: string) =>
    until('the end of a sync', async () => {
      const run = await world.ok(getRun, { params: { id: runId } });
      if (!run.is_terminal) return undefined;
      const own = await inTenant.transaction((tx) => tx.findOne(SyncRunEntity, { runId }));
      return { ...run, own };
    });
  const entities = async (code: string) => {
    const { items } = await world.ok(listEntities, { params: { code }, query: { limit: 500 } } as never);
    return Object.fromEntries(items.map(({ key, properties }) => [key, properties.label]));
  };
  return { ...world, acme, backing, rowOf, change, start, ended, entities };
}
