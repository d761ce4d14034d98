import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { devFolder } from './folder/folder.ts';
import { isAlive } from './folder/process-identity.ts';
import { type DevAddresses, type DevProcess, type DevState, readState } from './folder/state.ts';

/** What `weir dev status` tells: every address, and every process that was started. */
export interface DevStatus extends DevAddresses {
  processes: Pick<DevProcess, 'name' | 'pid' | 'role' | 'parent'>[];
}

/** The running development server of a data folder; undefined when none runs. */
export async function runningState(dataDir: string): Promise<DevState | undefined> {
  const state = await readState(dataDir);
  return state !== undefined && (await isAlive(state.supervisor)) ? state : undefined;
}

/** Addresses and processes of the running development server, sync children included, without token and start times. */
export async function devStatus(dataDir: string): Promise<DevStatus | undefined> {
  const state = await runningState(dataDir);
  if (state === undefined) return undefined;
  const { supervisor, processes, tenant: _tenant, token: _token, ...addresses } = state;
  const parts = await alive([supervisor, ...processes]);
  const children = await alive(await workerChildren(devFolder(dataDir).state, parts));
  const shown = [...parts, ...children].map(({ name, pid, role, parent }) => ({
    name,
    pid,
    ...(role === undefined ? {} : { role }),
    ...(parent === undefined ? {} : { parent }),
  }));
  return { ...addresses, processes: shown };
}

async function alive(processes: readonly DevProcess[]): Promise<DevProcess[]> {
  const living = await Promise.all(processes.map(isAlive));
  return processes.filter((_, i) => living[i]);
}

/** The children that each worker says it has; a file of a worker that is gone is not read. */
async function workerChildren(folder: string, processes: readonly DevProcess[]): Promise<DevProcess[]> {
  const files: string[] = await readdir(folder).catch(() => []);
  const children: DevProcess[] = [];
  for (const worker of processes) {
    const file = `worker-${worker.pid}.json`;
    if (!files.includes(file)) continue;
    const text = await readFile(path.join(folder, file), 'utf8').catch(() => '{}');
    children.push(...childrenOf(text, worker.pid));
  }
  return children;
}

function childrenOf(text: string, worker: number): DevProcess[] {
  try {
    const { children } = JSON.parse(text) as { children?: Partial<DevProcess>[] };
    return (children ?? []).flatMap(({ pid, name = 'sync', parent = worker }) =>
      pid === undefined ? [] : [{ name, pid, parent }],
    );
  } catch {
    return [];
  }
}
