import { randomBytes } from 'node:crypto';
import { type CallResult, call, type Endpoint, type Input, type Output } from '@weir/kernel/contract';
import {
  createSource,
  getDiscoveryStatus,
  getSyncStatus,
  listStreams,
  startDiscovery,
  startSync,
  updateStream,
} from '@weir/plugin-sources/contract';
import { until } from '../until.ts';

/** A caller of one tenant. */
export interface Caller {
  url: string;
  token: string;
  tenant: string;
}

export type Api = <E extends Endpoint>(endpoint: E, input?: Partial<Input<E>>) => Promise<Output<E>>;
type StreamSettings = Input<typeof updateStream>['body'];

/** Calls as the caller; a refusal throws. */
export function apiOf(caller: Caller): Api {
  return async (endpoint, input = {}) => bodyOf(endpoint, await call(endpoint, input, caller));
}

function bodyOf<E extends Endpoint>(endpoint: E, result: CallResult<E>): Output<E> {
  if (!result.ok) throw new Error(`${endpoint.id} answers ${result.problem.code}`);
  return result.body;
}

/** Makes so many things one after the other, as a machine that has much to do lets nobody wait for long. */
export async function inTurn<T>(count: number, make: (at: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let at = 0; at < count; at += 1) made.push(await make(at));
  return made;
}

/** Makes sources of files, and brings them as far as a seed needs them. */
export function seedSources(api: Api) {
  const make = async (source_config: { path: string } | { url: string }): Promise<string> => {
    const name = `s${randomBytes(6).toString('hex')}`;
    return (await api(createSource, { body: { name, pattern_id: 'files', source_config } })).source_id;
  };
  const discovered = async (source_config: { path: string } | { url: string }) => {
    const source_id = await make(source_config);
    const { workflow_id } = await api(startDiscovery, { body: { source_id } });
    await until('a discovery', async () => (await api(getDiscoveryStatus, { params: { workflow_id } })).is_terminal);
    const { items } = await api(listStreams, { params: { source_id } });
    return { source_id, workflow_id, stream_ids: items.map(({ stream_id }) => stream_id) };
  };
  type Discovered = Awaited<ReturnType<typeof discovered>>;
  /** Starts a sync of all streams, with these settings. */
  const started = async ({ source_id, stream_ids }: Discovered, body: StreamSettings = {}) => {
    for (const stream_id of stream_ids)
      await api(updateStream, { params: { source_id, stream_id }, body: { enabled: true, ...body } });
    return api(startSync, { params: { source_id } });
  };
  const synced = async (source: Discovered, body?: StreamSettings) => {
    const run = await started(source, body);
    const [params, query] = [{ source_id: source.source_id }, { run_id: run.run_id }];
    await until('a sync', async () => (await api(getSyncStatus, { params, query })).run?.is_terminal);
    return run;
  };
  return { make, discovered, started, synced };
}
