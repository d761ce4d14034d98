import { fileURLToPath } from 'node:url';
import { listDatasetSnapshots, listDatasets } from '@weir/plugin-datasets/contract';
import {
  createStream,
  getReplay,
  previewReset,
  previewSourceReset,
  putSchedule,
  startReplay,
  startSync,
  updateStream,
} from '@weir/plugin-sources/contract';
import { until } from '../until.ts';
import type { HeldFile } from './held-file.ts';
import type { CredentialExamples } from './seed-credentials.ts';
import { type IdentitySeeds, seedIdentity } from './seed-identity.ts';
import { type Api, apiOf, type Caller, inTurn, seedSources } from './seed-sources.ts';
import { seedTransforms, type TransformSeeds } from './seed-transforms.ts';
import { seedWebhooks, type WebhookSeeds } from './seed-webhooks.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
const DATA = fixture('shop');
/** One of its lines has no key. */
export const PEOPLE = fixture('people');
/** Sources that may be retired, and streams that may be deleted, by examples that do no more than that. */
const VICTIMS = 10;

/** Things of one tenant by what the specification calls their ids: what reads may name, and what writes may spoil. */
export interface Seeds {
  alias: string;
  data: string;
  /** Synced, with a table; only read. */
  read: Record<string, string[]>;
  /** Discovered; written to. */
  write: { source_id: string };
  /** Discovered, with streams to sync, and no schedule in the way of whoever starts one. */
  synced: { source_id: string };
  /** Never read again after the one thing that is done to each. */
  retired: string[];
  deleted: { source_id: string; stream_ids: string[] };
  /** May be reset, with the etag that this takes the first time. */
  reset: { source_id: string; stream_id: string; etag: string };
  /** The same for all of its streams. */
  sourceReset: { source_id: string; etag: string };
  /** The dataset of a stream that left a line in quarantine. */
  rejecting: string;
  identity: IdentitySeeds;
  webhooks: WebhookSeeds;
  transforms: TransformSeeds;
  /** Syncs that go on until they are cancelled. */
  running: { run_id: string; workflow_id: string }[];
  /** Where a secret store keeps credentials: what their routes may name. */
  credentials: CredentialExamples;
}

/** Gives a tenant one of everything that a path can name, through the API and a worker that takes the work. */
export async function seed(caller: Caller, held: HeldFile): Promise<Omit<Seeds, 'credentials'>> {
  const api = apiOf(caller);
  const { make } = seedSources(api);
  const main = await seedReplay(api);
  const { run } = main;
  const snapshots = (await api(listDatasetSnapshots, { params: { dataset_id: main.rejecting } })).items;
  const running = await seedRunning(api, held);
  const reset = await seedReset(api);
  const sourceReset = await seedSourceReset(api);
  const synced = await seedSynced(api);
  const write = await make({ path: DATA });
  const retired = await inTurn(VICTIMS, () => make({ path: DATA }));
  const deleted = await seedDeleted(api);
  const identity = await seedIdentity(api);
  const webhooks = await seedWebhooks(api);
  const transforms = await seedTransforms(api, caller.tenant);
  for (const source_id of [main.source_id, write])
    await api(putSchedule, { params: { source_id }, body: { cron: ['0 0 29 2 *'] } });
  return {
    alias: caller.tenant,
    data: DATA,
    read: {
      source_id: [main.source_id],
      stream_id: main.stream_ids,
      id: [run.run_id],
      run_id: [run.run_id],
      sync_run_id: [run.run_id, run.workflow_id],
      replay_run_id: [main.replay_run_id],
      discovery_id: [main.workflow_id],
      workflow_id: [run.workflow_id, run.run_id],
      dataset_id: main.datasets,
      snapshot_id: snapshots.map(({ snapshot_id_exact }) => snapshot_id_exact),
      pattern_id: ['files'],
      ...identity.read,
      ...webhooks.read,
      ...transforms.read,
    },
    write: { source_id: write },
    synced,
    retired,
    deleted,
    reset,
    sourceReset,
    rejecting: main.rejecting,
    identity,
    webhooks,
    transforms,
    running,
  };
}

/** A source with one enabled stream, which no discovery has seen. */
async function declared(api: Api, source_config: { path: string } | { url: string }, name: string) {
  const source_id = await seedSources(api).make(source_config);
  const body = { name, schema: { type: 'object', properties: { id: { type: 'integer' } } } };
  const { stream_id } = await api(createStream, { params: { source_id }, body });
  await api(updateStream, { params: { source_id, stream_id }, body: { enabled: true } });
  return { source_id, stream_id };
}

async function seedReset(api: Api): Promise<Seeds['reset']> {
  const params = await declared(api, { path: DATA }, 'orders');
  const { etag } = await api(previewReset, { params });
  return { ...params, etag };
}

async function seedSourceReset(api: Api): Promise<Seeds['sourceReset']> {
  const { source_id } = await declared(api, { path: DATA }, 'orders');
  const { etag } = await api(previewSourceReset, { params: { source_id } });
  return { source_id, etag };
}

async function seedSynced(api: Api): Promise<Seeds['synced']> {
  const { source_id } = await declared(api, { path: DATA }, 'orders');
  return { source_id };
}

async function seedDeleted(api: Api): Promise<Seeds['deleted']> {
  const source_id = await seedSources(api).make({ path: DATA });
  const stream = (name: string) =>
    api(createStream, { params: { source_id }, body: { name, schema: { type: 'object' } } });
  const streams = await inTurn(VICTIMS, (at) => stream(`stream_${at}`));
  return { source_id, stream_ids: streams.map(({ stream_id }) => stream_id) };
}

/** A discovered and synced source, whose stream left a line in quarantine that was tried again. */
export async function seedReplay(api: Api) {
  const { discovered, synced } = seedSources(api);
  const source = await discovered({ path: PEOPLE });
  const run = await synced(source, { write_mode: 'merge', primary_key: [['id']] });
  const datasets = (await api(listDatasets)).items.map(({ dataset_id }) => dataset_id);
  const rejecting = datasets.find((dataset_id) => dataset_id.endsWith('__people'));
  if (rejecting === undefined) throw new Error('the sync made no table');
  const { run_id } = await api(startReplay, { body: { dataset_id: rejecting } });
  await until('a replay', async () => (await api(getReplay, { params: { replay_run_id: run_id } })).is_terminal);
  return { ...source, run, datasets, rejecting, replay_run_id: run_id };
}

/** A sync for each route that cancels one: it has begun, and goes on for as long as the file is held. */
async function seedRunning(api: Api, held: HeldFile): Promise<Seeds['running']> {
  held.hold();
  return inTurn(3, async () => {
    const { source_id } = await declared(api, { url: held.url }, 'held');
    return api(startSync, { params: { source_id } });
  });
}
