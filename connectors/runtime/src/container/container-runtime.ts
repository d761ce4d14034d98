import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import type { Readable } from 'node:stream';
import type { Container } from 'dockerode';
import { ConnectorError } from '../connector-error.ts';
import type {
  ConnectorLabels,
  ConnectorProcess,
  ConnectorRun,
  ConnectorRuntime,
  RunImage,
} from '../connector-runtime.ts';
import { LOST_AFTER_MS } from './container-end.ts';
import { createOptions, type ImageUser, INPUTS_TARGET, type LabelFacts, labelsOf } from './create-options.ts';
import { type EngineClient, engineClient, within } from './engine-client.ts';
import { checkEngineSocket } from './engine-socket.ts';
import { createEngineWorkspace, type EngineWorkspace } from './engine-workspace.ts';
import { checkImage, imageUser } from './image-policy.ts';
import { ensureNetwork } from './network.ts';
import { type ImageFacts, imageStore } from './pull-image.ts';
import { type EngineFacts, type EngineWaiver, engineReadiness } from './readiness.ts';
import { type IsLive, type Reaped, reapAttempt, reapOlderAttempts, reapRuns, workspaceLabel } from './reap-runs.ts';
import { startFailure } from './start-failure.ts';
import { remove, superviseContainer } from './supervise-container.ts';

/** A container is about to be made, is made and not started, or has ended and is about to be removed. */
export type ContainerPoint = 'S3' | 'S4' | 'S13';
export type AtPoint = (point: ContainerPoint) => Promise<void>;

export type ContainerRuntimeOptions = {
  /** The one socket of the role's engine. */
  readonly socketPath: string;
  /** The group that the socket must have; one of this process's own when absent. */
  readonly socketGid?: number;
  /** The role's workspace, prepared by the operator: ours, of the engine's group. */
  readonly workspaceRoot: string;
  readonly role: 'source' | 'discovery';
  readonly mode: 'development' | 'staging' | 'production';
  /** What the operator tells every connector. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Conditions that a test does without; refused outside of development. */
  readonly waivers?: readonly EngineWaiver[];
  /** Who started this process has seen that the engine is ready; else it is proven before the first run. */
  readonly isProven?: boolean;
  readonly lostAfterMs?: number;
  /** Called where a crash test may hold us, to end one of us or the engine exactly there. */
  readonly atPoint?: AtPoint;
};

export type ContainerRuntime = ConnectorRuntime & {
  /** Resolves when the engine may run connectors; rejects with `connector_runtime_unavailable` and the reason. */
  readonly ready: () => Promise<EngineFacts>;
  /** The image that a name stands for now, pulled where it may be, and found fit to be run. */
  readonly resolve: (request: ImageAsked) => Promise<RunImage>;
  /** Removes the containers and workspaces of this role whose run is not live. */
  readonly reap: (isLive: IsLive) => Promise<Reaped>;
  /** Removes what an attempt that is over has left, and those of its run before it. */
  readonly endAttempt: (labels: Pick<ConnectorLabels, 'execution' | 'attempt'>) => Promise<void>;
};

type ImageAsked = Pick<ConnectorRun, 'image' | 'pinned' | 'mayPull' | 'maxPullBytes' | 'onPull' | 'signal'>;

/** The longest that any run may take; the reaper removes what is older, whatever is said of it. */
export const MAX_CONTAINER_AGE_MS = 7 * 24 * 60 * 60 * 1_000;
const NAME_CHARS = 24;

/**
 * The runtime of an installation: every connector in a hardened container of the engine behind one Unix socket. There is
 * no other engine that it would turn to: what does not hold is `connector_runtime_unavailable`, with the reason.
 */
export function containerRuntime(options: ContainerRuntimeOptions): ContainerRuntime {
  const { socketPath, socketGid, workspaceRoot, role, mode, waivers = [] } = options;
  if (mode !== 'development' && waivers.length > 0) {
    throw new ConnectorError('connector_runtime_unavailable', { reason: 'waivers_outside_development' });
  }
  let client: Promise<EngineClient> | undefined;
  const engine = () => {
    client ??= engineClient(socketPath);
    return client;
  };
  const ready = engineReadiness({ engine, socketPath, socketGid, workspaceRoot, waivers });
  const images = engine().then(imageStore);
  images.catch(() => undefined);
  const users = new Map<string, ImageUser>();
  const userOf = async (image: ImageFacts) => {
    const user = users.get(image.id) ?? (await imageUser(await engine(), image));
    users.set(image.id, user);
    return user;
  };
  const imageOf = async ({ image, pinned, mayPull, maxPullBytes, onPull, signal }: ImageAsked) => {
    if (options.isProven === true) await checkEngineSocket(socketPath, socketGid);
    else await ready();
    return begun(async () => {
      const asked = { image, pinned, mayPull, maxPullBytes, onProgress: onPull };
      const found = await unlessAborted((await images).resolve(asked), signal);
      checkImage(found);
      return found;
    });
  };
  return {
    ready,
    async reap(isLive) {
      await checkEngineSocket(socketPath, socketGid);
      return reapRuns({ engine: await engine(), workspaceRoot, role }, isLive);
    },
    async endAttempt(labels) {
      await checkEngineSocket(socketPath, socketGid);
      await reapAttempt({ engine: await engine(), workspaceRoot, role }, labels);
    },
    resolve: async (request) => factsOf(await imageOf(request)),
    async run(request) {
      const image = await imageOf(request);
      request.admit?.(factsOf(image));
      return begun(async () => start({ engine: await engine(), image, user: await userOf(image), options, request }));
    },
  };
}

