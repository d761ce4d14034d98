import { definePlugin, type Kernel, type PlatformService, provide, type WeirPlugin } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { type Teardown, testPlugin } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import {
  datasetProblems,
  Inputs,
  type InputsService,
  type PinnedInput,
  Samples,
  type SamplesService,
} from '@weir/plugin-datasets/contract';
import { RunLogs, type RunLogsService } from '@weir/plugin-platform/contract';
import { Definitions, type DefinitionsService } from '@weir/plugin-transforms/contract';
import { Schedules, type SchedulesService } from '@weir/plugin-workflow-engine/contract';
import packageJson from '../package.json' with { type: 'json' };
import type { EntityChunk, EntityItem, OntologyStore } from '../src/model/entity/store.ts';
import plugin, { registered } from '../src/plugin.ts';
import type { OntologySettings } from '../src/service/bindings.ts';

export const RUN = '0199d3f2-5c1e-7a40-9b6d-3f1c2a7e8d90';

/** Tables by their ids: columns with their types, and the newest snapshot. */
export type Tables = Record<string, { columns: Record<string, string>; snapshotId: string | null }>;

type Manifest = ReturnType<PlatformService['manifests']>[number];

interface Given {
  settings?: OntologySettings;
  store?: (own: OntologyStore) => OntologyStore;
  tables?: Tables;
  /** What is found in the statement that expressions become. */
  validate?: DefinitionsService['validate'];
}

/** The plugin on a database of its own, with two tenants; over a store of the test if one is given. */
export async function setUp(t: Teardown, { settings = {}, store, tables = {}, validate }: Given = {}) {
  const services = () => [
    provide(Inputs, inputsOf(tables) as InputsService),
    provide(Samples, samplesOf(tables) as SamplesService),
    provide(Definitions, { validate } as DefinitionsService),
    provide(RunLogs, logs as RunLogsService),
    provide(Schedules, {} as SchedulesService),
  ];
  const manifests = [packageJson.weir as unknown as Manifest];
  const own = store === undefined ? plugin : over(store);
  const under = await testPlugin(t, own, { tools, settings, services, manifests });
  const tenants = { acme: await under.tenant('acme'), other: await under.tenant('other') };
  return { ...under, ...under.as('acme'), tenants };
}

/** A tenant reads the tables of its own scope. */
const samplesOf = (tables: Tables): Partial<SamplesService> => ({
  async describe(tenant, datasetId) {
    if (!/^\w+\.\w+\.\w+$/.test(datasetId)) throw datasetProblems.invalidDatasetId();
    if (datasetId.split('.')[1] !== tenant.scope) throw datasetProblems.datasetNotReadable();
    const table = tables[datasetId];
    if (table === undefined) throw kernelProblems.notFound();
    const columns = Object.entries(table.columns).map(([name, type]) => ({ name, type }));
    return { snapshotId: table.snapshotId, columns };
  },
});

const inputsOf = (tables: Tables): Partial<InputsService> => ({
  pin: async (_, asked) =>
    asked.map(({ datasetId }) => {
      if (tables[datasetId] === undefined) throw kernelProblems.notFound();
      return { datasetId, tableUuid: RUN } as PinnedInput;
    }),
  unmark: async () => undefined,
});

const logs: Partial<RunLogsService> = {
  page: async (_tenant, _query, { find }) => ({
    ...{ items: [], next_page_token: null, previous_page_token: null, total: null },
    ...{ ended: (await find()).isTerminal, expired: false, levels: null },
  }),
};

const over = (store: (own: OntologyStore) => OntologyStore): WeirPlugin =>
  definePlugin({
    ...plugin.spec,
    setup: (kernel) => registered(kernel as Kernel<OntologySettings>, store),
  });

export const property = (code: string, value_type = 'string', more: object = {}) => ({ code, value_type, ...more });

/** An entity type with a key, and what else is given. */
export const vehicle = (more: object[] = [], rest: object = {}) => ({
  code: 'Vehicle',
  properties: [property('vin', 'string', { required: true }), ...more],
  primary_key: ['vin'],
  ...rest,
});

/** A backing dataset of a table of cars, which starts on request. */
export const mappedCars = (scope: string) => ({
  ...{ name: 'Cars', dataset_id: `bronze.${scope}.cars`, entity_type_code: 'Vehicle', entity_type_version: 1 },
  property_mappings: [{ column: 'vin', property: 'vin' }],
  primary_key_mapping: [{ column: 'vin', property: 'vin' }],
  sync: 'manual' as 'manual' | 'on_snapshot',
});

export const item = (key: string, properties: object = {}, links: EntityItem['links'] = []): EntityItem => ({
  key,
  properties: { vin: key, ...properties },
  links,
  rowHash: Buffer.from(JSON.stringify([key, properties, links]).padEnd(32).slice(-32)).toString('hex'),
});

/** A chunk of entities of the type `Vehicle`, or of another. */
export const chunk = (items: EntityItem[], more: Partial<EntityChunk> = {}): EntityChunk =>
  ({
    runId: RUN,
    seq: 0,
    operation: 'upsert',
    items,
    type: { code: 'Vehicle', version: 1, indexed: ['country', 'tags'] },
    ...more,
  }) as EntityChunk;
