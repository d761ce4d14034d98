import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type CallResult, call, type Endpoint, type Input, type Output } from '@weir/kernel/contract';
import { listDatasetSnapshots, listDatasets } from '@weir/plugin-datasets/contract';
import {
  createSource,
  createStream,
  getDiscoveryStatus,
  getSyncStatus,
  listStreams,
  previewReset,
  startDiscovery,
  startSync,
  updateStream,
} from '@weir/plugin-sources/contract';

const DATA = fileURLToPath(new URL('../fixtures/shop', import.meta.url));
const HANG_LIMIT_MS = 120_000;
const POLL_MS = 100;
/** Sources that may be retired, and streams that may be deleted, by examples that do no more than that. */
const VICTIMS = 25;

/** A caller of one tenant. */
export interface Caller {
  url: string;
  token: string;
  tenant: string;
}

/** Things of one tenant by what the specification calls their ids: what reads may name, and what writes may spoil. */
export interface Seeds {
  alias: string;
  data: string;
  /** Synced, with a table; only read. */
  read: Record<string, string[]>;
  /** Discovered; written to. */
  write: { source_id: string };
  /** Never read again after the one thing that is done to each. */
  retired: string[];
  deleted: { source_id: string; stream_ids: string[] };
  /** May be reset, with the etag that this takes the first time. */
  reset: { source_id: string; stream_id: string; etag: string };
}

/** Gives a tenant one of everything that a path can name, through the API and a worker that takes the work. */
export async function seed(caller: Caller): Promise<Seeds> {
  const api = async <E extends Endpoint>(endpoint: E, input: Partial<Input<E>> = {}): Promise<Output<E>> =>
    bodyOf(endpoint, await call(endpoint, input, caller));
  const make = async () => {
    const name = `s${randomBytes(6).toString('hex')}`;
    const body = { name, pattern_id: 'files', source_config: { path: DATA } };
    return (await api(createSource, { body })).source_id;
  };
  const discovered = async () => {
    const source_id = await make();
    const { workflow_id } = await api(startDiscovery, { body: { source_id } });
    await until(async () => (await api(getDiscoveryStatus, { params: { workflow_id } })).is_terminal);
    const { items } = await api(listStreams, { params: { source_id } });
    return { source_id, workflow_id, stream_ids: items.map(({ stream_id }) => stream_id) };
  };
  const main = await discovered();
  const params = { source_id: main.source_id };
  for (const stream_id of main.stream_ids)
    await api(updateStream, { params: { ...params, stream_id }, body: { enabled: true } });
  const run = await api(startSync, { params });
  await until(async () => {
    const status = await api(getSyncStatus, { params, query: { run_id: run.run_id } });
    return status.run?.is_terminal === true;
  });
  const datasets = (await api(listDatasets)).items.map(({ dataset_id }) => dataset_id);
  const [dataset_id] = datasets;
  if (dataset_id === undefined) throw new Error('the sync made no table');
  const snapshots = (await api(listDatasetSnapshots, { params: { dataset_id } })).items;
  const { source_id, stream_ids } = await discovered();
  const [stream_id = ''] = stream_ids;
  const { etag } = await api(previewReset, { params: { source_id, stream_id } });
  const retired = await Promise.all(Array.from({ length: VICTIMS }, make));
  const deleted = await make();
  const stream = (name: string) =>
    api(createStream, { params: { source_id: deleted }, body: { name, schema: { type: 'object' } } });
  const streams = await Promise.all(Array.from({ length: VICTIMS }, (_, at) => stream(`stream_${at}`)));
  return {
    alias: caller.tenant,
    data: DATA,
    read: {
      source_id: [main.source_id],
      stream_id: main.stream_ids,
      run_id: [run.run_id],
      sync_run_id: [run.run_id, run.workflow_id],
      discovery_id: [main.workflow_id],
      workflow_id: [run.workflow_id, run.run_id],
      dataset_id: datasets,
      snapshot_id: snapshots.map(({ snapshot_id_exact }) => snapshot_id_exact),
      pattern_id: ['files'],
    },
    write: { source_id: await make() },
    retired,
    deleted: { source_id: deleted, stream_ids: streams.map(({ stream_id }) => stream_id) },
    reset: { source_id, stream_id, etag },
  };
}

function bodyOf<E extends Endpoint>(endpoint: E, result: CallResult<E>): Output<E> {
  if (!result.ok) throw new Error(`${endpoint.id} answers ${result.problem.code}`);
  return result.body;
}

async function until(done: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + HANG_LIMIT_MS; !(await done()); ) {
    if (Date.now() > end) throw new Error('a seed took too long');
    await new Promise((resume) => setTimeout(resume, POLL_MS));
  }
}