const factsOf = ({ id, digest, architecture }: ImageFacts): RunImage => ({ id, digest, architecture });

async function begun<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ConnectorError ? error : startFailure(error);
  }
}

type Start = {
  readonly engine: EngineClient;
  readonly image: ImageFacts;
  readonly user: ImageUser;
  readonly options: ContainerRuntimeOptions;
  readonly request: ConnectorRun;
};

async function start({ engine, image, user, options, request }: Start): Promise<ConnectorProcess> {
  const { workspaceRoot, environment = {}, role, lostAfterMs = LOST_AFTER_MS, atPoint = nowhere } = options;
  const { labels, inputs = {}, limits = {}, signal } = request;
  await Promise.all([ensureNetwork(engine), reapOlderAttempts(engine, labels)]);
  const workspace = await createEngineWorkspace(workspaceRoot, { labels, inputs, segments: request.segments === true });
  const name = nameOf(request, role);
  const plan = { name, imageId: image.id, user, limits, environment, inputs: workspace.inputs };
  const marked = labelsOf({ labels, role }, labelFacts(workspaceRoot));
  const segments = workspace.segments?.path;
  const created = createOptions({ ...plan, command: commandOf(request, workspace), labels: marked, segments });
  try {
    await atPoint('S3');
    const container = await within(engine.createContainer(created));
    let attached: Attached | undefined;
    try {
      await atPoint('S4');
      attached = attach(container);
      const [stream, made] = await Promise.all([within(attached.stream), within(container.inspect())]);
      if (made.Image !== image.id) throw new ConnectorError('connector_image_mismatch');
      const waited = container.wait({ condition: 'next-exit' });
      waited.catch(() => undefined);
      if (signal?.aborted) throw new ConnectorError('connector_stopped');
      const started = within(container.start());
      request.onStarting?.();
      await started;
      const watched = { stream, waited, workspace, request, lostAfterMs, atPoint };
      return superviseContainer({ name, container, image: factsOf(image), ...watched });
    } catch (error) {
      attached?.drop();
      await remove(container);
      throw error;
    }
  } catch (error) {
    await workspace.destroy().catch(() => undefined);
    await workspace.segments?.destroy().catch(() => undefined);
    throw error;
  }
}

type Attached = { readonly stream: Promise<Readable>; readonly drop: () => void };

/**
 * What a container will say, as the engine frames it: the connection itself, as Node copies the body of an answer once more.
 * An error before it is read is met by who reads it. `drop` closes it when nobody will, also one that is given later than
 * anybody waits for it.
 */
function attach(container: Container): Attached {
  const asked = container.attach({ stream: true, stdout: true, stderr: true, logs: false, hijack: true });
  const stream = asked.then((given) => given.on('error', () => undefined) as unknown as Readable);
  const drop = () => void stream.then((given) => given.destroy()).catch(() => undefined);
  return { stream, drop };
}

async function nowhere(): Promise<void> {}

/** The verb and its inputs; the image's own entry point stands before them. */
function commandOf({ verb }: ConnectorRun, { names }: EngineWorkspace): readonly string[] {
  return [verb, ...names.flatMap((input) => [`--${input}`, `${INPUTS_TARGET}/${input}.json`])];
}

function labelFacts(workspaceRoot: string): LabelFacts {
  const workspace = workspaceLabel(workspaceRoot);
  return { worker: hostname(), workspace, deadline: Date.now() + MAX_CONTAINER_AGE_MS };
}

/** The same for the same attempt, so that none runs twice; ids of tenants are no part of it. */
function nameOf({ labels, verb }: ConnectorRun, role: string): string {
  const { tenant, execution, attempt } = labels;
  const hash = createHash('sha256').update(JSON.stringify([role, tenant, execution, attempt, verb]));
  return `weir-${role}-${verb}-${hash.digest('hex').slice(0, NAME_CHARS)}`;
}

/** Gives up waiting, not the work that others may wait for, when the signal is aborted. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = () => reject(new ConnectorError('connector_stopped'));
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
    work.catch(() => undefined);
  }
}
