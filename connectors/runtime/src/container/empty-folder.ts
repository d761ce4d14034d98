import { type EngineClient, within } from './engine-client.ts';
import { runOwnProgram } from './own-container.ts';

const LIMITS = { memoryMiB: 32, pids: 16, cpus: 1, tmpMiB: 1 };
/** Of the engine's users: who may remove what any of them has made, and nothing that is not theirs. */
const ROOT = { uid: 0, gid: 0 };
const CAPABILITIES = ['DAC_OVERRIDE', 'FOWNER'];

/**
 * Has the engine empty a folder that containers wrote to. Their files belong to users that are the engine's alone: a folder
 * which one of them made there keeps everybody else out. Rejects when the engine does not; what is left then stays.
 */
export async function emptyFolder(engine: EngineClient, folder: string): Promise<void> {
  const { Architecture: machine = '' } = await within(engine.info());
  await runOwnProgram(engine, {
    program: 'sweep',
    machine,
    limits: LIMITS,
    user: ROOT,
    folder,
    capabilities: CAPABILITIES,
  });
}
