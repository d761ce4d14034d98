import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { writePrivately } from '../../write-privately.ts';

/** One process of the development server; `started` tells it from a later process with the same pid. */
export interface DevProcess {
  name: string;
  pid: number;
  role?: string;
  parent?: number;
  started?: string;
}

/** What `weir dev status -o json` prints: every address that a machine may want. */
export interface DevAddresses {
  api_url: string;
  docs_url: string;
  ui_url: string;
  issuer_url: string;
  workflow_engine: { host: string; port: number; namespace: string; ui_url?: string };
  database: { host: string; port: number; name: string; url: string };
  catalog: { name: string; uri: string; schema: string };
  warehouse: string;
  profile: string;
}

/** The state file of a running development server; holds a token, hence mode 0600. */
export interface DevState extends DevAddresses {
  supervisor: DevProcess;
  tenant: string;
  token: string;
  processes: DevProcess[];
}

/** A server that is still starting has written who it is, and no address yet. */
export type DevStarting = Pick<DevState, 'supervisor' | 'processes'> & Partial<DevState>;

const stateFile = (folder: string) => path.join(folder, 'dev.json');

/** The state of the development server in this data folder, starting or started; undefined when there is none. */
export async function readStarting(folder: string): Promise<DevStarting | undefined> {
  try {
    return JSON.parse(await readFile(stateFile(folder), 'utf8')) as DevStarting;
  } catch {
    return undefined;
  }
}

/** The state of the development server in this data folder once it has started; undefined otherwise. */
export async function readState(folder: string): Promise<DevState | undefined> {
  const state = await readStarting(folder);
  return state?.api_url === undefined ? undefined : (state as DevState);
}

/** Writes the state in one step, readable by its owner only. */
export async function writeState(folder: string, state: DevStarting): Promise<void> {
  await writePrivately(stateFile(folder), `${JSON.stringify(state, null, 2)}\n`);
}

/** Forgets the state of a server that has stopped. */
export async function removeState(folder: string): Promise<void> {
  await rm(stateFile(folder), { force: true });
}
