import {
  type CommitBatch,
  commitMachine,
  type Fences,
  type OpenCommit,
  type PlannedStream,
  recoveryOf,
  type SyncEffect,
  type SyncEvent,
  type SyncState,
  streamsOf,
  syncMachine,
} from '../../src/index.ts';
import type { Chance } from './chance.ts';
import {
  commitOperations,
  isIdle,
  pendingKey,
  type SimCommit,
  type SimTableCommit,
  type SimWorld,
} from './commit-operations.ts';
import { type Reading, readStream, readTogether } from './connector.ts';
import type { Operation, Processes } from './processes.ts';
import type { Scenario, SimStream, SourceRow } from './scenario.ts';
import { mergeRows, placeOfStream, quarantineRows, type SimPart, type SimSync, stageRows } from './staging.ts';
import { holdsLease, quarantineOf, type Snapshot, tableOf } from './world.ts';

/** Lines of one stream that one simulated run may reject: more than there are. */
const MAX_REJECTED = 1_000;

export interface AttemptDeps {
  scenario: Scenario;
  world: SimWorld;
  chance: Chance;
  processes: Processes;
  fences: Fences;
  run: { id: string; number: number };
  epoch: number;
  /** How often the source fails; never, once the world is calm. */
  sourceFaults: number;
  /** A promise is broken that only the attempt itself can see. */
  onBroken(violation: string): void;
  /** The attempt has come to an end, unless it crashed before. */
  onEnd(outcome: Outcome): void;
}

export type Outcome = 'succeeded' | 'retry' | 'failed';

interface Plan {
  engine: PlannedStream<SimSync>;
  /** The stream's newest commits in its table and in its quarantine table; undefined where nobody asks. */
  follows: { rows: string | null; quarantine: string | null } | undefined;
  reading: Reading;
}

/** An open commit by one of its names. */
interface OpenOne {
  readonly name: string;
  readonly request: SimCommit;
}

/** One attempt of a run: closes open commits, plans, and lets the engine's machine decide from there. */
export function startAttempt(deps: AttemptDeps): void {
  const { scenario, processes, world, fences, run, epoch } = deps;
  const owner = ownerOf(deps);
  const fenced = new Set<string>();
  // One commit may hold several streams: open ones of all of them are closed before any is planned.
  const recover = (): void => {
    const open = scenario.isRemote ? openCommits(world, fenced) : [];
    const next = recoveryOf(open, fences);
    if (next === undefined) {
      runSync(deps, planAll(deps));
      return;
    }
    processes.count(`recovery ${next.type}`);
    if (next.type === 'drop') {
      if (!holdsLease(world, run.id, epoch)) {
        deps.onEnd('retry');
        return;
      }
      for (const { name } of next.commits) world.pending.delete(name);
      processes.later(owner, recover);
      return;
    }
    const request = next.type === 'finish' ? { ...next.commit.request, run: run.id } : fenceOf(deps, next.commits);
    commit(deps, request, (outcome) => {
      if (next.type === 'fence') for (const { name } of next.commits) fenced.add(name);
      if (outcome === 'committed') processes.later(owner, recover);
      else deps.onEnd('retry');
    });
  };
  if (!holdsLease(world, run.id, epoch)) return;
  processes.later(owner, recover);
}

function ownerOf({ run, epoch }: AttemptDeps): string {
  return `${run.id}#${epoch}`;
}

/** The commits whose checkpoints are not stored, by each of their names, and what the tables have of them. */
function openCommits(world: SimWorld, fenced: ReadonlySet<string>): OpenCommit<OpenOne>[] {
  return [...world.pending].map(([name, { request }]) => {
    const { tables, attempt } = request;
    const hasLanded = tables.some((table) => {
      const newest = newestOf(world, table.name, table.stream);
      return pendingKey({ ...table, attempt }) === name && nameOf(newest) === name;
    });
    return { commit: { name, request }, hasLanded, isFenced: fenced.has(name) };
  });
}

