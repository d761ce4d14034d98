export {
  type ColumnOfTableView,
  LineageColumn,
  type LineageColumnView,
  UNRESOLVED_REASONS,
} from './contract/columns.ts';
export {
  JOB_KINDS,
  type JobKind,
  type JobRun,
  type LineageGiver,
  LineageGivers,
  type LineageJob,
} from './contract/giver.ts';
export {
  DIRECTIONS,
  getLineage,
  type ImpactView,
  type JobView,
  type LineageEdgeView,
  type LineageNodeView,
  type LineageView,
  MAX_DEPTH,
  MAX_NODES,
  NODE_STATES,
  type ReachedTableView,
  readImpact,
} from './contract/lineage.ts';
