import { randomUUID } from 'node:crypto';
import { access, lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConnectorError } from '../connector-error.ts';
import type { ImageUser } from './create-options.ts';
import { type EngineClient, within } from './engine-client.ts';
import { checkEngineSocket } from './engine-socket.ts';
import { createEngineWorkspace, vettedEngineRoot } from './engine-workspace.ts';
import { ensureNetwork } from './network.ts';
import { runOwnProgram } from './own-container.ts';

const WAIVERS = ['rootful', 'limits'] as const;
/** A condition that a test of the rest does without. No installation may. */
export type EngineWaiver = (typeof WAIVERS)[number];

/** The conditions that a text names, as WEIR_ENGINE_WAIVERS does. Pure. */
export function engineWaivers(text: string): EngineWaiver[] {
  const words = text.split(/[ ,]+/);
  return WAIVERS.filter((waiver) => words.includes(waiver));
}

export type EngineFacts = {
  readonly id: string;
  readonly version: string;
  readonly rootless: boolean;
  readonly cgroupVersion: string;
  /** Bounds of memory, processes and CPU were seen to hold. */
  readonly limitsHold: boolean;
};

export type ReadinessDeps = {
  readonly engine: () => Promise<EngineClient>;
  readonly socketPath: string;
  readonly socketGid: number | undefined;
  readonly workspaceRoot: string;
  readonly waivers: readonly EngineWaiver[];
};

/** What the probe may have; what it takes is far more. */
const PROBE_LIMITS = { memoryMiB: 32, pids: 16, cpus: 0.1, tmpMiB: 1 };
const MAX_CPU_PERCENT = 20;
const SIGKILL = '9';
/** How often inputs that are removed meanwhile are written. */
const MAX_PROOFS = 3;
const NOBODY: ImageUser = { uid: 65_534, gid: 65_534 };

type Info = {
  readonly ID?: string;
  readonly ServerVersion?: string;
  readonly Architecture?: string;
  readonly CgroupVersion?: string;
  readonly SecurityOptions?: readonly string[];
  readonly MemoryLimit?: boolean;
  readonly PidsLimit?: boolean;
  readonly CpuCfsQuota?: boolean;
};

/**
 * Gives a function that resolves when the engine may run connectors, and rejects with `connector_runtime_unavailable` and
 * the first condition that does not hold, or with `workspace_unreadable`. Socket, workspace and version are looked at each
 * time. Once for each start of the engine a container proves that bounds are enforced, by breaking them: what an engine says
 * of its limits, and what an inspection shows, are known to be untrue. Another reads its inputs, once more where the
 * workspace has changed.
 */
export function engineReadiness(deps: ReadinessDeps): () => Promise<EngineFacts> {
  const { socketPath, socketGid, workspaceRoot, waivers } = deps;
  const bounds = provenOnce((engine: EngineClient) => prove(engine, waivers));
  const inputs = provenOnce((engine: EngineClient) => proveInputs(engine, workspaceRoot));
  return async () => {
    await checkEngineSocket(socketPath, socketGid);
    const { base, gid } = await vettedEngineRoot(workspaceRoot);
    const engine = await deps.engine();
    const version = await answered(within(engine.version()));
    const { ino, ctimeMs } = await lstat(socketPath);
    const epoch = `${ino} ${ctimeMs} ${version.Version}`;
    const facts = await bounds(epoch, engine);
    const root = await lstat(base);
    await inputs(`${epoch} ${root.ino} ${root.mode} ${gid}`, engine);
    return facts;
  };
}

/** Proves once for each epoch; what has failed is proven again. */
function provenOnce<T>(
  proof: (engine: EngineClient) => Promise<T>,
): (epoch: string, engine: EngineClient) => Promise<T> {
  let proven: { readonly epoch: string; readonly found: Promise<T> } | undefined;
  return (epoch, engine) => {
    if (proven?.epoch !== epoch) proven = { epoch, found: answered(proof(engine)) };
    const current = proven;
    return current.found.catch((error: unknown) => {
      if (proven === current) proven = undefined;
      throw error;
    });
  };
}

async function prove(engine: EngineClient, waivers: readonly EngineWaiver[]): Promise<EngineFacts> {
  const info = (await within(engine.info())) as Info;
  const options = info.SecurityOptions ?? [];
  const rootless = options.some((option) => option.startsWith('name=rootless'));
  if (!rootless && !waivers.includes('rootful')) throw unavailable('engine_not_rootless');
  if (!options.some((option) => option.startsWith('name=seccomp'))) throw unavailable('seccomp_missing');
  await ensureNetwork(engine);
  const broken = statedGap(info) ?? (await provenGap(engine, info));
  if (broken !== undefined && !waivers.includes('limits')) throw unavailable(broken);
  const { ID: id = '', ServerVersion: version = '', CgroupVersion: cgroupVersion = '' } = info;
  return { id, version, rootless, cgroupVersion, limitsHold: broken === undefined };
}

/** The first bound that the engine itself says that it does not enforce. */
function statedGap({ MemoryLimit: memory, PidsLimit: pids, CpuCfsQuota: cpu }: Info): string | undefined {
  if (memory !== true) return 'memory_limit_missing';
  if (pids !== true) return 'pids_limit_missing';
  return cpu === true ? undefined : 'cpu_limit_missing';
}

/** The first bound that a container could break. */
async function provenGap(engine: EngineClient, { Architecture: machine = '' }: Info): Promise<string | undefined> {
  const output = await runOwnProgram(engine, { program: 'probe', machine, limits: PROBE_LIMITS, user: NOBODY });
  const said = /^memory=(\d+) pids=(\d+) cpu=(\d+)\n$/.exec(output ?? '');
  if (said === null) return 'probe_failed';
  const [, signal, pids, cpu] = said;
  if (signal !== SIGKILL) return 'memory_limit_not_enforced';
  if (Number(pids) >= PROBE_LIMITS.pids) return 'pids_limit_not_enforced';
  return Number(cpu) > MAX_CPU_PERCENT ? 'cpu_limit_not_enforced' : undefined;
}

/** Has a container read a file that was written as inputs are; as a user of no rights, as images have. */
async function proveInputs(engine: EngineClient, root: string): Promise<void> {
  const { Architecture: machine = '' } = (await within(engine.info())) as Info;
  for (let attempt = 0; attempt < MAX_PROOFS; attempt += 1) {
    const config = randomUUID();
    const labels = { tenant: randomUUID(), execution: randomUUID(), attempt: String(attempt) };
    const workspace = await createEngineWorkspace(root, { labels, inputs: { config }, segments: false });
    try {
      const { inputs } = workspace;
      const run = { program: 'read', machine, limits: PROBE_LIMITS, user: NOBODY, inputs } as const;
      const read = await runOwnProgram(engine, run);
      if (read === undefined || read === config) return;
      // The reaper of another worker takes a folder of no run away at any time.
      const isThere = await access(join(inputs, 'config.json')).then(
        () => true,
        () => false,
      );
      if (isThere) break;
    } finally {
      await workspace.destroy().catch(() => undefined);
    }
  }
  throw new ConnectorError('workspace_unreadable');
}

async function answered<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (cause) {
    throw cause instanceof ConnectorError ? cause : unavailable('engine_silent', cause);
  }
}

function unavailable(reason: string, cause?: unknown): ConnectorError {
  return new ConnectorError('connector_runtime_unavailable', { reason, cause });
}
