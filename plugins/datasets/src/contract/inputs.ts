import { service } from '@weir/kernel/contract';
import type { DeclaredTable } from './producers.ts';
import type { CallerTransaction, TableOwner, TableRef } from './tables.ts';

/** Datasets that one call pins at most. */
export const MAX_PINNED_INPUTS = 200;
/** Days after which a mark keeps its snapshot no longer. */
export const MARK_DAYS = 90;

/** Why it cannot be said which rows of an input are new. */
export type InputUnknown = 'overwritten' | 'expired' | 'rolled_back' | 'columns_changed';

/**
 * What became of the rows of an input since an earlier snapshot. Files that were only compacted change nothing. `changed`: the
 * rows of the plan are those that came or went, and others of their files.
 */
export type InputChange =
  | { readonly kind: 'none' }
  | { readonly kind: 'added' | 'changed'; readonly plan: object; readonly rows: string }
  | { readonly kind: InputUnknown };

/** A dataset that is asked for, at its newest snapshot unless one is named. */
export interface AskedInput {
  readonly datasetId: string;
  readonly snapshotId?: string | null;
  /** Answers what became of the rows since this snapshot; null: since before the first. */
  readonly since?: string | null;
  /** A metadata file of the table that no catalog names, as `draft` answered; read in place of the table as it is. */
  readonly draft?: string;
}

/** A dataset at one snapshot, as a run reads it. */
export interface PinnedInput {
  datasetId: string;
  ref: TableRef;
  tableUuid: string;
  /** In decimal digits; null for a table without rows so far. */
  snapshotId: string | null;
  /** The newest snapshot up to it that changed rows: compaction makes others. */
  rowsSnapshotId: string | null;
  schemaId: number;
  /** Types in the words of the table format. */
  columns: readonly { readonly name: string; readonly type: string }[];
  /** From the manifests, in decimal digits; too high by rows that equality deletes take. */
  rows: string;
  bytes: string;
  /** The metadata file that has the snapshot. */
  metadataLocation: string;
  /** Files, deletes and schema for the process that reads them: cloned between processes as it is, never stored. */
  plan: object;
  /** Of a draft: the newest snapshot of it that the table has, null if it has none. A hold keeps this one. */
  draftBase?: string | null;
  /** Of one that was asked for with `since`. */
  change?: InputChange;
  /** What opens the store of the files. It may hold credentials, so it is never logged and never stored. */
  store: object;
}

/** A dataset that a producer of the tenant is going to write. */
export interface DeclaredInput extends Pick<DeclaredTable, 'producer' | 'next'> {
  datasetId: string;
  /** Its columns, without rows and without a snapshot; undefined while the producer does not know them. */
  pin: PinnedInput | undefined;
}

/** Reads of several datasets at exact snapshots, which stay readable while a run needs them. */
export interface InputsService {
  /**
   * The datasets as they all were at one moment, or at the snapshots that are named. Throws `invalid_dataset_id`,
   * `dataset_not_readable`, also for a draft that lies in no folder of its table, and `not_found` as every other way to
   * rows does, and `conflict` where a remote catalog moves
   * the tables faster than they can be read together.
   */
  pin(tenant: TableOwner, asked: readonly AskedInput[]): Promise<PinnedInput[]>;
  /** What producers of the tenant declare of these datasets. Unreadable ones and those without a producer are left out. */
  declared(tenant: TableOwner, datasetIds: readonly string[]): Promise<DeclaredInput[]>;
  /** The readable dataset whose id is nearest to this one, where it is near enough to be a slip of the fingers. */
  near(tenant: TableOwner, datasetId: string): Promise<string | undefined>;
  /**
   * Keeps the files of pinned inputs, whatever becomes of the snapshots, until `release` or the end of the run. Throws
   * `conflict` for a snapshot that the table has dropped since it was pinned.
   */
  hold(tx: CallerTransaction, runId: string, pins: readonly PinnedInput[]): Promise<void>;
  release(tx: CallerTransaction, runId: string): Promise<void>;
  /**
   * Keeps the snapshots of these pins, in place of those that the reader marked before, so that it can ask what came since;
   * for `MARK_DAYS` at most, and never against a table that is dropped.
   */
  mark(tx: CallerTransaction, reader: string, pins: readonly PinnedInput[]): Promise<void>;
  unmark(tx: CallerTransaction, reader: string): Promise<void>;
}

export const Inputs = service<InputsService>('datasets.inputs@1');
