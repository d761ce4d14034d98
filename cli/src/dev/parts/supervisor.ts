import { CliError } from '../../cli-error.ts';
import { makeDataFolder } from '../folder/folder.ts';
import { isAlive, startOf } from '../folder/process-identity.ts';
import { type DevProcess, type DevStarting, readStarting, removeState, writeState } from '../folder/state.ts';
import { diedError, type Part } from './part.ts';
import type { Reporter } from './reporter.ts';
import { stopStale } from './stop-stale.ts';

/** Holds what runs: remembers every process on disk before anything else can happen, and stops all in reverse order. */
export interface Supervisor {
  keep(part: Part): Promise<void>;
  /** Adds what is known now to the state file. */
  publish(known: Partial<DevStarting>): Promise<void>;
  /** Rejects when a part ends by itself; never resolves. */
  readonly died: Promise<never>;
  stop(): Promise<void>;
}

/**
 * Takes the data folder for this process. A living supervisor keeps it (conflict); what a killed one left behind is
 * stopped first.
 */
export async function takeFolder(folder: string, report: Reporter): Promise<Supervisor> {
  const before = await readStarting(folder);
  if (before !== undefined) {
    if (await isAlive(before.supervisor)) {
      throw new CliError('conflict', `A development server runs here already (process ${before.supervisor.pid}).`, {
        code: 'already_running',
        hint: `${before.api_url === undefined ? '' : `It answers at ${before.api_url}. `}weir dev status shows it, weir dev down stops it.`,
      });
    }
    const stopped = await stopStale(before.processes);
    if (stopped.length > 0) report.line(`  stopped what an earlier start left behind: ${stopped.join(', ')}`);
    await removeState(folder);
  }
  await makeDataFolder(folder);
  const own = await identify({ name: 'supervisor', pid: process.pid });
  const state: DevStarting = { supervisor: own, processes: [] };
  await writeState(folder, state);
  return supervise(folder, state, report);
}

const identify = async (target: DevProcess): Promise<DevProcess> => {
  const started = await startOf(target.pid);
  return started === undefined ? target : { ...target, started };
};

function supervise(folder: string, state: DevStarting, report: Reporter): Supervisor {
  const parts: Part[] = [];
  let stopping = false;
  const { promise: died, reject } = Promise.withResolvers<never>();
  died.catch(() => undefined);
  let writing = Promise.resolve();
  const save = () => {
    writing = writing.then(() => writeState(folder, state));
    return writing;
  };
  return {
    died,
    async keep(part) {
      if (stopping) return void (await part.stop());
      parts.push(part);
      void part.exited.then(async () => {
        if (!stopping && part.starting !== true) reject(await diedError(part));
      });
      const role = part.role === undefined ? {} : { role: part.role };
      state.processes.push(await identify({ name: part.name, pid: part.pid, ...role, parent: process.pid }));
      await save();
    },
    async publish(known) {
      Object.assign(state, known);
      await save();
    },
    async stop() {
      if (stopping) return;
      stopping = true;
      for (const part of parts.toReversed()) {
        const started = performance.now();
        await part.stop();
        report.done(`stopped ${part.name}`, started);
      }
      await writing;
      await removeState(folder);
    },
  };
}
