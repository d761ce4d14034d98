import { setTimeout as delay } from 'node:timers/promises';
import type { DiscoveryStatusView, SyncRunDetailView } from '@weir/plugin-sources/contract';
import { getSyncStatus, startDiscovery, startSync } from '@weir/plugin-sources/contract';
import { CliError } from '../../cli-error.ts';
import type { Api } from '../../connection/api.ts';
import { runError } from '../../run/finish-run.ts';
import { type WatchOptions, watchDiscovery } from '../../run/watch-discovery.ts';
import { watchSync } from '../../run/watch-sync.ts';
import type { EngineRole } from '../engine/engine-role.ts';
import { proveTables } from './prove-tables.ts';
import { fact, type ProvedFact } from './proved-fact.ts';
import { type RunContainer, type RunContainers, shortId } from './run-containers.ts';

/** The part of a proof that goes through workers, a source and its tables. */
export interface SourceProof {
  /** Before the restart: workers poll, and the source is discovered. Throws where there is nothing to prove. */
  look(): Promise<void>;
  /** Starts a sync and returns once its container runs. */
  begin(): Promise<void>;
  /** Throws when that container does not run any more: its restart would show nothing. */
  stillRuns(): Promise<void>;
  /** After the restart. */
  end(): Promise<ProvedFact[]>;
}

export interface SourceProofDeps {
  api: Api;
  /** As it was named, for people, and its id. */
  source: string;
  id: string;
  /** What the engine of each role is seen to do. */
  containers: Readonly<Record<EngineRole, RunContainers>>;
  pollers(when: string): Promise<ProvedFact[]>;
  watching(): Promise<WatchOptions>;
  say(line: string): void;
}

const POLL_MS = 500;
/** Workers look each minute for what attempts have left that ended while the engine was gone. */
const LEFT_TIMEOUT_MS = 150_000;
const BEFORE = 'before the restart';
const AFTER = 'after the restart';

/** A source whose workers, discovery and sync are looked at before and after a restart of their engine. */
export function sourceProof(deps: SourceProofDeps): SourceProof {
  const { api, id, containers, pollers, say } = deps;
  const facts: ProvedFact[] = [];
  const runs: string[] = [];
  let before: Discovered | undefined;
  let interrupted: Interrupted | undefined;
  const start = async () => {
    const { run_id: runId } = await api.call(startSync, { params: { source_id: id } });
    runs.push(runId);
    return runId;
  };
  const discover = async () => {
    const found = await discovered(deps);
    runs.push(found.run.run_id);
    return found;
  };
  return {
    async look() {
      facts.push(...(await pollers(BEFORE)));
      before = await discover();
      if (before.run.status !== 'succeeded') throw runError(before.run, deps.api);
      if (before.containers.length === 0) throw otherRuntime(deps.source);
    },
    async begin() {
      const runId = await start();
      interrupted = { runId, container: await runningContainer(deps, runId) };
      say(`a sync of ${deps.source} runs in container ${shortId(interrupted.container.id)}`);
    },
    async stillRuns() {
      const { runId = '', container } = interrupted ?? {};
      // An engine that starts again has forgotten what it did.
      await containers.source.note();
      const now = await containers.source.running(runId);
      if (!now.some((one) => one.id === container?.id)) throw tooShort(deps.source);
    },
    async end() {
      if (before === undefined || interrupted === undefined) return facts;
      facts.push(...(await syncFacts(deps, interrupted, start)));
      facts.push(sameDiscovery(before, await discover()), ...(await pollers(AFTER)));
      facts.push(await leftovers(containers, runs));
      return facts;
    },
  };
}

interface Interrupted {
  runId: string;
  container: RunContainer;
}

interface Discovered {
  run: DiscoveryStatusView;
  containers: readonly RunContainer[];
}

/** A discovery that only looks: a proof changes no streams. */
async function discovered({ api, id, containers, watching }: SourceProofDeps): Promise<Discovered> {
  const started = await api.call(startDiscovery, { body: { source_id: id, apply: false } });
  const run = await watchDiscovery(api, started.workflow_id, await watching());
  return { run, containers: await containers.discovery.of(run.run_id) };
}

/** What became of the interrupted sync, or of another one where that did not end well. */
async function syncFacts(deps: SourceProofDeps, { runId, container }: Interrupted, start: () => Promise<string>) {
  const { api, containers, say, watching } = deps;
  const first = await endOf(deps, runId);
  const facts = [interruption(first, container, await containers.source.of(runId))];
  const isOver = first === undefined || first.status === 'succeeded';
  say(isOver ? `the interrupted sync: ${endText(first)}` : 'the interrupted sync has failed: another is started');
  const last = isOver ? first : await endOf(deps, await start());
  const words = isOver ? 'the interrupted sync ends well by itself' : 'a sync after the interrupted one ends well';
  const told = (isOver ? [last] : [first, last]).map(endText).join('; ');
  facts.push(fact('source', words, last?.status === 'succeeded', told));
  if (last === undefined) return facts;
  facts.push(sameEngine(last, await containers.source.of(last.run_id)));
  return [...facts, await proveTables(api, last, await watching())];
}

