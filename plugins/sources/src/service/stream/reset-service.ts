import { isDivisible } from '@weir/connector-runtime';
import { canonicalSha256, type Kernel, requireMatch, type Tenant } from '@weir/kernel';
import type { Checkpoint, TableSnapshot } from '@weir/plugin-datasets/contract';
import { type ResetConsequenceView, type SourceResetView, type StreamView, sourceProblems } from '../../contract.ts';
import { checkpointKey } from '../../model/stream/checkpoint-key.ts';
import { StreamEntity, type StreamRow } from '../../model/stream/entity.ts';
import { datasetIdOf, streamView } from '../../model/stream/view.ts';
import { liveSource } from '../row/live-source.ts';
import { refuseWhileRunning } from '../row/refuse-while-running.ts';
import type { DestinationServices } from './destinations.ts';
import { liveStream, type StreamIds } from './service.ts';
import { updateStreams } from './write-streams.ts';

/** Snapshots that are read to count the rows of a table; one with more since its last overwrite is not counted. */
const MAX_COUNTED_SNAPSHOTS = 500;

/** Of a stream that has no part of its own in the state of its connector. */
const ALL_OR_NONE =
  'The connector keeps one state for all streams, in which nothing belongs to this one alone: reset all that are read incrementally, or the next sync leaves this one out (state_indivisible).';

/** Letting the next sync of a stream start from nothing. */
export function resetService(kernel: Kernel, { tables }: DestinationServices) {
  return {
    /** What a reset would mean now. Changes nothing. */
    async preview(tenant: Tenant, ids: StreamIds): Promise<ResetConsequenceView> {
      const { row, names } = await kernel.db(tenant).transaction(async (tx) => {
        const { row } = await liveStream(tx, ids);
        const known = await tx.find(StreamEntity, { sourceId: row.sourceId, enabled: true });
        return { row, names: known.map(({ name }) => name) };
      });
      const ref = tables.bronze(tenant, row.destinationTable);
      const { exists } = await tables.describe(tenant, ref);
      const snapshots = exists ? await tables.snapshots(tenant, ref, { limit: MAX_COUNTED_SNAPSHOTS }) : [];
      const checkpoint = await tables.checkpoint(tenant, checkpointKey(row));
      return consequenceOf(tenant, row, { exists, snapshots, checkpoint, names });
    },

    /**
     * Begins a new generation of the stream: its stored state is left behind, and its next sync reads everything and
     * replaces the rows of the table in one commit. Nothing is deleted here. Throws `if_match_required` without an etag,
     * and `run_already_active` while a run of the source is open.
     */
    reset: (tenant: Tenant, ids: StreamIds, ifMatch: string | undefined): Promise<StreamView> =>
      kernel.db(tenant).transaction(async (tx) => {
        requireGiven(ifMatch);
        const { row } = await liveStream(tx, ids, { lock: true });
        requireMatch(ifMatch, String(row.version));
        await refuseWhileRunning(kernel, tx, ids.source_id);
        const after = { ...row, generation: row.generation + 1, resetTable: row.destinationTable };
        await updateStreams(tx, [after], new Date());
        return streamView(tenant, (await liveStream(tx, ids)).row);
      }),

    /** What a reset of all streams would mean now. Changes nothing. */
    previewAll: (tenant: Tenant, sourceId: string): Promise<SourceResetView> =>
      kernel.db(tenant).transaction(async (tx) => {
        await liveSource(tx, sourceId);
        return sourceResetOf(sourceId, await tx.find(StreamEntity, { sourceId }));
      }),

    /** Does to all streams what a reset does to one, in one transaction. Throws as it does. */
    resetAll: (tenant: Tenant, sourceId: string, ifMatch: string | undefined): Promise<SourceResetView> =>
      kernel.db(tenant).transaction(async (tx) => {
        requireGiven(ifMatch);
        await liveSource(tx, sourceId, { lock: true });
        await tx.sql(
          'select from sources.stream where tenant_id = $1 and source_id = $2 order by stream_id for update',
          [tenant.tenantId, sourceId],
        );
        const rows = await tx.find(StreamEntity, { sourceId });
        requireMatch(ifMatch, sourceResetOf(sourceId, rows).etag);
        await refuseWhileRunning(kernel, tx, sourceId);
        const after = rows.map((row) => ({ ...row, generation: row.generation + 1, resetTable: row.destinationTable }));
        await updateStreams(tx, after, new Date());
        return sourceResetOf(sourceId, await tx.find(StreamEntity, { sourceId }));
      }),
  };
}

