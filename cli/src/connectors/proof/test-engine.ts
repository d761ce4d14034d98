import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { CliError } from '../../cli-error.ts';
import { ENGINE_ROLES, type RolePlace } from '../engine/engine-role.ts';

/** An engine of a proof's own, as `test/engines` starts it. */
interface OwnEngine {
  socketPath: string;
  workspaceRoot: string;
  daemon: { start(): Promise<void>; stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void> };
  stop(): Promise<void>;
}

const PROGRAM = 'test/engines/index.ts';

/** Starts a rootless engine for a proof on a machine without one; both roles use its one workspace in turn. */
export async function startTestEngine(
  root: string,
): Promise<{ places: RolePlace[]; restart: () => Promise<void>; stop: () => Promise<void> }> {
  const file = path.join(root, PROGRAM);
  if (!existsSync(file)) {
    throw new CliError('failed', 'The test engine is not here.', { hint: 'Run this command in a checkout of Weir.' });
  }
  const { startRootless } = (await import(pathToFileURL(file).href)) as { startRootless(): Promise<OwnEngine> };
  const engine = await startRootless().catch((cause: Error) => {
    throw new CliError('failed', `This machine has no engine: ${cause.message}`, { cause });
  });
  const { socketPath, workspaceRoot } = engine;
  return {
    places: ENGINE_ROLES.map((role) => ({ role, socketDir: path.dirname(socketPath), socketPath, workspaceRoot })),
    async restart() {
      await engine.daemon.stop();
      await engine.daemon.start();
    },
    stop: () => engine.stop(),
  };
}
