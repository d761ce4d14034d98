import type { Outcome, RunInput } from '@weir/work';
import type { MaintenanceAction } from '../contract.ts';

/** The activities of role `maintenance`. Each plans on the table as it is then: it may be carried out more than once. */
export interface MaintenanceActivities {
  /** What of the actions that were asked for has something to do now. */
  planTable(input: RunInput): Promise<MaintenanceAction[]>;
  /** Rewrites bins and joins manifests. */
  rewriteBins(input: RunInput): Promise<void>;
  /** Drops the snapshots that nothing needs. */
  dropSnapshots(input: RunInput): Promise<void>;
  /** Enters orphaned files into the ledger, from which the sweep removes them. */
  removeOrphans(input: RunInput): Promise<void>;
  /** Ends the run, and looks at the table once more. */
  endMaintenance(input: RunInput, outcome: Outcome): Promise<void>;
}
