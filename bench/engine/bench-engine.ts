import { chmod, chown, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Engine, engineSettings, startRootful } from '../../test/engines/index.ts';
import { groupCpuSeconds, groupProcesses, joinGroup } from '../measure/control-group.ts';
import { processTree } from '../measure/process-tree.ts';

const PLATFORM = fileURLToPath(new URL('platform.json', import.meta.url));

/** What an engine of a bench has used of the processor, which is on no worker's account. */
export interface EngineUse {
  /** The programs in its containers, ended ones too. */
  containers_s: number;
  /** The engine itself: its daemons, and what they start around a container. */
  engine_s: number;
}

/** An engine of a bench, whose processor time is counted. */
export interface BenchEngine {
  engine: Engine;
  /** How a platform finds it, and patterns whose connectors are images. */
  environment: Record<string, string>;
  /** A workspace of no worker: a worker removes from its own what belongs to no run that it knows. */
  workspace: string;
  /** The process of its daemon, in whose network containers are. */
  pid: number;
  /** Begins to count; gives what it has come to. */
  usedSince(): () => EngineUse;
  /** The processes that are in containers now. */
  processes(): number[];
}

/** The processor time of a run with all that an engine and its containers used for it, and how much of that is the engine's own. */
export function withEngine(cpu_s: number, { containers_s, engine_s }: EngineUse) {
  return { cpu_s: cpu_s + containers_s + engine_s, engine_cpu_s: engine_s };
}

/** How a case is called whose connectors run in containers, beside the one of the same name without. */
export const inContainer = (name: string): string => `${name}_in_container`;

/** How the processor time of such a case was taken, for its note. */
export const COUNTED_IN_CONTAINER =
  'The engine is dockerd with user namespaces, in a network of its own. What programs in containers use is what their control group counts; what the engine uses itself (dockerd, containerd, shims) is counted in one of its own, is in the figures, and is told beside them.';

/** What the memory of a case holds whose whole syncs run in containers, for its note. */
export const MIB_IN_CONTAINER = 'MiB hold what is in the container too, and no daemon of the engine.';

/**
 * Starts an engine whose limits hold on any machine, brings images into it, lets `work` use it, and ends it whatever comes
 * of that.
 */
export async function withBenchEngine<T>(
  images: (engine: Engine) => Promise<unknown>,
  work: (engine: BenchEngine) => Promise<T>,
): Promise<T> {
  const engine = await startRootful();
  try {
    await images(engine);
    const roles = { source: await ownFolder(engine, 'source'), discovery: await ownFolder(engine, 'discovery') };
    const environment = { WEIR_PLATFORM: PLATFORM, ...engineSettings(engine, roles) };
    const workspace = await ownFolder(engine, 'alone');
    return await work({ engine, environment, workspace, ...(await counted(engine)) });
  } finally {
    await engine.stop();
  }
}

async function ownFolder({ workspaceRoot, inputGroup }: Engine, name: string): Promise<string> {
  const folder = path.join(workspaceRoot, name);
  await mkdir(folder);
  await chown(folder, -1, inputGroup);
  await chmod(folder, 0o711);
  return folder;
}

/** Containers are in groups below the engine's; its daemons get one there too, so that all that they start is in it. */
async function counted(engine: Awaited<ReturnType<typeof startRootful>>) {
  const group = `/${path.basename(path.resolve(engine.socketPath, '..', '..'))}`;
  const daemons = `${group}/daemons`;
  const pid = await engine.daemon.pid();
  joinGroup(daemons, processTree(pid));
  const spent = () => {
    const engine_s = groupCpuSeconds(daemons);
    return { engine_s, containers_s: groupCpuSeconds(group) - engine_s };
  };
  return {
    pid,
    usedSince() {
      const before = spent();
      return () => {
        const now = spent();
        return { engine_s: now.engine_s - before.engine_s, containers_s: now.containers_s - before.containers_s };
      };
    },
    processes: () => groupProcesses(group, daemons),
  };
}
