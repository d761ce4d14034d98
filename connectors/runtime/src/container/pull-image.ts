import { ConnectorError, type ConnectorErrorCode } from '../connector-error.ts';
import type { PullProgress } from '../connector-runtime.ts';
import { type EngineClient, statusOf, within, wordsOf } from './engine-client.ts';
import { type ImageReference, parseImageReference, referenceText } from './image-reference.ts';

/** What is known of an image that lies in the engine. */
export type ImageFacts = {
  /** The engine's id, by which it is run. */
  readonly id: string;
  /** The digest of this name at its registry; the id where it has none. */
  readonly digest: string;
  readonly architecture: string;
  readonly user: string;
  readonly volumes: readonly string[];
  readonly entrypoint: readonly string[];
};

export type ImageRequest = {
  readonly image: string;
  /** The digest (or id) that an earlier run has recorded; another image under the same name is refused. */
  readonly pinned?: string | undefined;
  /** False where only what is in the engine already is wanted. */
  readonly mayPull?: boolean | undefined;
  /** A pull of layers that are larger together is broken off. */
  readonly maxPullBytes?: number | undefined;
  readonly onProgress?: ((progress: PullProgress) => void) | undefined;
};

type OnProgress = (progress: PullProgress) => void;
/** A pull that goes on, and who is told of it. */
type Pull = { readonly done: Promise<void>; readonly listeners: Set<OnProgress> };
/** What may end a pull before its end. */
type PullBounds = Pick<ImageRequest, 'maxPullBytes'>;

export type ImageStore = { readonly resolve: (request: ImageRequest) => Promise<ImageFacts> };

/** A pull that says nothing for this long is given up. */
const PULL_SILENCE_MS = 120_000;

/**
 * The images of one engine: gives the facts of one, pulling it when it is not there. Nobody pulls what another already
 * pulls. No credential is sent: what a registry does not give to everyone is `connector_image_denied`.
 */
export function imageStore(engine: EngineClient): ImageStore {
  const pulling = new Map<string, Pull>();
  const begin = (reference: string, bounds: PullBounds): Pull => {
    const listeners = new Set<OnProgress>();
    const tell: OnProgress = (progress) => {
      for (const listen of listeners) listen(progress);
    };
    const done = pull(engine, reference, { onProgress: tell, ...bounds }).finally(() => pulling.delete(reference));
    const begun = { done, listeners };
    pulling.set(reference, begun);
    return begun;
  };
  const pullOnce = async (
    reference: string,
    { onProgress = () => undefined, ...bounds }: Pick<ImageRequest, 'onProgress'> & PullBounds,
  ): Promise<void> => {
    const { done, listeners } = pulling.get(reference) ?? begin(reference, bounds);
    onProgress({ image: reference, bytes: 0, totalBytes: 0 });
    listeners.add(onProgress);
    try {
      await done;
    } finally {
      listeners.delete(onProgress);
    }
  };
  return {
    async resolve({ image, pinned, mayPull = true, ...pulled }) {
      const asked = parseImageReference(image);
      const here = await factsOf(engine, asked);
      if (here !== undefined && isPinned(here, pinned)) return here.facts;
      // No registry can give back what came from none.
      if (here?.digests.length === 0) throw new ConnectorError('connector_image_mismatch');
      if (!mayPull) throw new ConnectorError('connector_registry_closed');
      // A tag that has moved on: what was pinned is still to be had by its digest.
      const wanted = pinned === undefined ? asked : { ...asked, digest: pinned };
      await pullOnce(referenceText(wanted), pulled);
      const found = await factsOf(engine, wanted);
      if (found === undefined) throw new ConnectorError('connector_pull_failed');
      if (!isPinned(found, pinned)) throw new ConnectorError('connector_image_mismatch');
      return found.facts;
    },
  };
}

type Found = { readonly facts: ImageFacts; readonly digests: readonly string[] };

function isPinned({ facts, digests }: Found, pinned: string | undefined): boolean {
  return pinned === undefined || facts.id === pinned || digests.includes(pinned);
}

/** What is here under a reference. An image that came from no registry is pinned by its id, which names it whatever its name. */
async function factsOf(engine: EngineClient, reference: ImageReference): Promise<Found | undefined> {
  const named = await inspected(engine, reference, referenceText(reference));
  if (named !== undefined || reference.digest === undefined) return named;
  return inspected(engine, reference, reference.digest);
}

