import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { askEngine } from '@weir/connector-images/proof';
import { type Supervised, supervise, untilReady } from '@weir/embedded';
import { PATIENT_MS } from '../until.ts';
import { type EngineFolder, openSocket } from './engine.ts';
import { untilEnded } from './leftovers.ts';
import { startRegistry } from './registry.ts';

/** How one daemon is started: the program, and what it is to be found by. */
export type DaemonRecipe = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly socketOwner: number;
  /** Called with the daemon's process id once it answers. */
  readonly seen: (pid: number) => Promise<void>;
};

/** A daemon that can be stopped and started again on the same folder. */
export type Daemon = {
  /** The process id of `dockerd`, newly read. */
  readonly pid: () => Promise<number>;
  /** Starts it and its registry and returns when it answers through its socket. */
  readonly start: () => Promise<void>;
  /** Ends it: SIGTERM lets it end its containers, SIGKILL lets them run on. */
  readonly stop: (signal?: 'SIGTERM' | 'SIGKILL') => Promise<void>;
};

async function answers(socketPath: string): Promise<boolean> {
  return (await askEngine(socketPath, { path: '/version' })).status === 200;
}

/**
 * Kills the daemon, and its containerd with it. A daemon that starts takes a process that nobody has waited for yet for a
 * containerd that runs; so the note about it goes too.
 */
async function kill({ exec }: EngineFolder, dockerd: number): Promise<void> {
  const note = path.join(exec, 'containerd', 'containerd.pid');
  const containerd = Number(await readFile(note, 'utf8'));
  process.kill(dockerd, 'SIGKILL');
  await untilEnded(dockerd);
  await untilEnded(containerd);
  await rm(note);
}

/** The daemon of `recipe` in `places`, not started yet. */
export function daemonOf(places: EngineFolder, recipe: DaemonRecipe): Daemon {
  let running: { daemon: Supervised; registry?: Supervised } | undefined;
  let generation = 0;
  const pid = async () => Number(await readFile(places.pidFile, 'utf8'));
  return {
    pid,
    async start() {
      generation += 1;
      const daemon = await supervise({
        name: 'the container engine',
        command: recipe.command,
        args: recipe.args,
        cwd: places.folder,
        logFile: places.logFile,
        ...(recipe.env === undefined ? {} : { env: recipe.env }),
      });
      running = { daemon };
      await untilReady('the container engine', daemon, () => answers(places.socketPath), PATIENT_MS);
      const dockerd = await pid();
      await recipe.seen(dockerd);
      await openSocket(places, recipe.socketOwner);
      running = { daemon, registry: await startRegistry(dockerd, places.folder, generation) };
    },
    async stop(signal = 'SIGTERM') {
      if (running === undefined) return;
      const { daemon, registry } = running;
      running = undefined;
      await registry?.stop();
      if (signal === 'SIGKILL') await kill(places, await pid());
      else await daemon.stop(signal);
      await daemon.exited;
    },
  };
}
