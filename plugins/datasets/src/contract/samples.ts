import { service } from '@weir/kernel/contract';
import type { TableOwner } from './tables.ts';

/** Rows that a sample may have. */
export const MAX_SAMPLE_ROWS = 50_000;

/** A snapshot of a dataset and its columns, types in the words of the table format. */
export interface SampledDataset {
  /** In decimal digits; null for a table without rows so far. */
  snapshotId: string | null;
  columns: readonly { readonly name: string; readonly type: string }[];
}

/** A statement over the sample: a table `sample` with a column `r`, the place of a row, and `c0` and so on. */
export interface SampleStatement {
  /** A single SELECT. It reaches the sample and nothing else, wherever its words come from. */
  readonly sql: string;
  /** Rows that it may answer; more are `preview_too_large`. */
  readonly maxRows: number;
  /** A name, of lower case letters, by which the statements behind it read its rows; they are not answered then. */
  readonly as?: string;
}

export interface SampleQuestion {
  /** Of this snapshot, as `describe` named it; an expired one is `not_found`. */
  readonly snapshotId: string | null;
  /** Names of the columns that become `c0` and so on. The caller has them from `describe`. */
  readonly columns: readonly string[];
  /** The first rows in reading order, at most `MAX_SAMPLE_ROWS`. */
  readonly rows: number;
  readonly statements: readonly SampleStatement[];
  /** Stops the work when nobody waits for it any more. */
  readonly signal?: AbortSignal;
}

export interface SampleFindings {
  rows: number;
  /** Whether the dataset has rows behind those of the sample. */
  more: boolean;
  /**
   * For each statement the values of each of its columns, as previews show them: 32-bit integers and doubles are numbers,
   * longer integers and decimals are strings, NULL is null.
   */
  results: readonly (readonly (readonly unknown[])[])[];
}

/**
 * Looks at the first rows of a dataset that the tenant may read, in a process apart that is bounded in time and memory.
 * Both calls throw `invalid_dataset_id`, `dataset_not_readable` and `not_found` as every other way to rows does.
 */
export interface SamplesService {
  describe(tenant: TableOwner, datasetId: string): Promise<SampledDataset>;
  /** Throws `query_timeout` at the bound of time or memory, `preview_too_large`, and `dependency_unavailable` when too many wait. */
  ask(tenant: TableOwner, datasetId: string, question: SampleQuestion): Promise<SampleFindings>;
}

export const Samples = service<SamplesService>('datasets.samples@1');
