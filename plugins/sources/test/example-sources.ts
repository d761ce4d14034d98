import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { call, type Input } from '@weir/kernel/contract';
import { listDatasetSnapshots, listDatasets } from '@weir/plugin-datasets/contract';
import {
  createSource,
  createStream,
  createUpload,
  getDiscoveryStatus,
  getReplay,
  getSource,
  getSyncStatus,
  getVerification,
  listStreams,
  putSchedule,
  startDiscovery,
  startReplay,
  startSync,
  updateStream,
  verifySync,
} from '@weir/plugin-sources/contract';
import type { Api, Caller, Ids, Tenancy } from '../../../test/examples.ts';
import { until } from '../../../test/until.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`../../../test/fixtures/${name}`, import.meta.url));
type Files = { path: string } | { url: string };

export const DATA: Files = { path: fixture('shop') };
/** One line has no key. */
export const PEOPLE: Files = { path: fixture('people') };
/** A schedule that starts no sync while a test runs. */
export const RARELY = { cron: ['0 0 29 2 *'] };

/** Makes a source of files. */
export async function makeSource(api: Api, source_config = DATA): Promise<string> {
  const name = `s${randomBytes(6).toString('hex')}`;
  return (await api(createSource, { body: { name, pattern_id: 'files', source_config } })).source_id;
}

/** Brings a file that no source names. */
export async function makeUpload(caller: Caller): Promise<string> {
  const content = new Blob(['id\n1\n']);
  const made = await call(createUpload, { query: { name: 'orders.csv' } }, { ...caller, content });
  if (!made.ok) throw new Error(`no upload: ${made.problem.code}`);
  return made.body.upload_id;
}

/** A source with one enabled stream, which no discovery has seen. */
export async function declaredSource(api: Api, source_config = DATA, name = 'orders') {
  const source_id = await makeSource(api, source_config);
  const body = { name, schema: { type: 'object', properties: { id: { type: 'integer' } } } };
  const { stream_id } = await api(createStream, { params: { source_id }, body });
  await api(updateStream, { params: { source_id, stream_id }, body: { enabled: true } });
  return { source_id, stream_id };
}

async function discoveredSource(api: Api, source_config: Files) {
  const source_id = await makeSource(api, source_config);
  const { name } = await api(getSource, { params: { source_id } });
  const { workflow_id } = await api(startDiscovery, { body: { source_id } });
  await until('a discovery', async () => (await api(getDiscoveryStatus, { params: { workflow_id } })).is_terminal);
  const { items } = await api(listStreams, { params: { source_id } });
  return { name, source_id, workflow_id, stream_ids: items.map(({ stream_id }) => stream_id) };
}

async function syncedSource(api: Api, source_config: Files, body: Input<typeof updateStream>['body']) {
  const source = await discoveredSource(api, source_config);
  const params = { source_id: source.source_id };
  for (const stream_id of source.stream_ids)
    await api(updateStream, { params: { ...params, stream_id }, body: { enabled: true, ...body } });
  const run = await api(startSync, { params });
  const query = { run_id: run.run_id };
  await until('a sync', async () => (await api(getSyncStatus, { params, query })).run?.is_terminal);
  return { ...source, run };
}

/** Ids of a source that was synced and verified, of its table, and of a replay of the line that it left in quarantine. */
export async function furnishSource({ api, ...caller }: Tenancy): Promise<Ids> {
  const settings = { write_mode: 'merge' as const, primary_key: [['id']] };
  const { name, source_id, stream_ids, workflow_id: discovery_id, run } = await syncedSource(api, PEOPLE, settings);
  const { items } = await api(listDatasets);
  const dataset_id = items.find((dataset) => dataset.dataset_id.endsWith(`.${name}__people`))?.dataset_id;
  if (dataset_id === undefined) throw new Error('the sync made no table');
  const { run_id: replay_run_id } = await api(startReplay, { body: { dataset_id } });
  await until('a replay', async () => (await api(getReplay, { params: { replay_run_id } })).is_terminal);
  await api(putSchedule, { params: { source_id }, body: RARELY });
  const params = { sync_run_id: run.run_id };
  await api(verifySync, { params });
  await until('a verification', async () => (await call(getVerification, { params }, caller)).ok);
  const upload_id = await makeUpload(caller);
  const [snapshot] = (await api(listDatasetSnapshots, { params: { dataset_id } })).items;
  return {
    ...{ source_id, stream_id: stream_ids[0] ?? '', discovery_id, replay_run_id, dataset_id, upload_id },
    ...{ workflow_id: run.workflow_id, run_id: run.run_id, ...params, snapshot_id: snapshot?.snapshot_id_exact ?? '' },
  };
}
