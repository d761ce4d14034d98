import { setTimeout as delay } from 'node:timers/promises';
import type { Runs, Tenant, TenantTransaction } from '@weir/kernel';
import { kernelProblems, Problem } from '@weir/kernel/contract';
import {
  type PreparedCommit,
  prepareAppend,
  prepareOverwrite,
  type StagedFile,
  type TableMetadata,
} from '@weir/lakehouse';
import { datasetProblems } from '../contract/problems.ts';
import type { CommitRequest, CommitResult, TableCommit, TableOwner } from '../contract/tables.ts';
import { assertWritable } from '../table-ref.ts';
import { identOf, type TableStore } from './store.ts';

const MAX_TRIES = 12;
const MAX_SETTLE_TRIES = 8;
const BACKOFF_MS = 10;
const SETTLE_BACKOFF_MS = 250;

export interface CommitDeps {
  store: TableStore;
  runs: Pick<Runs, 'assertLease'>;
}

/** A table of the request as the catalog and its newest metadata show it. */
interface LoadedTable {
  commit: TableCommit;
  pointer: string;
  metadata: TableMetadata;
  /** The snapshot that carries this commit's id, when an earlier try went through. */
  done: string | undefined;
}

class LostRace extends Error {}

/**
 * Moves the pointers of all tables and stores all checkpoints in one transaction, fenced by the run's lease. A lost race
 * reloads and prepares again; an unknown outcome (the connection broke while committing) is settled by looking for the
 * commit id among the snapshots: pointers and checkpoints move together, so one table tells for all.
 */
export async function commitTables(
  { store, runs }: CommitDeps,
  tenant: TableOwner,
  request: CommitRequest,
): Promise<CommitResult> {
  for (const { ref } of request.tables) assertWritable(tenant, ref);
  let unknown = 0;
  for (let tries = 0; tries < MAX_TRIES; ) {
    const loaded = await load(store, tenant, request);
    if (loaded.some((table) => table.done !== undefined)) return resultOf(loaded);
    const prepared = await Promise.all(loaded.map((table) => prepare(store, request, table)));
    try {
      await store.db(tenant).transaction((tx) => move({ store, runs }, tx, { request, loaded, prepared }));
      return {
        tables: loaded.map(({ commit }, at) => ({ ref: commit.ref, snapshotId: snapshotText(prepared[at]) })),
      };
    } catch (error) {
      if (error instanceof LostRace) {
        tries += 1;
        await discard(store, prepared);
        await delay(Math.random() * BACKOFF_MS * 2 ** Math.min(tries, 6));
      } else if (error instanceof Problem && error.code === kernelProblems.dependencyUnavailable.entry.code) {
        unknown += 1;
        if (unknown >= MAX_SETTLE_TRIES) throw error;
        await settleDelay(unknown);
      } else {
        throw error;
      }
    }
  }
  throw datasetProblems.commitConflict({ values: { attempts: MAX_TRIES } });
}

/** The commit id of a table's batch: `<run>:<stream>:<batch>`. */
export function commitId(runId: string, { streamId, batch }: TableCommit): string {
  return `${runId}:${streamId}:${batch}`;
}

async function load(store: TableStore, tenant: Tenant, request: CommitRequest): Promise<LoadedTable[]> {
  const pointers = await settled(() =>
    store
      .db(tenant)
      .transaction((tx) =>
        Promise.all(request.tables.map(({ ref }) => store.catalog.loadPointer(tx.sql, identOf(ref)))),
      ),
  );
  return Promise.all(
    request.tables.map(async (commit, at) => {
      const pointer = pointers[at];
      if (pointer === undefined) throw kernelProblems.notFound();
      const metadata = await store.scanner.metadata(pointer);
      const id = commitId(request.runId, commit);
      const done = metadata.snapshots.find((snapshot) => snapshot.summary['weir.commit-id'] === id);
      return { commit, pointer, metadata, done: done?.['snapshot-id'].toString() };
    }),
  );
}

async function prepare(store: TableStore, request: CommitRequest, table: LoadedTable): Promise<PreparedCommit> {
  const { commit, pointer, metadata } = table;
  const files = commit.files as readonly StagedFile[];
  for (const file of files) assertInside(file, metadata.location);
  const input = {
    io: store.io,
    metadata,
    metadataLocation: pointer,
    files,
    summary: {
      'weir.run-id': request.runId,
      'weir.stream-id': commit.streamId,
      'weir.attempt': String(commit.attempt),
      'weir.batch': String(commit.batch),
      'weir.commit-id': commitId(request.runId, commit),
      'weir.state-sha256': commit.stateSha256,
      'weir.generation': String(commit.generation),
    },
  };
  return commit.mode === 'overwrite' ? prepareOverwrite(input) : prepareAppend(input);
}

/** A file that lies outside its table, or climbs out of it, is refused before anything is written. */
function assertInside(file: StagedFile, location: string): void {
  const path = (file as { file_path?: unknown }).file_path;
  const inside = typeof path === 'string' && path.startsWith(`${location}/data/`) && !path.includes('/../');
  if (!inside) throw datasetProblems.stagedFileRefused();
}

async function move(
  { store, runs }: CommitDeps,
  tx: TenantTransaction,
  { request, loaded, prepared }: { request: CommitRequest; loaded: LoadedTable[]; prepared: PreparedCommit[] },
): Promise<void> {
  await runs.assertLease(tx, request.runId, request.leaseEpoch);
  for (const [at, { commit, pointer }] of loaded.entries()) {
    const next = prepared[at]?.newMetadataLocation ?? pointer;
    if (next === pointer) continue;
    if (!(await store.catalog.swapPointer(tx.sql, identOf(commit.ref), pointer, next))) throw new LostRace();
  }
  for (const { key, state, counters } of request.checkpoints) {
    await tx.sql(
      `insert into datasets.checkpoint (tenant_id, key, state, counters, run_id) values ($1, $2, $3, $4::jsonb, $5)
       on conflict (tenant_id, key) do update
         set state = excluded.state, counters = excluded.counters, run_id = excluded.run_id, updated_at = now()`,
      [
        tx.tenant.tenantId,
        key,
        state === undefined ? null : JSON.stringify(state),
        JSON.stringify(counters),
        request.runId,
      ],
    );
  }
  const committed = request.tables.flatMap(({ files }) =>
    files.map((file) => (file as { file_path?: string }).file_path),
  );
  for (const location of committed) await tx.sql('delete from datasets.staged_file where location = $1', [location]);
}

/** Only files of a try that is certainly lost: its transaction was rolled back by ourselves. */
async function discard(store: TableStore, prepared: readonly PreparedCommit[]): Promise<void> {
  await Promise.all(prepared.flatMap(({ written }) => written.map((location) => store.io.remove(location))));
}

function resultOf(loaded: readonly LoadedTable[]): CommitResult {
  return { tables: loaded.map(({ commit, done }) => ({ ref: commit.ref, snapshotId: done ?? null })) };
}

function snapshotText(prepared: PreparedCommit | undefined): string | null {
  return prepared?.snapshotId?.toString() ?? null;
}

/** Reads again while the database cannot be reached, within a bound: an unknown outcome is only settled by looking. */
async function settled<T>(read: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await read();
    } catch (error) {
      const down = error instanceof Problem && error.code === kernelProblems.dependencyUnavailable.entry.code;
      if (!down || tries >= MAX_SETTLE_TRIES) throw error;
      await settleDelay(tries);
    }
  }
}

function settleDelay(tries: number): Promise<void> {
  return delay(SETTLE_BACKOFF_MS * 2 ** Math.min(tries, 5));
}
