import { contributionPoint, type RunStatus, type Tenant } from '@weir/kernel/contract';
import type { LineageColumnView } from './columns.ts';

/** What reads and writes tables, or fills something from them. */
export const JOB_KINDS = ['source', 'transform', 'backing_dataset'] as const;
export type JobKind = (typeof JOB_KINDS)[number];

/** Something in force that reads and writes. Dataset ids may be written in any case. */
export interface LineageJob {
  readonly id: string;
  readonly name: string;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** The code of the entity type that it fills. */
  readonly fills?: string;
}

/** What a job read and wrote when it last succeeded, and how its newest run ended. */
export interface JobRun {
  readonly last: { readonly runId: string; readonly status: RunStatus; readonly endedAt: Date | null } | undefined;
  /** The snapshots of the last run that succeeded, in decimal digits, by dataset id; null for a table without rows. */
  readonly read: ReadonlyMap<string, string | null>;
  readonly runId: string | undefined;
  /** Of its one output. */
  readonly wrote: string | undefined;
  /** What is in force is not what that run carried out. */
  readonly isChanged: boolean;
}

/** A plugin's part of the lineage: computed from what is in force, so that what is archived or deleted is gone at once. */
export interface LineageGiver {
  readonly kind: JobKind;
  jobs(tenant: Tenant): Promise<readonly LineageJob[]>;
  /** Of these jobs; those without any run may be left out. */
  runs(tenant: Tenant, ids: readonly string[]): Promise<ReadonlyMap<string, JobRun>>;
  /** How the columns of the output follow from those of the inputs; jobs that know nothing of it are left out. */
  columns?(tenant: Tenant, ids: readonly string[]): Promise<ReadonlyMap<string, readonly LineageColumnView[]>>;
}

/** Where plugins say what of theirs reads and writes tables. */
export const LineageGivers = contributionPoint<LineageGiver>('lineage.giver');