function nameOf(snapshot: Snapshot | undefined): string | undefined {
  if (snapshot?.commitId === undefined) return undefined;
  return pendingKey({ commitId: snapshot.commitId, attempt: snapshot.attempt });
}

/** A commit that adds an empty snapshot to each table of others. */
function fenceOf({ run, epoch }: AttemptDeps, commits: readonly OpenOne[]): SimCommit {
  const names = new Set(commits.flatMap(({ request }) => request.tables.map(({ name }) => name)));
  const empty = { mode: 'fence', files: [], removed: [], base: undefined, follows: undefined } as const;
  const own = { stream: 'fence', commitId: `${run.id}:fence:${epoch}` };
  return {
    run: run.id,
    attempt: epoch,
    tables: [...names].map((name) => ({ name, ...own, ...empty })),
    checkpoints: [],
  };
}

function newestOf(world: SimWorld, table: string, stream: string): Snapshot | undefined {
  return tableOf(world, table).snapshots.findLast((snapshot) => snapshot.stream === stream);
}

/** The streams that are not done, each with what the connector sends of it. */
function planAll(deps: AttemptDeps): Map<string, Plan> {
  const { world, scenario, run, chance, sourceFaults: faults } = deps;
  const isDone = ({ id }: SimStream): boolean => {
    const checkpoint = world.checkpoints.get(id);
    return checkpoint?.run === run.id && checkpoint.isWhole;
  };
  const open = scenario.streams.filter((stream) => !isDone(stream));
  const stateOf = ({ id, isStateful }: SimStream): number | undefined =>
    isStateful ? world.checkpoints.get(id)?.state : undefined;
  const together = scenario.log === undefined ? [] : open.filter(({ tellsStates }) => tellsStates);
  const from = Math.min(...together.map((stream) => stateOf(stream) ?? 0));
  const end = scenario.streams.reduce((sum, { sizes, tellsStates }) => {
    return tellsStates ? sum + (sizes[run.number] ?? 0) : sum;
  }, 0);
  const joint =
    together.length === 0 ? undefined : readTogether(chance, scenario, { streams: together, from, end, faults });
  return new Map(
    open.map((stream) => {
      const { id, rows, sizes } = stream;
      const size = sizes[run.number] ?? rows.length;
      const own = { from: stateOf(stream) ?? 0, size, faults, firstId: Number(id.slice(1)) * 1_000 };
      const reading = joint?.get(id) ?? readStream(chance, stream, own);
      return [id, { ...planOf(deps, stream, stateOf(stream)), reading }];
    }),
  );
}

function planOf(
  { world, run, scenario }: AttemptDeps,
  stream: SimStream,
  state: number | undefined,
): Omit<Plan, 'reading'> {
  const checkpoint = world.checkpoints.get(stream.id);
  const isOwn = checkpoint?.run === run.id;
  const newest = (table: string): string | null => newestOf(world, table, stream.id)?.commitId ?? null;
  return {
    follows: scenario.isRemote ? { rows: newest(stream.id), quarantine: newest(quarantineOf(stream.id)) } : undefined,
    engine: {
      id: stream.id,
      isStateful: stream.isStateful,
      atEnd: !stream.isStateful,
      replaces: stream.write === 'overwrite',
      merges: stream.write === 'merge',
      marksMissing: false,
      changesTable: false,
      policy: stream.policy,
      maxRejected: MAX_REJECTED,
      batch: isOwn ? checkpoint.batch : 0,
      rejected: isOwn ? checkpoint.rejected : 0,
      state,
    },
  };
}

