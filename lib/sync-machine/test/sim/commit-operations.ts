import type { CommitEffect, CommitEvent, Draft, FoundTable } from '../../src/index.ts';
import type { Operation } from './processes.ts';
import {
  type Checkpoint,
  headOf,
  holdsLease,
  type Metadata,
  nextId,
  type Snapshot,
  tableOf,
  type World,
} from './world.ts';

/** One table of a simulated commit. */
export interface SimTableCommit {
  readonly name: string;
  readonly stream: string;
  readonly commitId: string;
  readonly mode: 'append' | 'overwrite' | 'row_delta' | 'fence';
  readonly files: readonly string[];
  readonly removed: readonly string[];
  readonly base: string | null | undefined;
  readonly follows: string | null | undefined;
}

export interface SimCommit {
  readonly run: string;
  /** The attempt that made it. */
  readonly attempt: number;
  readonly tables: readonly SimTableCommit[];
  readonly checkpoints: readonly { readonly stream: string; readonly checkpoint: Checkpoint }[];
}

export type SimWorld = World<SimCommit>;

/** Whether a commit leaves the table as it is. */
export function isIdle({ mode, files, removed }: SimTableCommit): boolean {
  return (mode === 'append' || mode === 'row_delta') && files.length === 0 && removed.length === 0;
}

/** Under which a commit waits for its checkpoint: of one id there may be several, by attempts that do not know of each other. */
export function pendingKey({ commitId, attempt }: { commitId: string; attempt: number }): string {
  return `${commitId}@${attempt}`;
}

/** Each of its tables finds it by a name of its own. */
function pendingKeys({ tables, attempt }: SimCommit): Set<string> {
  return new Set(tables.map(({ commitId }) => pendingKey({ commitId, attempt })));
}

interface Made {
  readonly from: Metadata;
  readonly to: Metadata;
  readonly commit: SimTableCommit;
}

/** What a commit asks of a simulated database, store and catalog, for the attempt that holds the lease `epoch`. */
export function commitOperations(world: SimWorld, request: SimCommit, options: { epoch: number; isRemote: boolean }) {
  const { epoch, isRemote } = options;
  let loaded: Metadata[] = [];
  const made = new Map<number, Made>();
  const of = (drafts: readonly Draft[]): Made[] => drafts.flatMap(({ table }) => made.get(table) ?? []);

  const load = (): CommitEvent => {
    loaded = request.tables.map(({ name }) => tableOf(world, name));
    return { type: 'loaded', tables: loaded.map((table, at) => found(table, request, at)) };
  };
  const prepare = (tables: readonly number[]): CommitEvent => {
    made.clear();
    const drafts = tables.flatMap((at): Draft[] => {
      const [from, commit] = [loaded[at], request.tables[at]];
      if (from === undefined || commit === undefined) return [];
      const snapshot = snapshotOf(world, { from, commit, request });
      const location = `${commit.name}/metadata/${snapshot.id}`;
      made.set(at, { from, commit, to: { location, snapshots: [...from.snapshots, snapshot] } });
      return [{ table: at, snapshotId: snapshot.id, files: [location, `${commit.name}/manifest/${snapshot.id}`] }];
    });
    return { type: 'prepared', drafts };
  };
  const intend = (drafts: readonly Draft[], assertLease: boolean): CommitEvent => {
    if (isRemote && assertLease && !holdsLease(world, request.run, epoch)) return LEASE_LOST;
    for (const file of drafts.flatMap(({ files }) => files)) world.ledger.add(file);
    const streams = request.checkpoints.map(({ stream }) => stream);
    const isKept = isRemote && streams.length > 0;
    for (const key of isKept ? pendingKeys(request) : []) world.pending.set(key, { streams, request });
    return { type: 'intended' };
  };
  const write = (files: readonly string[]): void => {
    for (const file of files) {
      if (world.files.has(file)) throw new Error(`${file} is written twice`);
      world.files.set(file, { kind: 'metadata', rows: [] });
    }
  };
  const move = (drafts: readonly Draft[], { assertLease, assertReference, moves }: Move): CommitEvent => {
    if (!isRemote && assertLease && !holdsLease(world, request.run, epoch)) return LEASE_LOST;
    const isLost = moves.some(({ commit, from }) => tableOf(world, commit.name).location !== from.location);
    if (assertReference && isLost) return { type: 'lost' };
    for (const { commit, to } of moves) world.tables.set(commit.name, to);
    for (const file of drafts.flatMap(({ files }) => files)) world.kept.add(file);
    leaveLedger(
      world,
      drafts.flatMap(({ files }) => files),
    );
    if (!isRemote) settle(world, request);
    return { type: 'moved' };
  };
  const promote = (assertLease: boolean): CommitEvent => {
    if (assertLease && !holdsLease(world, request.run, epoch)) return LEASE_LOST;
    // What waits no longer was stored before: a repetition, or one that comes late, changes nothing.
    const keys = pendingKeys(request);
    const isOpen = keys.size === 0 || [...keys].some((key) => world.pending.has(key));
    if (request.checkpoints.length > 0 && !isOpen) return { type: 'promoted' };
    settle(world, request);
    const settled = new Set(request.checkpoints.map(({ stream }) => stream));
    for (const [key, { streams }] of world.pending) {
      if (keys.has(key) || streams.some((stream) => settled.has(stream))) world.pending.delete(key);
    }
    return { type: 'promoted' };
  };

  return (effect: CommitEffect, answer: (event: CommitEvent) => void): Operation => {
    const lose = (): void => answer({ type: 'unknown', reason: 'no answer' });
    const operation = (apply: () => CommitEvent, more: Partial<Operation> = {}): Operation => ({
      name: effect.type,
      apply: () => {
        const event = apply();
        return () => answer(event);
      },
      isRead: false,
      lock: undefined,
      lose,
      refuse: undefined,
      ...more,
    });
    switch (effect.type) {
      case 'load':
        return operation(load, { isRead: true });
      case 'prepare':
        return operation(() => prepare(effect.tables), { isRead: true });
      case 'intend':
        return operation(() => intend(effect.drafts, effect.assertLease), isRemote ? { lock: request.run } : {});
      case 'write': {
        const files = effect.drafts.flatMap((draft) => draft.files);
        const refuse = (): void => {
          write(files.slice(1));
          answer({ type: 'refused', reason: 'disk full' });
        };
        return operation(
          () => {
            write(files);
            return { type: 'written' };
          },
          { refuse },
        );
      }
      case 'move': {
        const asked = { ...effect, moves: of(effect.drafts) };
        return operation(() => move(effect.drafts, asked), isRemote ? {} : { lock: request.run });
      }
      case 'promote':
        return operation(() => promote(effect.assertLease), { lock: request.run });
      case 'remove':
        return operation(
          () => {
            for (const file of effect.drafts.flatMap(({ files }) => files)) {
              if (world.files.delete(file)) world.removed.add(file);
              world.ledger.delete(file);
            }
            return { type: 'removed' };
          },
          { lose: () => answer({ type: 'removed' }) },
        );
      case 'wait':
        return operation(() => ({ type: 'waited' }), { lose: undefined });
    }
  };
}

