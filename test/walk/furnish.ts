import {
  createBackingDataset,
  createEntityType,
  getBackingDataset,
  syncBackingDataset,
} from '@weir/plugin-ontology/contract';
import {
  activatePipeline,
  createPipeline,
  getPipelineRun,
  getSandboxStatus,
  pausePipeline,
  runPipeline,
  sandboxPipeline,
  validateDag,
} from '@weir/plugin-pipelines/contract';
import { registerSchema } from '@weir/plugin-schema-registry/contract';
import type { Api } from '../examples.ts';
import { until } from '../until.ts';

const SUBJECT = 'shop.order';
/** What a `bronze.demo.shop__orders` with a row without a city becomes. */
const FILLED = {
  entity_type_version: 1,
  property_mappings: [
    { column: 'id', property: 'id' },
    { column: 'city', property: 'city' },
    { expression: 'try_cast("amount" AS DOUBLE)', property: 'revenue' },
  ],
  primary_key_mapping: [{ column: 'id', property: 'id' }],
  relationship_mappings: [{ relationship: 'parts', columns: ['id'], target_type: 'Order', target_key: ['id'] }],
  sync: 'manual' as const,
};

/** A pipeline that ran, one that is paused and one that is a draft with an odd name of a step; answers addresses of them. */
export async function furnishPipelines(api: Api, transforms: readonly string[], odd: string): Promise<string[]> {
  const made = async (name: string, steps: readonly string[]) => {
    const given = steps.map((transform_id, at) => ({ step_id: at === 0 ? odd : `step_${at}`, transform_id }));
    const { pipeline_id } = await api(createPipeline, {
      body: { name, description: 'Müller & Söhne <b>x</b>', steps: given },
    });
    return { pipeline_id };
  };
  const rehearsed = async (params: { pipeline_id: string }) => {
    await api(validateDag, { body: params });
    const { workflow_id } = await api(sandboxPipeline, { params, body: {} });
    const ends = { ...params, workflow_id };
    await until('the rehearsal', async () => (await api(getSandboxStatus, { params: ends })).ended_at !== null);
    await api(activatePipeline, { params, body: {} });
    return `/runs/${(await api(getSandboxStatus, { params: ends })).run_id}`;
  };
  const active = await made('revenue', transforms);
  const rehearsal = await rehearsed(active);
  const { run_id } = await api(runPipeline, { params: active, body: {} });
  const ran = { ...active, run_id };
  await until('the run', async () => (await api(getPipelineRun, { params: ran })).ended_at !== null);
  const paused = await made('a'.repeat(63), transforms.slice(0, 1));
  await rehearsed(paused);
  await api(pausePipeline, { params: paused });
  const draft = await made('draft-of-nothing', transforms.slice(0, 1));
  const empty = await made('empty', []);
  const pages = [active, paused, draft, empty].map(({ pipeline_id }) => `/pipelines/${pipeline_id}`);
  return [...pages, rehearsal, `/runs/${run_id}`];
}

/** Backing datasets in step with a row left out, blocked, and of a table without rows; answers addresses of them. */
export async function furnishBacking(api: Api, table: string, empty: string): Promise<string[]> {
  await api(createEntityType, {
    body: {
      ...{ code: 'Order', name: 'Müller & Söhne <b>x</b>', status: 'active', primary_key: ['id'] },
      properties: [
        { code: 'id', value_type: 'string', required: true },
        { code: 'city', value_type: 'string', required: true, indexed: true },
        { code: 'revenue', value_type: 'double', indexed: true },
      ],
      relationships: [
        { code: 'parts', target_type: 'Order', target_key: ['id'], cardinality: 'many', on_missing_target: 'allow' },
      ],
    },
  });
  const made = async (name: string, more: object = {}) => {
    const body = { name, dataset_id: table, entity_type_code: 'Order', ...FILLED, ...more };
    const { backing_dataset_id } = await api(createBackingDataset, { body });
    return { backing_dataset_id };
  };
  const synced = async (params: { backing_dataset_id: string }) => {
    await api(syncBackingDataset, { params });
    await until('a sync', async () => !/sync|pend/.test((await api(getBackingDataset, { params })).state));
  };
  const left = await made('a & b "x" é', { max_rejected_rows: 1 });
  const blocked = await made('revenue');
  const none = await made('nothing', {
    ...{ dataset_id: empty, relationship_mappings: [] },
    property_mappings: [
      { column: 'id', property: 'id' },
      { expression: "'x'", property: 'city' },
    ],
  });
  for (const one of [left, blocked, none]) await synced(one);
  const waits = await made('waits');
  const pages = [left, blocked, none, waits].map(({ backing_dataset_id: id }) => `/ontology/backing/${id}`);
  const boards = [table, empty].map((dataset) => `/ontology/backing/create?type=Order&dataset=${dataset}`);
  return [...pages, ...boards, '/ontology/types/Order?tab=entities'];
}

/** Subjects with versions that differ; answers addresses of them. */
export async function furnishSchemas(api: Api, table: string): Promise<string[]> {
  const schema = { type: 'object', properties: { id: { type: 'string' }, 'Müller & Söhne': { type: 'number' } } };
  await api(registerSchema, { body: { subject: SUBJECT, schema } });
  const stricter = { ...schema, required: ['id', 'city'] };
  await api(registerSchema, { body: { subject: SUBJECT, schema: stricter, compatibility: 'NONE' } });
  await api(registerSchema, { body: { subject: 'revenue', schema: {} } });
  return [
    `/schemas/subjects/${SUBJECT}?version=2&against=1`,
    `/schemas/check?dataset=${table}&subject=${SUBJECT}`,
    '/schemas?tab=models',
  ];
}
