import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cancelRun, getRun } from '@weir/plugin-runs/contract';
import { cancelWorkflow, getWorkflow } from '@weir/plugin-workflow-engine/contract';
import type { Test } from 'tap';
import { below, isRunning, readProcFile } from '../../../test/crash/process-tree.ts';
import { until } from '../../../test/until.ts';
import {
  cancelSync,
  createSource,
  startDiscovery,
  startReplay,
  startSync,
  updateStream,
  verifySync,
} from '../src/contract.ts';
import { type Api, discovered, enableAll, filesSource, ok, streamsOf, synced, testPlatform } from './platform.ts';

/** A run as its start answers it, and who started it. */
export interface Started {
  api: Api;
  run_id: string;
  workflow_id: string;
}

/** A route that cancels: its answer is whether the worker was asked, or the run has ended at once. */
export type Route = readonly [path: string, cancel: (run: Started) => Promise<'cancelling' | 'cancelled'>];

type Routes = readonly [Route, ...Route[]];

const everyKind: Routes = [
  ['/runs/{id}/cancel', async ({ api, run_id }) => ok(await api(cancelRun, { params: { id: run_id } })).state],
  [
    '/workflow-engine/workflows/{workflow_id}/cancel',
    async ({ api, workflow_id }) => ok(await api(cancelWorkflow, { params: { workflow_id } })).state,
  ],
];
const ofSyncs: Route = [
  '/sources/sync-runs/{sync_run_id}/cancel',
  async ({ api, run_id }) => ok(await api(cancelSync, { params: { sync_run_id: run_id } })).outcome,
];

/** A kind of run that a test starts, holds in the middle of its work, and cancels. */
export interface Kind {
  name: string;
  routes: Routes;
  /** Starts a run whose work does not end by itself. */
  start(): Promise<Started>;
  /** Waits until the work of a run is under way; the processes that do it. */
  underWay(run: Started): Promise<number[]>;
  /** Starts a run whose work ends; how it ended. */
  whole(): Promise<string>;
}

/** Two slots for syncs, replays and verifications, one for discoveries, and one lane a tenant. */
const LITTLE = {
  WORKFLOW_SOURCE_MAX_CONCURRENT_ACTIVITIES: '2',
  WORKFLOW_DISCOVERY_MAX_CONCURRENT_ACTIVITIES: '1',
  WEIR_SYNC_LANES_PER_TENANT: '1',
};
const ENDLESS = { generation: 1, rows: 1_000_000, pause_ms: 500 };
const SHORT = { generation: 1, rows: 100, pause_ms: 0 };

function cancelPlatform(t: Test) {
  return testPlatform(t, async (folder) => {
    const file = join(folder, 'credential.key');
    await writeFile(file, randomBytes(32), { mode: 0o400 });
    const WEIR_PLATFORM = join(import.meta.dirname, 'fixtures/platform-cancels.json');
    return { WEIR_PLATFORM, WEIR_CREDENTIAL_KEY_FILE: file };
  });
}

