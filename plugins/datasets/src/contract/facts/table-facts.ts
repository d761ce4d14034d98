import { service, type Tenant } from '@weir/kernel/contract';
import type { DatasetLayer } from '../datasets.ts';

/** What is known of a table by its newest metadata. */
export interface TableFacts {
  /** As it is registered, in its own case. */
  datasetId: string;
  layer: DatasetLayer;
  /** Undefined while nothing has made it. */
  newest: NewestRows | undefined;
}

/** The rows that a table has now. */
export interface NewestRows {
  /** In decimal digits; null for a table without rows. */
  snapshotId: string | null;
  /** The newest snapshots that all have these rows: compaction makes others. */
  sameRows: readonly string[];
  committedAt: Date;
  /** In decimal digits; null where the table does not count them. */
  rows: string | null;
}

/** What tables are like, without opening a file of them. */
export interface FactsService {
  /** The first so many tables that the tenant may read, by id. */
  readable(tenant: Tenant, limit: number): Promise<string[]>;
  /** Of these tables, by their ids in lower case; those that the tenant may not read are left out. Ids may be in any case. */
  of(tenant: Tenant, datasetIds: readonly string[]): Promise<ReadonlyMap<string, TableFacts>>;
}

export const Facts = service<FactsService>('datasets.facts@1');