/** Waits for the container of a sync; throws when the sync is over without one that still runs. */
async function runningContainer(deps: SourceProofDeps, runId: string): Promise<RunContainer> {
  const { api, id, containers, source, watching } = deps;
  const { timeoutMs, interrupted } = await watching();
  const until = performance.now() + timeoutMs;
  while (performance.now() < until && !interrupted.aborted) {
    const [container] = await containers.source.running(runId);
    if (container !== undefined) return container;
    const { run } = await api.call(getSyncStatus, { params: { source_id: id }, query: { run_id: runId } });
    if (run === null || run.is_terminal) {
      if (run !== null && run.status !== 'succeeded') throw runError(run, api);
      throw (await containers.source.of(runId)).length > 0 ? tooShort(source) : otherRuntime(source);
    }
    await delay(POLL_MS, undefined, { signal: interrupted }).catch(() => undefined);
  }
  throw new CliError(interrupted.aborted ? 'interrupted' : 'timedOut', 'No container of the sync was seen.', {
    hint: `The sync goes on: weir sources logs ${id} tells of it, weir sources cancel ${id} ends it.`,
  });
}

function otherRuntime(source: string): CliError {
  return new CliError('failed', `What ${source} does runs in no container of this engine.`, {
    hint: 'Its workers need SOURCE_SOCKET_DIR and DISCOVERY_SOCKET_DIR as this command has them; without them connectors run as processes.',
  });
}

function tooShort(source: string): CliError {
  return new CliError('failed', `The sync of ${source} was over before the engine could be restarted.`, {
    hint: 'Nothing was restarted. Name a source that reads for a minute or more.',
  });
}

/** The end of a sync; undefined when it has none within the time, which is a finding and no end of the proof. */
async function endOf(deps: SourceProofDeps, runId: string) {
  const options = await deps.watching();
  const seen = (state: object) => {
    options.seen?.(state);
    void deps.containers.source.note();
  };
  return watchSync(deps.api, { sourceId: deps.id, runId }, { ...options, seen }).catch((error: unknown) => {
    if (error instanceof CliError && error.exit === 'timedOut') return undefined;
    throw error;
  });
}

function interruption(run: SyncRunDetailView | undefined, before: RunContainer, ran: readonly RunContainer[]) {
  const later = ran.filter(({ attempt }) => attempt > before.attempt);
  const isNoSuccess = run?.status !== 'succeeded' || later.length > 0;
  const retried =
    later.length > 0 ? `container ${later.map(({ id }) => shortId(id)).join(', ')} after it` : 'none after it';
  const found = `attempt ${before.attempt} in container ${shortId(before.id)}, ${retried}`;
  return fact('source', 'the interrupted attempt of the sync is no success', isNoSuccess, found);
}

function endText(run: SyncRunDetailView | undefined): string {
  if (run === undefined) return 'has not ended';
  const { run_id, status, attempt, failure } = run;
  return `run ${run_id} ${status} at attempt ${attempt}${failure === null ? '' : ` (${failure.code})`}`;
}

/** That the sync which ended well ran in this engine, with the image that it says it had. */
function sameEngine({ image }: SyncRunDetailView, ran: readonly RunContainer[]): ProvedFact {
  const last = ran.at(-1);
  const isHere = last !== undefined && image !== null && last.image === image.id;
  const found = `image ${image?.digest ?? 'none'}, containers ${ran.map(({ id }) => shortId(id)).join(', ') || 'none'}`;
  return fact('source', 'the sync ran in a container of this engine', isHere, found);
}

function sameDiscovery(before: Discovered, after: Discovered): ProvedFact {
  const names = ({ run }: Discovered) => (run.streams ?? []).map(({ name }) => name).sort();
  const [was, is] = [names(before), names(after)];
  const isSame = after.run.status === 'succeeded' && after.containers.length > 0 && was.join('\n') === is.join('\n');
  const found = `${after.run.status}, ${is.length} streams, ${was.length} before, container ${after.containers.map(({ id }) => shortId(id)).join(', ') || 'none'}`;
  return fact('discovery', 'discovery of the source as before', isSame, found);
}

async function leftovers(containers: SourceProofDeps['containers'], runs: readonly string[]): Promise<ProvedFact> {
  const until = performance.now() + LEFT_TIMEOUT_MS;
  const count = async () => {
    const counts = await Promise.all([containers.source.left(runs), containers.discovery.left(runs)]);
    return Math.max(...counts);
  };
  let left = await count();
  while (left > 0 && performance.now() < until) {
    await delay(POLL_MS);
    left = await count();
  }
  return fact('source', 'nothing of these runs is left', left === 0, `${left} containers`);
}
