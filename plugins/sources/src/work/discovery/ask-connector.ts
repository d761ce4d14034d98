import {
  type AnswerOptions,
  answerDeadlines,
  type ConnectorProcess,
  type ConnectorRun,
  type ConnectorRuntime,
  type ConnectorVerb,
  type PullProgress,
  type RunImage,
  readAnswer,
  readCheck,
} from '@weir/connector-runtime';
import type { ChildRegistry, Kernel } from '@weir/kernel';
import { plainText } from '@weir/run-logs';
import { RunFailed, type WorkLog } from '@weir/work';
import type { PatternFile } from '../../contract/source/pattern-file.ts';
import type { DiscoveryWarningView, StreamLookView } from '../../contract.ts';
import { credentialFields, namedCredentials } from '../../model/config/credential-fields.ts';
import { undeclaredCredentials } from '../../model/config/told-credentials.ts';
import type { KeptStream } from '../../model/discovery/entity.ts';
import { shownLooks } from '../../model/discovery/shown-looks.ts';
import { type SeenFailure, scrubbedFailure, sourceFailure, verdictFailure } from '../../model/failure/failure.ts';
import { withLateHint } from '../../model/failure/late-hint.ts';
import { childLog } from '../../model/log/child-log.ts';
import { pullLines } from '../../model/log/pull-lines.ts';
import { attemptScrubbers, learnRenewed } from '../../model/scrub/attempt-scrubbers.ts';
import { undescribedStreams } from '../../model/stream/discovery-warnings.ts';
import type { keepRotations } from '../../service/credential/keep-rotated.ts';
import type { HydratedConfig } from '../../service/vault/hydrate.ts';
import { settingsOf } from '../../settings.ts';
import type { KnownSpecs } from './known-specs.ts';
import { withReachHint } from './reach-hint.ts';
import { readCatalog } from './read-catalog.ts';
import { scrubCatalog } from './scrub-catalog.ts';
import type { PhaseTeller } from './tell-phase.ts';

const MS_PER_SECOND = 1_000;
/** What a discovery waits for while its connector answers. */
const PHASES = { spec: 'preparing', check: 'checking', discover: 'describing', read: 'describing' } as const;
const MAX_POINTERS = 20;
const MAX_POINTER_CHARS = 200;

export interface AskDeps {
  kernel: Pick<Kernel, 'settings'>;
  runtime: ConnectorRuntime;
  children: ChildRegistry;
  rotations: ReturnType<typeof keepRotations>;
  specs: KnownSpecs;
  pattern: Pick<PatternFile, 'egress' | 'fields'> & Partial<Pick<PatternFile, 'spec'>>;
  /** Keeps which fields an image calls credentials and its pattern does not, before the run ends by them. */
  noteTold(pointers: readonly string[]): Promise<void>;
  log: Pick<WorkLog, 'write' | 'take'>;
  /** Told how far the image is pulled, for the heartbeat. */
  beat(details: { pull: Pick<PullProgress, 'bytes' | 'totalBytes'> }): void;
  phase: Pick<PhaseTeller, 'enter' | 'pulling'>;
  /** How many lines of what a connector says are kept. */
  maxLogLines: number;
}

/** What the connector is given: its configuration as it is now, which a connector may have renewed. */
export interface Given {
  hydrated: HydratedConfig;
  /** Reads it again. */
  again(): Promise<HydratedConfig>;
  /** The text of its file. */
  textOf(hydrated: HydratedConfig): string;
}

/** What a connector has described, and the image that was run, when it was in a container. */
export interface Described {
  streams: KeptStream[];
  /** Streams that it cannot describe. */
  warnings: DiscoveryWarningView[];
  /** What it shows of them. */
  looks: StreamLookView[];
  image: RunImage | null;
}

/**
 * Has a connector describe its source, once it has told a usable specification and accepted the configuration. Throws
 * `RunFailed`, without the credentials, the renewed ones included.
 */
export async function askConnector(deps: AskDeps, request: Request, given: Given): Promise<Described> {
  const { log } = deps;
  log.write({ level: 'info', step: 'connector', message: `the connector starts: ${request.image}` });
  const asking = askingOf(deps, request, given);
  const { catalog, undescribed, looks, image } = await asked(deps, request, asking).finally(asking.end);
  const described = scrubCatalog(catalog, asking.scrubbers);
  const streams = described === undefined ? 'catalog_holds_credential' : readCatalog(described);
  if (typeof streams === 'string') throw new RunFailed(sourceFailure(streams));
  const fields = { streams: streams.length };
  log.write({ level: 'info', step: 'discover', message: `streams found: ${streams.length}`, fields });
  const names = new Set(streams.map(({ name }) => name));
  const warnings = undescribedStreams(undescribed, asking.scrubbers).filter(({ name }) => !names.has(name));
  return { streams, warnings, looks: shownLooks(looks, asking.scrubbers.text.text), image };
}

type Request = Omit<ConnectorRun, 'verb' | 'inputs'>;