const LEASE_LOST: CommitEvent = { type: 'refused', reason: 'lease lost' };

interface Move {
  readonly moves: readonly Made[];
  readonly assertLease: boolean;
  readonly assertReference: boolean;
}

function found(table: Metadata, request: SimCommit, at: number): FoundTable {
  const line = table.snapshots.toReversed();
  const commit = request.tables[at];
  const own = line.find(({ commitId }) => commitId === commit?.commitId);
  const files = new Set(request.tables[at]?.files);
  const sameFiles = own !== undefined && own.added.length === files.size && own.added.every((file) => files.has(file));
  return {
    snapshotId: headOf(table)?.id ?? null,
    settled: own && { snapshotId: own.id, sameFiles },
    newest: line.find(({ stream }) => stream === commit?.stream)?.commitId ?? null,
  };
}

function snapshotOf(
  world: SimWorld,
  { from, commit, request }: { from: Metadata; commit: SimTableCommit; request: SimCommit },
): Snapshot {
  const head = headOf(from);
  const before = commit.mode === 'overwrite' ? [] : (head?.live ?? []);
  const gone = new Set(commit.removed);
  return {
    id: String(nextId(world)),
    parent: head?.id ?? null,
    commitId: commit.commitId,
    stream: commit.stream,
    attempt: request.attempt,
    added: commit.files,
    live: [...before.filter((file) => !gone.has(file)), ...commit.files],
  };
}

/** Stores the checkpoints, and takes the places of what was committed off the ledger. */
function settle(world: SimWorld, { checkpoints, tables }: SimCommit): void {
  for (const { stream, checkpoint } of checkpoints) world.checkpoints.set(stream, checkpoint);
  leaveLedger(
    world,
    tables.flatMap(({ files }) => files),
  );
}

function leaveLedger(world: SimWorld, files: readonly string[]): void {
  for (const file of files) {
    world.ledger.delete(file);
    world.ledger.delete(placeOf(file));
  }
}

/** The folder of a staged file. */
export function placeOf(file: string): string {
  return file.slice(0, file.lastIndexOf('/'));
}
