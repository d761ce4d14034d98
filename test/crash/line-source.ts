import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallResult, Endpoint, Input, Output } from '@weir/kernel/contract';
import type { Teardown } from '@weir/kernel/testing';
import { listQuarantine } from '@weir/plugin-datasets/contract';
import {
  createSource,
  getDiscoveryStatus,
  getSyncStatus,
  listStreams,
  startDiscovery,
  startSync,
  updateStream,
} from '@weir/plugin-sources/contract';
import { type TestPlatform, testPlatform } from '../platform.ts';
import { until } from '../until.ts';
import { startWorker } from '../worker-process.ts';
import { readIds } from './read-rows.ts';

const TENANT = 'acme';

/** A platform whose only connectors are those that say what a test wants. */
export interface LinePlatform {
  readonly folder: string;
  readonly workerPid: number;
  readonly database: TestPlatform['database'];
  call<E extends Endpoint>(endpoint: E, input?: Partial<Input<E>>): Promise<Output<E>>;
}

/** What the connector `lines` says; see there. */
export interface Script {
  readonly schema: object;
  readonly steps: readonly object[];
}

/** The body of a successful answer. */
function ok<E>(result: CallResult<E>): Output<E> {
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result.body;
}

/** Boots the platform and a worker; `more` goes on top of their environment. */
export async function platformOfLines(
  t: Teardown,
  more: (folder: string) => Promise<Record<string, string>> = async () => ({}),
): Promise<LinePlatform> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-lines-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  for (const name of ['warehouse', 'work']) await mkdir(join(folder, name));
  const platform = await testPlatform(t, folder, {
    ...{ WEIR_PLATFORM: join(import.meta.dirname, 'platform.json'), WEIR_SYNC_COMMIT_SECONDS: '1' },
    WEIR_TABLE_CACHE_DIR: join(folder, 'copies'),
    ...(await more(folder)),
  });
  const worker = await startWorker(t, platform.environment);
  const who = { token: await platform.token(TENANT), tenant: TENANT };
  return {
    folder,
    workerPid: worker.pid,
    database: platform.database,
    call: async (endpoint, input = {}) => ok(await platform.call(who, endpoint, input)),
  };
}

/** A source of lines and its table. */
export type LineSource = Awaited<ReturnType<typeof lineSource>>;

/** Makes a source that says what its script tells, and enables its stream, appending. */
export async function lineSource({ folder, database, call }: LinePlatform, name: string, script: Script) {
  const path = join(folder, `${name}.json`);
  await writeFile(path, JSON.stringify(script));
  const body = { name, pattern_id: 'lines', source_config: { path } };
  const { source_id } = await call(createSource, { body });
  const { workflow_id } = await call(startDiscovery, { body: { source_id } });
  await until('a discovery', async () => {
    const status = await call(getDiscoveryStatus, { params: { workflow_id } });
    return status.is_terminal ? status : undefined;
  });
  const { items } = await call(listStreams, { params: { source_id } });
  const modes = { enabled: true, sync_mode: 'incremental', write_mode: 'append' } as const;
  for (const { stream_id } of items) await call(updateStream, { params: { source_id, stream_id }, body: modes });
  const start = () => call(startSync, { params: { source_id } });
  const status = async (run_id: string) => {
    const { run } = await call(getSyncStatus, { params: { source_id }, query: { run_id } });
    if (run === null) throw new Error('the run is gone');
    return run;
  };
  const ended = (run_id: string) =>
    until('the end of a sync', async () => {
      const run = await status(run_id);
      return run.is_terminal ? run : undefined;
    });
  /** Where the newest metadata of its table are. */
  const location = async (): Promise<string> => {
    const sql = 'select metadata_location from catalog.iceberg_tables where table_name = $1';
    const [row] = await database.peek(sql, [`${name}__rows`]);
    return String(row?.metadata_location);
  };
  const datasetId = `bronze.${TENANT}.${name}__rows`;
  return {
    table: `${name}__rows`,
    datasetId,
    start,
    status,
    ended,
    sync: async () => ended((await start()).run_id),
    location,
    /** The ids in its table, as a reader finds them that is not ours. */
    ids: async (properties: Record<string, string> = {}) => readIds(await location(), properties),
    quarantined: () => call(listQuarantine, { params: { dataset_id: datasetId }, query: { limit: 500 } }),
  };
}
