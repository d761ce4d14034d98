import {
  type Answer,
  type AnswerOptions,
  answerDeadlines,
  type ConnectorRun,
  type ConnectorRuntime,
  type PullProgress,
  type RunImage,
  readAnswer,
} from '@weir/connector-runtime';
import type { ChildRegistry, Kernel } from '@weir/kernel';
import { RunFailed, type WorkLog } from '@weir/work';
import type { PatternFile } from '../contract/pattern-file.ts';
import { attemptScrubbers, learnRenewed } from '../credential/attempt-scrubbers.ts';
import type { HydratedConfig } from '../credential/hydrate.ts';
import type { keepRotations } from '../credential/keep-rotated.ts';
import { childLog } from '../run-log/child-log.ts';
import { pullLines } from '../run-log/pull-lines.ts';
import { withLateHint } from '../runtime/late-hint.ts';
import { settingsOf } from '../settings.ts';
import { scrubbedFailure, sourceFailure, verdictFailure } from '../sync/failure.ts';
import type { KeptStream } from './entity.ts';
import { withReachHint } from './reach-hint.ts';
import { readCatalog } from './read-catalog.ts';
import { scrubCatalog } from './scrub-catalog.ts';
import type { PhaseTeller } from './tell-phase.ts';

const MS_PER_SECOND = 1_000;

export interface AskDeps {
  kernel: Pick<Kernel, 'settings'>;
  runtime: ConnectorRuntime;
  children: ChildRegistry;
  rotations: ReturnType<typeof keepRotations>;
  pattern: Pick<PatternFile, 'egress'>;
  log: Pick<WorkLog, 'write' | 'take'>;
  /** Told how far the image is pulled, for the heartbeat. */
  beat(details: { pull: Pick<PullProgress, 'bytes' | 'totalBytes'> }): void;
  phase: Pick<PhaseTeller, 'enter' | 'pulling'>;
  /** How many lines of what a connector says are kept. */
  maxLogLines: number;
}

/** What a connector has described, and the image that was run, when it was in a container. */
export interface Described {
  streams: KeptStream[];
  image: RunImage | null;
}

/**
 * Has a connector describe its source. Credentials that it renews meanwhile are kept before anything else comes of it,
 * also when it fails then. Throws `RunFailed`, without the credentials, the renewed ones included.
 */
export async function askConnector(deps: AskDeps, request: ConnectorRun, hydrated: HydratedConfig): Promise<Described> {
  const { kernel, rotations, log, maxLogLines, beat, phase } = deps;
  const scrubbers = attemptScrubbers(hydrated.secrets);
  const deadlines = answerDeadlines(settingsOf(kernel).WEIR_DISCOVERY_MAX_SECONDS * MS_PER_SECOND);
  log.write({ level: 'info', step: 'connector', message: `the connector starts: ${request.image}` });
  const said = childLog({
    secrets: hydrated.secrets,
    maxLines: maxLogLines,
    send: (lines) => log.take(lines).then(said.taken),
  });
  const learn = learnRenewed(hydrated.config, [scrubbers, said]);
  const onRotated = (config: Readonly<Record<string, unknown>>) => {
    learn(config);
    rotations.take(config);
  };
  const pull = pullLines(log.write);
  const onPull = (progress: PullProgress) => {
    const { bytes, totalBytes } = progress;
    pull.progress(progress);
    phase.pulling(progress);
    beat({ pull: { bytes, totalBytes } });
  };
  const heard = { deadlines, onSaid: said.said, onRotated };
  const { answer, image } = await asked(
    { ...deps, pull },
    { ...request, onStderr: said.stderr, onPull },
    heard,
  ).finally(() => said.end());
  await rotations.kept();
  if (!answer.ok) {
    const failure = scrubbedFailure(verdictFailure(answer.failure), scrubbers.text);
    throw new RunFailed(withReachHint(withLateHint(failure, 'discovery'), deps.pattern));
  }
  const described = scrubCatalog(answer.message.catalog.streams, scrubbers);
  const catalog = described === undefined ? 'catalog_holds_credential' : readCatalog(described);
  if (typeof catalog === 'string') throw new RunFailed(sourceFailure(catalog));
  log.write({
    level: 'info',
    step: 'discover',
    message: `streams found: ${catalog.length}`,
    fields: { streams: catalog.length },
  });
  return { streams: catalog, image };
}

async function asked(
  {
    runtime,
    children,
    phase,
    pull,
  }: Pick<AskDeps, 'runtime' | 'children' | 'phase'> & { pull: ReturnType<typeof pullLines> },
  request: ConnectorRun,
  heard: AnswerOptions,
): Promise<{ answer: Answer<'CATALOG'>; image: RunImage | null }> {
  const connector = await runtime.run(request);
  const { pid, image = null } = connector;
  phase.enter('describing');
  if (image !== null) pull.runs(image);
  if (pid !== undefined) children.started({ name: connector.name, pid, parent: process.pid });
  const answer = await readAnswer(connector, 'CATALOG', heard);
  if (pid !== undefined) children.ended(pid);
  return { answer, image };
}