/** A platform with one small worker, and every kind of run of a source. */
export async function cancelWorld(t: Test) {
  const platform = await cancelPlatform(t);
  const worker = await platform.startWorker(LITTLE);
  const demo = await platform.as('demo');
  const statusOf = async ({ api, run_id }: Started) => ok(await api(getRun, { params: { id: run_id } })).status;
  const counting = async (api: Api, name: string, source_config: Record<string, unknown>) => {
    const { source_id } = ok(await api(createSource, { body: { name, pattern_id: 'counting', source_config } }));
    await discovered(api, source_id);
    await enableAll(api, source_id, { sync_mode: 'full_refresh', write_mode: 'append' });
    return async (): Promise<Started> => {
      await remember();
      return { api, ...ok(await api(startSync, { params: { source_id } })) };
    };
  };
  /** Processes of runs that were there before the one that a test looks at. */
  const known = new Set<number>();
  const children = async (name: RegExp) =>
    (await worker.children()).filter((child) => name.test(child.name) && !known.has(child.pid)).map(({ pid }) => pid);
  const remember = async () => {
    for (const { name, pid } of await worker.children()) if (name !== 'spare') known.add(pid);
  };
  const ended = (run: Started) =>
    until('the end of a run', async () => {
      const found = ok(await run.api(getRun, { params: { id: run.run_id } }));
      return found.is_terminal ? found : undefined;
    });
  const engineOf = async ({ api, workflow_id }: Started) =>
    ok(await api(getWorkflow, { params: { workflow_id } })).engine;

  const short = await counting(demo, 'short', SHORT);
  const syncs: Kind = {
    name: 'sync',
    routes: [...everyKind, ofSyncs],
    start: await counting(demo, 'endless', ENDLESS),
    underWay: () =>
      until('a sync with its processes', async () => {
        const [sync, connector] = [await children(/^sync/), await children(/^connector/)];
        return sync.length > 0 && connector.length > 0 && [...sync, ...connector];
      }),
    whole: async () => (await ended(await short())).status,
  };

  const silent = await silentDiscoveries(platform.folder, demo);
  const discoveries: Kind = {
    name: 'discovery',
    routes: everyKind,
    async start() {
      await remember();
      return silent.start();
    },
    underWay: () =>
      until('a connector that describes', async () => {
        const found = (await children(/^connector/)).filter((pid) =>
          /discover/.test(readProcFile(pid, 'cmdline') ?? ''),
        );
        return found.length > 0 && found;
      }),
    whole: () => silent.whole(ended),
  };

  const people = await rejectedPeople(platform.folder, demo);
  const replays: Kind = {
    name: 'quarantine replay',
    routes: everyKind,
    start: people.replay,
    underWay: () =>
      until(
        'the process of a replay',
        async () => {
          const found = await children(/^replay/);
          for (const pid of found) process.kill(pid, 'SIGSTOP');
          return found.length > 0 && found;
        },
        'often',
      ),
    whole: async () => (await ended(await people.replay())).status,
  };
  const verifications: Kind = {
    name: 'verification',
    routes: everyKind,
    async start() {
      // The process that reads tables waits for the next: held, it reads without end.
      for (const pid of queryChildren(worker.pid)) process.kill(pid, 'SIGSTOP');
      return people.verify();
    },
    underWay: async (run) => {
      await until('a running verification', async () => (await statusOf(run)) === 'running');
      return until('the process of a verification', () => {
        const found = queryChildren(worker.pid);
        return found.length > 0 && found;
      });
    },
    async whole() {
      for (const pid of queryChildren(worker.pid)) process.kill(pid, 'SIGCONT');
      return (await ended(await people.verify())).status;
    },
  };
  return {
    ...{ ended, engineOf, statusOf },
    kinds: { syncs, discoveries, replays, verifications },
    /** Makes a source of a tenant whose syncs do not end by themselves; what starts one. */
    endless: async (alias: string) => counting(await platform.as(alias), 'long', ENDLESS),
    gone: (pids: readonly number[]) => until('the end of every process', () => !pids.some(isRunning)),
  };
}

const queryChildren = (worker: number) => below(worker, /query[/-]child/);

/** Sources whose connector says nothing when it is asked for its streams, until it is told otherwise. */
async function silentDiscoveries(root: string, api: Api) {
  const folder = join(root, 'silent');
  await mkdir(folder);
  const how = (text: string) => writeFile(join(folder, 'how'), text);
  await writeFile(join(folder, 'token'), 'token');
  await how('falls silent');
  const body = { pattern_id: 'describing', source_config: { folder }, credential_values: { token: 'token' } };
  const start = async (): Promise<Started> => ({ api, ...ok(await api(startDiscovery, { body })) });
  return {
    start,
    async whole(ended: (run: Started) => Promise<{ status: string }>) {
      await how('');
      const { status } = await ended(await start());
      await writeFile(join(folder, 'token'), 'token');
      await how('falls silent');
      return status;
    },
  };
}

/** So many that their replay takes longer than a look for its process. */
const REJECTED = 2_000;

/** A synced source with lines in quarantine. */
async function rejectedPeople(root: string, api: Api) {
  const data = join(root, 'data');
  await mkdir(data);
  await writeFile(join(data, 'people.csv'), `id,name\n1,Ada\n${`,${'Grace'.repeat(20)}\n`.repeat(REJECTED)}`);
  const { source_id } = await filesSource(api, 'shop', data);
  await discovered(api, source_id);
  const stream_id = (await streamsOf(api, source_id)).get('people')?.stream_id ?? '';
  const body = { enabled: true, write_mode: 'merge', primary_key: [['id']] } as const;
  ok(await api(updateStream, { params: { source_id, stream_id }, body: body as never }));
  const { run_id: sync_run_id } = await synced(api, source_id);
  return {
    async replay(): Promise<Started> {
      return { api, ...ok(await api(startReplay, { body: { dataset_id: 'bronze.demo.shop__people' } })) };
    },
    async verify(): Promise<Started> {
      return { api, ...ok(await api(verifySync, { params: { sync_run_id } })) };
    },
  };
}
