import { service, type Tenant } from '@weir/kernel/contract';
import type { CallerTransaction } from '@weir/plugin-datasets/contract';

/** A column, its type in the words of the table format. */
export interface FactColumn {
  readonly name: string;
  readonly type: string;
}

/** What a run of an artifact reads and writes. Datasets by id. */
export interface ArtifactFacts {
  readonly artifactId: string;
  readonly output: string;
  readonly inputs: readonly string[];
  readonly columns: readonly FactColumn[];
  /** Columns of the inputs that the statement reads, as far as is known. */
  readonly reads: readonly { readonly dataset_id: string; readonly column: string; readonly type: string }[];
}

/** A transform as those who put it into a group see it. */
export interface TransformFacts {
  readonly transformId: string;
  readonly name: string;
  readonly isArchived: boolean;
  /** The table that it writes, or will write. */
  readonly output: string;
  /** The artifact in force. */
  readonly artifactId: string | null;
}

/** What became of the steps of a whole. */
export interface GroupOutcome {
  readonly total: number;
  readonly succeeded: number;
  readonly skipped: number;
  readonly failed: number;
  /** What was published: snapshots in decimal digits. */
  readonly outputs: readonly { readonly dataset_id: string; readonly snapshot_id: string }[];
}

/** What other plugins may know of transforms, without their statements. */
export interface FactsService {
  /**
   * These transforms, with the artifacts in force and those that are named; what is not there is left out. With `lock` no
   * transform of them changes until the transaction ends.
   */
  read(
    tx: CallerTransaction,
    asked: { transformIds: readonly string[]; artifactIds?: readonly string[]; lock?: boolean },
  ): Promise<{
    transforms: ReadonlyMap<string, TransformFacts>;
    artifacts: ReadonlyMap<string, ArtifactFacts>;
  }>;
  /** Transforms that are not archived, by name, as far as name or output have the words of `search`. */
  search(
    tenant: Tenant,
    asked: { search?: string | undefined; limit?: number | undefined; page_token?: string | undefined },
  ): Promise<{ items: TransformFacts[]; next_page_token: string | null }>;
  /** The transforms that write a table, by the definition in force. */
  writers(tx: CallerTransaction, datasetId: string): Promise<string[]>;
  /** By the run id of the whole. */
  outcomes(tx: CallerTransaction, runIds: readonly string[]): Promise<ReadonlyMap<string, GroupOutcome>>;
}
export const Facts = service<FactsService>('transforms.facts@1');