async function asked(deps: AskDeps, { image: reference }: Request, { ask, refused }: Asking) {
  const { log, specs } = deps;
  const tellsSpec = async () => {
    const { found, image } = await ask('spec', (connector, options) => readAnswer(connector, 'SPEC', options));
    if (!found.ok) throw refused(verdictFailure(found.failure));
    await assertCredentials(deps, found.message.spec.connectionSpecification);
    specs.add(reference, image);
  };
  /** No image is given a configuration before it has told which of it are credentials. */
  const checked = () =>
    ask('check', readCheck, (image) => {
      if (!specs.isOf(reference, image)) throw new SpecUnknown();
    });
  if (!specs.has(reference)) await tellsSpec();
  const check = await checked().catch(async (error: unknown) => {
    if (!(error instanceof SpecUnknown)) throw error;
    await tellsSpec();
    return checked();
  });
  if (check.found !== undefined) throw refused(verdictFailure(check.found));
  log.write({ level: 'info', step: 'check', message: 'the connector accepts the configuration' });
  const { found, image } = await ask('discover', (connector, options) => readAnswer(connector, 'CATALOG', options));
  if (!found.ok) throw refused(verdictFailure(found.failure));
  const { streams: catalog, undescribed, looks } = found.message.catalog;
  return { catalog, undescribed, looks, image };
}

/** Another image stands under the name than the one whose specification is known. */
class SpecUnknown extends Error {}

/** `credential_fields_undeclared` when an image calls a field a credential that its pattern shows to whoever reads the source. */
async function assertCredentials({ pattern: { spec, fields }, noteTold }: AskDeps, told: unknown): Promise<void> {
  if (spec === undefined) return;
  const declared = credentialFields(spec, namedCredentials(fields));
  const pointers = undeclaredCredentials(told, { spec, declared });
  if (pointers.length === 0) return;
  await noteTold(pointers);
  const failure = sourceFailure('credential_fields_undeclared');
  throw new RunFailed({ ...failure, detail: `${failure.detail} The fields: ${shownPointers(pointers)}.` });
}

/** Names are an image's own, which may be of any length. */
function shownPointers(pointers: readonly string[]): string {
  const shown = pointers.slice(0, MAX_POINTERS).map((pointer) => plainText(pointer).slice(0, MAX_POINTER_CHARS));
  const more = pointers.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

type Asking = ReturnType<typeof askingOf>;
type Reader<T> = (connector: ConnectorProcess, options: AnswerOptions) => Promise<T>;

/** One connector that is asked several things, one after the other, within the time of one discovery and by the same image. */
function askingOf(deps: AskDeps, request: Request, { hydrated: first, again, textOf }: Given) {
  const { kernel, runtime, children, rotations, log, maxLogLines, phase } = deps;
  const settings = settingsOf(kernel);
  const endsAt = performance.now() + settings.WEIR_DISCOVERY_MAX_SECONDS * MS_PER_SECOND;
  /** A check says yes or no: it has one short time, also for its first word. */
  const deadlinesOf = (verb: ConnectorVerb) => {
    const left = Math.max(1, endsAt - performance.now());
    if (verb !== 'check') return answerDeadlines(left);
    const ms = Math.min(left, settings.WEIR_CHECK_MAX_SECONDS * MS_PER_SECOND);
    return { firstMessageMs: ms, inactivityMs: ms, runMs: ms };
  };
  const scrubbers = attemptScrubbers(first.secrets);
  const said = childLog({
    secrets: first.secrets,
    maxLines: maxLogLines,
    send: (lines) => log.take(lines).then(said.taken),
  });
  const { pull, onPull } = pullTeller(deps);
  let now = first;
  let pinned: string | undefined;
  return {
    scrubbers,
    async ask<T>(
      verb: ConnectorVerb,
      read: Reader<T>,
      admit: ConnectorRun['admit'] = () => undefined,
    ): Promise<{ found: T; image: RunImage | null }> {
      let isRenewed = false;
      const learn = learnRenewed(now.config, [scrubbers, said]);
      const onRotated = (config: Readonly<Record<string, unknown>>) => {
        isRenewed = true;
        learn(config);
        rotations.take(config);
      };
      const inputs = verb === 'spec' ? {} : { inputs: { config: textOf(now) } };
      const pin = pinned === undefined ? {} : { pinned };
      const told = { onStderr: said.stderr, onPull, admit };
      const connector = await runtime.run({ ...request, ...inputs, ...pin, ...told, verb });
      const { pid, image = null } = connector;
      phase.enter(PHASES[verb]);
      if (image !== null && pinned === undefined) pull.runs(image);
      pinned = image?.digest;
      if (pid !== undefined) children.started({ name: connector.name, pid, parent: process.pid });
      const found = await read(connector, { deadlines: deadlinesOf(verb), onSaid: said.said, onRotated });
      if (pid !== undefined) children.ended(pid);
      // Before anything comes of the answer, also when it is none.
      await rotations.kept();
      if (isRenewed) now = await again();
      return { found, image };
    },
    /** The error of a run whose connector failed so. */
    refused(failure: SeenFailure): RunFailed {
      const masked = scrubbedFailure(failure, scrubbers.text);
      return new RunFailed(withReachHint(withLateHint(masked, 'discovery'), deps.pattern, now.config));
    },
    end: () => said.end(),
  };
}

/** Tells how far an image is pulled: in the log, in the phase and in the heartbeat. */
export function pullTeller({ log, phase, beat }: Pick<AskDeps, 'log' | 'phase' | 'beat'>) {
  const pull = pullLines(log.write);
  const onPull = (progress: PullProgress) => {
    const { bytes, totalBytes } = progress;
    pull.progress(progress);
    phase.pulling(progress);
    beat({ pull: { bytes, totalBytes } });
  };
  return { pull, onPull };
}