/** Drives the machine of the attempt: the connector sends, and what is asked for is done. */
function runSync(deps: AttemptDeps, plans: ReadonlyMap<string, Plan>): void {
  const { processes, fences } = deps;
  const owner = ownerOf(deps);
  const segments = new Map([...plans.values()].flatMap(({ reading }) => reading.segments).map((one) => [one.id, one]));
  const rejected: { rows: readonly SourceRow[] } = { rows: [] };
  const driver = processes.spawn({
    owner,
    name: 'sync',
    machine: syncMachine(
      [...plans.values()].map(({ engine }) => engine),
      fences,
    ),
    perform: (effect, answer) => perform({ ...deps, plans, segments, rejected }, effect, answer),
    onEnd: (state) => deps.onEnd(outcomeOf(state)),
  });
  const send = (): void => {
    const open = [...plans.values()].filter(({ reading }) => reading.segments.length > 0);
    if (open.length === 0) {
      const failures = Object.fromEntries([...plans].map(([id, { reading }]) => [id, reading.failure]));
      driver.send({ type: 'read', failures });
      return;
    }
    const segment = deps.chance.pick(open).reading.segments.shift();
    if (segment !== undefined) driver.send({ type: 'sealed', segment });
    processes.later(owner, send);
  };
  processes.later(owner, send);
}

function outcomeOf(state: SyncState<SimSync>): Outcome {
  if (state.failed !== undefined) return 'retry';
  const failures = streamsOf(state).flatMap(({ failure }) => failure ?? []);
  if (failures.length === 0) return 'succeeded';
  return failures.some((failure) => 'reported' in failure) ? 'retry' : 'failed';
}

interface SyncDeps extends AttemptDeps {
  plans: ReadonlyMap<string, Plan>;
  segments: ReadonlyMap<number, Reading['segments'][number]>;
  /** Lines that were rejected last. */
  rejected: { rows: readonly SourceRow[] };
}

type Effect = SyncEffect<SimSync>;
type Event = SyncEvent<SimSync>;

function perform(deps: SyncDeps, effect: Effect, answer: (event: Event) => void): Operation | undefined {
  const { world, scenario, run, epoch, processes, segments, rejected } = deps;
  const failed = (): void => answer({ type: 'failed', failure: 'lost' });
  const operation = (apply: () => Event): Operation => ({
    name: effect.type,
    apply: () => {
      const event = apply();
      return () => answer(event);
    },
    isRead: false,
    lock: undefined,
    lose: failed,
    refuse: undefined,
  });
  const streamOf = (id: string): SimStream => {
    const stream = scenario.streams.find((one) => one.id === id);
    if (stream === undefined) throw new Error(`no stream ${id}`);
    return stream;
  };
  const place = (stream: string, of: 'rows' | 'quarantine', at: number): string =>
    placeOfStream(stream, of, `${run.id}-${epoch}-${at}`);
  switch (effect.type) {
    case 'intend':
      return operation(() => {
        world.ledger.add(place(effect.stream, effect.of, effect.place));
        return { type: 'intended' };
      });
    case 'stage':
      return operation(() => {
        const { stream: id } = effect.segment;
        const rows = segments.get(effect.segment.id)?.rows ?? [];
        const request = { stream: streamOf(id), run: run.id, place: place(id, 'rows', effect.place), rows };
        const { part, unknown, rejected: bad } = stageRows(world, request);
        rejected.rows = bad;
        return { type: 'staged', part, rejected: bad.length, unknown };
      });
    case 'quarantine':
      return operation(() => {
        const at = place(effect.stream, 'quarantine', effect.place);
        return { type: 'quarantined', part: quarantineRows(world, { run: run.id, place: at, rows: rejected.rows }) };
      });
    case 'evolve':
      return operation(() => {
        world.evolved.add(effect.stream);
        return { type: 'evolved' };
      });
    case 'merge':
      return operation(() => {
        const { stream, batch } = effect;
        processes.count(batch.replacedFiles.length > 0 ? 'files replaced' : 'batch merged');
        const request = { stream: streamOf(stream), place: place(stream, 'rows', effect.place), batch };
        return { type: 'merged', merged: mergeRows(world, request) };
      });
    case 'commit':
      commitBatches(deps, effect.batches, answer);
      return undefined;
    case 'release':
    case 'stop':
      return undefined;
  }
}

