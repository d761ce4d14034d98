export {
  DATASET_LAYERS,
  DatasetColumn,
  DatasetDetail,
  DatasetItem,
  type DatasetLayer,
  DatasetPreview,
  DatasetSnapshot,
  DatasetSnapshotTwin,
  DEFAULT_PREVIEW_ROWS,
  getDataset,
  listDatasetSnapshots,
  listDatasets,
  MAX_PREVIEW_ROWS,
  previewDataset,
  SnapshotId,
} from './contract/datasets.ts';
export { datasetProblems } from './contract/problems.ts';
export { type ProducerEntry, type ProducerKind, Producers, type ProducersService } from './contract/producers.ts';
export {
  type CallerTransaction,
  type Checkpoint,
  type CheckpointWrite,
  type CommitRequest,
  type CommitResult,
  type PreparedTable,
  type TableCommit,
  type TableOwner,
  type TableRef,
  Tables,
  type TablesService,
} from './contract/tables.ts';
