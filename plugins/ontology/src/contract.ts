export {
  type BackingDatasetItemView,
  type BackingDatasetView,
  changeBackingDataset,
  createBackingDataset,
  deleteBackingDataset,
  getBackingDataset,
  getSyncCapabilities,
  listBackingDatasets,
} from './contract/backing/backing-datasets.ts';
export { type BackingPreviewView, type PreviewEntityView, previewBackingDataset } from './contract/backing/preview.ts';
export { backingProblems } from './contract/backing/problems.ts';
export {
  getSyncRun,
  listSyncRuns,
  readSyncRunLog,
  type SyncRunItemView,
  type SyncRunView,
  syncBackingDataset,
} from './contract/backing/runs.ts';
export {
  getBackingHealth,
  getBackingReadiness,
  listPendingSyncs,
  type PendingSyncView,
} from './contract/backing/state.ts';
export { type SuggestionsView, suggestMappings } from './contract/backing/suggestions.ts';
export {
  type EntityLinkView,
  type EntityView,
  getEntity,
  keyInPath,
  keyOfPath,
  listEntities,
  listEntityLinks,
} from './contract/entities.ts';
export {
  changeEntityType,
  createEntityType,
  type EntityTypeItemView,
  type EntityTypeView,
  getEntityType,
  getOntologyStatus,
  listEntityTypes,
  retireEntityType,
} from './contract/entity-types.ts';
export { ontologyProblems } from './contract/problems.ts';
export { getSyncRoute, type SyncRouteView, setSyncRoute } from './contract/sync-route.ts';
export {
  createEntityTypeVersion,
  differEntityTypeVersions,
  type EntityTypeVersionView,
  listEntityTypeVersions,
  type TypeChangeView,
} from './contract/type-versions.ts';
