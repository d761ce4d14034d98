import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Teardown } from '@weir/kernel/testing';
import { ownWorkspace } from '../../connectors/runtime/test/container-kit.ts';
import { askEngine, engineJson, engineSettings, ownEngine, programImage } from '../engines/index.ts';
import { until } from '../until.ts';

/** The engine of a platform whose connectors run in containers. */
export interface CrashEngine {
  /** How the platform's programs find it. */
  readonly environment: Record<string, string>;
  /** Kills what runs in the container of a run; false when there is none. */
  killContainer(runId: string): Promise<boolean>;
  /** Waits until no container and no workspace of a run is left. */
  untilClean(): Promise<unknown>;
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  restart(): Promise<void>;
}

/** Starts an engine that this test alone uses, with the image of the connector; or says why this machine can have none. */
export async function crashEngine(t: Teardown): Promise<CrashEngine | string> {
  const engine = await ownEngine(t, 'rootful');
  if (typeof engine === 'string') return engine;
  const { socketPath, daemon } = engine;
  const entry = join(import.meta.dirname, 'connectors/counting/main.ts');
  await programImage(engine, { name: 'weir/connector-counting:1.0.0', entry });
  const workspace = { source: await ownWorkspace(t, engine), discovery: await ownWorkspace(t, engine) };
  const running = (runId: string) =>
    containers(socketPath, { label: [`weir.execution=${runId}`], status: ['running'] }, false);
  const isClean = async () => {
    const found = await containers(socketPath, { label: ['weir.role'] }, true);
    const folders = await Promise.all(Object.values(workspace).map((folder) => readdir(folder)));
    return found.length + folders.flat().length === 0;
  };
  return {
    environment: engineSettings(engine, workspace),
    async killContainer(runId) {
      const [found] = await running(runId);
      if (found === undefined) return false;
      const asked = { method: 'POST', path: `/containers/${found.Id}/kill?signal=SIGKILL` };
      return (await askEngine(socketPath, asked)).status === 204;
    },
    untilClean: () => until('the end of every container and workspace', isClean),
    kill: (signal) => daemon.stop(signal),
    restart: () => daemon.start(),
  };
}

type Listed = { readonly Id: string; readonly State: string };

function containers(socketPath: string, filters: object, all: boolean): Promise<Listed[]> {
  const query = new URLSearchParams({ all: String(all), filters: JSON.stringify(filters) });
  return engineJson<Listed[]>(socketPath, { path: `/containers/json?${query}` });
}