async function inspected(engine: EngineClient, reference: ImageReference, text: string): Promise<Found | undefined> {
  try {
    const found = await within(engine.getImage(text).inspect());
    const digests = found.RepoDigests?.map((text) => text.slice(text.indexOf('@') + 1)) ?? [];
    const ofThisRepository = found.RepoDigests?.find((text) => isOf(text, reference.repository));
    const digest = reference.digest ?? ofThisRepository?.slice(ofThisRepository.indexOf('@') + 1);
    const { Entrypoint: entrypoint, User: user, Volumes: volumes } = found.Config ?? {};
    const facts = {
      id: found.Id,
      digest: digest ?? found.Id,
      architecture: found.Architecture,
      user: user ?? '',
      volumes: Object.keys(volumes ?? {}),
      entrypoint: typeof entrypoint === 'string' ? [entrypoint] : (entrypoint ?? []),
    };
    return { facts, digests };
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    if (statusOf(error) === 400) throw new ConnectorError('connector_image_invalid');
    throw error instanceof ConnectorError ? error : refused(error);
  }
}

/** Whether `repository@digest` is of that repository; the engine leaves out the registry that is its default. */
function isOf(digest: string, repository: string): boolean {
  const name = digest.slice(0, digest.indexOf('@'));
  return name === repository || repository.replace(/^docker\.io\/(?:library\/)?/, '') === name;
}

async function pull(
  engine: EngineClient,
  reference: string,
  { onProgress, maxPullBytes = Number.POSITIVE_INFINITY }: PullBounds & { onProgress: OnProgress },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = new AbortController();
  const giveUp = (code: ConnectorErrorCode) => {
    abort.abort();
    reject(new ConnectorError(code));
  };
  const awaitWord = () => setTimeout(giveUp, PULL_SILENCE_MS, 'connector_registry_unreachable');
  let silence = awaitWord();
  const layers = new Map<string, { current: number; total: number }>();
  const heard = (event: PullEvent) => {
    clearTimeout(silence);
    silence = awaitWord();
    // The engine answers 200 before it begins, and tells of a failure in the stream.
    if (event.error !== undefined) reject(pullFailure(undefined, event.error));
    const { current, total } = event.progressDetail ?? {};
    if (event.id === undefined || current === undefined || event.status !== 'Downloading') return;
    layers.set(event.id, { current, total: total ?? current });
    const all = [...layers.values()];
    const sum = (pick: (layer: { current: number; total: number }) => number) => all.reduce((n, l) => n + pick(l), 0);
    const totalBytes = sum((l) => l.total);
    if (totalBytes > maxPullBytes) return giveUp('connector_image_too_large');
    onProgress({ image: reference, bytes: sum((l) => l.current), totalBytes });
  };
  try {
    const at = reference.lastIndexOf('@') > 0 ? reference.lastIndexOf('@') : reference.lastIndexOf(':');
    const query = { fromImage: reference.slice(0, at), tag: reference.slice(at + 1), abortSignal: abort.signal };
    const stream = await Promise.race([engine.createImage(query), promise]);
    if (stream === undefined) return;
    engine.modem.followProgress(
      stream as NodeJS.ReadableStream,
      (error) => {
        if (error === null) resolve();
        else reject(pullFailure(statusOf(error), wordsOf(error)));
      },
      heard,
    );
    await promise;
  } catch (error) {
    throw error instanceof ConnectorError ? error : pullFailure(statusOf(error), wordsOf(error));
  } finally {
    clearTimeout(silence);
  }
}

type PullEvent = {
  readonly id?: string;
  readonly status?: string;
  readonly error?: string;
  readonly progressDetail?: { readonly current?: number; readonly total?: number };
};

/** The engine passes on what the registry says; what it means is only in its words. The first that fits counts. */
const PULL_WORDS: readonly (readonly [RegExp, ConnectorErrorCode])[] = [
  [/toomanyrequests|too many requests|rate limit|\b429\b/i, 'connector_registry_limited'],
  [/denied|unauthorized|authentication required|no basic auth|forbidden/i, 'connector_image_denied'],
  [
    /manifest unknown|not found|name unknown|repository name not known|no matching manifest/i,
    'connector_image_missing',
  ],
  [/invalid reference|invalid checksum digest|repository name must/i, 'connector_image_invalid'],
  [
    /dial tcp|no such host|connection refused|timeout|TLS|x509|EOF|reset by peer|lookup|unreachable|5\d\d /i,
    'connector_registry_unreachable',
  ],
];

/** Which failure of ours a pull's is, by the engine's status and words. */
export function pullFailure(status: number | undefined, words: string): ConnectorError {
  const known = PULL_WORDS.find(([pattern]) => pattern.test(words))?.[1];
  if (known !== undefined) return new ConnectorError(known);
  if (status === 404) return new ConnectorError('connector_image_missing');
  if (status === 400) return new ConnectorError('connector_image_invalid');
  return new ConnectorError('connector_pull_failed');
}

function refused(cause: unknown): ConnectorError {
  return new ConnectorError('connector_runtime_unavailable', { reason: 'engine_refuses', cause });
}
