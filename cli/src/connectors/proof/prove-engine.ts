import { randomUUID } from 'node:crypto';
import { lstat, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { askEngine, engineJson, probeImage } from '@weir/connector-images/proof';
import {
  ConnectorError,
  type ContainerRuntime,
  containerRuntime,
  type EngineWaiver,
  LABEL,
} from '@weir/connector-runtime';
import { CliError } from '../../cli-error.ts';
import type { RolePlace } from '../engine/engine-role.ts';
import { groupOf, proofWorkspace } from './proof-workspace.ts';
import type { SourceProof } from './prove-source.ts';
import { fact, type ProvedFact } from './proved-fact.ts';
import { isWell, PROOF_ROWS, proofRuns } from './run-probe.ts';

export interface EngineProof {
  places: readonly RolePlace[];
  /** Restarts the engine and returns once that was done; the proof itself waits until it is ready. */
  restart: () => Promise<void>;
  /** What a test engine cannot do; none in an installation. */
  waivers: readonly EngineWaiver[];
  /** Workers, a source and its tables; a proof without it shows the engine alone. */
  source?: SourceProof;
  say: (line: string) => void;
}

const LOAD_EACH = 2;
const READY_TIMEOUT_MS = 120_000;
const END_TIMEOUT_MS = 60_000;
const POLL_MS = 250;

/**
 * Restarts the engine while connectors of every role run, and compares what holds before and after: the bounds of a
 * container as it sees them itself, discovery, extraction. None of the interrupted connectors may look as if it had ended
 * well, and nothing of the proof may be left.
 */
export async function proveEngine(proof: EngineProof): Promise<ProvedFact[]> {
  const name = `proof-${randomUUID()}`;
  const roles: ProvedRole[] = [];
  try {
    for (const place of proof.places) roles.push(await provenRole(place, proof.waivers, name));
    return await provedFacts(proof, roles);
  } finally {
    for (const role of roles) await role.close();
    await removeImages(roles);
  }
}

/** Takes the probe out of each engine, once no role that shares it is still to run it. */
async function removeImages(roles: readonly ProvedRole[]): Promise<void> {
  const images = new Map(roles.map(({ socketPath, image }) => [socketPath, image]));
  for (const [socketPath, image] of images)
    await askEngine(socketPath, { method: 'DELETE', path: `/images/${image}` }).catch(() => undefined);
}

async function provedFacts({ restart, source, say }: EngineProof, roles: readonly ProvedRole[]): Promise<ProvedFact[]> {
  const facts: ProvedFact[] = [];
  const before: Seen[] = [];
  await source?.look();
  for (const role of roles) before.push(await role.look());
  say('bounds, discovery and extraction seen; connectors are started');
  await source?.begin();
  const loads = (await Promise.all(roles.map((role) => role.load()))).flat();
  await source?.stillRuns();
  say(`${loads.length} connectors run; the engine is restarted`);
  await restart();
  const ends = await Promise.all(loads.map(({ role, ended }) => inTime(ended).then((exit) => ({ role, exit }))));
  for (const { role, exit } of ends) {
    const found = exit === undefined ? 'has not ended' : (exit.failure ?? `exit ${exit.code}`);
    facts.push(fact(role, 'an interrupted connector is no success', exit !== undefined && !isWell(exit), found));
  }
  for (const role of roles) await role.untilReady();
  say('the engine is ready again');
  for (const [at, role] of roles.entries()) {
    facts.push(...compared(role.name, before[at] ?? new Map(), await role.look()));
    facts.push(await role.leftovers());
  }
  return [...facts, ...((await source?.end()) ?? [])];
}

type Seen = Map<string, string>;

/** Each thing that was seen before must be seen again, and nothing new. */
function compared(role: string, before: Seen, after: Seen): ProvedFact[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.map((name) => {
    const [was = 'nothing', is = 'nothing'] = [before.get(name), after.get(name)];
    return fact(role, `${name} as before`, was === is, was === is ? is : `${is}, was ${was}`);
  });
}

type ProvedRole = Awaited<ReturnType<typeof provenRole>>;

async function provenRole(place: RolePlace, waivers: readonly EngineWaiver[], proof: string) {
  const { role, socketPath } = place;
  const mode = waivers.length > 0 ? 'development' : 'production';
  // The runtime itself tells of a socket that is not there.
  const socketGid = process.getuid?.() === 0 ? await groupOf(socketPath).catch(() => undefined) : undefined;
  const workspaceRoot = await proofWorkspace(place);
  const runtime: ContainerRuntime = containerRuntime({
    ...{ socketPath, workspaceRoot, role, mode, waivers },
    ...(socketGid === undefined ? {} : { socketGid }),
  });
  const removeRuns = () => runtime.reap(async ({ tenant }) => tenant !== 'proof');
  const image = await runtime
    .ready()
    .then(() => probeImage(socketPath))
    .catch(async (fault: Error) => {
      await rm(workspaceRoot, { recursive: true, force: true });
      return unready(fault);
    });
  const runs = proofRuns(runtime, role, image, proof);
  return {
    name: role,
    socketPath,
    image,
    /** Takes away what a proof that was given up has left. */
    async close(): Promise<void> {
      await removeRuns().catch(() => undefined);
      await rm(workspaceRoot, { recursive: true, force: true });
    },
    async look(): Promise<Seen> {
      const { id, rootless } = await runtime.ready();
      const rows = await runs.extracted();
      const seen = await runs.boundary();
      seen.set('the engine that answers', `${rootless ? 'rootless ' : ''}${id}`);
      const { mode, gid } = await lstat(socketPath);
      seen.set('the socket', `${(mode & 0o7777).toString(8)} of group ${gid}`);
      seen.set('discovery', await runs.discovered());
      return seen.set('extraction', rows === PROOF_ROWS ? `${rows} rows` : `${rows} of ${PROOF_ROWS} rows`);
    },
    load: async () => {
      const started = await Promise.all(Array.from({ length: LOAD_EACH }, () => runs.load()));
      return started.map(({ ended }) => ({ role, ended }));
    },
    async untilReady(): Promise<void> {
      const deadline = Date.now() + READY_TIMEOUT_MS;
      for (;;) {
        const fault = await runtime.ready().then(
          () => undefined,
          (error: Error) => error,
        );
        if (fault === undefined) return;
        if (Date.now() > deadline) return unready(fault);
        await delay(POLL_MS);
      }
    },
    /** The containers of this proof that are still there, after the worker's own reaper was told that none is live. */
    async leftovers(): Promise<ProvedFact> {
      await removeRuns();
      const filters = JSON.stringify({ label: [`${LABEL.source}=${proof}`, `${LABEL.role}=${role}`] });
      const where = `/containers/json?${new URLSearchParams({ all: '1', filters })}`;
      const left = await engineJson<unknown[]>(socketPath, { path: where });
      return fact(role, 'nothing of the proof is left', left.length === 0, `${left.length} containers`);
    },
  };
}

function unready(fault: Error): never {
  if (!(fault instanceof ConnectorError)) throw fault;
  const message = `The engine may not run connectors: ${fault.reason ?? fault.code}.`;
  throw new CliError('unreachable', message, { hint: 'weir connectors doctor looks at each point.', cause: fault });
}

async function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  const timer = new AbortController();
  const late = delay(END_TIMEOUT_MS, undefined, { signal: timer.signal }).catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
  }
}
