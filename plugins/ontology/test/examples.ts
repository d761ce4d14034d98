import { getDatasetSchema, listDatasets } from '@weir/plugin-datasets/contract';
import {
  changeBackingDataset,
  changeEntityType,
  createBackingDataset,
  createEntityType,
  createEntityTypeVersion,
  deleteBackingDataset,
  differEntityTypeVersions,
  getBackingReadiness,
  getEntity,
  getSyncRoute,
  getSyncRun,
  listEntities,
  listEntityLinks,
  previewBackingDataset,
  readSyncRunLog,
  retireEntityType,
  setSyncRoute,
  suggestMappings,
  syncBackingDataset,
} from '@weir/plugin-ontology/contract';
import { type Api, type Examples, example, inTurn, VICTIMS } from '../../../test/examples.ts';

const properties = [{ code: 'vin', value_type: 'string' as const, required: true }];
const type = (code: string) => ({ code, properties, primary_key: ['vin'] });

/** A mapping of the first text column of the first table of the tenant. */
async function mapping(api: Api, code: string) {
  for (const { dataset_id } of (await api(listDatasets)).items) {
    const { fields } = await api(getDatasetSchema, { params: { dataset_id } });
    const column = fields.find(({ type, parent_id }) => type === 'string' && parent_id === null)?.name;
    if (column !== undefined)
      return {
        ...{ dataset_id, entity_type_code: code, entity_type_version: 1, sync: 'manual' as const },
        property_mappings: [{ column, property: 'vin' }],
        primary_key_mapping: [{ column, property: 'vin' }],
      };
  }
  throw new Error('the tenant has no table with a text column');
}

export const examples: Examples = {
  shared: { type_version: '1', key: 'no-entity-yet', relationship: 'owner' },
  meant: [
    { of: [differEntityTypeVersions], name: 'version', as: 'type_version' },
    { of: [getSyncRun, readSyncRunLog], name: 'run_id', as: 'ontology_run_id' },
  ],
  absent: { code: () => 'Absent' },
  own: [
    { of: differEntityTypeVersions, why: 'what another version changes, and what of it breaks readers' },
    { of: previewBackingDataset, why: 'a mapping is seen on rows before it is stored' },
    { of: getBackingReadiness, why: 'the checklist of a sync, as the specification lists it' },
    { of: listEntities, why: 'the entities of a type, and those that have a value' },
    { of: getSyncRoute, why: 'which contract new syncs follow, with its proof, and what is open of each' },
    { of: setSyncRoute, why: 'the rollout of a contract, and its rollback' },
    { of: getEntity, why: 'one entity with the number of its links' },
    { of: listEntityLinks, why: 'the entities that an entity is linked with' },
  ],
  async furnish({ api, tenant }) {
    const code = `Furnished_${tenant}`;
    await api(createEntityType, { body: { ...type(code), status: 'active' } });
    const body = { name: 'furnished', ...(await mapping(api, code)) };
    const { backing_dataset_id } = await api(createBackingDataset, { body });
    const { run_id } = await api(syncBackingDataset, { params: { backing_dataset_id }, query: { queue: true } });
    return { code, backing_dataset_id, ontology_run_id: run_id };
  },
  calls: [
    example(createEntityType, { body: type('Walked') }),
    example(changeEntityType, { body: { description: 'Walked' } }),
    example(changeBackingDataset, { body: { max_rejected_rows: 1 } }),
    example(createEntityTypeVersion, {
      body: { document: { properties, primary_key: ['vin'] }, base_version: 1 },
    }),
    { of: setSyncRoute, body: { contract: 2 }, unreached: { why: 'no workers of syncs prove the queues there' } },
    { of: syncBackingDataset, unreached: { why: 'no worker of syncs polls there', status: 503 } },
    ...[getEntity, listEntityLinks].map((of) => ({ of, unreached: { why: 'syncs make entities, and no call does' } })),
  ],
  async seed({ api }) {
    const victims = await inTurn(VICTIMS, (at) => api(createEntityType, { body: type(`Victim${at}`) }));
    await api(createEntityType, { body: type('Filled') });
    const filling = await mapping(api, 'Filled');
    const fillers = await inTurn(VICTIMS + 1, (at) =>
      api(createBackingDataset, { body: { name: `victim ${at}`, ...filling } }),
    );
    const [changed = '', ...ids] = fillers.map(({ backing_dataset_id }) => backing_dataset_id);
    return {
      calls: [
        { of: retireEntityType, params: { code: victims.map(({ code }) => code) } },
        example(createBackingDataset, { body: { name: 'fuzzed', ...filling } }),
        example(previewBackingDataset, { body: { name: 'seen', ...filling } }),
        example(suggestMappings, { body: { dataset_id: filling.dataset_id, entity_type_code: 'Filled' } }),
        example(changeBackingDataset, { params: { backing_dataset_id: changed }, body: { max_rejected_rows: 1 } }),
        { of: deleteBackingDataset, params: { backing_dataset_id: ids } },
      ],
    };
  },
};
