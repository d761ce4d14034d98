import { CliError } from '../cli-error.ts';
import { isAlive, signalProcess } from './folder/process-identity.ts';
import { readStarting, removeState } from './folder/state.ts';
import { isGone, stopStale } from './parts/stop-stale.ts';

/**
 * Stops the development server of a data folder and waits until its supervisor is gone; what a killed supervisor left
 * behind is stopped too. False when nothing was there.
 */
export async function stopServer(folder: string, timeoutMs: number): Promise<boolean> {
  const state = await readStarting(folder);
  if (state === undefined) return false;
  if (!(await isAlive(state.supervisor))) {
    const stopped = await stopStale(state.processes);
    await removeState(folder);
    return stopped.length > 0;
  }
  await signalProcess(state.supervisor, 'SIGTERM');
  if (!(await isGone(state.supervisor, timeoutMs))) {
    throw new CliError('timedOut', `Process ${state.supervisor.pid} has not ended in ${timeoutMs / 1_000} s.`, {
      hint: 'weir dev logs shows what it waits for.',
    });
  }
  return true;
}