function commitBatches(deps: SyncDeps, batches: readonly CommitBatch<SimSync>[], answer: (event: Event) => void): void {
  const { run, epoch, plans } = deps;
  const parts = batches.map((batch) => partOf(deps, batch));
  const tables = parts.flatMap((part) => part.tables);
  const request: SimCommit = {
    run: run.id,
    attempt: epoch,
    tables: parts.length === 1 ? tables : tables.filter((table) => !isIdle(table)),
    checkpoints: parts.map(({ stream, checkpoint }) => ({ stream, checkpoint })),
  };
  commit(deps, request, (outcome) => {
    if (outcome === 'committed') {
      for (const table of tables) {
        const follows = plans.get(table.stream)?.follows;
        if (follows !== undefined && !isIdle(table)) {
          follows[table.name === table.stream ? 'rows' : 'quarantine'] = table.commitId;
        }
      }
      answer({ type: 'committed' });
    } else if (outcome === 'base_moved') answer({ type: 'base_moved' });
    else answer({ type: 'failed', failure: outcome });
  });
}

/** What one stream brings to a commit. */
function partOf({ run, plans, world }: SyncDeps, { batch, merged, number, stream, ...how }: CommitBatch<SimSync>) {
  const plan = plans.get(stream);
  if (plan === undefined) throw new Error(`no plan of ${stream}`);
  const filesOf = (parts: readonly SimPart[]): string[] => parts.flatMap(({ file }) => file ?? []);
  const before = world.checkpoints.get(stream);
  const own = { stream, commitId: `${run.id}:${stream}:${number}` };
  const rows: SimTableCommit = {
    ...own,
    name: stream,
    mode: how.replaces ? 'overwrite' : merged === undefined ? 'append' : 'row_delta',
    files: merged?.files ?? filesOf(batch.parts),
    removed: merged?.removed ?? [],
    base: merged?.base,
    follows: plan.follows?.rows,
  };
  const quarantine: SimTableCommit = {
    ...own,
    name: quarantineOf(stream),
    mode: 'append',
    files: filesOf(batch.quarantine),
    removed: [],
    base: undefined,
    follows: plan.follows?.quarantine,
  };
  return {
    stream,
    tables: quarantine.files.length > 0 ? [rows, quarantine] : [rows],
    checkpoint: {
      state: batch.state ?? plan.engine.state,
      batch: number,
      rejected: (before?.run === run.id ? before.rejected : 0) + batch.rejected,
      isWhole: how.isWhole,
      run: run.id,
    },
  };
}

/** Commits for this attempt, also what another one has begun. */
function commit(deps: AttemptDeps, request: SimCommit, onEnd: (outcome: string) => void): void {
  const { processes, world, scenario, chance, fences, run, epoch } = deps;
  const tables = request.tables.map((table) => ({
    commitId: table.commitId,
    isIdle: isIdle(table),
    base: table.base,
    follows: table.follows,
  }));
  const { isRemote, isAtomic } = scenario;
  const input = { tables, isAtomic, storesCheckpointsApart: isRemote, seed: chance.below(2 ** 31) };
  processes
    .spawn({
      owner: ownerOf(deps),
      name: 'commit',
      machine: commitMachine(input, fences),
      perform: commitOperations(world, request, { epoch, isRemote }),
      onEnd: ({ result }) => {
        const outcome = result?.outcome ?? 'none';
        if (isOvertaken(outcome) && holdsLease(world, run.id, epoch)) {
          deps.onBroken(`${ownerOf(deps)} is the newest attempt, and its commit is ${outcome}`);
        }
        onEnd(outcome);
      },
    })
    .send({ type: 'start' });
}

/** Whether a commit ends so because another attempt has committed. Once the newest one plans, no older one can. */
function isOvertaken(outcome: string): boolean {
  return outcome === 'reused' || outcome === 'superseded';
}