function requireGiven(ifMatch: string | undefined): asserts ifMatch is string {
  if (ifMatch !== undefined) return;
  throw sourceProblems.ifMatchRequired({ errors: [{ pointer: '/headers/if-match', code: 'required' }] });
}

/** The consequences of a reset of all streams. Pure. */
function sourceResetOf(
  sourceId: string,
  rows: readonly Pick<StreamRow, 'streamId' | 'version' | 'enabled'>[],
): SourceResetView {
  const enabled = rows.filter((row) => row.enabled).length;
  return {
    source_id: sourceId,
    streams: rows.length,
    enabled,
    sentences: [
      `A reset is of all ${rows.length} streams, of which ${enabled} are enabled.`,
      'Nothing is deleted now.',
      'All stored states are left behind: the next sync reads everything that the source has.',
      'When that sync has ended well, it replaces the rows of each table in one commit; older snapshots stay readable.',
    ],
    etag: canonicalSha256(Object.fromEntries(rows.map(({ streamId, version }) => [streamId, version]))).slice(0, 32),
  };
}

/** What is known of the table of a stream. */
export interface TableFacts {
  exists: boolean;
  /** Newest first. */
  snapshots: readonly TableSnapshot[];
  checkpoint: Checkpoint | undefined;
  /** Of the enabled streams of the source. */
  names: readonly string[];
}

/** The consequences of a reset, from what is known of the table. Pure. */
export function consequenceOf(tenant: Tenant, row: StreamRow, facts: TableFacts): ResetConsequenceView {
  const { exists, snapshots, checkpoint, names } = facts;
  const [newest] = snapshots;
  const rows = rowsIn(snapshots);
  const stateDropped = checkpoint?.state !== undefined && checkpoint.state !== null;
  const table = datasetIdOf(tenant, row);
  const sentences = [
    'Nothing is deleted now.',
    stateDropped
      ? 'The stored state is left behind: the next sync reads everything that the source has.'
      : 'There is no stored state: the next sync reads everything that the source has, as it would anyway.',
    newest === undefined
      ? `${table} has no rows yet.`
      : `When that sync has ended well, it replaces the ${rows === undefined ? '' : `${rows} `}rows of ${table} in one commit; older snapshots stay readable.`,
    ...(stateDropped && names.length > 1 && !isDivisible([checkpoint.state as string], names) ? [ALL_OR_NONE] : []),
  ];
  return {
    stream_id: row.streamId,
    name: row.name,
    namespace: row.namespace ?? null,
    dataset_id: table,
    table_exists: exists,
    rows: rows === undefined ? null : String(rows),
    snapshot_id: newest?.snapshotId ?? null,
    state_dropped: stateDropped,
    rows_replaced: newest !== undefined,
    deleted_now: false,
    generation: { from: row.generation, to: row.generation + 1 },
    last_commit_at: newest?.committedAt ?? null,
    sentences,
    etag: String(row.version),
  };
}

/** The rows since the last overwrite; undefined when a snapshot does not say, deletes, or lies beyond what was read. */
function rowsIn(snapshots: readonly TableSnapshot[]): bigint | undefined {
  let rows = 0n;
  for (const { operation, addedRecords } of snapshots) {
    if (operation !== 'append' && operation !== 'overwrite') return undefined;
    if (addedRecords === undefined) return undefined;
    rows += BigInt(addedRecords);
    if (operation === 'overwrite') return rows;
  }
  return snapshots.length < MAX_COUNTED_SNAPSHOTS ? rows : undefined;
}
